//! Where requests go on to: one origin for every host, or one a host, and under which name it is asked.

use baton::gate::{Host, Scheme, Site};
use baton::settings::{OriginHost, Origins, PASSED_HEADERS_MAX, PassedHeaders, Problem, SiteData, parse_origins};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn read(vars: Value) -> Result<Origins, Vec<Problem>> {
    parse_origins(vars.as_object().expect("a table"))
}

/// The origin of a host, as a URL; `-`: none by URL.
fn of(origins: &Origins, host: &str) -> String {
    let host = Host::parse(Scheme::Https, host).expect("a host");
    origins.of(&host).map_or("-".to_owned(), Site::base)
}

#[test]
fn one_for_every_host() {
    for (text, base) in [
        ("https://a.example", "https://a.example"),
        ("https://a.example/", "https://a.example"),
        ("http://127.0.0.1:3000", "http://127.0.0.1:3000"),
    ] {
        let origins = read(json!({ "ORIGIN": text })).expect("good");
        assert_eq!(of(&origins, "tickets.example.com"), base);
        assert_eq!(origins.host, OriginHost::Origin);
    }
    for none in [json!({}), json!({ "ORIGIN": null }), json!({ "ORIGIN": "", "ORIGIN_HOST": "" })] {
        assert_eq!(read(none), Ok(Origins::default()));
    }
    for bad in [
        json!("a.example"),
        json!("https://"),
        json!("https://a.example/x"),
        json!("https://u@a.example"),
        json!("https://a.example?x"),
        json!("javascript:x"),
        json!(1),
        json!("https://a.example//"),
    ] {
        let problems = read(json!({ "ORIGIN": bad })).expect_err("bad");
        assert_eq!(problems[0].key, "ORIGIN", "{bad}");
        assert!(problems[0].cure.contains("https://"), "{bad}");
    }
}

#[test]
fn one_a_host() {
    let origins = read(json!({ "ORIGIN": {
        "tickets.example.com": "https://shop.example.net",
        "Booking.Example.com.": "http://10.0.0.2:8000",
        "booking.example.com:8443": "https://other.example.net",
    } }))
    .expect("good");
    assert_eq!(of(&origins, "TICKETS.example.com"), "https://shop.example.net");
    assert_eq!(of(&origins, "tickets.example.com:8080"), "https://shop.example.net");
    assert_eq!(of(&origins, "booking.example.com"), "http://10.0.0.2:8000");
    assert_eq!(
        of(&origins, "booking.example.com:8443"),
        "https://other.example.net",
        "the one with the port before the one without"
    );
    assert_eq!(of(&origins, "www.example.com"), "-");
    let knows = |host| origins.know(&Host::parse(Scheme::Https, host).expect("a host"));
    assert!(knows("tickets.example.com") && knows("shop.example.net") && knows("other.example.net"));
    assert!(!knows("www.example.com") && !knows("example.com"));
}

#[test]
fn what_is_wrong_is_named_by_its_host_with_a_cure() {
    for (table, key) in [
        (json!({}), "ORIGIN"),
        (json!({ "https://a.example": "https://b.example" }), "ORIGIN.\"https://a.example\""),
        (json!({ "*": "https://b.example" }), "ORIGIN.\"*\""),
        (json!({ "a.example": "b.example" }), "ORIGIN.\"a.example\""),
        (json!({ "a.example": {} }), "ORIGIN.\"a.example\""),
        (
            json!({ "A.example": "https://b.example", "a.example": "https://b.example" }),
            "ORIGIN.\"a.example\"",
        ),
    ] {
        let problems = read(json!({ "ORIGIN": table })).expect_err("bad");
        assert_eq!(problems.len(), 1, "{table}");
        assert_eq!(problems[0].key, key);
        assert!(problems[0].cure.len() > 10, "{problems:?}");
    }
    let many: serde_json::Map<String, Value> = (0..101).map(|n| (format!("h{n}.example"), json!("https://b.example"))).collect();
    assert!(read(json!({ "ORIGIN": many })).is_err());
}

