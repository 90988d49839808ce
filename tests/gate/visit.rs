//! Visits to a room's path: every visit that differs, each with every answer that it may get, and a few of them step by step.

use baton::facts::config::Mode;
use baton::facts::entry::EntryRefusal;
use baton::facts::units::{AddressTag, Edition, Fence, LobbyId, Number, Version, VisitorId};
use baton::facts::wire::{LeaseTold, Limited, Reason, Share, State, Status, Told, Wish};
use baton::gate::{
    Answer, Asked, Barred, EntryVerdict, Facts, Held, Here, Identity, Intent, Keeps, Outcome, Question, Silence, Step, Verdict, Visit, VisitKind,
};
use baton::settings::{self, RoomSettings};
use baton::token::{Farewell, Pass, PassCookie, Provisional, Ticket};
use serde_json::json;

pub const NOW: u64 = 1_800_000_000_000;
const TTL: u64 = 60_000;
const ANN: VisitorId = VisitorId([7; 16]);
const TAG: AddressTag = AddressTag([3; 8]);
const DICE: [u8; 16] = [9; 16];
const BARRED: Barred = Barred {
    why: EntryRefusal::Missing,
    from_at_ms: None,
};
pub const LIMITED: Limited = Limited {
    by: Share::Address,
    retry_after_s: 20,
};
const TICKET: Ticket = Ticket {
    number: Number(7),
    edition: Edition(1),
    lobby: LobbyId(0),
    visitor: ANN,
    row: Version(1),
    issued_at_ms: 0,
};
pub const LEASE: LeaseTold = LeaseTold {
    number: Number(7),
    edition: Edition(1),
    fence: Fence(9),
    idle_in_ms: 60_000,
    hard_in_ms: 600_000,
    provisional: false,
};
const FAREWELL: Farewell = Farewell {
    number: Number(7),
    edition: Edition(1),
    lobby: LobbyId(0),
    visitor: ANN,
    ends_at_ms: NOW + TTL / 2,
};

pub fn room(words: &str) -> RoomSettings {
    let turnstile = words.contains("turnstile");
    let vars = json!({
        "ROOMS": { "onsale": { "paths": ["/buy/*"], "permits": 2, "turnstile": turnstile, "pass_ttl_s": TTL / 1_000 } },
        "TURNSTILE_SITE_KEY": "1x00000000000000000000AA",
    });
    let settings = settings::parse(&vars).expect("good settings");
    settings.room("onsale").expect("the room").clone()
}

/// A pass with so much time left until it is no longer fresh, and until its lease ends.
fn pass(fresh_ms: i64, lease_ms: i64) -> Pass {
    Pass {
        number: LEASE.number,
        edition: LEASE.edition,
        fence: LEASE.fence,
        lobby: LobbyId(0),
        visitor: ANN,
        fresh_until_at_ms: NOW.saturating_add_signed(fresh_ms),
        lease_ends_at_ms: NOW.saturating_add_signed(lease_ms),
        hard_ends_at_ms: NOW + 600_000,
        provisional: Provisional::Confirmed,
        row: Version(1),
    }
}

const PASSES: [&str; 6] = ["", "fresh", "soon", "ended", "dead", "farewell"];
const MODES: [(&str, Mode); 7] = [
    ("", Mode::Open),
    ("paused", Mode::Paused),
    ("closed", Mode::Closed),
    ("sold_out", Mode::SoldOut),
    ("drain", Mode::Drain),
    ("bypass", Mode::Bypass),
    ("observe", Mode::Observe),
];
/// What a request may want, as intents have it: what announces a look is a resource, and only a page's navigation joins.
const INTENTS: [&str; 7] = [
    "navigates",
    "navigates click",
    "navigates json",
    "fetches json",
    "fetches json ahead",
    "fetches json foreign",
    "submits walks",
];

fn has(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|found| found == word)
}

/// Builds who asks from words.
pub fn identity(words: &str) -> Identity {
    let is = |word: &str| has(words, word);
    let token = match words {
        _ if is("fresh") => Some(PassCookie::Pass(pass(50_000, 50_000))),
        _ if is("soon") => Some(PassCookie::Pass(pass(10_000, 50_000))),
        _ if is("ended") => Some(PassCookie::Pass(pass(-1, 50_000))),
        _ if is("dead") => Some(PassCookie::Pass(pass(-1, -1))),
        _ if is("farewell") => Some(PassCookie::Farewell(FAREWELL)),
        _ => None,
    };
    let has_lease = matches!(token, Some(PassCookie::Pass(_)));
    let is_named = is("known") || is("ticket");
    Identity {
        visitor: (is_named || has_lease).then_some(ANN),
        visitor_cookie: is_named,
        ticket: is("ticket").then_some(TICKET),
        bad_ticket: false,
        pass: token,
        pass_cookie: token.is_some(),
        human: false,
        entrant: None,
        entry: match is("barred") {
            true => EntryVerdict::Barred(BARRED),
            false => EntryVerdict::Nobody,
        },
        lane: None,
        needs_lane: false,
        is_ahead_of_us: is("unknown_key"),
    }
}

