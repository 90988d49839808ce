//! Tells in sentences what an export says of one ticket. The facts say what happened to it (`journal/ticket.rs`); the audit's books say how many were
//! in front, and why a permit ran out.
//!
//! The whole export is audited on the way: a story is told as far as the history is lawful.

use super::ledger::{Begun, Ledger, Stage};
use super::line::Place;
use super::report::{duration, moment};
use super::{Audit, Moment, Stop, Watch};
use baton::facts::event::{Event, From, How, To, WhyEnded};
use baton::facts::lane_name::LaneName;
use baton::facts::units::{Fence, LaneId, Number};
use baton::journal::ticket::{self, Happened, Ticket};
use core::fmt;
use serde::Serialize;
use serde_json::json;

/// The lane of a name that no lane has yet. No room has this slot.
const NO_LANE: LaneId = LaneId(u8::MAX);

/// Something that happened to the ticket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Told {
    /// The row that says so.
    pub row: u64,
    /// The room's time, ms.
    pub at_ms: u64,
    /// The wall clock, Unix ms.
    pub wall_ms: u64,
    /// The time since the number was issued, by the room's clock, ms.
    pub after_ms: u64,
    /// The fact's name in the export.
    pub fact: String,
    /// What happened, as a sentence.
    pub sentence: String,
    /// How many facts in a row this stands for; more than one only for `slid`.
    pub times: u64,
}

/// A story that was told to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Story {
    /// The room's name.
    pub room: String,
    /// The ticket's number; within its lane, if the room has lanes.
    pub number: u64,
    /// The lane in which it was issued.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lane: Option<String>,
    /// The edition.
    pub edition: u32,
    /// Whether the export is lawful to its end; otherwise the story stops where it is not.
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
    /// The number that was asked for, and the lane that was named with it.
    asked: (u64, Option<LaneName>),
    ticket: Ticket,
    /// The number with which the story begins, and its lane.
    begins: Option<(u64, Option<String>)>,
    /// The edition that was asked for; `None` for the last that issued the number.
    wanted: Option<u32>,
    /// The edition of what was told.
    edition: u32,
    told: Vec<Told>,
    /// What the fact that is being entered tells.
    next: Option<Told>,
}

