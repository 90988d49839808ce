//! What a request wants, by what it says and by what it leaves out.

use super::asking::{HOST, HTML, ask};
use baton::gate::{Answer, Gate, Intent, Plan, Request, Scheme, VisitKind};
use baton::settings;
use serde_json::json;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn what_kind_of_visit() {
    let cors = ("sec-fetch-mode", "cors");
    let nav = ("sec-fetch-mode", "navigate");
    let any = ("accept", "*/*");
    #[rustfmt::skip]
    let table: &[(&str, &[(&str, &str)], &str)] = &[
        ("GET", &[HTML], "onsale Navigation page 200"),
        ("GET", &[HTML, nav, ("sec-fetch-dest", "document")], "onsale Navigation page 200"),
        ("HEAD", &[HTML], "onsale Resource page 200"),
        ("GET", &[], "onsale Resource json 429"),
        ("GET", &[any], "onsale Resource json 429"),
        ("GET", &[any, nav], "onsale Resource json 429"),
        ("HEAD", &[any], "onsale Resource json 429"),
        ("GET", &[any, ("sec-fetch-dest", "document")], "onsale Navigation page 200"),
        ("GET", &[any, ("sec-fetch-dest", "Iframe")], "onsale Navigation page 200"),
        ("GET", &[any, ("sec-fetch-dest", "empty")], "onsale Resource json 429"),
        ("GET", &[any, ("sec-fetch-dest", "documents")], "onsale Resource json 429"),
        ("GET", &[("accept", "application/xhtml+xml")], "onsale Navigation page 200"),
        ("GET", &[("accept", "application/json, Text/HTML ;q=0.1")], "onsale Navigation page 200"),
        ("GET", &[("accept", "x-text/html")], "onsale Resource json 429"),
        ("GET", &[any, cors], "onsale Resource json 429"),
        ("GET", &[HTML, cors], "onsale Resource page 200"),
        ("GET", &[HTML, ("sec-fetch-mode", "navigate, cors"), ("sec-fetch-dest", "document")], "onsale Navigation page 200"),
        ("GET", &[("accept", "application/json")], "onsale Resource json 429"),
        ("GET", &[("accept", "image/avif,image/webp,*/*;q=0.8"), ("sec-fetch-mode", "no-cors")], "onsale Resource json 429"),
        ("GET", &[("accept", "text/html;q=0,*/*")], "onsale Resource json 429"),
        ("GET", &[("accept", "text/*")], "onsale Resource json 429"),
        ("GET", &[("accept", "*/*;q=0")], "onsale Resource json 429"),
        ("GET", &[HTML, ("sec-fetch-dest", "image")], "onsale Resource page 200"),
        ("GET", &[HTML, ("sec-purpose", "prefetch;prerender")], "onsale Resource json 503 looks"),
        ("GET", &[HTML, ("purpose", "prefetch")], "onsale Resource json 503 looks"),
        ("GET", &[HTML, ("x-moz", "prefetch")], "onsale Resource json 503 looks"),
        ("GET", &[any, cors, ("Sec-Purpose", "Prefetch")], "onsale Resource json 503 looks"),
        ("GET", &[HTML, ("upgrade", "websocket")], "onsale Upgrade json 429"),
        ("GET", &[HTML, ("upgrade", "h2c")], "onsale Upgrade json 429"),
        ("POST", &[HTML], "onsale Submission page 429"),
        ("POST", &[HTML, nav], "onsale Submission page 429"),
        ("PUT", &[any, cors], "onsale Submission json 429"),
        ("DELETE", &[("accept", "application/json")], "onsale Submission json 429"),
        ("get", &[HTML], "onsale Submission page 429"),
        ("OPTIONS", &[any], "onsale Submission json 429"),
        ("POST", &[any, ("sec-fetch-dest", "document")], "onsale Submission page 429"),
        ("OPTIONS", &[("origin", "https://a.example")], "onsale Submission json 429 foreign"),
        ("OPTIONS", &[("access-control-request-method", "PUT")], "onsale Submission json 429"),
        ("OPTIONS", &[("origin", "https://a.example"), ("access-control-request-method", "PUT")], "preflight onsale"),
        ("OPTIONS", &[("origin", "https://a.example"), ("access-control-request-method", "")], "onsale Submission json 429 foreign"),
        ("GET", &[("origin", "https://a.example"), ("access-control-request-method", "PUT"), HTML], "onsale Navigation page 200"),
    ];
    for (method, headers, expected) in table {
        assert_eq!(ask(method, HOST, "/buy/x", headers), *expected, "{method} {headers:?}");
    }
    assert_eq!(ask("GET", HOST, "/vip", &[HTML]), "begins Navigation page 503");
}