/// Builds what a visit begins with besides from words.
pub fn facts(words: &str) -> Facts {
    let is = |word: &str| has(words, word);
    let mode = MODES.iter().find(|(name, _)| is(name));
    Facts {
        intent: Intent {
            visit: match words {
                _ if is("navigates") => VisitKind::Navigation,
                _ if is("submits") => VisitKind::Submission,
                _ => VisitKind::Resource,
            },
            answer: match is("json") {
                true => Answer::Json,
                false => Answer::Page,
            },
            walks_in: is("navigates") || is("walks"),
            joins: is("navigates") && !is("json"),
            is_click: is("click"),
            router: None,
            is_speculative: is("ahead"),
            is_part: false,
            is_foreign: is("foreign"),
            is_framed: is("framed"),
        },
        is_strict: is("strict"),
        is_exception: is("exception"),
        mode: mode.map_or(Mode::Open, |(_, mode)| *mode),
        is_full: is("full"),
        newer: is("newer").then(|| pass(55_000, 55_000)),
        is_away: is("away"),
    }
}

/// Begins the visit of these words.
pub fn begin(words: &str, here: &Here<'_>) -> Step {
    Visit::begin(identity(words), facts(words), here)
}

pub fn here(room: &RoomSettings) -> Here<'_> {
    Here {
        room,
        address: &|| Some(TAG),
        dice: &|| DICE,
        now_ms: NOW,
    }
}

/// What a lobby may answer.
const TOLD: [&str; 9] = [
    "lease",
    "waiting",
    "over",
    "left",
    "none",
    "limited",
    "none observe",
    "unreachable",
    "full",
];

pub fn answer(words: &str, question: Question) -> Result<Asked, Silence> {
    let state = match words.split_whitespace().next() {
        Some("unreachable") => return Err(Silence::Unreachable),
        Some("full") => return Err(Silence::Full),
        Some("lease") => State::Admitted,
        Some("waiting") => State::Waiting,
        Some("over" | "left") => State::Over,
        Some("none" | "limited") => State::None,
        word => panic!("no such answer: {word:?}"),
    };
    let reason = match words {
        "over" => Some(Reason::Expired),
        "left" => Some(Reason::Left),
        _ => None,
    };
    let mode = MODES.iter().find(|(name, _)| !name.is_empty() && has(words, name));
    let told = Told {
        status: Status {
            state,
            reason,
            mode: mode.map_or(Mode::Open, |(_, mode)| *mode),
            ..Status::default()
        },
        lease: (words == "lease").then_some(LEASE),
        limited: (words == "limited").then_some(LIMITED),
        ..Told::default()
    };
    let mut question = question;
    Ok(question.hear(told, NOW)?.expect("nobody sends it on"))
}

/// Each step of a visit in a few words, and what came of it.
#[derive(Clone, Default)]
pub struct Course {
    pub said: Vec<String>,
    wishes: Vec<Wish>,
    /// Whether nobody answered, somebody was let in all the same, or some lobby said that everybody passes.
    silent: bool,
    let_in: bool,
    passes: bool,
}

/// Plays a visit with every answer that each step may get, and shows each end.
pub fn play(step: Step, room: &RoomSettings, course: &Course, show: &mut dyn FnMut(&Course, &Verdict)) {
    let mut on = |step: Step, word: String, change: &dyn Fn(&mut Course)| {
        let mut course = course.clone();
        course.said.push(word);
        change(&mut course);
        assert!(course.said.len() < 8, "it does not end: {:?}", course.said);
        play(step, room, &course, show);
    };
    match step {
        Step::Ask(question, asking) => {
            for words in TOLD {
                let wish = question.wish();
                let answer = answer(words, question.clone());
                let silent = answer.is_err();
                let step = asking.clone().heard(answer, &here(room));
                on(step, format!("{wish:?}: {words}"), &|course| {
                    course.wishes.push(wish);
                    course.silent |= silent;
                    course.passes |= words.contains("observe");
                });
            }
        }
        Step::Limit(counting) => {
            for may in [Ok(()), Err(LIMITED)] {
                let step = counting.clone().counted(may, &here(room));
                on(step, format!("limit: {may:?}"), &|_| {});
            }
        }
        Step::Probe(probing) => {
            for may in [true, false] {
                let step = probing.clone().probed(may, &here(room));
                on(step, format!("probe: {may}"), &|_| {});
            }
        }
        Step::FailOpen(failed, out) => {
            for opens in [true, false] {
                let step = out.clone().opened(opens, &here(room));
                on(step, format!("{failed:?}: {opens}"), &|course| course.let_in |= opens);
            }
        }
        Step::Connect(..) => panic!("a visit to a path opens no socket"),
        Step::End(verdict) => show(course, &verdict),
    }
}

