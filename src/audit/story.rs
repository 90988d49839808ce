//! What an export tells of one ticket, in sentences.
//!
//! The whole export is audited on the way: a story is told as far as the history is lawful.

use super::ledger::{Begun, Grant, Ledger, Stage};
use super::line::Place;
use super::report::{duration, moment};
use super::{Audit, Moment, Scope, Stop, Watch};
use crate::room::event::{Event, From, How, To, WhyEnded};
use core::fmt;
use serde::Serialize;
use serde_json::json;

/// Something that happened to the ticket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Told {
    /// The row that says so.
    pub row: u64,
    /// The room's time.
    pub at_ms: u64,
    /// The wall clock, Unix ms.
    pub wall_ms: u64,
    /// Since the number was issued, by the room's time.
    pub after_ms: u64,
    /// The fact's name in the export.
    pub fact: &'static str,
    /// What happened.
    pub sentence: String,
    /// How many facts in a row this stands for; more than one only for `slid`.
    pub times: u64,
}

/// A story, told to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Story {
    /// The room's name.
    pub room: String,
    /// The ticket.
    pub number: u64,
    /// Of which edition it is.
    pub edition: u32,
    /// Whether the export was lawful to its end; the story stops where it was not.
    pub sound: bool,
    /// What happened, in order.
    pub told: Vec<Told>,
    /// How the ticket stands after that.
    pub end: String,
}

/// A story being told.
#[derive(Debug)]
pub struct Tale {
    audit: Audit,
    teller: Teller,
}

#[derive(Debug)]
struct Teller {
    number: u64,
    /// Of which edition; `None`: of the last that issued it.
    wanted: Option<u32>,
    /// Of which edition is what was told.
    edition: u32,
    told: Vec<Told>,
    /// Of the fact that is being entered.
    next: Option<Told>,
}

impl Tale {
    /// Before the first line. `edition`: in which the number was issued; `None`: the last that did.
    #[must_use]
    pub fn new(number: u64, edition: Option<u32>) -> Self {
        let teller = Teller {
            number,
            wanted: edition,
            edition: 1,
            told: Vec::new(),
            next: None,
        };
        Self {
            audit: Audit::new(Scope::Everything, None),
            teller,
        }
    }

    /// Takes the next line in. Costs what [`Audit::line`] costs, and O(permits out) for a row
    /// about the ticket.
    ///
    /// # Errors
    /// The first thing that is wrong with the export. Nothing may be handed in after it.
    pub fn line(&mut self, text: &str) -> Result<(), Stop> {
        self.audit.watched_line(text, &mut self.teller)
    }

    /// The export has ended, or `stopped`.
    ///
    /// # Errors
    /// When the number was not issued, or the export holds no row.
    pub fn finish(self, stopped: Option<&Stop>) -> Result<Story, Stop> {
        let Self { audit, teller } = self;
        let issued = match teller.wanted {
            None => audit.ledger.present().numbers,
            Some(edition) => {
                let of = |begun: &&Begun| begun.edition == edition;
                let past = audit.ledger.past.iter().find(of).map(|past| past.numbers);
                let present = Some(audit.ledger.present()).filter(|begun| of(&begun));
                past.or(present.map(|begun| begun.numbers)).unwrap_or(0)
            }
        };
        if teller.told.is_empty() {
            return Err(stopped.cloned().unwrap_or_else(|| Stop::Unreadable {
                line: audit.lines,
                what: match issued {
                    0 => "no number was issued".to_owned(),
                    _ => format!(
                        "number {} was not issued; 1 to {issued} were",
                        teller.number
                    ),
                },
                cure: "give the number of a ticket of this room, or a later export",
            }));
        }
        Ok(Story {
            room: audit.chain.room().to_owned(),
            number: teller.number,
            edition: teller.edition,
            sound: stopped.is_none(),
            end: if teller.edition == audit.ledger.edition() {
                standing(&audit.ledger, teller.number)
            } else {
                "is over".to_owned()
            },
            told: teller.told,
        })
    }
}

