//! What each fact may do, as the books stand when it becomes true, and what it does to them.
//! Every `require` here is a promise of the room; what a row as a whole must hold is in `turn`.

use super::health::Health;
use super::ledger::{Grant, Lease, Ledger, Stage};
use super::line::Place;
use super::{Check, require};
use crate::room::config::{Mode, RoomConfig};
use crate::room::event::{Event, From, How, To, WhyEnded};
use crate::room::stock::STOCK_MAX;
use crate::units::Number;

/// Most tickets of one `joined`.
pub const JOINED_MAX: u32 = 10_000;
/// Most living tickets.
pub const LINE_MAX: u64 = 10_000_000;

const LIVING: &str = "no fact about what does not live";
const NUMBERS: &str = "numbers are consecutive within an edition";
const FENCES: &str = "fences only grow, one by one";
const BOOKS: &str = "every permit is accounted for";
const ORDER: &str = "the order is kept";
const HANDED: &str = "what comes back goes to the first who is present";
const ENDS: &str = "a permit ends by its holder or at its time";
const PACE: &str = "mode and pace are kept";
const AWAY: &str = "places are kept for the grace, no longer";

impl Ledger {
    /// Checks one fact against the books and enters it. O(log n), plus what it lists or ends.
    pub fn enter(&mut self, at_ms: u64, event: &Event) -> Check {
        self.totals.facts += 1;
        let Some(config) = self.config.clone() else {
            return match event {
                Event::Configured(config) => self.configured(at_ms, config),
                _ => require("a room is configured first", false, || {
                    "nothing may happen before the first `configured`".to_owned()
                }),
            };
        };
        match event {
            Event::Configured(config) => self.configured(at_ms, config)?,
            Event::Joined { first, count, .. } => self.joined(first.0, *count)?,
            Event::Entered { first, count, .. } => self.entered(*first, *count)?,
            Event::Doors(door) => self.hall.turn(*door)?,
            Event::Committed(lot) => self.hall.commit(*lot)?,
            Event::Drawn {
                draw,
                seed,
                first,
                count,
            } => self.drawn(&config, *draw, seed, (first.0, *count))?,
            Event::WalkedIn {
                number,
                fence,
                from,
                ..
            } => self.walked_in(at_ms, &config, number.0, fence.0, *from)?,
            Event::Called { number, fence } => {
                self.take("hand", |ledger| &mut ledger.hand)?;
                self.totals.called += 1;
                self.call(at_ms, &config, number.0, fence.0)?;
            }
            Event::Handed {
                from,
                how,
                number,
                fence,
            } => self.handed(at_ms, &config, (from.0, *how), number.0, fence.0)?,
            Event::Claimed { fence } => self.claimed(at_ms, &config, fence.0)?,
            Event::Slid { fence } => self.slid(at_ms, &config, fence.0)?,
            Event::Extended { fence, by_ms } => {
                self.extended(at_ms, &config, fence.0, *by_ms)?;
            }
            Event::Ended { fence, how, to } => self.ended(at_ms, &config, fence.0, *how, *to)?,
            Event::TrayEmptied { permits } => self.tray_emptied(at_ms, u64::from(*permits))?,
            Event::WentAway(numbers) => self.went_away(at_ms, &config, numbers)?,
            Event::CameBack(numbers) => self.came_back(numbers)?,
            Event::Left(number) => {
                let place = self.place(*number);
                let waits = matches!(place, Some(Place::Present | Place::Away(_)));
                require(LIVING, waits, || {
                    format!("number {number} left, but does not wait")
                })?;
                let (line, number) = self.line_of(*number);
                line.remove(number);
                self.totals.left += 1;
            }
            Event::GraceEnded { count } => self.grace_ended(at_ms, *count)?,
            Event::BatchTaken { .. } => self.totals.batches += 1,
            Event::Turned => self.totals.turns += 1,
            Event::Refenced { from, fence } => self.refenced(at_ms, from.0, fence.0)?,
            Event::LineEnded { why, count } => self.line_ended(*why, *count)?,
            Event::Adjusted { values, .. } => {
                require("a change changes something", !values.is_empty(), || {
                    "no live value was changed".to_owned()
                })?;
                self.totals.adjusted += 1;
            }
            Event::Dismissed { number, .. } => {
                let place = self.place(*number);
                require(LIVING, place.is_none(), || {
                    format!("number {number} was ended, and still waits")
                })?;
                self.totals.dismissed += 1;
            }
            Event::OriginSeen { good, bad } => {
                let says = config.origin_errors_max_percent > 0 && (*good > 0 || *bad > 0);
                require("a count says something", says, || {
                    format!("{good} good and {bad} bad answers of the origin, of no use")
                })?;
                self.health.seen(at_ms, (*good, *bad), &config);
            }
            Event::StockSeen {
                left,
                reported_at_ms,
            } => {
                let says = config.stock_line
                    && *left <= STOCK_MAX
                    && *reported_at_ms > self.stock_reported_at_ms;
                require("a count says something", says, || {
                    format!("{left} seats left as of {reported_at_ms}, which is no news")
                })?;
                self.stock_reported_at_ms = *reported_at_ms;
            }
            Event::Reset {
                edition,
                by,
                waiting,
                inside,
            } => self.reset(edition.0, by, *waiting, u64::from(*inside))?,
        }
        self.balance()
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
        self.config = Some(config.clone());
        self.balance()
    }

