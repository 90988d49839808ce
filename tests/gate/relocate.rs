//! The origin's own address in its answers: changed where it is the origin's when parsed, and nowhere else. The table is
//! `tests/fixtures/relocations.json`, to which the way out is held too (`tests/platform/way_out.test.mjs`).

use baton::gate::{Relocation, Site};
use serde_json::Value;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const TABLE: &str = include_str!("../fixtures/relocations.json");
/// The fewest rows that the table may have.
const ROWS_MIN: usize = 100;

/// What becomes of a header of an origin, asked for by a visitor at `visitors`.
fn relocated(origin: &str, visitors: &str, name: &str, value: &str) -> Option<String> {
    let public = Site::parse(visitors).expect("the visitors' site");
    let relocation = Relocation {
        from: Site::parse(origin).expect("the origin's site"),
        scheme: public.scheme,
        host: &public.host,
    };
    if name == "set-cookie" {
        relocation.cookie(value)
    } else {
        relocation.header(name, value)
    }
}

fn list<'a>(case: &'a Value, key: &str) -> &'a [Value] {
    case[key].as_array().map_or(&[], Vec::as_slice)
}

#[test]
fn the_origins_address_becomes_the_visitors_and_every_other_is_left() {
    let table: Vec<Value> = serde_json::from_str(TABLE).expect("a table");
    let mut rows = 0;
    for case in &table {
        let [about, origin, visitors, header] = ["about", "origin", "visitors", "header"].map(|key| case[key].as_str().expect(key));
        let changed = list(case, "changed").iter();
        let changed = changed.map(|row| (row[0].as_str(), row[1].as_str()));
        let left = list(case, "left").iter().map(|row| (row.as_str(), None));
        for (value, expected) in changed.chain(left) {
            let value = value.expect("a value");
            let got = relocated(origin, visitors, header, value);
            assert_eq!(got.as_deref(), expected, "{about}: {origin} {header}: {value}");
            rows += 1;
        }
    }
    assert!(rows >= ROWS_MIN, "{rows} rows");
}

#[test]
fn an_escaped_name_is_left_and_leads_to_a_closed_door() {
    // It is the origin's to a browser, and nobody writes it.
    let value = "http://shop%2einternal:8000/a";
    let got = relocated("http://shop.internal:8000", "https://tickets.example.com", "location", value);
    assert_eq!(got, None);
}

#[test]
fn a_site_is_scheme_and_host_and_no_more() {
    for (text, base) in [
        ("https://shop.example.net/", "https://shop.example.net"),
        ("HTTPS://Shop.Example.Net:443", "https://shop.example.net"),
        ("http://127.0.0.1:3000", "http://127.0.0.1:3000"),
        ("http://[0:0::1]:80", "http://[::1]"),
    ] {
        assert_eq!(Site::parse(text).map(|site| site.base()).as_deref(), Some(base), "{text}");
    }
    for odd in [
        "",
        "shop.example.net",
        "//shop.example.net",
        "ftp://shop.example.net",
        "https://",
        "https://a/b",
        "https://u@a",
        "https://a?b",
        "https://a//",
        "http://[::g]",
        "http://[::1",
    ] {
        assert_eq!(Site::parse(odd), None, "{odd}");
    }
}
