//! What a lobby's answer comes to: one reading for the page, the calls and the socket.

use super::visit::{LEASE, LIMITED};
use baton::facts::config::Mode;
use baton::facts::entry::EntryRefusal;
use baton::facts::units::{LobbyId, Version, VisitorId};
use baton::facts::voucher::Unspent;
use baton::facts::wire::{AccountTold, LeaseTold, State, Status, Told};
use baton::gate::{Barred, Held, Outcome, Wanted};
use baton::token::Pass;

const MISSING: Barred = Barred {
    why: EntryRefusal::Missing,
    from_at_ms: None,
};
const STATES: [State; 6] = [State::None, State::Hall, State::Waiting, State::Called, State::Admitted, State::Over];

/// Builds an answer from words: a state, and whatever else the lobby says.
fn told(words: &str) -> (Told, Option<Barred>) {
    let (mut told, mut barred) = (Told::default(), None);
    let status = &mut told.status;
    for word in words.split_whitespace() {
        match word {
            "none" => status.state = State::None,
            "hall" => status.state = State::Hall,
            "waiting" => status.state = State::Waiting,
            "called" => status.state = State::Called,
            "over" => status.state = State::Over,
            "bypass" => status.mode = Mode::Bypass,
            "observe" => status.mode = Mode::Observe,
            "paused" => status.mode = Mode::Paused,
            "lease" => told.lease = Some(LEASE),
            "limited" => told.limited = Some(LIMITED),
            "elsewhere" => told.account = Some(AccountTold::Elsewhere(State::Called)),
            "another" => told.account = Some(AccountTold::Another),
            "no_lane" => told.no_lane = true,
            "used" => told.unspent = Some(Unspent::Used),
            "barred" => barred = Some(MISSING),
            word => panic!("no such word: {word}"),
        }
    }
    (told, barred)
}

fn pass(lease: &LeaseTold) -> Pass {
    Pass::of(lease, Version(1), LobbyId(0), VisitorId([7; 16]), 0, 60_000)
}

fn name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::In(pass, Held::New) if pass.is_of(&LEASE) => "in",
        Outcome::In(..) => "in otherwise",
        Outcome::Free => "free",
        Outcome::Limited(limited) if limited == LIMITED => "limited",
        Outcome::Limited(_) => "limited otherwise",
        Outcome::Elsewhere => "elsewhere",
        Outcome::Placed => "placed",
        Outcome::Over => "over",
        Outcome::Barred(MISSING) => "missing",
        Outcome::Barred(Barred::NO_LANE) => "lane",
        Outcome::Barred(_) => "barred otherwise",
        Outcome::Unspent(barred) if barred == Barred::by(Unspent::Used) => "used",
        Outcome::Unspent(_) => "unspent otherwise",
        Outcome::Nothing => "nothing",
        Outcome::OfAnother => "of another",
        _ => "no lobby's answer",
    }
}

/// What was told, and what it comes to for who wants in, a number, the permit.
const TABLE: &[(&str, [&str; 3])] = &[
    ("none", ["nothing", "nothing", "nothing"]),
    ("waiting", ["placed", "placed", "placed"]),
    ("hall", ["placed", "placed", "placed"]),
    ("over", ["over", "over", "over"]),
    // A lease is before all else: whoever holds a permit goes in by it.
    ("called lease", ["in", "placed", "in"]),
    ("called lease elsewhere", ["in", "elsewhere", "in"]),
    ("called lease another", ["in", "of another", "in"]),
    ("called lease bypass", ["in", "placed", "in"]),
    // A room that lets everybody pass asks for no number, no voucher and no lane. Who asks for a number is answered about the number.
    ("none bypass", ["free", "nothing", "nothing"]),
    ("none observe used", ["free", "used", "used"]),
    ("none observe limited", ["free", "limited", "limited"]),
    ("none observe no_lane", ["free", "lane", "lane"]),
    ("over bypass", ["free", "over", "over"]),
    ("none paused", ["nothing", "nothing", "nothing"]),
    // A share is used up for a while only.
    ("none limited", ["limited", "limited", "limited"]),
    ("waiting limited", ["limited", "limited", "limited"]),
    ("none limited elsewhere", ["limited", "limited", "limited"]),
    ("none limited barred", ["limited", "limited", "limited"]),
    // Only a pressed button chooses between an account's place and an own one.
    ("none elsewhere", ["elsewhere", "elsewhere", "elsewhere"]),
    ("waiting elsewhere", ["elsewhere", "elsewhere", "elsewhere"]),
    ("over elsewhere", ["elsewhere", "elsewhere", "elsewhere"]),
    // A place stays its holder's, whatever was shown with this visit.
    ("waiting used", ["placed", "placed", "placed"]),
    ("called used", ["placed", "placed", "placed"]),
    ("hall barred", ["placed", "placed", "placed"]),
    ("waiting no_lane", ["placed", "placed", "placed"]),
    ("waiting another", ["of another", "of another", "of another"]),
    ("over another", ["over", "over", "over"]),
    // Without a place the reason counts.
    ("none used", ["used", "used", "used"]),
    ("none no_lane", ["lane", "lane", "lane"]),
    ("none barred", ["missing", "missing", "missing"]),
    ("none barred no_lane", ["missing", "missing", "missing"]),
    // The end of a place is said once, to who came to go in. Who asks for a number asks for a new one.
    ("over barred", ["over", "missing", "over"]),
    ("over no_lane", ["over", "lane", "over"]),
    ("over used", ["over", "used", "over"]),
];

#[test]
fn one_answer_comes_to_one_thing() {
    for (words, expected) in TABLE {
        let (told, barred) = told(words);
        let got = [Wanted::Entry, Wanted::Number, Wanted::Permit].map(|wanted| name(Outcome::of(&told, wanted, barred, pass)));
        assert_eq!(got, *expected, "{words}");
        // Who only wants to know takes no permit, and is told all that whoever wants one is told.
        let [_, number, permit] = *expected;
        let word = if permit == "in" { number } else { permit };
        let got = name(Outcome::of(&told, Wanted::Word, barred, pass));
        assert_eq!(got, word, "{words}");
    }
}

#[test]
fn nobody_goes_in_without_a_lease_unless_everybody_passes() {
    for mode in [Mode::Open, Mode::Paused, Mode::Closed, Mode::Bypass, Mode::Observe] {
        for state in STATES {
            for limited in [None, Some(LIMITED)] {
                let told = Told {
                    status: Status {
                        state,
                        mode,
                        ..Status::default()
                    },
                    limited,
                    ..Told::default()
                };
                let outcome = Outcome::of(&told, Wanted::Entry, None, pass);
                assert_eq!(outcome == Outcome::Free, mode.passes(), "{mode:?} {state:?}");
                assert!(!matches!(outcome, Outcome::In(..)));
            }
        }
    }
}
