//! Entry tokens at the gate: taken out of every address, never sent on, never a way to another host; and what one means for a visit.

use super::asking::{HOST, HTML, ask};
use baton::facts::entry::EntryRefusal;
use baton::facts::lane_name::LaneName;
use baton::facts::voucher::{CODE_KEYS, CodeHash, SheetId, Voucher};
use baton::gate::{Barred, EntryLink, EntryVerdict, Whence, better_entrant, entry_body, gives_place_away, is_entry_text, judge_entry, lane_of};
use baton::settings::EntryPolicy;
use baton::token::{Audience, Bearer, Entrant, EntryKeys, Opened};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const NOW: u64 = 1_800_000_000_000;
/// Python: `jwt.encode({"sub": "anna", "aud": "onsale@tickets.example.com", "exp": 1800003600}, "a key that the shop shares with
/// Baton", headers={"kid": "a"})`.
const ANNA: &str = "eyJhbGciOiJIUzI1NiIsImtpZCI6ImEiLCJ0eXAiOiJKV1QifQ.eyJzdWIiOiJhbm5hIiwiYXVkIjoib25zYWxlQHRpY2tldHMuZXhhbXBsZS5jb20iLCJleHAiOjE4MDAwMDM2MDB9.aSztC2ehnIfd61jjvDM-T9gJ3rXDkI87xHloaC40RPU";

fn keys() -> EntryKeys {
    let listed = json!([{ "kid": "a", "alg": "HS256", "key": "a key that the shop shares with Baton" }]);
    EntryKeys::parse(&listed.to_string()).expect("good keys")
}

fn anna() -> Entrant {
    let keys = keys();
    let Ok(Opened::Signed(signed)) = keys.open(ANNA) else {
        panic!("signed elsewhere, by the same rule");
    };
    let here = Audience {
        room: "onsale",
        host: "tickets.example.com",
    };
    signed.judge(here, NOW).expect("for this room")
}

#[test]
fn it_is_taken_out_of_an_address_and_the_rest_stays_byte_for_byte() {
    let table = [
        ("/buy?baton_entry=a.b.c", "a.b.c", "/buy"),
        ("/buy?x=1&baton_entry=a&y=%20&&z", "a", "/buy?x=1&y=%20&&z"),
        ("/buy?baton_entry=a&baton_entry=b", "a", "/buy"),
        ("/buy?baton_entry&q", "", "/buy?q"),
        ("/buy?baton_entry=a=b", "a=b", "/buy"),
        ("/buy?baton%5Fentry=a&q", "a", "/buy?q"),
        ("/buy?%62aton%5fentry=a", "a", "/buy"),
    ];
    for (address, token, rest) in table {
        let link = EntryLink::of(address).expect(address);
        assert_eq!((link.token.as_str(), link.path_and_query.as_str()), (token, rest));
    }
    for none in [
        "/buy",
        "/buy?",
        "/baton_entry=a",
        "/buy?baton_entryx=a",
        "/buy?x=baton_entry=a",
        "/buy?Baton_Entry=a",
        "/buy?baton%255Fentry=a",
        "/buy?baton%5",
        "/buy?baton_entry%00=a",
    ] {
        assert_eq!(EntryLink::of(none), None, "{none}");
    }
}

#[test]
fn only_a_look_brings_one_and_only_to_this_host() {
    let get = |path: &str| ask("GET", HOST, path, &[HTML]);
    assert_eq!(get("/buy/seats?baton_entry=a&row=4"), "entry onsale a /buy/seats?row=4");
    assert_eq!(ask("HEAD", HOST, "/buy?baton_entry=a", &[]), "entry onsale a /buy");
    let prefetch = ("sec-purpose", "prefetch");
    assert_eq!(ask("GET", HOST, "/buy?baton_entry=a", &[HTML, prefetch]), "entry onsale a /buy");
    for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"] {
        assert_eq!(ask(method, HOST, "/buy?baton_entry=a", &[HTML]), "400 bad_request", "{method}");
    }
    let upgrade = [("upgrade", "websocket"), ("connection", "upgrade")];
    assert_eq!(ask("GET", HOST, "/buy?baton_entry=a", &upgrade), "400 bad_request");
    // An exception of the room's goes on to the origin as it is, but for the token.
    assert!(
        get("/buy/ok?baton_entry=a").starts_with("entry onsale"),
        "{}",
        get("/buy/ok?baton_entry=a")
    );
    // On a path of no room nothing comes of it, and the origin gets it as little.
    assert_eq!(get("/elsewhere?baton_entry=a&row=4"), "stray /elsewhere?row=4");
    assert_eq!(ask("POST", HOST, "/elsewhere?baton_entry=a", &[]), "open");
    assert_eq!(ask("GET", HOST, "/elsewhere?baton_entry=a", &upgrade), "open");
    assert_eq!(get("/elsewhere?baton_entryx=a"), "open");
    assert_eq!(get("//elsewhere?baton_entry=a"), "400 bad_request");
}

#[test]
fn no_redirect_leads_to_another_host() {
    for path in ["//evil.example/buy", "/\\evil.example", "//", "/\\"] {
        let link = EntryLink::of(&format!("{path}?baton_entry=a")).expect("a token");
        assert!(!link.stays_here(), "{path}");
    }
    for path in ["/buy", "/", "/buy//x", "/buy?to=//evil.example"] {
        let address = if path.contains('?') {
            format!("{path}&baton_entry=a")
        } else {
            format!("{path}?baton_entry=a")
        };
        assert!(EntryLink::of(&address).expect("a token").stays_here(), "{path}");
    }
    let blanks = EntryLink {
        token: String::new(),
        path_and_query: "/buy\n/x".to_owned(),
    };
    assert!(!blanks.stays_here());
}