/// Plays every visit, and shows each end with the words of the visit.
fn play_all(mut show: impl FnMut(&str, (&Identity, &Facts), &Course, &Verdict)) -> usize {
    let mut ends = 0;
    let rooms = [room(""), room("turnstile")];
    let flags = ["", "strict", "exception", "full", "away", "newer", "barred", "turnstile"];
    let flags: Vec<String> = (0..flags.len())
        .flat_map(|one| (one..flags.len()).map(move |other| format!("{} {}", flags[one], flags[other])))
        .collect();
    for (pass, who) in PASSES.iter().flat_map(|pass| ["", "known", "ticket"].map(|who| (pass, who))) {
        for (intent, (mode, _)) in INTENTS.iter().flat_map(|intent| MODES.map(|mode| (intent, mode))) {
            for flags in &flags {
                let words = format!("{pass} {who} {intent} {mode} {flags}");
                let room = &rooms[usize::from(has(&words, "turnstile"))];
                let shown = (&identity(&words), &facts(&words));
                let begun = begin(&words, &here(room));
                play(begun, room, &Course::default(), &mut |course, verdict| {
                    ends += 1;
                    show(&words, shown, course, verdict);
                });
            }
        }
    }
    ends
}

#[test]
fn nobody_goes_in_without_a_reason() {
    let ends = play_all(|words, (identity, facts), course, verdict| {
        let said = &course.said;
        let has_passed = facts.mode.passes() || course.passes;
        match verdict.outcome {
            Outcome::In(pass, held) => {
                assert!(!facts.intent.is_foreign, "{words} {said:?}");
                let is_shown = identity.lease() == Some(pass);
                match held {
                    Held::Shown | Held::RenewedBeside => {
                        assert!(is_shown && pass.lease_ends_at_ms > NOW, "{words} {said:?}");
                    }
                    Held::Older => assert!(identity.lease().is_some_and(|old| old.fence == pass.fence)),
                    Held::New => assert!(matches!(course.wishes.last(), Some(Wish::Arrive { .. }))),
                }
                let is_asked = facts.is_strict && facts.mode != Mode::Bypass;
                assert!(!is_asked || !course.wishes.is_empty(), "{words} {said:?}");
            }
            Outcome::Farewell(_) => {
                let is_shown = identity.farewell().is_some();
                assert!(is_shown && facts.intent.visit.only_reads(), "{words} {said:?}");
            }
            Outcome::Free => assert!(has_passed || course.let_in, "{words} {said:?}"),
            Outcome::Unheard => assert!(course.silent, "{words} {said:?}"),
            _ => {}
        }
    });
    assert!(ends > 50_000, "{ends}");
}

#[test]
fn a_look_takes_nothing_and_what_is_sent_again_walks_nobody_in() {
    play_all(|words, (identity, facts), course, _| {
        let said = &course.said;
        let Intent {
            is_speculative,
            is_foreign,
            visit,
            joins,
            ..
        } = facts.intent;
        let counts = said.iter().any(|step| step.starts_with("limit") || step.starts_with("probe"));
        for wish in &course.wishes {
            let is_check = matches!(wish, Wish::Check(_));
            let is_renewal = matches!(wish, Wish::Renew(_));
            assert!(!is_speculative || is_check, "{words} {said:?}");
            assert!(!facts.is_exception || is_check || is_renewal, "{words} {said:?}");
            if let Wish::Arrive { join, .. } = wish {
                let is_named = identity.visitor_cookie;
                assert!(!join || (joins && is_named), "{words} {said:?}");
                let is_second = visit == VisitKind::Submission && identity.pass.is_some();
                assert!(!is_second, "{words} {said:?}");
            }
        }
        assert!(!is_foreign || course.wishes.is_empty(), "{words} {said:?}");
        let asks_nothing = is_speculative || is_foreign || facts.is_exception;
        assert!(!counts || !asks_nothing, "{words} {said:?}");
    });
}

#[test]
fn two_questions_are_enough_and_what_is_kept_was_told() {
    play_all(|words, (identity, _), course, verdict| {
        let said = &course.said;
        assert!(course.wishes.len() <= 2, "{words} {said:?}");
        match verdict.keeps {
            Keeps::AsItIs | Keeps::Proven => {}
            Keeps::Named(name) => {
                assert_eq!(name, VisitorId::at(TAG, [9; 8]), "{words} {said:?}");
                assert!(!identity.visitor_cookie, "{words} {said:?}");
            }
            Keeps::Told(name) | Keeps::ToldWithoutPass(name) => {
                assert!(verdict.asked.is_some(), "{words} {said:?}");
                assert!(verdict.visitor == Some(name), "{words} {said:?}");
                let waits = matches!(verdict.outcome, Outcome::Placed | Outcome::OfAnother | Outcome::Over | Outcome::Nothing);
                let keeps_pass = matches!(verdict.keeps, Keeps::Told(_));
                assert!(!(waits && keeps_pass), "a pass that no longer counts stays: {words} {said:?}");
            }
            Keeps::ToldWithPass(_) | Keeps::ToldWithCode(_) | Keeps::Nothing => panic!("only calls do: {words} {said:?}"),
        }
        // Whom only a pass names arrives like anybody else.
        let has_arrived = said.iter().any(|step| step.starts_with("Arrive"));
        if has_arrived && !identity.visitor_cookie {
            assert_ne!(verdict.visitor, Some(ANN), "{words} {said:?}");
        }
    });
}