    fn line_ended(&mut self, why: WhyEnded, count: u64) -> Check {
        let WhyEnded::SoldOut = why;
        let sold_out = self
            .config
            .as_ref()
            .is_some_and(|c| c.mode == Mode::SoldOut);
        let alive = self.line.alive() + self.hall.line.alive();
        require(PACE, sold_out, || {
            "everybody was sent away, and the room is not sold out".to_owned()
        })?;
        require(LIVING, count == alive && count > 0, || {
            format!("{count} places ended, {alive} lived")
        })?;
        self.end_line();
        self.totals.line_ended += count;
        Ok(())
    }

    /// Everybody is over, and says so by number of heads.
    fn reset(&mut self, edition: u32, by: &str, waiting: u64, inside: u64) -> Check {
        let next = self.edition() + 1;
        require("editions follow each other", edition == next, || {
            format!("edition {edition} began, {next} is next")
        })?;
        let alive = self.line.alive() + self.hall.line.alive();
        let leased = self.leased();
        require(LIVING, (waiting, inside) == (alive, leased), || {
            format!("{waiting} places and {inside} leases ended, {alive} and {leased} lived")
        })?;
        self.begin(by);
        self.totals.resets += 1;
        self.totals.reset += waiting + inside;
        Ok(())
    }

    fn joined(&mut self, first: u64, count: u32) -> Check {
        require(PACE, self.issues(), || {
            format!("number {first} was issued, which the mode forbids now")
        })?;
        let next = self.line.issued() + 1;
        require(NUMBERS, first == next, || {
            format!("number {first} was issued, {next} is next")
        })?;
        self.fits(count)?;
        self.line.join(u64::from(count));
        self.totals.joined += u64::from(count);
        Ok(())
    }

    /// So many more places are within the limits.
    pub(super) fn fits(&self, count: u32) -> Check {
        let alive = self.line.alive() + self.hall.line.alive();
        let fits = (1..=JOINED_MAX).contains(&count) && alive + u64::from(count) <= LINE_MAX;
        require("the line is bounded", fits, || {
            format!("{count} numbers at once, beside {alive}")
        })
    }

