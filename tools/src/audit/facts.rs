//! Checks what each fact may do, against the books as they stand before it, and does it to them. Every `require` here is a promise of the room;
//! `turn` checks what a row as a whole must hold.

use super::health::Health;
use super::lanes::Lane;
use super::ledger::{LINE_MAX, Ledger};
use super::line::Place;
use super::{Check, require};
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::event::{Event, WhyEnded};
use baton::facts::holder::Shown;
use baton::facts::limits::STOCK_MAX;
use baton::facts::overheard::{Overheard, StockReport};
use baton::facts::units::{LaneId, Number};

/// The most tickets of one `joined`.
pub const JOINED_MAX: u32 = 10_000;
/// The most numbers of one edition.
const NUMBERS_MAX: u64 = (1 << 31) - 1;

/// How many editions are left out by the reset that follows a proof.
const EDITIONS_LEFT_OUT: u32 = 8;

pub const LIVING: &str = "no fact about what does not live";
pub const NUMBERS: &str = "numbers are consecutive within an edition";
pub const ORDER: &str = "the order is kept";
pub const PACE: &str = "mode and pace are kept";
const AWAY: &str = "places are kept for the grace, no longer";

impl Ledger {
    /// Checks one fact against the books and enters it. O(log n), plus what it lists or ends.
    ///
    /// Long because it has an arm for each fact.
    pub fn enter(&mut self, at_ms: u64, event: &Event) -> Check {
        self.totals.facts += 1;
        let Some(config) = self.config.clone() else {
            return match event {
                Event::Configured(config) => self.configured(at_ms, config),
                Event::Begun { edition } => {
                    self.editions_lost = edition.0.saturating_sub(1);
                    Ok(())
                }
                _ => require("a room is configured first", false, || {
                    "nothing may happen before the first `configured`".to_owned()
                }),
            };
        };
        match event {
            Event::Configured(config) => self.configured(at_ms, config)?,
            Event::Begun { .. } => require("a room begins once", false, || "it began again".to_owned())?,
            Event::Joined { lobby, first, count, .. } => self.joined(lobby.0, *first, *count)?,
            Event::Entered { lobby, first, count, .. } => self.entered(lobby.0, *first, *count)?,
            Event::Doors(door) => self.door(LaneId::FIRST, *door)?,
            Event::LaneDoors { lane, door } => self.door(*lane, *door)?,
            Event::Committed(lot) => self.commit(LaneId::FIRST, *lot)?,
            Event::LaneCommitted { lane, lot } => self.commit(*lane, *lot)?,
            Event::Drawn { draw, seed, first, count } => self.drawn(&config, *draw, seed, (*first, *count))?,
            Event::WalkedIn {
                lobby, number, fence, from, ..
            } => {
                let whose = (*number, lobby.0);
                self.walked_in(at_ms, &config, whose, fence.0, *from)?;
            }
            Event::Called { number, fence } => {
                self.take("hand", |ledger| &mut ledger.hand)?;
                self.totals.called += 1;
                self.call(at_ms, &config, *number, fence.0)?;
            }
            Event::Handed { from, how, number, fence } => self.handed(at_ms, &config, (from.0, *how), *number, fence.0)?,
            Event::Claimed { fence } => self.claimed(at_ms, &config, fence.0)?,
            Event::Slid { fence } => self.slid(at_ms, &config, fence.0)?,
            Event::Extended { fence, by_ms } => {
                self.extended(at_ms, &config, fence.0, *by_ms)?;
            }
            Event::Ended { fence, how, to } => self.ended(at_ms, &config, fence.0, *how, *to)?,
            Event::TrayEmptied { permits } => self.tray_emptied(at_ms, u64::from(*permits))?,
            Event::WentAway(numbers) => self.went_away(at_ms, &config, numbers)?,
            Event::CameBack(numbers) => self.came_back(numbers)?,
            Event::Left(number) => self.left(*number)?,
            Event::GraceEnded { count } => self.grace_ended(at_ms, *count)?,
            Event::Attempted { count } => {
                require("a count says something", *count > 0, || "no attempt to join was counted".to_owned())?;
                self.totals.attempts += u64::from(*count);
            }
            Event::Turned => self.totals.turns += 1,
            Event::Moved { from, to } => self.moved(&config, *from, *to)?,
            Event::RolledBack { shown, next } => self.rolled_back(*shown, *next)?,
            Event::Carried { number, fences, .. } => self.carried(at_ms, *number, *fences)?,
            Event::Owned { tickets, .. } => self.become_owned(tickets)?,
            Event::SheetMade { sheet, slips, .. } => self.sheets.make(*sheet, *slips)?,
            Event::SheetWithdrawn { sheet, .. } => self.sheets.withdraw(*sheet)?,
            Event::Spent(spent) => {
                self.sheets.spend(spent)?;
                self.totals.spent += 1;
            }
            Event::LineEnded { why, count } => self.line_ended(*why, *count)?,
            Event::Adjusted { values, .. } => {
                require("a change changes something", !values.is_empty(), || {
                    "no live value was changed".to_owned()
                })?;
                self.schedule.adjust(values);
                self.totals.adjusted += 1;
            }
            Event::Scheduled { at_ms, .. } => {
                self.schedule.end(&config.schedule, *at_ms)?;
                self.totals.steps += 1;
            }
            Event::Dismissed { number, .. } => {
                let place = self.place(*number);
                require(LIVING, place.is_none(), || {
                    format!("number {} was ended, and still waits", self.say(*number))
                })?;
                self.totals.dismissed += 1;
            }
            Event::Overheard(heard) => self.overheard(at_ms, &config, heard)?,
            Event::Reset {
                edition, waiting, inside, ..
            } => self.reset(edition.0, *waiting, u64::from(*inside))?,
        }
        self.settled()
    }

