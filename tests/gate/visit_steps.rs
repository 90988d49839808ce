//! Visits to a room's path step by step.

use super::visit::{Course, LEASE, LIMITED, NOW, answer, begin, here, play, room};
use baton::facts::units::Fence;
use baton::facts::wire::Wish;
use baton::gate::{Failed, Here, Outcome, Silence, Step};

/// Plays one visit with these answers, and says in a few words each step and the end.
fn course(words: &str, answers: &[&str]) -> String {
    let room = room(words);
    let mut answers = answers.iter().copied();
    let mut next = || answers.next().expect("an answer to each step");
    let mut said: Vec<String> = Vec::new();
    let mut step = begin(words, &here(&room));
    loop {
        step = match step {
            Step::Ask(question, asking) => {
                said.push(match question.wish() {
                    Wish::Check(_) => "check".to_owned(),
                    Wish::Renew(_) => "renew".to_owned(),
                    Wish::Status { .. } => "look".to_owned(),
                    Wish::Arrive { walk_in, join } => format!("arrive {walk_in} {join}"),
                    wish => panic!("{wish:?}"),
                });
                asking.heard(answer(next(), question), &here(&room))
            }
            Step::Limit(counting) => {
                said.push("limit".to_owned());
                let may = if next() == "yes" { Ok(()) } else { Err(LIMITED) };
                counting.counted(may, &here(&room))
            }
            Step::Probe(probing) => {
                said.push("probe".to_owned());
                probing.probed(next() == "yes", &here(&room))
            }
            Step::FailOpen(failed, out) => {
                said.push(match failed {
                    Failed::Now => "fails".to_owned(),
                    Failed::Before => "failed?".to_owned(),
                });
                out.opened(next() == "yes", &here(&room))
            }
            Step::Connect(..) => panic!("a visit to a path opens no socket"),
            Step::End(verdict) => {
                said.push(match verdict.outcome {
                    Outcome::In(pass, held) => {
                        assert_eq!(pass.fence, LEASE.fence);
                        format!("in {held:?}")
                    }
                    Outcome::Farewell(_) => "farewell".to_owned(),
                    Outcome::Barred(_) => "barred".to_owned(),
                    Outcome::Limited(_) => "limited".to_owned(),
                    outcome => format!("{outcome:?}").to_lowercase(),
                });
                assert_eq!(answers.next(), None, "{said:?}");
                return said.join(", ");
            }
        };
    }
}

#[test]
fn a_visit_goes_step_by_step() {
    let table: [(&str, &[&str], &str); 33] = [
        ("navigates fresh", &[], "in Shown"),
        ("navigates soon", &[], "in RenewedBeside"),
        ("fetches json ahead soon", &[], "in Shown"),
        ("navigates ended", &["lease"], "renew, in Older"),
        ("navigates ended newer", &[], "in Older"),
        // The lease has not ended: the visitor stays inside while nobody answers, and the next request does not wait for it.
        ("navigates ended", &["unreachable"], "renew, in Shown"),
        ("navigates ended away", &[], "in RenewedBeside"),
        ("navigates ended strict", &["unreachable", "yes"], "renew, fails, in Shown"),
        ("navigates dead away", &["unreachable", "no"], "renew, fails, unheard"),
        ("navigates dead observe", &["unreachable"], "renew, free"),
        ("navigates fresh strict", &["lease"], "check, in Shown"),
        ("navigates fresh strict", &["over"], "check, over"),
        ("navigates fresh strict", &["unreachable", "no"], "check, fails, unheard"),
        // A look that cannot be checked is told nothing and counts against no outage.
        ("fetches json ahead fresh strict", &["unreachable"], "check, arriving"),
        // The end of a lease is told if it is news; else the visitor comes for a new visit.
        ("navigates known dead", &["over"], "renew, over"),
        (
            "navigates known dead",
            &["left", "yes", "lease"],
            "renew, limit, arrive true true, in New",
        ),
        // A form that may be sent for the second time walks nobody in.
        ("submits walks known dead", &["left"], "renew, over"),
        ("submits walks known", &["yes", "lease"], "limit, arrive true false, in New"),
        ("navigates known", &["yes", "waiting"], "limit, arrive true true, placed"),
        ("navigates known", &["no"], "limit, limited"),
        ("navigates ticket", &["waiting"], "arrive true true, placed"),
        ("navigates known", &["yes", "full"], "limit, arrive true true, unheard"),
        ("navigates known", &["yes", "unreachable", "yes"], "limit, arrive true true, fails, free"),
        ("navigates", &["yes", "yes", "lease"], "probe, limit, arrive true false, in New"),
        ("navigates", &["no"], "probe, arriving"),
        // Whoever is done and clicks once more walks in if somebody can. Nobody stands in line for looking at the page.
        ("navigates click known farewell", &["yes", "lease"], "limit, arrive true false, in New"),
        (
            "navigates click known farewell",
            &["yes", "waiting"],
            "limit, arrive true false, farewell",
        ),
        ("navigates click known farewell", &["no"], "limit, farewell"),
        ("navigates click known farewell full", &[], "farewell"),
        ("submits walks known farewell", &["no"], "failed?, arriving"),
        // A visitor in line who gets a page sees the place on it, and no lobby is asked for a room that fails open.
        ("submits ticket", &["no", "waiting"], "failed?, look, placed"),
        ("submits ticket", &["yes"], "failed?, free"),
        ("navigates known unknown_key", &[], "unheard"),
    ];
    for (words, answers, expected) in table {
        assert_eq!(course(words, answers), expected, "{words} {answers:?}");
    }
}

