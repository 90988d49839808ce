//! A room that gives no answer: who is asked beside the answer, and what the log says of it.

use baton::facts::units::LobbyId;
use baton::gate::{Away, News};

const START_MS: u64 = 1_700_000_000_000;
const ONE: LobbyId = LobbyId(1);
const TWO: LobbyId = LobbyId(2);

const NOTHING: News = News {
    lobby_is_away: false,
    room_is_away: false,
};

/// Fails a question that was asked `asked_s` after the start, `now_s` after it.
fn failed(away: &mut Away, lobby: LobbyId, (asked_s, now_s): (u64, u64)) -> News {
    away.failed(lobby, at(asked_s), at(now_s))
}

const fn at(s: u64) -> u64 {
    START_MS + s * 1_000
}

#[test]
fn a_lobby_is_away_from_its_first_failure_to_its_first_answer() {
    let mut away = Away::default();
    assert!(!away.is_away(ONE, at(0)));
    assert!(failed(&mut away, ONE, (0, 6)).lobby_is_away);
    assert!(away.is_away(ONE, at(6)));
    assert!(!away.is_away(TWO, at(6)), "another lobby is asked as ever");
    assert!(!failed(&mut away, ONE, (6, 12)).lobby_is_away, "said once");
    away.answered(ONE, at(13));
    assert!(!away.is_away(ONE, at(13)));
    assert!(failed(&mut away, ONE, (14, 20)).lobby_is_away, "said again");
}

#[test]
fn a_question_from_before_the_answer_says_nothing() {
    let mut away = Away::default();
    failed(&mut away, ONE, (0, 6));
    away.answered(ONE, at(7));
    assert_eq!(failed(&mut away, ONE, (5, 11)), NOTHING);
    assert!(!away.is_away(ONE, at(11)));
}

#[test]
fn what_nobody_has_asked_for_a_minute_is_not_known() {
    let mut away = Away::default();
    failed(&mut away, ONE, (0, 6));
    assert!(away.is_away(ONE, at(65)));
    assert!(!away.is_away(ONE, at(66)));
    failed(&mut away, ONE, (60, 66));
    assert!(away.is_away(ONE, at(125)), "each failure prolongs it");
    assert!(!away.is_away(ONE, at(0)), "nor far on the other side of a clock that was set");
}

#[test]
fn the_log_says_once_that_the_room_is_silent_and_once_that_it_is_back() {
    let mut away = Away::default();
    assert!(!failed(&mut away, ONE, (0, 6)).room_is_away);
    assert!(!failed(&mut away, TWO, (4, 10)).room_is_away);
    assert!(failed(&mut away, ONE, (5, 11)).room_is_away, "five seconds");
    for s in 12..200 {
        assert!(!failed(&mut away, ONE, (s - 6, s)).room_is_away);
    }
    assert!(!failed(&mut away, ONE, (990, 1_000)).room_is_away, "nor after a pause");
    assert_eq!(away.answered(TWO, at(1_006)), Some(1_000_000));
    assert_eq!(away.answered(TWO, at(1_007)), None);
}

#[test]
fn the_room_is_not_silent_while_any_lobby_answers_or_if_failures_are_far_apart() {
    let mut away = Away::default();
    for s in (0..100).step_by(2) {
        assert!(!failed(&mut away, ONE, (s, s)).room_is_away);
        assert_eq!(away.answered(TWO, at(s + 1)), None);
    }
    let mut away = Away::default();
    assert!(!failed(&mut away, ONE, (0, 0)).room_is_away);
    assert!(!failed(&mut away, ONE, (3_600, 3_600)).room_is_away);
    assert!(failed(&mut away, ONE, (3_605, 3_605)).room_is_away);
}