#[test]
fn a_lane_is_that_of_a_token_that_counts() {
    let members = LaneName::parse("members");
    let anna = Entrant { lane: members, ..anna() };
    let lane = |policy, shown: Option<&Entrant>, now_ms| lane_of(judge_entry(policy, shown, &keys(), now_ms), shown);
    for policy in [EntryPolicy::Optional, EntryPolicy::Required] {
        assert_eq!(lane(policy, Some(&anna), NOW), members);
        assert_eq!(lane(policy, None, NOW), None);
        assert_eq!(lane(policy, Some(&anna), NOW + 86_400_000), None, "late");
    }
    assert_eq!(lane(EntryPolicy::Off, Some(&anna), NOW), None);
}

/// Long because it is one table, a row for each kind of token.
#[test]
fn what_a_token_means_by_policy() {
    use EntryPolicy::{Off, Optional, Required};
    let (keys, anna) = (keys(), anna());
    let early = Entrant {
        from_at_ms: NOW + 600_000,
        ..anna
    };
    let late = Entrant {
        ends_at_ms: NOW - 600_000,
        ..anna
    };
    let bad = Entrant::refused(EntryRefusal::Audience);
    let Bearer::Account { id, signed_by } = anna.bearer else {
        panic!("an account");
    };
    let account = EntryVerdict::Account(id);
    let voucher = Voucher::Invitation { sheet: SheetId(2), index: 5 };
    let invited = Entrant {
        bearer: Bearer::Voucher(voucher),
        ..anna
    };
    let with_voucher = EntryVerdict::Voucher(voucher);
    let gone = Bearer::Account {
        id,
        signed_by: [signed_by[0] ^ 1, 0, 0, 0],
    };
    let barred = |why, from_at_ms| EntryVerdict::Barred(Barred { why, from_at_ms });
    let table = [
        (None, EntryVerdict::Nobody, barred(EntryRefusal::Missing, None)),
        (Some(anna), account, account),
        (Some(invited), with_voucher, with_voucher),
        (
            Some(Entrant { bearer: gone, ..anna }),
            EntryVerdict::Nobody,
            barred(EntryRefusal::Key, None),
        ),
        (Some(early), EntryVerdict::Nobody, barred(EntryRefusal::Early, Some(NOW + 540_000))),
        (Some(late), EntryVerdict::Nobody, barred(EntryRefusal::Late, None)),
        (Some(bad), EntryVerdict::Nobody, barred(EntryRefusal::Audience, None)),
    ];
    for (shown, optional, required) in table {
        let judged = |policy| judge_entry(policy, shown.as_ref(), &keys, NOW);
        assert_eq!(judged(Off), EntryVerdict::Nobody);
        assert_eq!(judged(Optional), optional, "{shown:?}");
        assert_eq!(judged(Required), required, "{shown:?}");
    }
}

#[test]
fn a_link_that_is_not_good_takes_no_good_entry_away() {
    let (keys, anna) = (keys(), anna());
    let bob = Entrant {
        bearer: Bearer::Voucher(Voucher::Code([CodeHash(7); CODE_KEYS])),
        ..anna
    };
    let late = Entrant {
        ends_at_ms: NOW - 600_000,
        ..bob
    };
    let bad = Entrant::refused(EntryRefusal::Signature);
    let kept = |new, known| better_entrant(new, known, &keys, NOW);
    assert_eq!(kept(bob, Some(anna)), Some(bob), "the newest that counts");
    assert_eq!(kept(bad, Some(anna)), None);
    assert_eq!(kept(late, Some(anna)), None);
    assert_eq!(kept(bad, Some(late)), Some(bad), "the page says what is wrong with the last");
    assert_eq!(kept(late, None), Some(late));
}

#[test]
fn the_answer_names_the_reason_and_the_time() {
    let body = |why, from_at_ms| -> Value { serde_json::from_str(&entry_body(&Barred { why, from_at_ms })).expect("JSON") };
    for why in EntryRefusal::ALL {
        let told = body(*why, None);
        let code = if *why == EntryRefusal::Missing {
            "entry_required"
        } else {
            "entry_refused"
        };
        assert_eq!((told["error"]["code"].as_str(), told["reason"].as_str()), (Some(code), Some(why.name())));
        assert_eq!(told.get("from_at_ms"), None);
        // The page has its own words for six of them.
        let name = ["missing", "early", "late", "audience", "used", "unknown"]
            .into_iter()
            .find(|name| *name == why.name());
        let barred = Barred { why: *why, from_at_ms: None };
        assert_eq!(barred.reason_on_page(), name.unwrap_or_default());
    }
    assert_eq!(body(EntryRefusal::Early, Some(7))["from_at_ms"], 7);
}

#[test]
fn what_cannot_be_a_token_is_not_looked_at() {
    for bad in ["", "a b", "a;b", "a%2Eb", "a\"b", "é"] {
        assert!(!is_entry_text(bad), "{bad}");
    }
    assert!(is_entry_text(ANNA));
    assert!(!is_entry_text(&"a".repeat(2_049)));
}

#[test]
fn a_page_of_another_site_gives_nobodys_place_away() {
    use EntryPolicy::{Off, Optional, Required};
    let away = gives_place_away;
    assert!(away(Optional, Whence::Other, true));
    assert!(!away(Optional, Whence::Other, false));
    for site in [Whence::Unsaid, Whence::Nowhere, Whence::Sister, Whence::Own] {
        assert!(!away(Optional, site, true), "{site:?}");
    }
    // There a place is an account's from its beginning.
    assert!(!away(Required, Whence::Other, true) && !away(Off, Whence::Other, true));
}