    /// Settles the lanes and checks the balance, after each fact.
    fn settled(&mut self) -> Check {
        self.lanes.settle(self.mode());
        self.balance()
    }

    fn left(&mut self, number: Number) -> Check {
        require(LIVING, self.waits(number), || {
            format!("number {} left, but does not wait", self.say(number))
        })?;
        let (line, within) = self.lanes.line_of_mut(number);
        line.remove(within);
        self.totals.left += 1;
        Ok(())
    }

    fn configured(&mut self, at_ms: u64, config: &RoomConfig) -> Check {
        const LAW: &str = "settings change when they differ";
        require(LAW, self.config.as_ref() != Some(config), || {
            "these settings are in force already".to_owned()
        })?;
        self.totals.configured += 1;
        self.resize(u64::from(config.permits));
        let rate = |config: &RoomConfig| config.admissions_milli_per_s;
        if self.config.as_ref().map_or(0, rate) != rate(config) {
            self.pace.changes(at_ms, self.config.as_ref(), config);
        }
        let health = |c: &RoomConfig| (c.origin_errors_max_percent, c.origin_errors_window_ms);
        if self.config.as_ref().map(health) != Some(health(config)) {
            self.health = Health::default();
        }
        self.lanes.configure(config, &self.lanes_inside());
        self.config = Some(config.clone());
        self.settled()
    }

    /// Takes in what was overheard. Every part of it must say something that the settings act on.
    fn overheard(&mut self, at_ms: u64, config: &RoomConfig, heard: &Overheard) -> Check {
        const COUNTS: &str = "a count says something";
        require(COUNTS, *heard != Overheard::default(), || "nothing was overheard".to_owned())?;
        let Overheard { origin, stock, .. } = heard;
        if !origin.is_none() {
            require(COUNTS, config.origin_errors_max_percent > 0, || {
                let (good, bad) = origin.sums();
                format!("{good} good and {bad} bad answers of the origin, of no use")
            })?;
            self.health.seen(at_ms, origin, config);
        }
        if let Some(StockReport { left, at_ms }) = *stock {
            let is_news = at_ms > self.stock_reported_at_ms;
            let says = config.stock_line && left <= STOCK_MAX && is_news;
            require(COUNTS, says, || format!("{left} seats left as of {at_ms}, which is no news"))?;
            self.stock_reported_at_ms = at_ms;
        }
        Ok(())
    }

    fn line_ended(&mut self, why: WhyEnded, count: u64) -> Check {
        let WhyEnded::SoldOut = why;
        let sold_out = self.config.as_ref().is_some_and(|c| c.mode == Mode::SoldOut);
        let alive = self.lanes.alive();
        require(PACE, sold_out, || "everybody was sent away, and the room is not sold out".to_owned())?;
        require(LIVING, count == alive && count > 0, || format!("{count} places ended, {alive} lived"))?;
        self.end_line();
        self.totals.line_ended += count;
        Ok(())
    }

    /// Ends every place and every lease. The fact must tell how many of each there were.
    fn reset(&mut self, edition: u32, waiting: u64, inside: u64) -> Check {
        let proved = self.proved_edition.take();
        let lost = match self.proofs {
            0 => 0,
            _ => proved.unwrap_or_default().saturating_sub(self.edition()) + EDITIONS_LEFT_OUT,
        };
        self.proofs = u32::from(proved.is_some());
        let next = self.edition() + lost + 1;
        require("editions follow each other", edition == next, || {
            format!("edition {edition} began, {next} is next")
        })?;
        let alive = self.lanes.alive();
        let leased = self.leased();
        require(LIVING, (waiting, inside) == (alive, leased), || {
            format!("{waiting} places and {inside} leases ended, {alive} and {leased} lived")
        })?;
        self.begin();
        self.editions_lost += lost;
        self.totals.resets += 1;
        self.totals.reset += waiting + inside;
        Ok(())
    }

