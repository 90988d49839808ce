//! Checks what each fact may do to a permit and to a lease, and does it to them.

use super::facts::{LIVING, NUMBERS, ORDER, PACE};
use super::ledger::{Grant, Lease, Ledger, Stage};
use super::{Check, require};
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::event::{From, How, To};
use baton::facts::units::{Fence, Number};

const FENCES: &str = "fences only grow, one by one";
const BOOKS: &str = "every permit is accounted for";
const HANDED: &str = "what comes back goes to the first who is present";
const ENDS: &str = "a permit ends by its holder or at its time";

impl Ledger {
    pub(super) fn walked_in(&mut self, at_ms: u64, config: &RoomConfig, (number, lobby): (Number, u16), fence: u64, from: From) -> Check {
        let id = number.lane();
        let lane = self.lanes.taking_of(NUMBERS, number)?;
        let next = lane.line.issued() + 1;
        let said = self.say(number);
        require(NUMBERS, number == id.number(next), || format!("number {said} walked in, {next} is next"))?;
        let own = lane.line.first_present().map(|first| id.number(first));
        let first = self.next_to_call().or(own);
        let observed = config.mode == Mode::Observe;
        require(ORDER, first.is_none() || observed, || {
            let first = self.say(first.unwrap_or_default());
            let present = self.lanes.present();
            format!("number {said} walked in past {present} present, the first is {first}")
        })?;
        require(PACE, self.may_walk_in(at_ms, lane), || {
            format!("number {said} walked in, which the settings or the pace forbid now")
        })?;
        match from {
            From::Hand => self.take("hand", |ledger| &mut ledger.hand)?,
            From::Tray => {
                require(BOOKS, self.hand == 0, || format!("the tray was used with {} in the hand", self.hand))?;
                self.take("tray", |ledger| &mut ledger.tray)?;
            }
            From::Nowhere => {
                let lawful = self.observes() && self.hand + self.tray == 0;
                require(BOOKS, lawful, || format!("a permit was made for number {said}, for no reason"))?;
                self.debt += 1;
            }
        }
        self.mint(fence)?;
        self.pace.spend(at_ms, config);
        self.health.spend(at_ms, config);
        self.lanes.of_mut(id).line.pass();
        self.lanes.note_given(id);
        let stage = Stage::Leased(Lease::begin_provisional(at_ms, config));
        self.put_out(fence, Grant { number, lobby, stage });
        self.totals.walked_in += 1;
        Ok(())
    }

    /// Gives a present ticket a permit that the caller has taken from where it was.
    pub(super) fn call(&mut self, at_ms: u64, config: &RoomConfig, number: Number, fence: u64) -> Check {
        let (id, mode) = (number.lane(), self.mode());
        let lane = self.lanes.of(id);
        let first = lane.and_then(|lane| lane.line.first_present());
        let first = first.map(|first| id.number(first));
        require(ORDER, first == Some(number), || {
            let said = self.say(number);
            match first {
                None => format!("number {said} was called, but nobody is present"),
                Some(first) if first < number => {
                    let first = self.say(first);
                    format!("number {said} was called while {first}, in front, is present")
                }
                Some(_) => format!("number {said} was called, but is not there to be called"),
            }
        })?;
        let calls = lane.is_some_and(|lane| lane.calls(mode)) && self.may_call(at_ms);
        require(PACE, calls, || {
            let said = self.say(number);
            format!("number {said} was called, which the mode or the pace forbids now")
        })?;
        self.lanes.is_due(id, mode)?;
        self.mint(fence)?;
        self.pace.spend(at_ms, config);
        self.health.spend(at_ms, config);
        self.lanes.note_given(id);
        let (line, within) = self.lanes.line_of_mut(number);
        line.set_called(within);
        let lobby = line.lobby(within).unwrap_or_default();
        let claim_by_ms = at_ms.saturating_add(config.claim_within_ms);
        let stage = Stage::Called { claim_by_ms };
        self.put_out(fence, Grant { number, lobby, stage });
        Ok(())
    }

    pub(super) fn handed(&mut self, at_ms: u64, config: &RoomConfig, (from, how): (u64, How), number: Number, fence: u64) -> Check {
        let by_holder = matches!(how, How::Released | How::Left);
        require(HANDED, by_holder, || {
            format!("a permit that came back as {how:?} goes to the hand, it is no baton")
        })?;
        require(BOOKS, self.debt == 0, || format!("a permit was handed on with {} owed", self.debt))?;
        self.end(at_ms, config, from, how)?;
        self.totals.handed += 1;
        self.call(at_ms, config, number, fence)
    }