    fn walked_in(
        &mut self,
        at_ms: u64,
        config: &RoomConfig,
        number: u64,
        fence: u64,
        from: From,
    ) -> Check {
        let next = self.line.issued() + 1;
        require(NUMBERS, number == next, || {
            format!("number {number} walked in, {next} is next")
        })?;
        let first = self.line.first_present();
        let observed = config.mode == Mode::Observe;
        require(ORDER, first.is_none() || observed, || {
            let (first, present) = (first.unwrap_or_default(), self.line.present());
            format!("number {number} walked in past {present} present, the first is {first}")
        })?;
        require(PACE, self.may_walk_in(at_ms), || {
            format!("number {number} walked in, which the settings or the pace forbid now")
        })?;
        match from {
            From::Hand => self.take("hand", |ledger| &mut ledger.hand)?,
            From::Tray => {
                require(BOOKS, self.hand == 0, || {
                    format!("the tray was used with {} in the hand", self.hand)
                })?;
                self.take("tray", |ledger| &mut ledger.tray)?;
            }
            From::Nowhere => {
                let lawful = self.observes() && self.hand + self.tray == 0;
                require(BOOKS, lawful, || {
                    format!("a permit was made for number {number}, for no reason")
                })?;
                self.debt += 1;
            }
        }
        self.mint(fence)?;
        self.pace.spend(at_ms, config);
        self.health.spend(at_ms, config);
        self.line.pass();
        let stage = Stage::Leased(Lease::begin_provisional(at_ms, config));
        self.put_out(fence, Grant { number, stage });
        self.totals.walked_in += 1;
        Ok(())
    }

    /// A present ticket gets a permit that has left where it was.
    fn call(&mut self, at_ms: u64, config: &RoomConfig, number: u64, fence: u64) -> Check {
        let first = self.line.first_present();
        require(ORDER, first == Some(number), || match first {
            None => format!("number {number} was called, but nobody is present"),
            Some(first) if first < number => {
                format!("number {number} was called while {first}, in front, is present")
            }
            Some(_) => format!("number {number} was called, but is not there to be called"),
        })?;
        require(PACE, self.may_call(at_ms), || {
            format!("number {number} was called, which the mode or the pace forbids now")
        })?;
        self.mint(fence)?;
        self.pace.spend(at_ms, config);
        self.health.spend(at_ms, config);
        self.line.set_called(number);
        let claim_by_ms = at_ms.saturating_add(config.claim_within_ms);
        let stage = Stage::Called { claim_by_ms };
        self.put_out(fence, Grant { number, stage });
        Ok(())
    }

    fn handed(
        &mut self,
        at_ms: u64,
        config: &RoomConfig,
        (from, how): (u64, How),
        number: u64,
        fence: u64,
    ) -> Check {
        let by_holder = matches!(how, How::Released | How::Left);
        require(HANDED, by_holder, || {
            format!("a permit that came back as {how:?} goes to the hand, it is no baton")
        })?;
        require(BOOKS, self.debt == 0, || {
            format!("a permit was handed on with {} owed", self.debt)
        })?;
        self.end(at_ms, config, from, how)?;
        self.totals.handed += 1;
        self.call(at_ms, config, number, fence)
    }

    fn claimed(&mut self, at_ms: u64, config: &RoomConfig, fence: u64) -> Check {
        let grant = self.grant(fence);
        let called = grant.filter(|g| matches!(g.stage, Stage::Called { .. }));
        let Some(Grant { number, .. }) = called else {
            return require(LIVING, false, || match grant {
                None => format!("fence {fence} was claimed, but is not out"),
                Some(_) => format!("fence {fence} was claimed for the second time"),
            });
        };
        self.restage(fence, Stage::Leased(Lease::begin(at_ms, config)));
        self.line.remove(number);
        self.totals.claimed += 1;
        Ok(())
    }