    /// Leaves numbers out, because somebody showed that the data is older than what people were told.
    fn rolled_back(&mut self, shown: Shown, next: Number) -> Check {
        self.proofs += 1;
        let is_newer = shown.edition.0 > self.edition();
        if is_newer {
            self.proved_edition = Some(shown.edition.0);
        }
        if is_newer || next.is_entry() {
            return Ok(());
        }
        let line = &mut self.lanes.of_mut(next.lane()).line;
        let first = line.issued() + 1;
        let goes_on = next.within() >= first && next.within() > shown.number.within();
        require(NUMBERS, goes_on, || format!("{next} follows {shown:?}, {first} was next"))?;
        line.skip_to(next.within());
        Ok(())
    }

    fn joined(&mut self, lobby: u16, first: Number, count: u32) -> Check {
        let lane = self.lanes.taking_of(NUMBERS, first)?;
        require(PACE, lane.issues(self.mode()), || {
            let first = self.say(first);
            format!("number {first} was issued, which the mode forbids now")
        })?;
        let next = lane.line.issued() + 1;
        require(NUMBERS, first == first.lane().number(next), || {
            format!("number {} was issued, {next} is next", self.say(first))
        })?;
        self.fits(next, count)?;
        self.keeps_cap(first.lane(), count)?;
        let lane = self.lanes.of_mut(first.lane());
        lane.line.join(lobby, u64::from(count));
        self.totals.joined += u64::from(count);
        Ok(())
    }

    /// Checks that `count` more places, numbered from `next` on, are within the limits.
    pub(super) fn fits(&self, next: u64, count: u32) -> Check {
        let alive = self.lanes.alive();
        let more = u64::from(count);
        let fits = (1..=JOINED_MAX).contains(&count) && alive + more <= LINE_MAX && next - 1 + more <= NUMBERS_MAX;
        require("the line is bounded", fits, || format!("{count} numbers at once, beside {alive}"))
    }

    /// Checks that `count` more people may wait in a lane: only everybody's has a cap, and nobody in it is sent away when the cap is lowered.
    pub(super) fn keeps_cap(&self, id: LaneId, count: u32) -> Check {
        let most = self.config.as_ref().map_or(0, |c| u64::from(c.line_max));
        let waits = self.lanes.of(id).map_or(0, Lane::alive);
        let keeps = most == 0 || !self.lanes.is_everybody(id) || waits + u64::from(count) <= most;
        require("the line is not longer than its cap", keeps, || {
            format!("{count} joined beside {waits}, of {most}")
        })
    }

    /// A list may name a ticket twice, because a lobby said so twice. The second time changes nothing.
    fn went_away(&mut self, at_ms: u64, config: &RoomConfig, numbers: &[Number]) -> Check {
        for number in self.each_once(numbers, |place| *place == Place::Present)? {
            let (line, within) = self.lanes.line_of_mut(number);
            line.go_away(within, at_ms, config.grace_ms);
        }
        Ok(())
    }

    fn came_back(&mut self, numbers: &[Number]) -> Check {
        for number in self.each_once(numbers, |place| matches!(place, Place::Away(_)))? {
            let (line, within) = self.lanes.line_of_mut(number);
            line.set_present(within);
        }
        Ok(())
    }

    /// Returns the numbers of a list, each once. All of them must stand where the fact says.
    fn each_once(&self, numbers: &[Number], fits: impl Fn(&Place) -> bool) -> Result<Vec<Number>, super::Broken> {
        require(LIVING, !numbers.is_empty(), || "of nobody".to_owned())?;
        let mut seen = std::collections::BTreeSet::new();
        for number in numbers {
            let place = self.place(*number);
            require(LIVING, place.as_ref().is_some_and(&fits), || match place {
                None => format!("number {} is not in the line", self.say(*number)),
                Some(place) => format!("number {} was {place:?} before", self.say(*number)),
            })?;
            seen.insert(*number);
        }
        Ok(seen.into_iter().collect())
    }

    fn grace_ended(&mut self, at_ms: u64, count: u64) -> Check {
        let due = self.lanes.away_due(at_ms);
        require(AWAY, count > 0 && count == due, || {
            format!("{count} places were lost, {due} had run out of grace")
        })?;
        self.lanes.end_grace(at_ms);
        self.totals.grace_ended += count;
        Ok(())
    }
}