impl Watch for Teller {
    fn before(&mut self, ledger: &Ledger, moment: Moment, event: &Event) {
        if self.wanted.is_some_and(|wanted| wanted != ledger.edition()) {
            return;
        }
        // Another ticket of this number begins another story.
        let edition = ledger.edition();
        if self.edition != edition && self.is_issued(event) {
            self.told.clear();
            self.edition = edition;
        } else if self.edition != edition {
            return;
        }
        let issued_ms = self.told.first().map_or(moment.at_ms, |told| told.at_ms);
        self.next = self
            .sentence(ledger, moment.at_ms, event)
            .map(|sentence| Told {
                row: moment.row,
                at_ms: moment.at_ms,
                wall_ms: moment.wall_ms,
                after_ms: moment.at_ms.saturating_sub(issued_ms),
                fact: super::turn::name(event),
                sentence,
                times: 1,
            });
    }

    fn after(&mut self) {
        let Some(next) = self.next.take() else { return };
        match self.told.last_mut() {
            Some(last) if (last.fact, next.fact) == ("slid", "slid") => last.times += 1,
            _ => self.told.push(next),
        }
    }
}

impl Teller {
    /// Whether the number is issued by this fact.
    fn is_issued(&self, event: &Event) -> bool {
        match event {
            Event::Joined { first, count, .. } => {
                let place = self.number.checked_sub(first.0);
                place.is_some_and(|place| place < u64::from(*count))
            }
            Event::Drawn { first, count, .. } => {
                let place = self.number.checked_sub(first.0);
                place.is_some_and(|place| place < *count)
            }
            Event::WalkedIn { number, .. } => number.0 == self.number,
            _ => false,
        }
    }

    /// What a fact that is about to become true means for the ticket; `None`: nothing.
    fn sentence(&self, ledger: &Ledger, at_ms: u64, event: &Event) -> Option<String> {
        let me = self.number;
        let mine = |fence: u64| ledger.grant(fence).filter(|grant| grant.number == me);
        let config = ledger.config.as_ref()?;
        let to_come = duration(config.claim_within_ms);
        match event {
            Event::Joined {
                lobby,
                first,
                count,
            } => {
                let place = me.checked_sub(first.0)?;
                (place < u64::from(*count)).then(|| {
                    let ahead = ledger.line.alive() + place;
                    format!("got its number through lobby {lobby}, with {ahead} in front")
                })
            }
            Event::WalkedIn {
                lobby,
                number,
                fence,
                from,
            } => (number.0 == me).then(|| {
                let from = match from {
                    From::Hand => "the hand",
                    From::Tray => "the tray",
                    From::Nowhere => "nowhere, being only observed",
                };
                format!(
                    "walked in through lobby {lobby} without waiting, with a permit from {from} \
                     (fence {fence})"
                )
            }),
            Event::Called { number, fence } => (number.0 == me)
                .then(|| format!("was called by the usher, {to_come} to come (fence {fence})")),
            Event::Handed {
                from,
                how,
                number,
                fence,
            } => {
                let giver = ledger.grant(from.0)?.number;
                if number.0 == me {
                    let gave = gave(*how);
                    return Some(format!(
                        "was called with the baton of number {giver}, who {gave}; {to_come} to \
                         come (fence {from} → {fence})"
                    ));
                }
                (giver == me).then(|| {
                    format!(
                        "{}; the permit was handed on to number {number} (fence {from} → {fence})",
                        gave(*how)
                    )
                })
            }
            Event::Claimed { fence } => mine(fence.0).map(|_| {
                let called_ms = self.told.last().map_or(at_ms, |told| told.at_ms);
                let after = duration(at_ms.saturating_sub(called_ms));
                format!("came {after} after the call and is inside")
            }),
            Event::Slid { fence } => mine(fence.0).map(|_| {
                let idle = duration(config.lease_idle_ms);
                format!("was active; the lease lasts while it is, {idle} from each time")
            }),
            Event::Extended { fence, by_ms } => {
                mine(fence.0).map(|_| format!("was given {} more by the site", duration(*by_ms)))
            }
            Event::Ended { fence, how, to } => mine(fence.0).map(|grant| ended(&grant, *how, *to)),
            Event::Refenced { from, fence } => mine(from.0)
                .map(|_| format!("was carried to another device (fence {from} → {fence})")),
            Event::WentAway(numbers) => numbers.iter().any(|n| n.0 == me).then(|| {
                let grace = duration(config.grace_ms);
                format!("went away; the place is kept for {grace}")
            }),
            Event::CameBack(numbers) => numbers
                .iter()
                .any(|n| n.0 == me)
                .then(|| format!("came back, with {} in front", ledger.line.ahead(me))),
            Event::Left(number) => (number.0 == me).then(|| "gave its place up".to_owned()),
            Event::GraceEnded { .. } => (ledger.line.kept_until_ms(me)? <= at_ms)
                .then(|| "was away too long: the place is lost".to_owned()),
            Event::LineEnded {
                why: WhyEnded::SoldOut,
                ..
            } => ledger
                .line
                .place(me)
                .map(|_| "was told that all is sold; the wait is over".to_owned()),
            Event::Dismissed { number, by, .. } => {
                (number.0 == me).then(|| format!("was ended by the operator ({by})"))
            }
            Event::Drawn {
                draw, seed, first, ..
            } => {
                let place = me.checked_sub(first.0)?;
                let entry = ledger.hall.drawn_at(*draw, seed, place)?;
                let ahead = ledger.line.alive() + place;
                Some(format!(
                    "got its number in the draw, with entry {entry}; {ahead} in front"
                ))
            }
            Event::Reset { edition, by, .. } => {
                let lives = ledger.line.place(me).is_some() || ledger.fence_of(me).is_some();
                lives.then(|| {
                    format!("ended with its edition: the operator ({by}) began edition {edition}")
                })
            }
            Event::Configured(_)
            | Event::Doors(_)
            | Event::Committed(_)
            | Event::Entered { .. }
            | Event::Adjusted { .. }
            | Event::TrayEmptied { .. }
            | Event::BatchTaken { .. }
            | Event::OriginSeen { .. }
            | Event::StockSeen { .. }
            | Event::Turned => None,
        }
    }
}

