//! Checks a row as a whole: what one turn of the room may write, and what it must not leave out.
//!
//! A row holds a change of the settings, what lobbies' commands led to (`batch`), a turn of the usher, or an act of the operator; a change of the
//! settings may come before any of the others, and before the operator's own change another. The usher leaves nothing undone, so what it did follows from the books and the time alone.

use super::export::{Row, name};
use super::ledger::Ledger;
use super::{Broken, Check, Watch, require, vouchers};
use baton::facts::config::Mode;
use baton::facts::event::{Event, How};
use baton::facts::units::{LaneId, Number};

pub(super) const FORM: &str = "a row is one turn of the room";
pub(super) const UNDONE: &str = "the usher leaves nothing undone";
const FIRST_DUE: &str = "what runs out first comes back first";

/// Which fact of the row is wrong (from 1; `None` for the row as a whole), and how.
pub type Wrong = (Option<usize>, Broken);

/// Checks a row and enters its facts. O(facts · log n), plus what they list or end.
pub fn check(ledger: &mut Ledger, row: &Row, watch: &mut impl Watch) -> Result<(), Wrong> {
    ledger.has_minted = false;
    let mut facts = Facts { ledger, row, watch, at: 0 };
    let mut events = row.events.as_slice();
    if let [begun @ Event::Begun { .. }, rest @ ..] = events {
        facts.enter(begun)?;
        events = rest;
    }
    if events.is_empty() {
        return facts.whole(require(FORM, false, || "it holds no fact".to_owned()));
    }
    let mut rest = facts.settings(events)?;
    // The operator's change follows what the clock called for in the same turn, and brings the settings to what it says.
    if let [Event::Configured(_), .., Event::Adjusted { .. }] = rest {
        rest = facts.settings(rest)?;
    }
    match rest.split_last() {
        None => Ok(()),
        Some((Event::Turned, done)) => facts.turn(rest, done),
        Some((adjusted @ Event::Adjusted { .. }, [])) => facts.enter(adjusted),
        Some((made @ Event::SheetMade { terms, .. }, [])) => {
            facts.next(vouchers::lives(terms, facts.wall_ms()))?;
            facts.enter(made)
        }
        Some((withdrawn @ Event::SheetWithdrawn { .. }, [])) => facts.enter(withdrawn),
        Some((reset @ Event::Reset { .. }, before)) => {
            facts.proves_edition(before)?;
            facts.enter(reset)?;
            facts.ledger.begun = row.moment.row;
            Ok(())
        }
        Some((dismissed @ Event::Dismissed { number, .. }, before)) => facts.dismissal(*number, before, dismissed),
        Some(_) => facts.batch(rest),
    }
}

/// The facts of a row, entered one by one.
pub(super) struct Facts<'a, W> {
    pub ledger: &'a mut Ledger,
    row: &'a Row,
    watch: &'a mut W,
    /// The number of facts entered so far.
    at: usize,
}

