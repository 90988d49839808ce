//! The rules: what must come of a message, by what the lobby knew before.

use super::axes::{Age, Fate, HAVE, NOW, Says};
use super::world::{Kept, Seen, of};
use baton::facts::holder::Holder;
use baton::facts::reply::Standing;
use baton::facts::units::{Number, Version};
use baton::facts::wire::{Reason, State};
use baton::lobby::{Phase, Ticket};

/// What must come of a message.
pub fn expected(was: &Kept, number: Number, age: Age, says: Says, holder: Holder) -> Seen {
    let nothing = Seen {
        then: was.clone(),
        told: vec![],
        says_hello: false,
        acknowledged: Some(HAVE),
    };
    match age.fate() {
        // What is older than known changes nothing, and what is known stays acknowledged.
        Fate::Ignored => nothing,
        // What leaves a gap, or is another life's, changes nothing either: the lobby asks anew, and until then acknowledges nothing.
        Fate::Asked => Seen {
            says_hello: true,
            acknowledged: None,
            ..nothing
        },
        Fate::Taken => {
            let mut seen = Seen {
                acknowledged: Some(age.rows().0),
                ..nothing
            };
            if let Some(why) = ends(was.ticket, says) {
                is_over(&mut seen, why);
            } else if let Some(standing) = says.standing().filter(|it| *it != Standing::Over) {
                lives(&mut seen, number, holder, standing, age.rows().0);
            }
            seen.told.sort();
            seen
        }
    }
}

/// Why a ticket that lives is over; nobody hears of one that the lobby does not know.
fn ends(was: Option<Ticket>, says: Says) -> Option<Reason> {
    let is_inside = matches!(was?.phase, Phase::Admitted { .. });
    Some(match says {
        Says::LineEnded if is_inside => return None,
        Says::LineEnded => Reason::SoldOut,
        Says::IsOver | Says::Expired => Reason::Expired,
        // Of the place that it moved to, this message says nothing.
        Says::Left | Says::Moved => Reason::Left,
        Says::MissedTwice => Reason::Missed,
        Says::AwayForLong => Reason::Away,
        Says::Released => Reason::Released,
        _ => return None,
    })
}

/// The ticket goes, its holder is told, and why is remembered.
fn is_over(seen: &mut Seen, why: Reason) {
    seen.then.ticket = None;
    seen.then.ends[0] = Some(why);
    seen.told = vec!["ann over".to_owned()];
}

/// The ticket is as the room says. Only what the room cannot know better stays as it was.
fn lives(seen: &mut Seen, number: Number, holder: Holder, standing: Standing, row: Version) {
    let was = seen.then.ticket;
    let same = was.filter(|was| was.holder == holder);
    let phase = phase_of(standing, was);
    // Whoever has the place is told of another phase, not of another deadline. Whoever had it is told that it was carried away.
    let is_news = same.is_none_or(|same| !is_alike(same.phase, phase));
    if is_news {
        let name = if holder == of("ann") { "ann" } else { "bob" };
        seen.told.push(format!("{name} {}", state(number, phase)));
    }
    if was.is_some() && same.is_none() {
        seen.told.push("ann over".to_owned());
        seen.then.ends[0] = Some(Reason::Carried);
    }
    let waited = was.filter(|was| matches!(was.phase, Phase::Waiting { .. }));
    let (ahead, away) = match standing {
        Standing::Waiting { ahead, away, .. } => (ahead.0, Some(away)),
        _ => (u64::MAX, None),
    };
    let sleeps = matches!(phase, Phase::Waiting { missed: true });
    seen.then.ticket = Some(Ticket {
        number,
        holder,
        account: None,
        phase,
        // The room may not have heard yet what it was told of presence.
        away: away.filter(|_| waited.is_none_or(|waited| waited.away.is_some())),
        // A missed call that is news makes silent.
        spoke: was.is_some_and(|was| was.spoke) && (!is_news || !sleeps),
        // Whoever slept through a call is not there.
        unseen_since: was.map_or(Some(NOW), |was| was.unseen_since.or((is_news && sleeps).then_some(NOW))),
        returned: was.is_some_and(|was| was.returned),
        // Nobody is ever told of more people in front.
        ahead: was.map_or(ahead, |was| was.ahead.min(ahead)),
        row: was.map_or(row, |was| was.row),
    });
}

/// Where it stands, on the lobby's clock. A call that is known ends no later than known.
fn phase_of(standing: Standing, was: Option<Ticket>) -> Phase {
    match standing {
        Standing::Waiting { missed, .. } => Phase::Waiting { missed },
        Standing::Called { fence, claim_in_ms } => {
            let known = was.and_then(|was| match was.phase {
                Phase::Called { fence: known, claim_by } if known == fence => Some(claim_by),
                _ => None,
            });
            let claim_by = NOW.plus_ms(claim_in_ms);
            Phase::Called {
                fence,
                claim_by: known.map_or(claim_by, |known| known.min(claim_by)),
            }
        }
        Standing::Admitted {
            fence,
            idle_in_ms,
            hard_in_ms,
            extended_ms,
            provisional,
        } => Phase::Admitted {
            fence,
            idle_end: NOW.plus_ms(idle_in_ms),
            hard_end: NOW.plus_ms(hard_in_ms),
            extended_ms,
            provisional,
        },
        Standing::Over => panic!("it lives"),
    }
}

fn is_alike(one: Phase, other: Phase) -> bool {
    match (one, other) {
        (Phase::Waiting { missed: one }, Phase::Waiting { missed: other }) => one == other,
        (Phase::Called { fence: one, .. }, Phase::Called { fence: other, .. })
        | (Phase::Admitted { fence: one, .. }, Phase::Admitted { fence: other, .. }) => one == other,
        _ => false,
    }
}

fn state(number: Number, phase: Phase) -> &'static str {
    let state = match phase {
        Phase::Waiting { .. } if number.is_entry() => State::Hall,
        Phase::Waiting { .. } => State::Waiting,
        Phase::Called { .. } => State::Called,
        Phase::Admitted { .. } => State::Admitted,
    };
    state.name()
}