impl Tale {
    /// Begins a story, before the first line. `lane` is the name that tokens have for the lane in which the number counts; without it the number is
    /// the whole one. `edition` is the one in which the number was issued; without it, the last that issued it.
    #[must_use]
    pub fn new(number: u64, lane: Option<LaneName>, edition: Option<u32>) -> Self {
        let teller = Teller {
            asked: (number, lane),
            begins: None,
            ticket: Ticket::new(Number(number), ticket::Chapter::Unborn),
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

    /// Takes the next line. Costs what [`Audit::line`] costs, plus O(permits out) for a row about the ticket.
    ///
    /// # Errors
    /// Returns the first thing that is wrong with the export. The caller must not pass another line after that.
    pub fn line(&mut self, text: &str) -> Result<(), Stop> {
        self.audit.watched_line(text, &mut self.teller)
    }

    /// Ends the story: the export has ended, or the audit `stopped`.
    ///
    /// # Errors
    /// Returns [`Stop`] if the number was not issued or the export holds no row.
    pub fn finish(self, stopped: Option<&Stop>) -> Result<Story, Stop> {
        let Self { audit, teller } = self;
        let asked = teller.asked_of(&audit.ledger);
        let of_lane = |begun: &Begun| {
            let issued = begun.by_lane.get(usize::from(asked.lane().0));
            issued.copied().unwrap_or(0)
        };
        let issued = match teller.wanted {
            None => of_lane(&audit.ledger.present()),
            Some(edition) => {
                let of = |begun: &&Begun| begun.edition == edition;
                let past = audit.ledger.past.iter().find(of).map(of_lane);
                let present = Some(audit.ledger.present()).filter(|begun| of(&begun));
                past.or(present.as_ref().map(of_lane)).unwrap_or(0)
            }
        };
        if teller.told.is_empty() {
            return Err(stopped.cloned().unwrap_or_else(|| Stop::Unreadable {
                line: audit.lines,
                what: match issued {
                    0 => "no number was issued".to_owned(),
                    _ => format!("number {} was not issued; 1 to {issued} were", audit.ledger.say(asked)),
                },
                cure: "give the number of a ticket of this room, or a later export",
            }));
        }
        let (number, lane) = teller.begins.unwrap_or_default();
        Ok(Story {
            room: audit.chain.room().to_owned(),
            number,
            lane,
            edition: teller.edition,
            sound: stopped.is_none(),
            end: if teller.edition == audit.ledger.edition() {
                standing(&audit.ledger, teller.ticket.number())
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
        self.follow(ledger, event);
        let Some(sentence) = self.sentence(ledger, moment.at_ms, event) else {
            return;
        };
        let issued_ms = self.told.first().map_or(moment.at_ms, |told| told.at_ms);
        self.next = Some(Told {
            row: moment.row,
            at_ms: moment.at_ms,
            wall_ms: moment.wall_ms,
            after_ms: moment.at_ms.saturating_sub(issued_ms),
            fact: super::export::name(event),
            sentence,
            times: 1,
        });
    }

    fn after(&mut self) {
        let Some(next) = self.next.take() else { return };
        match self.told.last_mut() {
            Some(last) if last.fact == "slid" && next.fact == "slid" => last.times += 1,
            _ => self.told.push(next),
        }
    }
}

impl Teller {
    /// Returns the ticket that was asked for, as the lanes stand.
    fn asked_of(&self, ledger: &Ledger) -> Number {
        let (number, lane) = self.asked;
        let slot = lane.map(|name| ledger.lanes.named(name).unwrap_or(NO_LANE));
        slot.map_or(Number(number), |slot| slot.number(number))
    }

    /// Follows the ticket's number: until it is issued, the one that was asked for; from the draw on, the number that the entry got.
    fn follow(&mut self, ledger: &Ledger, event: &Event) {
        let me = self.ticket.number();
        if self.ticket.chapter() == ticket::Chapter::Unborn {
            let asked = self.asked_of(ledger);
            if asked != me {
                self.ticket = Ticket::new(asked, ticket::Chapter::Unborn);
            }
        }
        if let Event::Drawn { draw, seed, first, .. } = event
            && let Some(entry) = me.entry()
            && let Some(lane) = ledger.lanes.of(me.lane())
            && let Some(nth) = lane.hall.place_of(*draw, seed, entry)
            && first.lane() == me.lane()
        {
            self.ticket = Ticket::new(first.plus(nth), ticket::Chapter::Unborn);
        }
    }

    /// Returns what a fact that is about to be entered means for the ticket, or `None` if nothing.
    ///
    /// Long because it has an arm for each thing that happens to a ticket.
    fn sentence(&mut self, ledger: &Ledger, at_ms: u64, event: &Event) -> Option<String> {
        let me = self.ticket.number();
        let line = ledger.lanes.line_of(me);
        let kept_until_ms = line.and_then(|(line, within)| line.kept_until_ms(within));
        if matches!(event, Event::GraceEnded { .. }) && kept_until_ms? <= at_ms {
            self.ticket.end();
            return Some("was away too long: the place is lost".to_owned());
        }
        let happened = self.ticket.happens(event)?;
        // Another ticket of this number begins another story.
        if issues(&happened) && self.edition != ledger.edition() {
            self.told.clear();
            self.begins = None;
            self.edition = ledger.edition();
        }
        let lane = |id| ledger.lanes.of(id).and_then(|lane| lane.settings());
        self.begins.get_or_insert_with(|| match lane(me.lane()) {
            Some(own) => (me.within(), Some(own.name.to_string())),
            None => (me.0, None),
        });
        if let Happened::Moved { to } = happened {
            self.ticket = Ticket::new(to, ticket::Chapter::Waits);
        }
        let config = ledger.config.as_ref()?;
        let to_come = || duration(config.claim_within_ms);
        Some(match happened {
            Happened::Joined { lobby, nth } => {
                let ahead = ledger.lanes.line_of(me)?.0.alive() + nth;
                format!("got its number through lobby {lobby}, with {ahead} in front")
            }
            Happened::Drawn { nth } => drawn(ledger, event, nth)?,
            Happened::WalkedIn { lobby, from, fence } => format!(
                "walked in through lobby {lobby} without waiting, with a permit from {} (fence {fence})",
                origin(from)
            ),
            Happened::Called(fence) => {
                format!("was called by the usher, {} to come (fence {fence})", to_come())
            }
            Happened::Handed { from, how, fence } => format!(
                "was called with the baton of number {}, who {}; {} to come (fence {from} → {fence})",
                ledger.say(ledger.grant(from.0)?.number),
                gave(how),
                to_come()
            ),
            Happened::HandedOn { from, how, number, fence } => format!(
                "{}; the permit was handed on to number {} (fence {from} → {fence})",
                gave(how),
                ledger.say(number)
            ),
            Happened::Ended { fence, how, to } => ended(ledger, fence, how, to)?,
            Happened::Claimed => {
                let calls = |told: &&Told| matches!(told.fact.as_str(), "called" | "handed");
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
            Happened::CameBack => format!("came back, with {} in front", ledger.ahead(me)),
            Happened::Left => "gave its place up".to_owned(),
            Happened::Moved { to } => {
                let ahead = ledger.lanes.line_of(to)?.0.alive();
                let to = ledger.say(to);
                format!("went to the end of a better lane: it is {to} from here on, with {ahead} in front")
            }
            Happened::CameOver { from } => {
                let ahead = ledger.lanes.line_of(me)?.0.alive();
                let from = ledger.say(from);
                format!("came from another lane, where it was {from}, with {ahead} in front")
            }
            Happened::LineEnded(WhyEnded::SoldOut) => "was told that all is sold; the wait is over".to_owned(),
            Happened::Dismissed { .. } => "was ended by the operator".to_owned(),
            Happened::Reset { ended: false, .. } => return None,
            Happened::Reset { edition, .. } => {
                format!("ended with its edition: the operator began edition {edition}")
            }
        })
    }
}

/// Returns true if this is how a ticket begins.
const fn issues(happened: &Happened<'_>) -> bool {
    matches!(
        happened,
        Happened::Joined { .. } | Happened::Drawn { .. } | Happened::WalkedIn { .. } | Happened::CameOver { .. }
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
    let Event::Drawn { draw, seed, first, .. } = event else {
        return None;
    };
    let lane = ledger.lanes.of(first.lane())?;
    let entry = lane.hall.drawn_at(*draw, seed, nth)?;
    let ahead = lane.line.alive() + nth;
    Some(format!("got its number in the draw, with entry {entry}; {ahead} in front"))
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
        (How::Expired, Stage::Leased(lease)) if lease.provisional => "did not show its cookie in time",
        (How::Expired, Stage::Leased(lease)) if lease.hard_end_ms <= lease.idle_end_ms => "reached the end of the lease",
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

fn standing(ledger: &Ledger, number: Number) -> String {
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
            room, number, lane, edition, ..
        } = self;
        let lane = lane.as_ref().map_or_else(String::new, |lane| format!(" ({lane})"));
        let of = match edition {
            1 => String::new(),
            edition => format!(", edition {edition}"),
        };
        writeln!(f, "number {number}{lane} of room {room}{of}")?;
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