#[test]
fn the_visitors_name_takes_an_origin_with_a_name_and_no_port() {
    let public = |origin: Value| read(json!({ "ORIGIN": origin, "ORIGIN_HOST": "public" }));
    let good = public(json!("https://shop-origin.example.com")).expect("good");
    assert_eq!(good.host, OriginHost::Public);
    assert!(public(json!({ "tickets.example.com": "http://a.example.com", "www.example.com": "https://b.example.com:443" })).is_ok());
    for (bad, why) in [
        (json!(null), "by URL"),
        (json!("http://10.0.0.2"), "address"),
        (json!("http://[::1]"), "address"),
        (json!("https://a.example.com:8443"), "port"),
        (
            json!({ "a.example.com": "https://b.example.com", "c.example.com": "http://b.example.com:443" }),
            "port",
        ),
    ] {
        let problems = public(bad.clone()).expect_err("bad");
        assert_eq!((problems.len(), problems[0].key.as_str()), (1, "ORIGIN_HOST"), "{bad}");
        assert!(problems[0].what.contains(why), "{problems:?}");
    }
    for odd in [json!("Public"), json!("visitor"), json!(true)] {
        let problems = read(json!({ "ORIGIN": "https://a.example.com", "ORIGIN_HOST": odd })).expect_err("bad");
        assert_eq!(problems[0].key, "ORIGIN_HOST");
    }
}

#[test]
fn what_becomes_of_a_header_that_clears_cookies() {
    let said = |value: Value| read(json!({ "CLEAR_SITE_DATA": value })).map(|origins| origins.site_data);
    assert_eq!(said(json!(null)), Ok(SiteData::Keep));
    assert_eq!(said(json!("keep")), Ok(SiteData::Keep));
    assert_eq!(said(json!("through")), Ok(SiteData::Through));
    for bad in [json!("Through"), json!(true), json!("")] {
        let problems = said(bad.clone()).expect_err("bad");
        assert_eq!(problems[0].key, "CLEAR_SITE_DATA", "{bad}");
    }
}

#[test]
fn how_long_an_origin_may_take() {
    let timeout_ms = |value: Value| read(json!({ "ORIGIN_TIMEOUT_S": value })).map(|origins| origins.timeout_ms);
    assert_eq!(timeout_ms(json!(null)), Ok(100_000));
    for (value, ms) in [(json!(1), 1_000), (json!(600), 600_000), (json!("30"), 30_000)] {
        assert_eq!(timeout_ms(value), Ok(ms));
    }
    for bad in [json!(0), json!(601), json!(1.5), json!(-1), json!("soon"), json!(""), json!([])] {
        let problems = timeout_ms(bad.clone()).expect_err("bad");
        assert_eq!(problems[0].key, "ORIGIN_TIMEOUT_S", "{bad}");
    }
}

#[test]
fn headers_that_go_on_although_their_names_would_keep_them_back() {
    let read = |list: &str, value: Value| read(json!({ list: value })).map(|origins| origins.headers);
    for list in ["PASS_HEADERS", "FRONT_HEADERS"] {
        assert_eq!(read(list, json!(null)), Ok(PassedHeaders::default()));
        assert_eq!(read(list, json!([])), Ok(PassedHeaders::default()));
        let headers = read(list, json!(["API_Key", "x-store-path"])).expect("good");
        assert!(headers.have("api_key") && headers.have("x-store-path"));
        assert!(!headers.have("api-key"));
        for bad in [
            json!([""]),
            json!([7]),
            json!(["x y"]),
            json!(["naïve"]),
            json!(["x".repeat(129)]),
            json!(["Baton-Fence"]),
            json!(["baton_fence"]),
            json!(["X_Forwarded_For"]),
        ] {
            let problems = read(list, bad.clone()).expect_err("bad");
            assert_eq!(problems[0].key, format!("{list}[0]"), "{bad}");
        }
        for bad in [json!("api_key"), json!(vec!["x-a"; PASSED_HEADERS_MAX + 1])] {
            assert_eq!(read(list, bad).expect_err("bad")[0].key, list);
        }
    }
    for name in ["X-Real-IP", "Remote-User", "X-Forwarded-Client-Cert", "CF-IPCountry"] {
        assert!(read("FRONT_HEADERS", json!([name])).is_ok(), "{name}");
        let problems = read("PASS_HEADERS", json!([name])).expect_err("any client's");
        assert!(problems[0].cure.contains("FRONT_HEADERS"), "{name}");
    }
}