/// Each kind of request that browsers send to a gated path, as Chromium, Firefox and WebKit say it, and as clients that say less do.
///
/// Long because it is one table.
#[test]
fn a_visit_counts_by_where_it_comes_from_and_where_it_goes() {
    const ANY: &str = "*/*";
    const PAGE: &str = "text/html,*/*;q=0.8";
    let (walks, waits, json) = ("Navigation page 200", "Resource page 200", "Resource json 429");
    let (framed, posts) = ("Resource link 200", "Submission page 429 walks in");
    let (foreign, sent) = ("Resource json 429 foreign", "Submission page 429");
    let posted = "Submission json 429 foreign";
    #[rustfmt::skip]
    let table: &[(&str, &str, &str, &str, &str, &str)] = &[
        // Method, site, mode, destination, Accept; "" is absent.
        // A link, an address that was typed, a bank's way back.
        ("GET", "none", "navigate", "document", PAGE, walks),
        ("GET", "same-origin", "navigate", "document", PAGE, walks),
        ("GET", "same-site", "navigate", "document", PAGE, walks),
        ("GET", "cross-site", "navigate", "document", PAGE, walks),
        ("POST", "cross-site", "navigate", "document", PAGE, sent),
        // The same by a service worker that sends the request on, and by one that makes another of it.
        ("GET", "cross-site", "navigate", "empty", PAGE, walks),
        ("GET", "same-origin", "same-origin", "empty", PAGE, waits),
        // A frame: of the shop's own; of a sister host, which may not show the page; of another site, which may be hidden; 3-D Secure's, which a
        // bank sends on.
        ("GET", "same-origin", "navigate", "iframe", PAGE, walks),
        ("GET", "same-site", "navigate", "iframe", PAGE, "Navigation link 200"),
        ("GET", "cross-site", "navigate", "iframe", PAGE, framed),
        ("GET", "cross-site", "navigate", "frame", PAGE, framed),
        ("GET", "cross-site", "navigate", "fencedframe", PAGE, framed),
        ("HEAD", "cross-site", "navigate", "iframe", PAGE, framed),
        ("POST", "cross-site", "navigate", "iframe", PAGE, "Submission link 429"),
        ("POST", "same-site", "navigate", "iframe", PAGE, "Submission link 429"),
        // A form of the site's own page, in the window and in a frame; its script's call; a beacon, which nobody clicked.
        ("POST", "same-origin", "navigate", "document", PAGE, posts),
        ("POST", "same-origin", "navigate", "iframe", PAGE, posts),
        ("POST", "same-origin", "cors", "empty", ANY, "Submission json 429 walks in"),
        ("POST", "same-origin", "same-origin", "empty", PAGE, posts),
        ("POST", "same-origin", "no-cors", "empty", ANY, "Submission json 429"),
        ("PUT", "same-origin", "cors", "empty", ANY, "Submission json 429"),
        // What no page of this very host sends.
        ("POST", "same-site", "navigate", "document", PAGE, sent),
        ("POST", "none", "navigate", "document", PAGE, sent),
        // What a page of another site fetches.
        ("GET", "cross-site", "no-cors", "image", "image/*,*/*;q=0.8", foreign),
        ("GET", "cross-site", "no-cors", "image", PAGE, foreign),
        ("GET", "cross-site", "no-cors", "script", ANY, foreign),
        ("GET", "cross-site", "no-cors", "style", "text/css,*/*;q=0.1", foreign),
        ("GET", "cross-site", "no-cors", "empty", PAGE, foreign),
        ("GET", "cross-site", "cors", "empty", PAGE, foreign),
        ("GET", "cross-site", "navigate", "object", PAGE, foreign),
        ("GET", "cross-site", "navigate", "embed", PAGE, foreign),
        ("GET", "Cross-Site", "websocket", "websocket", "", foreign),
        ("HEAD", "cross-site", "no-cors", "empty", PAGE, foreign),
        ("POST", "cross-site", "no-cors", "empty", ANY, posted),
        ("POST", "cross-site", "cors", "empty", PAGE, posted),
        // The same from the site itself and from its sister hosts is the site's own.
        ("GET", "same-origin", "no-cors", "image", "image/*", json),
        ("GET", "same-site", "cors", "empty", ANY, json),
        ("GET", "same-site", "cors", "empty", PAGE, waits),
        ("POST", "same-site", "cors", "empty", ANY, "Submission json 429"),
        // HEAD walks nobody in.
        ("HEAD", "none", "navigate", "document", PAGE, waits),
        ("HEAD", "", "", "", PAGE, waits),
        // Whoever says nothing is judged by Accept alone.
        ("GET", "", "", "", PAGE, walks),
        ("GET", "", "", "", ANY, json),
        ("POST", "", "", "", PAGE, sent),
        // So is whoever says no more than the site.
        ("GET", "cross-site", "", "", PAGE, walks),
        ("GET", "cross-site", "", "", ANY, foreign),
        ("GET", "cross-site", "", "iframe", ANY, framed),
        ("GET", "cross-site", "", "image", PAGE, foreign),
        ("POST", "cross-site", "", "", PAGE, sent),
        ("POST", "cross-site", "", "", ANY, posted),
    ];
    for (method, site, mode, dest, accept, expected) in table {
        let said = [
            ("sec-fetch-site", *site),
            ("sec-fetch-mode", *mode),
            ("sec-fetch-dest", *dest),
            ("accept", *accept),
        ];
        let headers: Vec<_> = said.into_iter().filter(|(_, value)| !value.is_empty()).collect();
        let found = ask(method, HOST, "/buy/x", &headers);
        assert_eq!(found, format!("onsale {expected}"), "{method} {headers:?}");
    }
}