impl<W: Watch> Facts<'_, W> {
    pub fn at_ms(&self) -> u64 {
        self.row.moment.at_ms
    }

    pub fn wall_ms(&self) -> u64 {
        self.row.moment.wall_ms
    }

    /// Enters a change of the settings, if there is one, and what follows from it and from the clock. Returns the facts behind it.
    fn settings<'e>(&mut self, events: &'e [Event]) -> Result<&'e [Event], Wrong> {
        let rest = match events.split_first() {
            Some((configured @ Event::Configured(_), rest)) => {
                self.enter(configured)?;
                self.line_ends(rest)?
            }
            _ => events,
        };
        let rest = self.steps(rest)?;
        self.hours(rest)
    }

    /// Enters what stands before a reset in its row: nothing, or a batch in which somebody shows a place of a later edition.
    fn proves_edition(&mut self, before: &[Event]) -> Result<(), Wrong> {
        if before.is_empty() {
            return Ok(());
        }
        self.batch(before)?;
        let proved = self.ledger.proved_edition.is_some();
        self.whole(require(FORM, proved, || {
            "an edition began in a batch, and nobody has shown a later one".to_owned()
        }))
    }

    /// Checks that the line ends with the change of settings that says that all is sold.
    pub fn line_ends<'r>(&mut self, rest: &'r [Event]) -> Result<&'r [Event], Wrong> {
        let sold_out = self.ledger.config.as_ref().map(|c| c.mode) == Some(Mode::SoldOut);
        match rest.split_first() {
            Some((ended @ Event::LineEnded { .. }, rest)) => {
                self.enter(ended)?;
                Ok(rest)
            }
            _ => {
                let alive = self.ledger.lanes.alive();
                let kept = sold_out && alive > 0;
                self.whole(require(UNDONE, !kept, || format!("all is sold, and {alive} were left waiting")))?;
                Ok(rest)
            }
        }
    }

    /// Enters what the hours change at this row's time. It stands before everything else, lane by lane in their order.
    fn hours<'r>(&mut self, rest: &'r [Event]) -> Result<&'r [Event], Wrong> {
        let by_hours = |event: &&Event| of_hours(event).is_some();
        let count = rest.iter().take_while(by_hours).count();
        let (hours, rest) = rest.split_at(count);
        let (mut last, mut committed) = (None, Vec::new());
        for event in hours {
            let place = of_hours(event).and_then(|(lane, step)| {
                let mut order = self.ledger.lanes.in_order();
                Some((order.position(|(id, _)| id == lane)?, step))
            });
            self.next(require(FORM, place.is_some() && place > last, || {
                format!("`{}` has no place here", name(event))
            }))?;
            last = place;
            let lot = match event {
                Event::Committed(lot) => Some((LaneId::FIRST, lot)),
                Event::LaneCommitted { lane, lot } => Some((*lane, lot)),
                _ => None,
            };
            if let Some((lane, lot)) = lot {
                let of_this = lot.nonce.0 == self.row.moment.row;
                self.next(require(FORM, of_this, || format!("a seed of row {} was committed to", lot.nonce)))?;
                committed.push(lane);
            }
            self.enter(event)?;
        }
        let wall_ms = self.row.moment.wall_ms;
        self.whole(self.ledger.hours_kept(wall_ms, &committed))?;
        Ok(rest)
    }

    /// Enters the end of a ticket by the operator: its place or permit comes back as if its holder had left.
    fn dismissal(&mut self, number: Number, facts: &[Event], dismissed: &Event) -> Result<(), Wrong> {
        let said = self.ledger.say(number);
        self.whole(require(FORM, facts.len() == 1, || {
            format!("number {said} was ended, and {} facts say how", facts.len())
        }))?;
        for event in facts {
            let whose = match event {
                Event::Left(of) => Some(*of),
                Event::Ended { fence, how, .. } | Event::Handed { from: fence, how, .. } if !ran_out(*how) => {
                    self.ledger.grant(fence.0).map(|grant| grant.number)
                }
                _ => None,
            };
            self.next(require(FORM, whose == Some(number), || {
                format!("`{}` does not end number {said}", name(event))
            }))?;
            self.enter(event)?;
        }
        self.enter(dismissed)
    }

    /// Says that a check is about the next fact.
    pub fn next(&self, check: Check) -> Result<(), Wrong> {
        check.map_err(|broken| (Some(self.at + 1), broken))
    }

    /// Says that a check is about the row as a whole.
    pub fn whole(&self, check: Check) -> Result<(), Wrong> {
        check.map_err(|broken| (None, broken))
    }

    pub fn enter(&mut self, event: &Event) -> Result<(), Wrong> {
        let moment = self.row.moment;
        self.watch.before(self.ledger, moment, event);
        let entered = self.ledger.enter(moment.at_ms, event);
        self.next(entered)?;
        self.watch.after();
        self.at += 1;
        Ok(())
    }

    /// Checks that of the permits that ran out, the one that ran out first comes back first.
    pub fn runs_out(&self, event: &Event) -> Result<(), Wrong> {
        let Event::Ended { fence, .. } = event else {
            return Ok(());
        };
        let first = self.ledger.first_due();
        let is_first = first.is_none_or(|(first, _)| first == fence.0);
        self.next(require(FIRST_DUE, is_first, || {
            let (first, due_ms) = first.unwrap_or_default();
            format!("the permit {fence} came back before {first}, which was due at {due_ms}")
        }))
    }

    pub fn all_has_come_back(&self) -> Result<(), Wrong> {
        let undone = self.ledger.anything_due(self.at_ms());
        self.whole(require(UNDONE, !undone, || {
            let (fence, due_ms) = self.ledger.first_due().unwrap_or_default();
            format!("the permit {fence} was due at {due_ms} and did not come back")
        }))
    }

    /// Enters a turn of the usher: it ends places that ran out of grace, takes back permits that ran out, then calls while mode and pace allow it, a
    /// permit is free and somebody is present.
    fn turn(&mut self, facts: &[Event], done: &[Event]) -> Result<(), Wrong> {
        self.whole(require(FORM, !done.is_empty(), || "the usher turned and did nothing".to_owned()))?;
        let ledger = &*self.ledger;
        let grace_due = ledger.lanes.away_due(self.at_ms());
        let mut stage = 0;
        for event in facts {
            let (from, to) = match event {
                Event::GraceEnded { .. } => (0, 1),
                Event::Ended { how, .. } if ran_out(*how) => (1, 1),
                Event::TrayEmptied { .. } | Event::Called { .. } => (2, 2),
                Event::Turned => (3, 4),
                _ => (u8::MAX, 0),
            };
            self.next(require(FORM, from >= stage && from < 4, || {
                format!("`{}` has no place here in a turn of the usher", name(event))
            }))?;
            if stage == 0 && !matches!(event, Event::GraceEnded { .. }) {
                self.whole(require(UNDONE, grace_due == 0, || {
                    format!("{grace_due} places had run out of grace and were not ended")
                }))?;
            }
            if stage < 2 && from >= 2 {
                self.all_has_come_back()?;
            }
            self.runs_out(event)?;
            self.enter(event)?;
            stage = to;
        }
        self.nobody_is_kept_waiting()
    }

    fn nobody_is_kept_waiting(&self) -> Result<(), Wrong> {
        let ledger = &*self.ledger;
        let waits = ledger.may_call(self.at_ms()) && ((ledger.hand > 0 && ledger.callable() > 0) || (ledger.hand == 0 && ledger.tray > 0));
        self.whole(require(UNDONE, !waits, || {
            let first = ledger.say(ledger.next_to_call().unwrap_or_default());
            format!(
                "hand {}, tray {}, and {} present wait (first: {first}) after its turn",
                ledger.hand,
                ledger.tray,
                ledger.lanes.present()
            )
        }))
    }
}

/// Returns the lane whose hours a fact tells, and the fact's rank among those; `None` for any other fact.
const fn of_hours(event: &Event) -> Option<(LaneId, u8)> {
    match event {
        Event::Committed(_) => Some((LaneId::FIRST, 1)),
        Event::Doors(_) => Some((LaneId::FIRST, 2)),
        // The first lane's facts have names of their own.
        Event::LaneCommitted { lane, .. } if lane.0 != LaneId::FIRST.0 => Some((*lane, 1)),
        Event::LaneDoors { lane, .. } if lane.0 != LaneId::FIRST.0 => Some((*lane, 2)),
        Event::Drawn { first, .. } => Some((first.lane(), 3)),
        _ => None,
    }
}

pub(super) const fn ran_out(how: How) -> bool {
    matches!(how, How::Expired | How::Missed | How::MissedAgain)
}
