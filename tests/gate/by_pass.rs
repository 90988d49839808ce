//! What a request comes to by a pass that is not simply fresh.

use baton::facts::config::Mode;
use baton::facts::wire::{Reason, State, Status};
use baton::gate::{ByPass, Ended, Outcome, PassShown, Unheard, VisitKind};
use baton::token::Freshness;

/// Builds a pass from words: how fresh it is, and what else is so.
fn shown(words: &str) -> PassShown {
    let is = |word: &str| words.split_whitespace().any(|found| found == word);
    PassShown {
        standing: match words.split_whitespace().next() {
            Some("fresh") => Freshness::Fresh,
            Some("soon") => Freshness::RenewSoon,
            Some("ended") => Freshness::Ended,
            Some("dead") => Freshness::LeaseEnded,
            word => panic!("no such freshness: {word:?}"),
        },
        is_strict: is("strict"),
        is_bypass: is("bypass"),
        has_newer: is("newer"),
        is_speculative: is("ahead"),
    }
}

#[test]
fn a_pass_goes_on_by_how_fresh_it_is() {
    use ByPass::{AsItIs, Newer, Nothing, RenewedBeside, RenewedFirst};
    let table = [
        ("fresh", AsItIs),
        ("soon", RenewedBeside),
        ("ended", RenewedFirst),
        ("dead", RenewedFirst),
        // A newer pass of the same lease is the better one, whatever became of the older.
        ("fresh newer", Newer),
        ("ended newer", Newer),
        ("dead newer ahead", Newer),
        // Whoever looks ahead slides no lease.
        ("soon ahead", AsItIs),
        ("ended ahead", Nothing),
        ("dead ahead", Nothing),
        // A room that lets everybody pass is asked nothing.
        ("soon bypass", RenewedBeside),
        ("ended bypass", Nothing),
        ("dead bypass", Nothing),
        // The check came before; strictness changes nothing afterwards.
        ("fresh strict", AsItIs),
        ("ended strict", RenewedFirst),
    ];
    for (words, expected) in table {
        assert_eq!(shown(words).goes_on(), expected, "{words}");
    }
}

#[test]
fn a_strict_room_is_asked_about_each_pass_that_would_go_in() {
    for (words, expected) in [
        ("fresh", false),
        ("fresh strict", true),
        ("soon strict", true),
        ("fresh strict ahead", true),
        // The renewal asks the room anyway.
        ("ended strict", false),
        ("dead strict", false),
        ("ended strict newer", true),
        ("fresh strict bypass", false),
    ] {
        assert_eq!(shown(words).is_checked(), expected, "{words}");
    }
}

#[test]
fn without_an_answer_a_lease_that_has_not_ended_is_honoured_and_nothing_else() {
    for (words, passes, expected) in [
        ("ended", false, Unheard::Stays),
        ("ended", true, Unheard::Stays),
        ("ended strict", false, Unheard::Waits),
        ("ended strict", true, Unheard::Free),
        ("dead", false, Unheard::Waits),
        ("dead", true, Unheard::Free),
        ("dead strict", false, Unheard::Waits),
    ] {
        assert_eq!(shown(words).unheard(passes), expected, "{words} {passes}");
        assert_eq!(shown(words).may_stay(), expected == Unheard::Stays);
    }
}

#[test]
fn the_end_of_a_lease_is_told_if_it_is_news() {
    let over = |reason, mode| Status {
        state: State::Over,
        reason,
        mode,
        ..Status::default()
    };
    let none = Status::default();
    let (navigates, submits) = (VisitKind::Navigation, VisitKind::Submission);
    for (status, visit, expected) in [
        (over(Some(Reason::Expired), Mode::Open), navigates, Ended::Told),
        (over(None, Mode::Open), navigates, Ended::Told),
        (over(Some(Reason::Released), Mode::Open), navigates, Ended::ArrivesAnew),
        (over(Some(Reason::Left), Mode::Open), navigates, Ended::ArrivesAnew),
        (none.clone(), navigates, Ended::ArrivesAnew),
        // What is submitted may be submitted for the second time, so it never arrives by itself.
        (over(Some(Reason::Released), Mode::Open), submits, Ended::Told),
        (none, submits, Ended::Told),
        (over(Some(Reason::Expired), Mode::Bypass), submits, Ended::Free),
        (over(Some(Reason::Expired), Mode::Observe), navigates, Ended::ArrivesAnew),
    ] {
        let outcome = match status.state {
            State::Over => Outcome::Over,
            _ => Outcome::Nothing,
        };
        let ended = Ended::of(outcome, &status, visit);
        assert_eq!(ended, expected, "{status:?} {visit:?}");
    }
}
