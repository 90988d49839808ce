//! Visitors' calls step by step.

use super::call::{BY_TOKEN, ENTER, OLD_LINK, OPENS_LINK, RESUMES, SOCKET, STATUS, TAKES_LINK, answer, who};
use super::visit::{LEASE, LIMITED, NOW, here, room};
use baton::facts::config::Mode;
use baton::facts::wire::Wish;
use baton::gate::{Call, Errand, Failed, Keeps, Outcome, Question, Step, Verdict};

/// Whom a question is about in a few words: what is wished for, and what is shown of the place.
fn asks(question: &Question) -> String {
    let ask = question.ask();
    let button = ask.account.is_some_and(|account| account.take);
    let wish = match question.wish() {
        Wish::Arrive { walk_in, join } => format!("arrive {walk_in} {join}"),
        Wish::Status { wait_ms } => format!("look {wait_ms}"),
        Wish::Carry { .. } => format!("carry at {}", question.lobby().0),
        wish => format!("{wish:?}").to_lowercase(),
    };
    if button { format!("{wish} by a button") } else { wish }
}

fn ends(verdict: &Verdict) -> String {
    let outcome = match verdict.outcome {
        Outcome::In(pass, _) => {
            assert_eq!(pass.fence, LEASE.fence);
            "in".to_owned()
        }
        Outcome::Limited(limited) => {
            assert_eq!(limited, LIMITED);
            "limited".to_owned()
        }
        Outcome::Barred(barred) | Outcome::Unspent(barred) => format!("refused as {}", barred.why.name()),
        Outcome::Offered(link) => format!("offered until {}", link.ends_at_ms - NOW),
        outcome => format!("{outcome:?}").to_lowercase(),
    };
    let keeps = match verdict.keeps {
        Keeps::AsItIs => "all",
        Keeps::Proven => "proven",
        Keeps::Named(_) => "name",
        Keeps::Told(_) => "told",
        Keeps::ToldWithoutPass(_) => "told - pass",
        Keeps::ToldWithPass(_) => "told + pass",
        Keeps::ToldWithCode(_) => "told + code",
        Keeps::Nothing => "nothing",
    };
    format!("{outcome}; {keeps}")
}

/// Plays one call with these answers, and says in a few words each step and the end.
fn course(errand: Errand, words: &str, answers: &[&str]) -> String {
    let room = room(words);
    let mut answers = answers.iter().copied();
    let mut next = || answers.next().expect("an answer to each step");
    let mut said: Vec<String> = Vec::new();
    let identity = who(words);
    let mut step = Call::begin(identity, errand, &here(&room));
    loop {
        step = match step {
            Step::Ask(question, asking) => {
                said.push(asks(&question));
                asking.heard(answer(next(), question), &here(&room))
            }
            Step::Connect(question, connecting) => {
                said.push(format!("{} for a socket", asks(&question)));
                let words = next();
                let (words, is_open) = match words.strip_prefix("open ") {
                    Some(words) => (words, true),
                    None => (words, false),
                };
                connecting.heard(answer(words, question).map(|asked| (asked, is_open)), &here(&room))
            }
            Step::Limit(counting) => {
                said.push("limit".to_owned());
                let may = if next() == "yes" { Ok(()) } else { Err(LIMITED) };
                counting.counted(may, &here(&room))
            }
            Step::FailOpen(Failed::Now, out) => {
                said.push("fails".to_owned());
                out.opened(next() == "yes", &here(&room))
            }
            Step::FailOpen(Failed::Before, _) | Step::Probe(_) => panic!("no call does this"),
            Step::End(verdict) => {
                said.push(ends(&verdict));
                assert_eq!(answers.next(), None, "{said:?}");
                return said.join(", ");
            }
        };
    }
}