/// Every name under which a look announces itself, and what looks like one and is none.
///
/// Long because it has a row for each name and each call.
#[test]
fn looks_announce_themselves_by_name() {
    let looks = [
        ("sec-purpose", "prefetch"),
        ("sec-purpose", "prefetch;prerender"),
        ("sec-purpose", "prefetch;anonymous-client-ip"),
        ("sec-purpose", "prerender"),
        ("purpose", "Prefetch"),
        ("x-purpose", "preview"),
        ("x-moz", "prefetch"),
        ("x-sec-purpose", "prefetch"),
        ("hx-preloaded", "true"),
        ("vnd.prefetch", "true"),
        ("next-router-prefetch", "1"),
        ("next-router-prefetch", "2"),
        ("next-router-segment-prefetch", "/_tree"),
    ];
    let rsc = ("rsc", "1");
    for look in looks {
        let table = [
            ("GET", HTML, "onsale Resource json 503 looks"),
            ("GET", rsc, "onsale Resource json 503 looks"),
            ("HEAD", HTML, "onsale Resource json 503 looks"),
            ("POST", HTML, "onsale Submission json 503 looks"),
        ];
        for (method, header, expected) in table {
            let found = ask(method, HOST, "/buy/x", &[header, look]);
            assert_eq!(found, expected, "{method} {look:?}");
        }
        let own = [
            ("POST", "join"),
            ("POST", "claim"),
            ("POST", "leave"),
            ("POST", "enter"),
            ("POST", "take"),
            ("POST", "carry"),
            ("POST", "code"),
            ("POST", "verify"),
            ("POST", "socket"),
            ("POST", "language/ja"),
            ("GET", "status"),
            ("GET", "socket"),
            ("GET", "carry/abc"),
            ("POST", "carry/abc"),
        ];
        for (method, call) in own {
            let upgrade = ("upgrade", "websocket");
            let path = format!("/__baton/onsale/{call}");
            let found = ask(method, HOST, &path, &[look, upgrade]);
            assert_eq!(found, "503 speculative", "{method} {call} {look:?}");
        }
        for path in ["/__baton/static/keep.js", "/__baton/onsale/draw", "/__baton/health", "/else"] {
            let found = ask("GET", HOST, path, &[look]);
            assert!(!found.contains("speculative"), "{path}: {found}");
        }
    }
    let others = [
        ("sec-purpose", "a,"),
        ("purpose", ""),
        ("x-moz", "no-prefetch"),
        ("vnd.prefetch", "false"),
        ("next-router-prefetch", "0"),
        ("next-router-segment-prefetch", ""),
        ("next-router-state-tree", "prefetch"),
        ("x-requested-with", "prefetch"),
    ];
    for other in others {
        let found = ask("GET", HOST, "/buy/x", &[HTML, other]);
        assert_eq!(found, "onsale Navigation page 200", "{other:?}");
    }
}