    pub(super) fn claimed(&mut self, at_ms: u64, config: &RoomConfig, fence: u64) -> Check {
        let grant = self.grant(fence);
        let called = grant.filter(|g| matches!(g.stage, Stage::Called { .. }));
        let Some(Grant { number, .. }) = called else {
            return require(LIVING, false, || match grant {
                None => format!("fence {fence} was claimed, but is not out"),
                Some(_) => format!("fence {fence} was claimed for the second time"),
            });
        };
        self.restage(fence, Stage::Leased(Lease::begin(at_ms, config)));
        let (line, within) = self.lanes.line_of_mut(number);
        line.remove(within);
        self.totals.claimed += 1;
        Ok(())
    }

    /// Returns the lease of a fence, or an error if it has reached its hard end.
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

    pub(super) fn slid(&mut self, at_ms: u64, config: &RoomConfig, fence: u64) -> Check {
        let lease = self.lease(at_ms, fence)?;
        let idle_end_ms = at_ms.saturating_add(config.lease_idle_ms);
        let longer = idle_end_ms > lease.idle_end_ms;
        require(ENDS, longer || lease.provisional, || format!("the lease {fence} slid to where it was"))?;
        let slid = Lease {
            idle_end_ms: idle_end_ms.max(lease.idle_end_ms),
            provisional: false,
            ..lease
        };
        self.restage(fence, Stage::Leased(slid));
        Ok(())
    }

    pub(super) fn extended(&mut self, at_ms: u64, config: &RoomConfig, fence: u64, by_ms: u64) -> Check {
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

    /// Carries a place to another device. Whatever holds the old fence does nothing any more; nothing else changes.
    pub(super) fn carried(&mut self, at_ms: u64, number: Number, fences: Option<(Fence, Fence)>) -> Check {
        let Some((from, fence)) = fences else {
            return require(LIVING, self.waits(number), || {
                format!("number {} was carried, but does not wait", self.say(number))
            })
            .map(|()| self.totals.carried += 1);
        };
        let grant = self.grant(from.0).filter(|grant| grant.number == number);
        let lives = grant.is_some_and(|grant| match grant.stage {
            Stage::Called { .. } => true,
            Stage::Leased(_) => grant.due_ms() > at_ms,
        });
        require(LIVING, lives, || {
            let said = self.say(number);
            format!("number {said} was carried with the permit {from}, which it has not")
        })?;
        self.mint(fence.0)?;
        self.refence(from.0, fence.0);
        self.totals.carried += 1;
        Ok(())
    }

    pub(super) fn ended(&mut self, at_ms: u64, config: &RoomConfig, fence: u64, how: How, to: To) -> Check {
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
            let first = self.next_to_call().filter(|_| self.may_call(at_ms));
            require(HANDED, first.is_none(), || {
                let first = self.say(first.unwrap_or_default());
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

    /// Takes a permit back from a fence; `how` says what becomes of its ticket.
    fn end(&mut self, at_ms: u64, config: &RoomConfig, fence: u64, how: How) -> Check {
        let Some(grant) = self.grant(fence) else {
            return require(LIVING, false, || format!("the permit {fence} came back ({how:?}), but is not out"));
        };
        let said = self.say(grant.number);
        let (line, number) = self.lanes.line_of_mut(grant.number);
        let missed_before = line.missed(number);
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
                "the permit {fence} of number {said} came back as {how:?}, but was {:?} \
                 (missed calls: {misses})",
                grant.stage
            )
        })?;
        let by_time = matches!(how, How::Expired | How::Missed | How::MissedAgain);
        let due_ms = grant.due_ms();
        require(ENDS, !by_time || due_ms <= at_ms, || {
            let early_ms = due_ms.saturating_sub(at_ms);
            format!("the permit {fence} of number {said} was taken {early_ms} ms too early")
        })?;
        match how {
            How::Released | How::Expired => {}
            How::Missed => {
                line.go_away(number, at_ms, config.grace_ms);
                line.set_missed(number);
            }
            How::MissedAgain | How::Left => line.remove(number),
        }
        self.take_back(fence);
        match how {
            How::Released => self.totals.released += 1,
            How::Expired => self.totals.expired += 1,
            How::Missed | How::MissedAgain => self.totals.missed += 1,
            How::Left => self.totals.left += 1,
        }
        Ok(())
    }

    pub(super) fn tray_emptied(&mut self, at_ms: u64, permits: u64) -> Check {
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

    pub(super) fn take(&mut self, name: &str, place: impl Fn(&mut Self) -> &mut u64) -> Check {
        let left = place(self).checked_sub(1);
        require(BOOKS, left.is_some(), || format!("a permit was taken from the {name}, which is empty"))?;
        *place(self) = left.unwrap_or_default();
        Ok(())
    }

    fn mint(&mut self, fence: u64) -> Check {
        // A room that comes into memory leaves some out before the first that it mints.
        let last = self.last_fence;
        let leaves_out = !self.has_minted && fence > last;
        self.has_minted = true;
        require(FENCES, leaves_out || fence == last + 1, || {
            format!("fence {fence} was minted after {last}")
        })
    }
}