type Row = (Errand, &'static str, &'static [&'static str], &'static str);

fn plays(table: &[Row]) {
    for (errand, words, answers, expected) in table {
        assert_eq!(course(*errand, words, answers), *expected, "{errand:?} by {words:?}, {answers:?}");
    }
}

#[test]
fn joining_goes_step_by_step() {
    plays(&[
        (Errand::Join, "known", &["yes", "waiting"], "limit, join, placed; told"),
        (Errand::Join, "known", &["no"], "limit, limited; proven"),
        // Whoever has a ticket asks for no number.
        (Errand::Join, "ticket", &["waiting"], "join, placed; told"),
        (Errand::Join, "ticket", &["called lease"], "join, placed; told"),
        (Errand::Join, "ticket", &["waiting another"], "join, ofanother; told"),
        (Errand::Join, "ticket account", &["none elsewhere"], "join, elsewhere; told"),
        (Errand::Join, "ticket", &["unreachable"], "join, unheard; all"),
        (Errand::Join, "ticket", &["full"], "join, unheard; all"),
        (Errand::Join, "ticket", &["none limited"], "join, limited; told"),
        (Errand::Join, "ticket", &["none no_lane"], "join, refused as lane; told"),
        (Errand::Join, "ticket code", &["none used"], "join, refused as used; told"),
        // No number although the mode gives some is a failure, and an answer where none gives any.
        (Errand::Join, "ticket", &["none"], "join, unheard; all"),
        (Errand::Join, "ticket", &["over"], "join, unheard; all"),
        (Errand::Join, "ticket", &["none closed"], "join, nothing; told"),
        (Errand::Join, "ticket", &["none observe"], "join, unheard; all"),
        (Errand::Join, "known barred", &[], "refused as missing; proven"),
        // A place stays its holder's, but whoever is barred gets no other.
        (Errand::Join, "ticket barred", &["waiting"], "look 0, placed; told"),
        (Errand::Join, "ticket barred", &["over"], "look 0, refused as missing; told"),
        (Errand::Join, "known turnstile", &[], "challenged; proven"),
        (Errand::Join, "ticket turnstile", &["waiting"], "look 0, placed; told"),
        (Errand::Join, "ticket turnstile", &["over"], "look 0, challenged; told"),
        (Errand::Join, "known turnstile human", &["yes", "waiting"], "limit, join, placed; told"),
        (Errand::Join, "", &[], "arriving; name"),
        (Errand::Join, "known bad_ticket", &[], "noticket; proven"),
        (Errand::Join, "known unknown_key", &[], "unheard; all"),
        // A code that was just shown is kept unless it gave nothing.
        (Errand::Code, "ticket code", &["waiting"], "join, placed; told + code"),
        (Errand::Code, "ticket code", &["waiting used"], "join, placed; told + code"),
        (Errand::Code, "ticket code turnstile", &["waiting"], "join, placed; told + code"),
        (Errand::Code, "ticket code", &["unreachable"], "join, unheard; all"),
    ]);
}

#[test]
fn asking_claiming_and_leaving_go_step_by_step() {
    plays(&[
        (STATUS, "ticket", &["waiting"], "look 4000, placed; told"),
        (STATUS, "ticket", &["called lease"], "look 4000, placed; told"),
        (STATUS, "ticket turnstile barred", &["over"], "look 4000, over; told"),
        (STATUS, "ticket", &["unreachable"], "look 4000, unheard; all"),
        (STATUS, "", &[], "nothing; name"),
        (Errand::Claim, "ticket", &["lease"], "claim, in; told + pass"),
        (Errand::Claim, "ticket", &["waiting"], "claim, placed; told"),
        (Errand::Claim, "ticket", &["over"], "claim, over; told"),
        (Errand::Claim, "known turnstile barred", &["none"], "claim, nothing; told"),
        (Errand::Claim, "", &[], "arriving; name"),
        (Errand::Leave, "ticket", &["over"], "leave, left; nothing"),
        (Errand::Leave, "ticket", &["unreachable"], "leave, unheard; all"),
        (Errand::Leave, "bad_ticket", &[], "left; nothing"),
        (Errand::Own, "known", &[], "known; all"),
        (Errand::Own, "", &[], "arriving; name"),
        (Errand::Own, "known bad_ticket", &[], "noticket; proven"),
    ]);
}

#[test]
fn entering_goes_step_by_step() {
    let bypass = Errand::Enter(Mode::Bypass);
    let observe = Errand::Enter(Mode::Observe);
    plays(&[
        (ENTER, "known", &["yes", "lease"], "limit, arrive true true, in; told + pass"),
        (ENTER, "known", &["yes", "waiting"], "limit, arrive true true, placed; told - pass"),
        (ENTER, "ticket", &["over"], "arrive true true, over; told - pass"),
        (ENTER, "ticket", &["none limited"], "arrive true true, limited; told"),
        (ENTER, "ticket account", &["waiting elsewhere"], "arrive true true, elsewhere; told"),
        (ENTER, "ticket", &["none observe"], "arrive true true, free; told"),
        (ENTER, "known", &["no"], "limit, limited; proven"),
        // An app has no page that joins for a better lane.
        (
            ENTER,
            "ticket",
            &["waiting better", "waiting better"],
            "arrive true true, join, placed; told - pass",
        ),
        (
            ENTER,
            "ticket",
            &["waiting better", "unreachable", "no"],
            "arrive true true, join, fails, unheard; all",
        ),
        (ENTER, "ticket", &["unreachable", "yes"], "arrive true true, fails, free; all"),
        (ENTER, "ticket", &["full"], "arrive true true, unheard; all"),
        (ENTER, "ticket turnstile", &["waiting better"], "arrive true false, placed; told - pass"),
        // A room that lets everybody pass fails open for nobody.
        (observe, "known", &["unreachable"], "arrive true false, free; all"),
        (observe, "known", &["full"], "arrive true false, free; all"),
        (observe, "known barred turnstile", &["none observe"], "arrive true false, free; told"),
        // The room was said to let everybody pass when the call came, so nobody looked at the token.
        (observe, "known barred", &["none"], "arrive true false, nothing; told - pass"),
        (bypass, "", &[], "free; all"),
        (ENTER, "known barred", &[], "refused as missing; proven"),
        (ENTER, "barred", &[], "refused as missing; proven"),
        (ENTER, "ticket barred", &["over"], "arrive false false, over; told - pass"),
        (ENTER, "ticket barred", &["none"], "arrive false false, refused as missing; told"),
        (ENTER, "known turnstile", &[], "challenged; proven"),
        (ENTER, "turnstile", &[], "arriving; name"),
        (ENTER, "", &[], "arriving; name"),
        (ENTER, "unknown_key", &[], "unheard; all"),
    ]);
}

#[test]
fn taking_goes_step_by_step() {
    plays(&[
        (
            Errand::Take,
            "known account",
            &["yes", "waiting"],
            "limit, join by a button, placed; told - pass",
        ),
        (
            Errand::Take,
            "ticket account",
            &["yes", "called lease"],
            "limit, join by a button, in; told + pass",
        ),
        // Nothing has moved, so the pass that the device has is still good.
        (
            Errand::Take,
            "ticket account",
            &["yes", "waiting another"],
            "limit, join by a button, ofanother; told",
        ),
        (
            Errand::Take,
            "ticket account",
            &["yes", "none no_lane"],
            "limit, join by a button, refused as lane; told",
        ),
        (
            Errand::Take,
            "ticket account",
            &["yes", "none limited"],
            "limit, join by a button, limited; told",
        ),
        (Errand::Take, "ticket account", &["no"], "limit, limited; proven"),
        (
            Errand::Take,
            "ticket account",
            &["yes", "unreachable"],
            "limit, join by a button, unheard; all",
        ),
        // An account gets its number by the button only as it would by joining.
        (Errand::Take, "known account turnstile", &[], "challenged; proven"),
        (
            Errand::Take,
            "ticket account turnstile",
            &["yes", "waiting"],
            "limit, join by a button, placed; told - pass",
        ),
        (Errand::Take, "known", &[], "refused as missing; proven"),
        (Errand::Take, "", &[], "arriving; name"),
    ]);
}

#[test]
fn sockets_open_step_by_step() {
    plays(&[
        (SOCKET, "known", &["yes", "open waiting"], "limit, attend for a socket, connected; told"),
        (SOCKET, "known", &["no"], "limit, limited; proven"),
        (SOCKET, "ticket", &["open over"], "attend for a socket, connected; told"),
        // Without a socket there is nothing to hear, whatever was told.
        (SOCKET, "ticket", &["waiting"], "attend for a socket, unheard; all"),
        (SOCKET, "ticket", &["over closed"], "attend for a socket, unheard; all"),
        (SOCKET, "ticket", &["unreachable"], "attend for a socket, unheard; all"),
        (SOCKET, "ticket", &["none limited"], "attend for a socket, limited; told"),
        (SOCKET, "ticket", &["waiting elsewhere"], "attend for a socket, elsewhere; told"),
        (SOCKET, "ticket code", &["none used"], "attend for a socket, refused as used; told"),
        (SOCKET, "known barred", &[], "refused as missing; proven"),
        (SOCKET, "ticket barred", &["open waiting"], "look 0 for a socket, connected; told"),
        (SOCKET, "known turnstile", &[], "challenged; proven"),
        (SOCKET, "ticket turnstile", &["open waiting"], "look 0 for a socket, connected; told"),
        // Whoever only goes on hearing takes no number, so nothing stands before one.
        (RESUMES, "known barred turnstile", &["open none"], "look 0 for a socket, connected; told"),
        (BY_TOKEN, "ticket", &["open waiting"], "look 0 for a socket, connected; told"),
        (BY_TOKEN, "known", &["open none"], "look 0 for a socket, connected; told"),
        (SOCKET, "", &[], "arriving; name"),
    ]);
}

#[test]
fn carrying_goes_step_by_step() {
    plays(&[
        (Errand::Offer, "ticket", &["waiting number offered"], "offer, offered until 300000; told"),
        (Errand::Offer, "ticket", &["over number gone"], "offer, over; told"),
        (Errand::Offer, "known", &["none gone"], "offer, noticket; told"),
        (Errand::Offer, "ticket", &["unreachable"], "offer, unheard; all"),
        (Errand::Offer, "", &[], "arriving; name"),
        // Opening a link changes nothing, whoever opens it: messengers' previews do.
        (OPENS_LINK, "ticket", &[], "arriving; all"),
        (OPENS_LINK, "", &[], "arriving; name"),
        (OPENS_LINK, "unknown_key", &[], "unheard; all"),
        (OLD_LINK, "known", &[], "linkover; all"),
        (OLD_LINK, "", &[], "linkover; name"),
        (TAKES_LINK, "", &[], "arriving; name"),
        // Whom only a pass names is nobody who could hold the place.
        (TAKES_LINK, "fresh", &[], "arriving; name"),
        (TAKES_LINK, "known", &["waiting carried"], "carry at 3, placed; told - pass"),
        (TAKES_LINK, "known", &["lease carried"], "carry at 3, in; told + pass"),
        (TAKES_LINK, "known", &["waiting gone"], "carry at 3, linkover; all"),
        (TAKES_LINK, "known", &["waiting"], "carry at 3, linkover; all"),
        (TAKES_LINK, "known", &["unreachable"], "carry at 3, unheard; all"),
        // The link may be a stranger's trap, so the device's own place is looked at first.
        (TAKES_LINK, "ticket", &["waiting number"], "look 0, nearer; all"),
        (
            TAKES_LINK,
            "ticket",
            &["waiting later", "waiting carried"],
            "look 0, carry at 3, placed; told - pass",
        ),
        (TAKES_LINK, "ticket", &["unreachable"], "look 0, unheard; all"),
    ]);
}
