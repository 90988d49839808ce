//! Credentials: what a client keeps after an answer, whatever it showed.

use baton::gate::{changed_credentials, speaks_credentials, with_credentials};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn changed(shown: &str, changes: &[&str]) -> String {
    let changes: Vec<String> = changes.iter().map(|pair| (*pair).to_owned()).collect();
    changed_credentials(shown, &changes)
}

#[test]
fn what_was_shown_stays_but_for_what_changed() {
    #[rustfmt::skip]
    let table: &[(&str, &[&str], &str)] = &[
        ("", &[], ""),
        ("", &["visitor=a"], "visitor=a"),
        ("visitor=a", &["onsale-ticket=b", "onsale-pass=c"], "visitor=a; onsale-ticket=b; onsale-pass=c"),
        ("visitor=a; onsale-ticket=b; other-ticket=d", &["onsale-ticket="], "visitor=a; other-ticket=d"),
        ("visitor=a;onsale-pass=b", &["onsale-pass=", "onsale-pass=c"], "visitor=a; onsale-pass=c"),
        ("visitor=a; visitor=b", &[], "visitor=a; visitor=b"),
        ("visitor=a; visitor=b", &["visitor=c"], "visitor=c"),
        // Of a rehearsal too.
        ("visitor=a", &["onsale~-ticket=b", "on~sale-ticket=c", "~-ticket=d"], "visitor=a; onsale~-ticket=b"),
        // Only what Baton spells is told back.
        ("visitor=<b>; x=1; __Host-baton-visitor=2; -ticket=3; UP-ticket=4; onsale-tickets=5; visitor; =; admin-pass=6", &[], ""),
        ("visitor=a\r\nx: y; human=a", &[], "human=a"),
        // A cookie's line is none of it.
        ("visitor=a", &["baton-language=ja; Path=/; Max-Age=1"], "visitor=a"),
    ];
    for (shown, changes, expected) in table {
        assert_eq!(changed(shown, changes), *expected, "{shown:?} {changes:?}");
    }
    let long = format!("visitor={}", "a".repeat(201));
    assert_eq!(changed(&long, &[]), "");
    let many = vec!["visitor=a"; 100].join("; ");
    assert_eq!(changed(&many, &[]).matches("visitor").count(), 47);
}

#[test]
fn they_are_the_first_field_of_an_object() {
    assert_eq!(with_credentials("{\"a\":1}", "visitor=x"), "{\"credentials\":\"visitor=x\",\"a\":1}");
    assert_eq!(with_credentials("{}", ""), "{\"credentials\":\"\"}");
    assert_eq!(with_credentials("[1]", "visitor=x"), "[1]");
}

#[test]
fn only_the_call_that_sets_no_cookie_speaks_them_unasked() {
    for path in ["/__baton/onsale/enter", "/__baton/on-sale2/enter?x=1"] {
        assert!(speaks_credentials(path), "{path}");
    }
    for path in [
        "/__baton/onsale/join",
        "/__baton/a/b/enter",
        "/__baton/enter",
        "/__baton//enter",
        "/__baton/admin/enter",
        "/buy/enter",
        "/x?/__baton/onsale/enter",
    ] {
        assert!(!speaks_credentials(path), "{path}");
    }
}