    /// The lease of a fence, when it has not reached its hard end.
    fn lease(&self, at_ms: u64, fence: u64) -> Result<Lease, super::Broken> {
        match self.grant(fence).map(|grant| grant.stage) {
            Some(Stage::Leased(lease)) if lease.hard_end_ms > at_ms => Ok(lease),
            other => Err(super::Broken {
                law: LIVING,
                what: match other {
                    None => format!("fence {fence} is not out"),
                    Some(Stage::Called { .. }) => format!("fence {fence} was not claimed yet"),
                    Some(Stage::Leased(_)) => format!("the lease {fence} had reached its end"),
                },
            }),
        }
    }

    fn slid(&mut self, at_ms: u64, config: &RoomConfig, fence: u64) -> Check {
        let lease = self.lease(at_ms, fence)?;
        let idle_end_ms = at_ms.saturating_add(config.lease_idle_ms);
        let longer = idle_end_ms > lease.idle_end_ms;
        require(ENDS, longer || lease.provisional, || {
            format!("the lease {fence} slid to where it was")
        })?;
        let slid = Lease {
            idle_end_ms: idle_end_ms.max(lease.idle_end_ms),
            provisional: false,
            ..lease
        };
        self.restage(fence, Stage::Leased(slid));
        Ok(())
    }

    fn extended(&mut self, at_ms: u64, config: &RoomConfig, fence: u64, by_ms: u64) -> Check {
        let lease = self.lease(at_ms, fence)?;
        let left_ms = config.lease_extend_max_ms.saturating_sub(lease.extended_ms);
        require("leases are bounded", (1..=left_ms).contains(&by_ms), || {
            format!("the lease {fence} was extended by {by_ms} ms, {left_ms} were left")
        })?;
        let longer = Lease {
            hard_end_ms: lease.hard_end_ms.saturating_add(by_ms),
            extended_ms: lease.extended_ms + by_ms,
            ..lease
        };
        self.restage(fence, Stage::Leased(longer));
        Ok(())
    }

    /// What was handed out under the old fence does nothing any more; nothing else has changed.
    fn refenced(&mut self, at_ms: u64, from: u64, fence: u64) -> Check {
        self.lease(at_ms, from)?;
        self.mint(fence)?;
        self.refence(from, fence);
        Ok(())
    }

    fn ended(&mut self, at_ms: u64, config: &RoomConfig, fence: u64, how: How, to: To) -> Check {
        let by_holder = matches!(how, How::Released | How::Left);
        let right = match (self.debt > 0, by_holder) {
            (true, _) => To::Debt,
            (false, true) => To::Tray,
            (false, false) => To::Hand,
        };
        require(BOOKS, to == right, || {
            format!("the permit {fence} ({how:?}) went to {to:?}, {right:?} was its place")
        })?;
        if to == To::Tray {
            let first = self.line.first_present().filter(|_| self.may_call(at_ms));
            require(HANDED, first.is_none(), || {
                let first = first.unwrap_or_default();
                format!("the permit {fence} went to the tray, past number {first}, who is present")
            })?;
        }
        self.end(at_ms, config, fence, how)?;
        match to {
            To::Hand => self.hand += 1,
            To::Tray => self.tray += 1,
            To::Debt => self.debt -= 1,
        }
        Ok(())
    }