const fn gave(how: How) -> &'static str {
    match how {
        How::Released => "released the permit",
        How::Left => "gave the place up when called",
        How::Expired => "ran out of time",
        How::Missed | How::MissedAgain => "did not come",
    }
}

fn ended(grant: &Grant, how: How, to: To) -> String {
    let what = match (how, grant.stage) {
        (How::Released, _) => "released the permit",
        (How::Expired, Stage::Leased(lease)) if lease.provisional => {
            "did not show its cookie in time"
        }
        (How::Expired, Stage::Leased(lease)) if lease.hard_end_ms <= lease.idle_end_ms => {
            "reached the end of the lease"
        }
        (How::Expired, _) => "was idle until the lease ran out",
        (How::Missed, _) => "did not come in time; it keeps its place once, as away",
        (How::MissedAgain, _) => "did not come in time again and is over",
        (How::Left, _) => "gave the place up when called",
    };
    let where_to = match to {
        To::Hand => "went back to the usher's hand",
        To::Tray => "went onto the tray",
        To::Debt => "vanished: the room has fewer now",
    };
    format!("{what}; the permit {where_to}")
}

fn standing(ledger: &Ledger, number: u64) -> String {
    if let Some((fence, grant)) = ledger.fence_of(number) {
        return match grant.stage {
            Stage::Called { .. } => format!("is called (fence {fence})"),
            Stage::Leased(_) => format!("is inside (fence {fence})"),
        };
    }
    let ahead = ledger.line.ahead(number);
    match ledger.line.place(number) {
        Some(Place::Present | Place::Called) => format!("waits, with {ahead} in front"),
        Some(Place::Away(_)) => format!("is away, with {ahead} in front"),
        None => "is over".to_owned(),
    }
}

impl Story {
    /// As one JSON object.
    #[must_use]
    pub fn json(&self) -> String {
        json!(self).to_string()
    }
}

impl fmt::Display for Story {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            room,
            number,
            edition,
            ..
        } = self;
        let of = match edition {
            1 => String::new(),
            edition => format!(", edition {edition}"),
        };
        writeln!(f, "number {number} of room {room}{of}")?;
        for told in &self.told {
            let at = moment(told.wall_ms);
            let after = format!("+{}", duration(told.after_ms));
            let times = match told.times {
                1 => String::new(),
                times => format!(" ({times} times)"),
            };
            let (sentence, row) = (&told.sentence, told.row);
            writeln!(f, "  {at}  {after:>14}  {sentence}{times} [row {row}]")?;
        }
        let last = if self.sound {
            "at the end of the export it"
        } else {
            "the export is not sound from here on; before that it"
        };
        writeln!(f, "  {last} {}", self.end)
    }
}
