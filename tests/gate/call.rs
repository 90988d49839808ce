//! Visitors' calls: every call with every answer that it may get.

use super::visit::{LEASE, LIMITED, NOW, begin, here, identity, room};
use baton::facts::config::Mode;
use baton::facts::entry::EntryRefusal;
use baton::facts::holder::Key;
use baton::facts::units::{AccountId, Edition, LobbyId, Number, Version, VisitorId};
use baton::facts::voucher::{CODE_KEYS, CodeHash, Unspent, Voucher};
use baton::facts::wire::{AccountTold, CarryTold, LaneTold, Reason, State, Told, Wish};
use baton::gate::{Asked, Barred, Call, CarryCall, EntryVerdict, Errand, Identity, Keeps, Outcome, Question, Silence, Step, Verdict};
use baton::settings::RoomSettings;
use baton::token::Carry;

pub const LINK: Carry = Carry {
    number: Number(9),
    edition: Edition(1),
    lobby: LobbyId(3),
    key: Key(5),
    row: Version(2),
    ends_at_ms: NOW + 60_000,
};
pub const SOCKET: Errand = Errand::Socket {
    resumes: false,
    by_token: false,
};
pub const RESUMES: Errand = Errand::Socket {
    resumes: true,
    by_token: false,
};
pub const BY_TOKEN: Errand = Errand::Socket {
    resumes: false,
    by_token: true,
};
pub const STATUS: Errand = Errand::Status { wait_ms: 4_000 };
pub const ENTER: Errand = Errand::Enter(Mode::Open);
pub const OPENS_LINK: Errand = Errand::Carry(CarryCall::Look, Some(LINK));
pub const TAKES_LINK: Errand = Errand::Carry(CarryCall::Take, Some(LINK));
pub const OLD_LINK: Errand = Errand::Carry(CarryCall::Take, None);

/// Who calls, in the words of visits, and the tokens of the shop's besides.
pub fn who(words: &str) -> Identity {
    let has = |word: &str| words.split_whitespace().any(|found| found == word);
    let mut identity = identity(words);
    identity.bad_ticket = has("bad_ticket");
    identity.human = has("human");
    if has("account") {
        identity.entry = EntryVerdict::Account(AccountId([4; 16]));
    }
    if has("code") {
        identity.entry = EntryVerdict::Voucher(Voucher::Code([CodeHash(3); CODE_KEYS]));
    }
    identity
}

/// Builds a lobby's answer from words.
fn told(words: &str) -> Result<Told, Silence> {
    let mut told = Told::default();
    for word in words.split_whitespace() {
        let status = &mut told.status;
        match word {
            "unreachable" => return Err(Silence::Unreachable),
            "full" => return Err(Silence::Full),
            "none" => status.state = State::None,
            "waiting" => status.state = State::Waiting,
            "called" => status.state = State::Called,
            "over" => (status.state, status.reason) = (State::Over, Some(Reason::Missed)),
            "lease" => (status.state, told.lease) = (State::Admitted, Some(LEASE)),
            "observe" => status.mode = Mode::Observe,
            "closed" => status.mode = Mode::Closed,
            "number" => (status.number, status.edition) = (Some(Number(7)), Some(Edition(1))),
            "later" => (status.number, status.edition) = (Some(Number(12)), Some(Edition(1))),
            "better" => {
                status.lane = Some(LaneTold {
                    name: "fans".to_owned(),
                    title: String::new(),
                    number: None,
                    better: true,
                });
            }
            "limited" => told.limited = Some(LIMITED),
            "elsewhere" => told.account = Some(AccountTold::Elsewhere(State::Called)),
            "another" => told.account = Some(AccountTold::Another),
            "no_lane" => told.no_lane = true,
            "used" => told.unspent = Some(Unspent::Used),
            "offered" => {
                told.carry = Some(CarryTold::Offered {
                    key: Key(5),
                    row: Version(2),
                });
            }
            "carried" => told.carry = Some(CarryTold::Carried),
            "gone" => told.carry = Some(CarryTold::Gone),
            word => panic!("no such word: {word}"),
        }
    }
    Ok(told)
}

pub fn answer(words: &str, mut question: Question) -> Result<Asked, Silence> {
    let told = told(words)?;
    Ok(question.hear(told, NOW)?.expect("nobody sends it on"))
}