    /// A permit is no longer with this fence; what becomes of its ticket follows from `how`.
    fn end(&mut self, at_ms: u64, config: &RoomConfig, fence: u64, how: How) -> Check {
        let Some(grant) = self.grant(fence) else {
            return require(LIVING, false, || {
                format!("the permit {fence} came back ({how:?}), but is not out")
            });
        };
        let number = grant.number;
        let missed_before = self.line.missed(number);
        let right = match (how, grant.stage) {
            (How::Released | How::Expired, Stage::Leased(_)) => true,
            (How::Left, Stage::Called { .. }) => true,
            (How::Missed, Stage::Called { .. }) => !missed_before,
            (How::MissedAgain, Stage::Called { .. }) => missed_before,
            _ => false,
        };
        require(ENDS, right, || {
            let misses = u8::from(missed_before);
            format!(
                "the permit {fence} of number {number} came back as {how:?}, but was {:?} \
                 (missed calls: {misses})",
                grant.stage
            )
        })?;
        let by_time = matches!(how, How::Expired | How::Missed | How::MissedAgain);
        let due_ms = grant.due_ms();
        require(ENDS, !by_time || due_ms <= at_ms, || {
            let early_ms = due_ms.saturating_sub(at_ms);
            format!("the permit {fence} of number {number} was taken {early_ms} ms too early")
        })?;
        self.take_back(fence);
        match how {
            How::Released => self.totals.released += 1,
            How::Expired => self.totals.expired += 1,
            How::Missed => {
                self.totals.missed += 1;
                self.line.go_away(number, at_ms, config.grace_ms);
                self.line.set_missed(number);
            }
            How::MissedAgain => {
                self.totals.missed += 1;
                self.line.remove(number);
            }
            How::Left => {
                self.totals.left += 1;
                self.line.remove(number);
            }
        }
        Ok(())
    }

    fn tray_emptied(&mut self, at_ms: u64, permits: u64) -> Check {
        let lawful = self.hand == 0 && permits > 0 && permits == self.tray;
        require(BOOKS, lawful, || {
            let (hand, tray) = (self.hand, self.tray);
            format!("{permits} went from tray to hand; hand {hand}, tray {tray}")
        })?;
        require(PACE, self.may_call(at_ms), || {
            "the tray was emptied, which the mode or the pace forbids now".to_owned()
        })?;
        self.hand = self.tray;
        self.tray = 0;
        Ok(())
    }

    /// A list may name a ticket twice (a lobby said so twice): the second time changes nothing.
    fn went_away(&mut self, at_ms: u64, config: &RoomConfig, numbers: &[Number]) -> Check {
        for number in self.each_once(numbers, |place| *place == Place::Present)? {
            let (line, number) = self.line_of(number);
            line.go_away(number, at_ms, config.grace_ms);
        }
        Ok(())
    }

    fn came_back(&mut self, numbers: &[Number]) -> Check {
        for number in self.each_once(numbers, |place| matches!(place, Place::Away(_)))? {
            let (line, number) = self.line_of(number);
            line.set_present(number);
        }
        Ok(())
    }

    /// The numbers of a list, each once, all of which must stand where it says.
    fn each_once(
        &self,
        numbers: &[Number],
        fits: impl Fn(&Place) -> bool,
    ) -> Result<Vec<Number>, super::Broken> {
        require(LIVING, !numbers.is_empty(), || "of nobody".to_owned())?;
        let mut seen = std::collections::BTreeSet::new();
        for number in numbers {
            let place = self.place(*number);
            require(LIVING, place.as_ref().is_some_and(&fits), || match place {
                None => format!("number {number} is not in the line"),
                Some(place) => format!("number {number} was {place:?} before"),
            })?;
            seen.insert(*number);
        }
        Ok(seen.into_iter().collect())
    }

    fn grace_ended(&mut self, at_ms: u64, count: u64) -> Check {
        let due = self.line.away_due(at_ms) + self.hall.line.away_due(at_ms);
        require(AWAY, count > 0 && count == due, || {
            format!("{count} places were lost, {due} had run out of grace")
        })?;
        self.line.end_grace(at_ms);
        self.hall.line.end_grace(at_ms);
        self.totals.grace_ended += count;
        Ok(())
    }

    fn take(&mut self, name: &str, place: impl Fn(&mut Self) -> &mut u64) -> Check {
        let left = place(self).checked_sub(1);
        require(BOOKS, left.is_some(), || {
            format!("a permit was taken from the {name}, which is empty")
        })?;
        *place(self) = left.unwrap_or_default();
        Ok(())
    }

    fn mint(&mut self, fence: u64) -> Check {
        let next = self.last_fence + 1;
        require(FENCES, fence == next, || {
            format!("fence {fence} was minted, {next} is next")
        })
    }
}