/// The gate of a room with an app.
fn gate_with_app() -> Gate {
    let room = json!({ "paths": ["/buy/*"], "permits": 1, "app_origins": ["https://app.example"] });
    let settings = settings::parse(&json!({ "ROOMS": { "onsale": room } })).expect("good");
    Gate::new(&settings).expect("good")
}

/// Returns what a request to that room wants.
fn intent(method: &str, headers: &[(&str, &str)]) -> Intent {
    intent_at(&gate_with_app(), method, headers)
}

fn intent_at(gate: &Gate, method: &str, headers: &[(&str, &str)]) -> Intent {
    let look = |name: &str| {
        let found = headers.iter().find(|(header, _)| *header == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let request = Request {
        method,
        scheme: Scheme::Https,
        host: HOST,
        path_and_query: "/buy/x",
        has_body: false,
        headers: &look,
    };
    match gate.decide(&request) {
        Plan::Gated(gated) => gated.intent,
        other => panic!("{other:?}"),
    }
}

#[test]
fn apps_of_another_site_are_no_strangers() {
    let cross = [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "cors"), ("sec-fetch-dest", "empty")];
    let with = |more: &[(&'static str, &'static str)]| [&cross[..], more].concat();
    for method in ["GET", "POST"] {
        assert!(intent(method, &cross).is_foreign);
        assert!(intent(method, &with(&[("origin", "https://evil.example")])).is_foreign);
        assert!(!intent(method, &with(&[("origin", "https://app.example")])).is_foreign);
        assert!(!intent(method, &with(&[("baton-credentials", "")])).is_foreign, "it brings no cookie");
    }
}

/// A form is its own page's word that a person sent it. Browsers that do not say where a request comes from still send `Origin` with a POST.
#[test]
fn a_post_walks_in_only_from_a_page_of_this_very_host() {
    let (own, form) = ("https://tickets.example.com", "navigate");
    #[rustfmt::skip]
    let table: &[(&[(&str, &str)], bool)] = &[
        (&[("origin", own)], true),
        (&[("origin", own), ("sec-fetch-mode", form)], true),
        (&[("origin", "https://TICKETS.example.com:443")], true),
        (&[], false),
        (&[("origin", "null")], false),
        (&[("origin", "http://tickets.example.com")], false),
        (&[("origin", "https://www.example.com")], false),
        (&[("origin", "https://tickets.example.com:8443")], false),
        // The browser's own word counts more.
        (&[("origin", own), ("sec-fetch-site", "cross-site")], false),
        (&[("origin", own), ("sec-fetch-site", "same-site")], false),
        (&[("sec-fetch-site", "same-origin")], true),
        (&[("sec-fetch-site", "same-origin"), ("x-http-method-override", "DELETE")], false),
        (&[("sec-fetch-site", "same-origin"), ("x-http-method", "PUT")], false),
        (&[("sec-fetch-site", "same-origin"), ("x-method-override", "POST")], false),
        (&[("sec-fetch-site", "same-origin"), ("sec-purpose", "prefetch")], false),
        (&[("sec-fetch-site", "same-origin"), ("upgrade", "h2c")], false),
    ];
    for (more, walks_in) in table {
        let headers = [&[HTML], *more].concat();
        assert_eq!(intent("POST", &headers).walks_in, *walks_in, "{more:?}");
        for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "post"] {
            assert!(!intent(method, &headers).walks_in, "{method} {more:?}");
        }
    }
}