const ERRANDS: [Errand; 17] = [
    Errand::Join,
    STATUS,
    Errand::Claim,
    Errand::Leave,
    ENTER,
    Errand::Enter(Mode::Observe),
    Errand::Enter(Mode::Bypass),
    Errand::Take,
    Errand::Code,
    Errand::Offer,
    SOCKET,
    RESUMES,
    BY_TOKEN,
    Errand::Own,
    OPENS_LINK,
    TAKES_LINK,
    OLD_LINK,
];
const ANSWERS: [&str; 14] = [
    "none",
    "waiting number",
    "waiting number better",
    "called number",
    "lease number",
    "lease number carried",
    "over number",
    "none observe",
    "none limited",
    "none elsewhere",
    "waiting number another",
    "none used",
    "waiting number offered",
    "unreachable",
];

/// Plays a call with every answer that each step may get, and shows each end with the questions on the way.
fn play(step: Step, room: &RoomSettings, asked: &[Question], show: &mut dyn FnMut(&[Question], &Verdict)) {
    assert!(asked.len() <= 2, "two questions are enough: {asked:?}");
    let with = |question: &Question| [asked, core::slice::from_ref(question)].concat();
    match step {
        Step::Ask(question, asking) => {
            for words in ANSWERS {
                let answer = answer(words, question.clone());
                play(asking.clone().heard(answer, &here(room)), room, &with(&question), show);
            }
        }
        Step::Connect(question, connecting) => {
            for (words, is_open) in ANSWERS.iter().flat_map(|words| [(words, true), (words, false)]) {
                let answer = answer(words, question.clone()).map(|asked| (asked, is_open));
                play(connecting.clone().heard(answer, &here(room)), room, &with(&question), show);
            }
        }
        Step::Limit(counting) => {
            for may in [Ok(()), Err(LIMITED)] {
                play(counting.clone().counted(may, &here(room)), room, asked, show);
            }
        }
        Step::FailOpen(_, out) => {
            for opens in [true, false] {
                play(out.clone().opened(opens, &here(room)), room, asked, show);
            }
        }
        Step::Probe(_) => panic!("a call takes nothing of what strangers have"),
        Step::End(verdict) => show(asked, &verdict),
    }
}

fn play_all(mut show: impl FnMut(&str, Errand, &Identity, &[Question], &Verdict)) {
    let mut ends = 0;
    let rooms = [room(""), room("turnstile")];
    let shop = ["", "account", "code", "barred"];
    let flags = ["", "turnstile", "turnstile human", "bad_ticket", "unknown_key"];
    for who_is in ["", "known", "ticket", "fresh", "known fresh", "ticket fresh", "known farewell"] {
        for (shop, flags) in shop.iter().flat_map(|shop| flags.map(|flags| (shop, flags))) {
            let words = format!("{who_is} {shop} {flags}");
            if who_is.contains("ticket") && flags == "bad_ticket" {
                continue;
            }
            let room = &rooms[usize::from(flags.contains("turnstile"))];
            for errand in ERRANDS {
                let identity = who(&words);
                let begun = Call::begin(identity.clone(), errand, &here(room));
                play(begun, room, &[], &mut |asked, verdict| {
                    ends += 1;
                    show(&words, errand, &identity, asked, verdict);
                });
            }
        }
    }
    assert!(ends > 15_000, "{ends}");
}

#[test]
fn no_call_gives_what_was_not_told() {
    play_all(|words, errand, identity, asked, verdict| {
        let told = verdict.asked.as_ref().map(|asked| &asked.told);
        let seen = || format!("{errand:?} by {words:?}, {asked:?}: {verdict:?}");
        match verdict.outcome {
            Outcome::In(..) => {
                let takes_permits = matches!(errand, Errand::Claim | Errand::Enter(_) | Errand::Take | TAKES_LINK);
                assert!(told.is_some_and(|told| told.lease.is_some()) && takes_permits, "{}", seen());
            }
            Outcome::Free => assert!(matches!(errand, Errand::Enter(_)), "{}", seen()),
            Outcome::Connected => assert!(matches!(errand, Errand::Socket { .. }), "{}", seen()),
            Outcome::Offered(_) => assert!(errand == Errand::Offer, "{}", seen()),
            Outcome::Unheard => assert_eq!(verdict.keeps, Keeps::AsItIs, "{}", seen()),
            _ => {}
        }
        match verdict.keeps {
            Keeps::AsItIs | Keeps::Proven | Keeps::Nothing => {}
            Keeps::Named(name) => {
                assert_eq!(verdict.visitor, Some(name), "{}", seen());
                assert!(!identity.visitor_cookie && asked.is_empty(), "{}", seen());
            }
            Keeps::ToldWithPass(name) => {
                assert!(matches!(verdict.outcome, Outcome::In(pass, _) if pass.visitor == name), "{}", seen());
            }
            Keeps::Told(name) | Keeps::ToldWithoutPass(name) | Keeps::ToldWithCode(name) => {
                assert!(told.is_some() && verdict.visitor == Some(name), "{}", seen());
            }
        }
        let is_in_by_lease = matches!(verdict.outcome, Outcome::In(..));
        assert_eq!(is_in_by_lease, matches!(verdict.keeps, Keeps::ToldWithPass(_)), "{}", seen());
    });
}

