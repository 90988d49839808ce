//! What an export tells of one ticket, in sentences. What happened to it the facts say (`journal/ticket.rs`); how many were in
//! front, and why a permit ran out, the books of the audit.
//!
//! The whole export is audited on the way: a story is told as far as the history is lawful.

use super::ledger::{Begun, Ledger, Stage};
use super::line::Place;
use super::report::{duration, moment};
use super::{Audit, Moment, Stop, Watch};
use baton::facts::event::{Event, From, How, To, WhyEnded};
use baton::facts::units::{Fence, Number};
use baton::journal::ticket::{self, Happened, Ticket};
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
    ticket: Ticket,
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
            ticket: Ticket::new(Number(number), ticket::Place::Unborn),
            wanted: edition,
            edition: 1,
            told: Vec::new(),
            next: None,
        };
        Self {
            audit: Audit::of_room(),
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
        let Some(sentence) = self.sentence(ledger, moment.at_ms, event) else {
            return;
        };
        let issued_ms = self.told.first().map_or(moment.at_ms, |told| told.at_ms);
        self.next = Some(Told {
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
    /// What a fact that is about to become true means for the ticket; `None`: nothing.
    fn sentence(&mut self, ledger: &Ledger, at_ms: u64, event: &Event) -> Option<String> {
        let me = self.number;
        let line = ledger.lanes.line_of(Number(me));
        let kept_until_ms = line.and_then(|(line, within)| line.kept_until_ms(within));
        if matches!(event, Event::GraceEnded { .. }) && kept_until_ms? <= at_ms {
            self.ticket.end();
            return Some("was away too long: the place is lost".to_owned());
        }
        let happened = self.ticket.happens(event)?;
        // Another ticket of this number begins another story.
        if issues(&happened) && self.edition != ledger.edition() {
            self.told.clear();
            self.edition = ledger.edition();
        }
        let config = ledger.config.as_ref()?;
        let to_come = || duration(config.claim_within_ms);
        Some(match happened {
            Happened::Joined { lobby, nth } => {
                let ahead = ledger.lanes.line_of(Number(me))?.0.alive() + nth;
                format!("got its number through lobby {lobby}, with {ahead} in front")
            }
            Happened::Drawn { nth } => drawn(ledger, event, nth)?,
            Happened::WalkedIn { lobby, from, fence } => format!(
                "walked in through lobby {lobby} without waiting, with a permit from {} (fence {fence})",
                origin(from)
            ),
            Happened::Called(fence) => {
                format!(
                    "was called by the usher, {} to come (fence {fence})",
                    to_come()
                )
            }
            Happened::Handed { from, how, fence } => format!(
                "was called with the baton of number {}, who {}; {} to come (fence {from} → {fence})",
                ledger.grant(from.0)?.number,
                gave(how),
                to_come()
            ),
            Happened::HandedOn {
                from,
                how,
                number,
                fence,
            } => format!(
                "{}; the permit was handed on to number {number} (fence {from} → {fence})",
                gave(how)
            ),
            Happened::Ended { fence, how, to } => ended(ledger, fence, how, to)?,
            Happened::Claimed => {
                let calls = |told: &&Told| matches!(told.fact, "called" | "handed");
                let called = self.told.iter().rev().find(calls);
                let called_ms = called.map_or(at_ms, |told| told.at_ms);
                let after = duration(at_ms.saturating_sub(called_ms));
                format!("came {after} after the call and is inside")
            }
            Happened::Active => {
                let idle = duration(config.lease_idle_ms);
                format!("was active; the lease lasts while it is, {idle} from each time")
            }
            Happened::Extended { by_ms } => {
                format!("was given {} more by the site", duration(by_ms))
            }
            Happened::Carried(None) => "was carried to another device".to_owned(),
            Happened::Carried(Some((from, fence))) => {
                format!("was carried to another device (fence {from} → {fence})")
            }
            Happened::WentAway => {
                let grace = duration(config.grace_ms);
                format!("went away; the place is kept for {grace}")
            }
            Happened::CameBack => format!("came back, with {} in front", ledger.ahead(Number(me))),
            Happened::Left => "gave its place up".to_owned(),
            Happened::LineEnded(WhyEnded::SoldOut) => {
                "was told that all is sold; the wait is over".to_owned()
            }
            Happened::Dismissed { .. } => "was ended by the operator".to_owned(),
            Happened::Reset { ended: false, .. } => return None,
            Happened::Reset { edition, .. } => {
                format!("ended with its edition: the operator began edition {edition}")
            }
        })
    }
}

/// Whether that is the ticket's beginning.
const fn issues(happened: &Happened<'_>) -> bool {
    matches!(
        happened,
        Happened::Joined { .. } | Happened::Drawn { .. } | Happened::WalkedIn { .. }
    )
}

const fn origin(from: From) -> &'static str {
    match from {
        From::Hand => "the hand",
        From::Tray => "the tray",
        From::Nowhere => "nowhere, being only observed",
    }
}

fn drawn(ledger: &Ledger, event: &Event, nth: u64) -> Option<String> {
    let Event::Drawn {
        draw, seed, first, ..
    } = event
    else {
        return None;
    };
    let lane = ledger.lanes.of(first.lane())?;
    let entry = lane.hall.drawn_at(*draw, seed, nth)?;
    let ahead = lane.line.alive() + nth;
    Some(format!(
        "got its number in the draw, with entry {entry}; {ahead} in front"
    ))
}

const fn gave(how: How) -> &'static str {
    match how {
        How::Released => "released the permit",
        How::Left => "gave the place up when called",
        How::Expired => "ran out of time",
        How::Missed | How::MissedAgain => "did not come",
    }
}

fn ended(ledger: &Ledger, fence: Fence, how: How, to: To) -> Option<String> {
    let what = match (how, ledger.grant(fence.0)?.stage) {
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
    Some(format!("{what}; the permit {where_to}"))
}

fn standing(ledger: &Ledger, number: u64) -> String {
    let number = Number(number);
    if let Some((fence, grant)) = ledger.fence_of(number) {
        return match grant.stage {
            Stage::Called { .. } => format!("is called (fence {fence})"),
            Stage::Leased(_) => format!("is inside (fence {fence})"),
        };
    }
    let ahead = ledger.ahead(number);
    match ledger.place(number) {
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
