//! What a request comes to that no pass lets in, before a lobby is asked.

use baton::facts::config::Mode;
use baton::facts::entry::EntryRefusal;
use baton::facts::units::{AccountId, Edition, LobbyId, Number, Version, VisitorId};
use baton::facts::voucher::{CODE_KEYS, CodeHash, Voucher};
use baton::facts::wire::Wish;
use baton::gate::{Answer, Arrival, Barred, EntryVerdict, First, Identity, Intent, Other, VisitKind};
use baton::settings::{self, RoomSettings};
use baton::token::Ticket;
use serde_json::json;

const VISITOR: VisitorId = VisitorId([7; 16]);
const MISSING: Barred = Barred {
    why: EntryRefusal::Missing,
    from_at_ms: None,
};
const TICKET: Ticket = Ticket {
    number: Number(7),
    edition: Edition(1),
    lobby: LobbyId(0),
    visitor: VISITOR,
    row: Version(1),
    issued_at_ms: 0,
};

fn room(words: &str) -> RoomSettings {
    let turnstile = words.contains("turnstile");
    let vars = json!({
        "ROOMS": { "onsale": { "paths": ["/buy/*"], "permits": 2, "turnstile": turnstile } },
        "TURNSTILE_SITE_KEY": "1x00000000000000000000AA",
    });
    let settings = settings::parse(&vars).expect("good settings");
    settings.room("onsale").expect("the room").clone()
}

/// Builds who asks from words.
fn identity(words: &str) -> Identity {
    let is = |word: &str| words.split_whitespace().any(|found| found == word);
    let has_ticket = is("ticket");
    let is_known = has_ticket || is("known");
    Identity {
        visitor: is_known.then_some(VISITOR),
        visitor_cookie: is_known,
        ticket: has_ticket.then_some(TICKET),
        bad_ticket: false,
        pass: None,
        pass_cookie: false,
        human: is("human"),
        entrant: None,
        entry: match words {
            _ if is("account") => EntryVerdict::Account(AccountId([1; 16])),
            _ if is("voucher") => EntryVerdict::Voucher(Voucher::Code([CodeHash(5); CODE_KEYS])),
            _ if is("barred") => EntryVerdict::Barred(MISSING),
            _ => EntryVerdict::Nobody,
        },
        lane: None,
        needs_lane: false,
        is_ahead_of_us: false,
    }
}

fn mode(words: &str) -> Mode {
    let modes = [
        ("bypass", Mode::Bypass),
        ("observe", Mode::Observe),
        ("paused", Mode::Paused),
        ("closed", Mode::Closed),
    ];
    let found = modes.into_iter().find(|(word, _)| words.contains(word));
    found.map_or(Mode::Open, |(_, mode)| mode)
}

fn intent(words: &str) -> Intent {
    Intent {
        visit: VisitKind::Navigation,
        answer: match words {
            _ if words.contains("json") => Answer::Json,
            _ if words.contains("link") => Answer::Link,
            _ => Answer::Page,
        },
        walks_in: true,
        joins: !words.contains("looks"),
        is_click: true,
        router: None,
        is_speculative: words.contains("ahead"),
        is_part: false,
        is_foreign: false,
        is_framed: words.contains("framed"),
    }
}

fn with<T>(words: &str, look: impl FnOnce(&Arrival<'_>) -> T) -> T {
    let (identity, room) = (identity(words), room(words));
    look(&Arrival {
        identity: &identity,
        room: &room,
        mode: mode(words),
        intent: intent(words),
    })
}

/// Says in a few words what comes first: `walk`, `join`, `probe`, `counts` are said of an ask.
fn first(words: &str) -> String {
    match with(words, |arrival| arrival.first(|| words.contains("full"))) {
        First::Free => "free".to_owned(),
        First::TurnedAway(MISSING) => "turned away".to_owned(),
        First::TurnedAway(other) => format!("{other:?}"),
        First::Challenged => "challenged".to_owned(),
        First::Named => "named".to_owned(),
        First::Ask(asking) => {
            let Wish::Arrive { walk_in, join } = asking.wish else {
                return format!("{:?}", asking.wish);
            };
            let said = [
                (true, "asks"),
                (walk_in, "walk"),
                (join, "join"),
                (asking.is_probe, "probe"),
                (asking.counts, "counts"),
                (asking.barred.is_some(), "barred"),
            ];
            let said = said.into_iter().filter(|(is_so, _)| *is_so);
            said.map(|(_, word)| word).collect::<Vec<_>>().join(" ")
        }
    }
}

#[test]
fn the_reasons_to_ask_no_lobby_count_in_their_order() {
    for (words, expected) in [
        ("bypass", "free"),
        ("bypass barred", "free"),
        // A stranger can only ask to walk in, and only where that may succeed.
        ("stranger", "asks walk probe counts"),
        ("stranger full", "named"),
        ("stranger framed", "named"),
        ("stranger framed observe", "asks walk probe"),
        ("known framed", "asks walk join counts"),
        ("stranger paused", "named"),
        ("stranger closed", "named"),
        // A link that is merely opened must not move a place, nor spend an invitation.
        ("stranger account", "named"),
        ("stranger voucher", "named"),
        ("stranger observe", "asks walk probe"),
        // Whoever has a name joins, also where nobody walks in: the lobby knows the mode better.
        ("known", "asks walk join counts"),
        ("known full", "asks walk join counts"),
        ("known paused", "asks walk join counts"),
        ("known account", "asks walk join counts"),
        ("known looks", "asks walk counts"),
        ("known observe", "asks walk"),
        // A ticket counts against no limit.
        ("ticket", "asks walk join"),
        // Whom the shop's token does not let in is told so, unless there is a place to claim.
        ("stranger barred", "turned away"),
        ("known barred", "turned away"),
        ("ticket barred", "asks barred"),
        ("known barred observe", "asks walk"),
        // The question comes before the number, and takes no place away.
        ("stranger turnstile", "challenged"),
        ("known turnstile", "challenged"),
        ("known turnstile human", "asks walk join counts"),
        ("ticket turnstile", "asks walk"),
        ("known turnstile observe", "asks walk"),
        ("known turnstile barred", "turned away"),
    ] {
        assert_eq!(first(words), expected, "{words}");
    }
}

#[test]
fn a_request_that_walks_nobody_in_gets_nothing_without_a_pass() {
    for (words, expected) in [
        ("bypass", Other::Free),
        ("observe barred", Other::Free),
        ("known ahead", Other::Bare),
        ("known ahead barred", Other::Bare),
        ("known link", Other::Bare),
        ("known barred", Other::TurnedAway(MISSING)),
        ("ticket barred", Other::Waits(Some(TICKET))),
        ("ticket", Other::Waits(Some(TICKET))),
        // Only a page shows the place.
        ("ticket json", Other::Waits(None)),
        ("known", Other::Waits(None)),
        ("stranger", Other::Waits(None)),
    ] {
        assert_eq!(with(words, |arrival| arrival.other()), expected, "{words}");
    }
}

#[test]
fn a_page_needs_a_name_for_its_socket() {
    assert!(with("stranger", |arrival| arrival.needs_name()));
    assert!(!with("known", |arrival| arrival.needs_name()));
    assert!(!with("stranger json", |arrival| arrival.needs_name()));
}