/// Every combination of what browsers and other clients say of a request.
fn combinations() -> Vec<(&'static str, Vec<(&'static str, &'static str)>)> {
    const OWN: &str = "https://tickets.example.com";
    #[rustfmt::skip]
    let said: [(&str, &[&str]); 8] = [
        ("sec-fetch-site", &["", "none", "same-origin", "same-site", "cross-site"]),
        ("sec-fetch-mode", &["", "navigate", "cors", "no-cors", "same-origin", "websocket"]),
        ("sec-fetch-dest", &["", "document", "iframe", "fencedframe", "empty", "image", "object"]),
        ("sec-fetch-user", &["", "?1"]),
        ("accept", &["", "*/*", "text/html"]),
        ("sec-purpose", &["", "prefetch;prerender", "other"]),
        ("origin", &["", OWN, "https://evil.example"]),
        ("x-http-method-override", &["", "PUT"]),
    ];
    let mut all = vec![Vec::new()];
    for (name, values) in said {
        let with = |headers: &Vec<_>| {
            let more = values.iter().map(|value| {
                let mut headers = headers.clone();
                headers.extend(Some((name, *value)).filter(|_| !value.is_empty()));
                headers
            });
            more.collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    let methods = ["GET", "HEAD", "POST", "DELETE"];
    let each = |method| all.iter().map(move |headers| (method, headers.clone()));
    methods.into_iter().flat_map(each).collect()
}

/// What nobody clicked, sent or typed takes no permit, no number and no cookie, neither from a room that has nothing of the visitor's nor from one to
/// which the visitor says farewell; and no page of another site gets more than a link.
///
/// Long because it holds each field of an intent to all that was said.
#[test]
fn what_a_person_did_not_do_takes_nothing() {
    let gate = gate_with_app();
    let (mut walked_in, mut sent, mut clicked) = (0, 0, 0);
    for (method, headers) in combinations() {
        let say = |name: &str| {
            let found = headers.iter().find(|(header, _)| *header == name);
            found.map_or("", |(_, value)| *value)
        };
        let found = intent_at(&gate, method, &headers);
        let (site, mode, dest) = (say("sec-fetch-site"), say("sec-fetch-mode"), say("sec-fetch-dest"));
        let looks = say("sec-purpose").starts_with("prefetch");
        let what = format!("{method} {headers:?}");
        assert_eq!(found.is_speculative, looks, "{what}");
        let is_frame = ["iframe", "fencedframe"].contains(&dest);
        let takes_html = say("accept") == "text/html" || ["document", "iframe"].contains(&dest);
        let gets_page = takes_html && !found.takes_nothing();
        assert_eq!(found.answer != Answer::Json, gets_page, "{what}");
        let is_others = is_frame && ["same-site", "cross-site"].contains(&site);
        assert_eq!(found.answer == Answer::Link, gets_page && is_others, "{what}");
        if found.is_foreign {
            let is_loaded = ["", "document", "iframe", "fencedframe", "empty"].contains(&dest);
            let is_said = site == "cross-site" || (site.is_empty() && !say("origin").is_empty());
            assert!(is_said && !(mode == "navigate" && is_loaded), "{what}");
        }
        if found.walks_in {
            assert!(!looks && !found.takes_nothing(), "{what}");
            assert!(site != "cross-site" || !is_frame, "{what}");
        }
        match found.visit {
            VisitKind::Navigation => {
                walked_in += 1;
                assert!(found.walks_in && method == "GET" && gets_page, "{what}");
                let (is_window, goes) = (["", "document", "empty"].contains(&dest), ["", "navigate"].contains(&mode));
                assert!(site != "cross-site" || (is_window && goes), "{what}");
            }
            _ if found.walks_in => {
                sent += 1;
                assert_eq!(method, "POST", "{what}");
                assert!(["", "navigate", "same-origin", "cors"].contains(&mode), "{what}");
                assert_eq!(say("x-http-method-override"), "", "{what}");
                let says = site == "same-origin" || (site.is_empty() && say("origin") == "https://tickets.example.com");
                assert!(says, "{what}");
            }
            _ => assert!(!found.joins && !found.is_click, "{what}"),
        }
        // Only a page that shows the number takes one.
        assert_eq!(
            found.joins,
            found.visit == VisitKind::Navigation && found.answer == Answer::Page,
            "{what}"
        );
        // A farewell begins anew by a click alone: no redirect of the shop's script, no refresh, no frame.
        if found.is_click {
            clicked += 1;
            assert!(found.walks_in && dest == "document" && say("sec-fetch-user") == "?1", "{what}");
        }
    }
    assert!(walked_in > 1_000 && sent > 1_000 && clicked > 100, "{walked_in} {sent} {clicked}");
}

/// Old browsers say nothing by `Sec-Fetch-Site`, but what a page of another site fetches has its `Origin`.
#[test]
fn a_foreign_origin_tells_where_nothing_else_does() {
    let foreign = |method: &str, origin: &str, accept: &str, more: &[(&str, &str)]| {
        let headers = |name: &str| {
            let own = [("origin", origin), ("accept", accept)];
            let mut all = own.iter().chain(more);
            let found = all.find(|(known, value)| *known == name && !value.is_empty());
            found.map(|(_, value)| (*value).to_owned())
        };
        let request = Request {
            method,
            scheme: Scheme::Https,
            host: "tickets.example.com",
            path_and_query: "/buy/x",
            has_body: false,
            headers: &headers,
        };
        request.intent(false).is_foreign
    };
    assert!(foreign("GET", "https://evil.example", "*/*", &[]));
    assert!(!foreign("GET", "https://evil.example", "text/html", &[]), "somebody may go to the page");
    for method in ["HEAD", "PUT", "DELETE", "PATCH"] {
        assert!(foreign(method, "https://evil.example", "*/*", &[]), "{method}: no form and no look");
        assert!(!foreign(method, "null", "*/*", &[]), "{method}");
    }
    // A bank's form, a page of our own behind a proxy that ends TLS, a sister, a sandbox, an app, nobody.
    assert!(!foreign("POST", "https://bank.example", "*/*", &[]));
    for own in [
        "http://tickets.example.com",
        "https://www.example.com",
        "null",
        "capacitor://localhost",
        "",
    ] {
        assert!(!foreign("GET", own, "*/*", &[]), "{own}");
    }
    let said = [("sec-fetch-site", "same-origin")];
    assert!(!foreign("GET", "https://evil.example", "*/*", &said));
}