#[test]
fn what_an_isolate_remembers_of_a_lease_that_is_over_counts_no_more() {
    let (room, mut over) = (room(""), Vec::new());
    let begun = begin("navigates fresh strict newer", &here(&room));
    play(begun, &room, &Course::default(), &mut |course, verdict| {
        let is_told = course.said.first().is_some_and(|step| step.contains("over"));
        if is_told {
            over.push(verdict.notes.over);
        }
    });
    assert!(!over.is_empty() && over.iter().all(|fence| *fence == Some(Fence(9))));
}

#[test]
fn a_lease_that_ends_while_nobody_answers_lets_nobody_in() {
    let room = room("");
    let later = Here {
        now_ms: NOW + 50_000,
        ..here(&room)
    };
    for words in ["navigates ended", "navigates fresh strict"] {
        let Step::Ask(_, asking) = begin(words, &here(&room)) else {
            panic!("{words}");
        };
        let Step::FailOpen(Failed::Now, out) = asking.heard(Err(Silence::Unreachable), &later) else {
            panic!("{words}");
        };
        let Step::End(verdict) = out.opened(true, &later) else {
            panic!("{words}");
        };
        assert_eq!(verdict.outcome, Outcome::Free, "{words}");
    }
}

/// The room's word is of the moment at which it was asked.
#[test]
fn a_lease_that_ends_while_the_answer_is_on_its_way_is_asked_about_again() {
    let room = room("");
    for (words, later_ms) in [("navigates fresh strict", 50_000), ("navigates fresh strict newer", 60_000)] {
        let later = Here {
            now_ms: NOW + later_ms,
            ..here(&room)
        };
        let Step::Ask(question, asking) = begin(words, &here(&room)) else {
            panic!("{words}");
        };
        let Step::Ask(again, asking) = asking.heard(answer("lease", question), &later) else {
            panic!("{words}: goes in by the old word");
        };
        assert!(matches!(again.wish(), Wish::Renew(_)), "{words}");
        let Step::End(verdict) = asking.heard(answer("over", again), &later) else {
            panic!("{words}");
        };
        assert!(!matches!(verdict.outcome, Outcome::In(..)), "{words}");
    }
}

#[test]
fn what_an_observing_room_alone_lets_in_is_noted() {
    let room = room("");
    let table = [
        ("fetches json observe", true),
        ("submits observe", true),
        ("fetches json bypass", false),
        // A look would get nothing of a room that keeps people out either.
        ("fetches json ahead observe", false),
        ("fetches json foreign observe", false),
    ];
    for (words, is_noted) in table {
        let Step::End(verdict) = begin(words, &here(&room)) else {
            panic!("{words}");
        };
        assert_eq!((verdict.outcome, verdict.notes.is_only_observed), (Outcome::Free, is_noted), "{words}");
    }
}