#[test]
fn no_call_asks_for_more_than_it_may() {
    play_all(|words, errand, identity, asked, _| {
        let seen = || format!("{errand:?} by {words:?}, {asked:?}");
        for question in asked {
            let wish = question.wish();
            let takes_number = matches!(wish, Wish::Join | Wish::Attend | Wish::Arrive { join: true, .. });
            let is_calm = matches!(errand, STATUS | RESUMES | BY_TOKEN | Errand::Claim | Errand::Leave | Errand::Offer);
            assert!(!takes_number || !is_calm, "{}", seen());
            let is_barred = identity.barred().is_some() && errand != Errand::Enter(Mode::Observe);
            assert!(!takes_number || !is_barred, "{}", seen());
            let is_unproven = words.contains("turnstile") && !identity.human;
            let has_place = identity.ticket.is_some();
            assert!(!takes_number || !is_unproven || has_place, "{}", seen());
            assert_eq!(
                matches!(wish, Wish::Carry { .. }),
                errand == TAKES_LINK && question.lobby() == LINK.lobby,
                "{}",
                seen()
            );
            let button = question.ask().account.is_some_and(|account| account.take);
            assert!(!button || errand == Errand::Take, "{}", seen());
        }
        assert!(asked.is_empty() || !identity.is_ahead_of_us, "{}", seen());
        assert!(
            asked.is_empty() || !matches!(errand, OPENS_LINK | OLD_LINK | Errand::Own | Errand::Enter(Mode::Bypass)),
            "{}",
            seen()
        );
    });
}

#[test]
fn an_isolate_is_told_of_the_lease_that_is_left_and_of_the_code_that_is_refused() {
    play_all(|words, errand, identity, asked, verdict| {
        let seen = || format!("{errand:?} by {words:?}, {asked:?}: {verdict:?}");
        let has_left = errand == Errand::Leave && !asked.is_empty() && verdict.outcome == Outcome::Left;
        let lease = identity.lease().filter(|_| has_left);
        assert_eq!(verdict.notes.over, lease.map(|pass| pass.fence), "{}", seen());
        let told = verdict.asked.as_ref().map(|asked| &asked.told);
        let is_refused = errand == Errand::Code && told.is_some_and(|told| told.unspent.is_some());
        assert_eq!(verdict.notes.refused, is_refused.then_some(EntryRefusal::Used), "{}", seen());
    });
}

#[test]
fn a_refusal_without_a_token_says_that_one_is_missing() {
    assert_eq!(Barred::MISSING.why, EntryRefusal::Missing);
    let identity = who("known");
    let room = room("");
    let Step::End(verdict) = Call::begin(identity, Errand::Take, &here(&room)) else {
        panic!("a lobby is asked");
    };
    assert_eq!(verdict.outcome, Outcome::Barred(Barred::MISSING));
}

#[test]
fn a_new_name_is_made_only_where_one_is_given() {
    let room = room("");
    let drawn = std::cell::Cell::new(0);
    let dice = || {
        drawn.set(drawn.get() + 1);
        [9; 16]
    };
    let here = baton::gate::Here { dice: &dice, ..here(&room) };
    for (errand, words) in [(Errand::Join, "known"), (STATUS, "ticket"), (ENTER, "ticket"), (Errand::Own, "known")] {
        let identity = who(words);
        let _ = Call::begin(identity, errand, &here);
    }
    let _ = begin("navigates fresh", &here);
    let _ = begin("navigates known", &here);
    assert_eq!(drawn.get(), 0);
    let identity = who("");
    let Step::End(verdict) = Call::begin(identity, Errand::Join, &here) else {
        panic!("a lobby is asked for a stranger");
    };
    assert_eq!(
        (drawn.get(), verdict.visitor),
        (1, Some(VisitorId::at(baton::facts::units::AddressTag([3; 8]), [9; 8])))
    );
}
