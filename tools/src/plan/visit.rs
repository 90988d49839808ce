//! Plays what one person's page does, from coming to leaving.

use super::crowd::NEVER;
use super::outcome::Outcome;
use super::parts::{State, Visit, What, Wish};
use super::world::World;
use baton::facts::config::Mode;
use baton::facts::hall::Door;
use baton::facts::units::{Fence, Number};
use baton::room::line::Place;

/// Over how long pages come back that all learn at once that the hall is open, ms.
const SPREAD_MS: u64 = 10_000;
/// How long a page that was refused a number waits before it tries again, ms.
const AGAIN_MS: u32 = 10_000;
/// How long after a walk-in the shop's page shows the cookie with what it loads, ms.
const COOKIE_MS: u32 = 500;

impl World<'_> {
    fn visit(&mut self, who: u32) -> Option<&mut Visit> {
        self.visits.get_mut(who as usize)
    }

    fn state(&self, who: u32) -> State {
        let visit = self.visits.get(who as usize);
        visit.map_or(State::Over(Outcome::GaveUp), |visit| visit.state)
    }

    fn set(&mut self, who: u32, state: State) {
        if let Some(visit) = self.visit(who) {
            visit.state = state;
        }
    }

    fn page_ms(&mut self) -> u32 {
        self.dice.page_ms(self.event.page_ms)
    }

    /// Records that the waiting page is open and awake from now on.
    fn opens(&mut self, who: u32) {
        let now = self.now;
        if let Some(visit) = self.visit(who) {
            visit.open_ms = now;
        }
    }

    /// Records that the waiting page is left, closed or asleep, and counts once how long it was open.
    fn shuts(&mut self, who: u32) {
        let now = self.now;
        if let Some(visit) = self.visit(who) {
            let since_ms = core::mem::replace(&mut visit.open_ms, NEVER);
            self.seen.note_open(since_ms, now);
        }
    }

    /// Plays somebody who asks for the gated page.
    pub(super) fn comes(&mut self, who: u32) {
        self.seen.counts.worker += 1;
        self.opens(who);
        let walks = self.mode(who) == Mode::Open && matches!(self.door(who), Door::Open { .. });
        if walks && self.config.walk_in && self.now >= self.full_until {
            self.seen.counts.lobby += 1;
            self.set(who, State::Asking);
            self.ask(who, Wish::WalkIn);
            return;
        }
        let after = self.page_ms();
        self.plan(after, What::Page(who));
    }

    /// Plays the waiting page that opens its socket, which joins.
    pub(super) fn page(&mut self, who: u32) {
        self.seen.counts.worker += 1;
        self.seen.counts.lobby += 1;
        match self.door(who) {
            Door::Shut { opens_at_ms: Some(at) } => {
                let hall = at.saturating_sub(self.hall_ms(who));
                let after = hall.saturating_sub(self.instant().0) + self.dice.0.below(SPREAD_MS);
                self.plan(u32::try_from(after).unwrap_or(NEVER), What::Page(who));
            }
            _ if !self.mode(who).issues() => self.set(who, State::Over(Outcome::TurnedAway)),
            _ => {
                self.set(who, State::Asking);
                self.ask(who, Wish::Join);
            }
        }
    }

    /// Records the place that the room gave.
    pub(super) fn placed(&mut self, who: u32, number: Number) {
        let now = self.now;
        let Some(visit) = self.visit(who) else {
            return;
        };
        visit.state = State::Waiting;
        visit.number = number;
        if visit.placed_ms == NEVER {
            visit.placed_ms = now;
        }
        let leaves_ms = visit.person.leaves_ms;
        if !core::mem::replace(&mut visit.closes_planned, true) && leaves_ms != NEVER {
            self.plan(leaves_ms, What::Close(who));
        }
    }

    pub(super) fn walked_in(&mut self, who: u32, number: Number, fence: Fence) {
        if let Some(visit) = self.visit(who) {
            visit.number = number;
            visit.fence = fence;
        }
        self.seen.counts.walked_in += 1;
        self.admitted(who);
        self.plan(COOKIE_MS, What::Renew(who));
    }

    /// Plays the answer to a wish.
    pub(super) fn answered(&mut self, who: u32, wish: Wish) {
        match (wish, self.state(who)) {
            (Wish::WalkIn, State::Asking) => {
                self.full_until = self.now.saturating_add(self.config.tick_ms as u32);
                let after = self.way_ms().saturating_add(self.page_ms());
                self.plan(after, What::Page(who));
            }
            (Wish::Join, State::Asking) if self.mode(who) == Mode::SoldOut => {
                self.set(who, State::Over(Outcome::TurnedAway));
            }
            (Wish::Join, State::Asking) => self.plan(AGAIN_MS, What::Page(who)),
            // The claim came too late. The room keeps the place once, and a page that speaks is present.
            (Wish::Claim, State::Landing) => {
                self.set(who, State::Waiting);
                self.ask(who, Wish::Here);
            }
            _ => {}
        }
    }

    /// Plays a call: a permit waits for somebody.
    pub(super) fn called(&mut self, who: u32, fence: Fence) {
        let (way_ms, page_ms) = (self.way_ms(), self.page_ms());
        let Some(visit) = self.visit(who) else {
            return;
        };
        visit.fence = fence;
        if visit.state != State::Waiting {
            return;
        }
        if visit.person.sleeps && !core::mem::replace(&mut visit.slept, true) {
            visit.state = State::Gone;
            let returns_ms = visit.person.returns_ms;
            self.shuts(who);
            self.plan_return(who, returns_ms);
            return;
        }
        visit.state = State::Called;
        self.plan(way_ms.saturating_add(page_ms), What::Land(who));
    }

    fn plan_return(&mut self, who: u32, after_ms: u32) {
        if after_ms != NEVER {
            self.plan(after_ms, What::Return(who));
        }
    }

    /// Plays the page that asks for the shop again, with the call.
    pub(super) fn land(&mut self, who: u32) {
        if self.state(who) != State::Called {
            return;
        }
        self.seen.counts.worker += 1;
        self.seen.counts.lobby += 1;
        self.set(who, State::Landing);
        self.ask(who, Wish::Claim);
    }

    /// Lets somebody in.
    pub(super) fn admitted(&mut self, who: u32) {
        let (now, event) = (self.now, self.event);
        self.shuts(who);
        let Some(visit) = self.visits.get_mut(who as usize) else {
            return;
        };
        visit.state = State::Inside;
        visit.in_ms = now;
        visit.renewed_ms = now;
        let person = visit.person;
        self.seen.gets_in(&person, now);
        let share = match person.walks_off {
            0 => 1.0,
            part => f64::from(part) / 255.0,
        };
        let stay_ms = worked(event, now, f64::from(person.stay_ms) * share);
        self.plan(stay_ms, What::Leave(who));
        self.plan_renewal(who, stay_ms, stay_ms);
    }

    /// Plans the next renewal. Pages come evenly over a stay; the first that comes with a pass past half its life renews it, if
    /// the stay lasts until then.
    fn plan_renewal(&mut self, who: u32, stay_ms: u32, left_ms: u32) {
        let half_ms = (self.event.room.pass_ttl_ms / 2).max(1);
        let gap_ms = (u64::from(stay_ms) / self.event.pages).max(1);
        let after = half_ms.div_ceil(gap_ms) * gap_ms;
        if let Ok(after) = u32::try_from(after)
            && after < left_ms
        {
            self.plan(after, What::Renew(who));
        }
    }

    pub(super) fn renew(&mut self, who: u32) {
        let (now, event) = (self.now, self.event);
        let Some(visit) = self.visits.get_mut(who as usize) else {
            return;
        };
        if visit.state != State::Inside {
            return;
        }
        visit.renewed_ms = now;
        let spent = now - visit.in_ms;
        let stay_ms = worked(event, visit.in_ms, f64::from(visit.person.stay_ms));
        self.seen.counts.lobby += 1;
        self.ask(who, Wish::Renew);
        if spent > COOKIE_MS {
            self.plan_renewal(who, stay_ms, stay_ms.saturating_sub(spent));
        }
    }

    /// Plays somebody inside who is done, or who closes the tab without a word.
    pub(super) fn leave(&mut self, who: u32) {
        let now = self.now;
        let Some(visit) = self.visit(who) else {
            return;
        };
        if visit.state != State::Inside {
            return;
        }
        let person = visit.person;
        let renewed_ms = visit.renewed_ms;
        let loads = self.event.pages + self.event.files;
        self.seen.goes_on(now);
        if person.walks_off > 0 {
            self.seen.counts.inside += loads * u64::from(person.walks_off) / 255;
            self.set(who, State::Over(Outcome::Empty));
            return;
        }
        self.seen.counts.inside += loads;
        self.seen.counts.lobby += 1;
        if u64::from(now - renewed_ms) >= self.event.room.pass_ttl_ms / 2 {
            self.seen.counts.lobby += 1;
            self.ask(who, Wish::Renew);
        }
        self.ask(who, Wish::Release);
        let bought = if person.seats > 0 { self.buy(person.seats) } else { 0 };
        self.seen.sold += bought;
        let outcome = match (person.seats, bought) {
            (0, _) => Outcome::Empty,
            (_, 0) => Outcome::NoneLeft,
            _ => Outcome::Bought,
        };
        self.set(who, State::Over(outcome));
    }

    /// Handles a lease that ended before its holder was done, or after its holder walked off.
    pub(super) fn expired(&mut self, who: u32, fence: Fence) {
        let Some(visit) = self.visit(who) else {
            return;
        };
        if visit.state == State::Inside && visit.fence == fence {
            visit.state = State::Over(Outcome::PutOut);
        }
    }

    /// Handles a call that was not answered in time.
    pub(super) fn missed(&mut self, who: u32, fence: Fence, is_over: bool) {
        let Some(visit) = self.visit(who) else {
            return;
        };
        if visit.fence != fence {
            return;
        }
        if is_over {
            visit.state = State::Over(Outcome::Missed);
            self.shuts(who);
        }
    }

    /// Closes the page, perhaps for good.
    pub(super) fn close(&mut self, who: u32) {
        let linger_ms = u32::try_from(self.event.room.linger_ms).unwrap_or(NEVER);
        let Some(visit) = self.visit(who) else {
            return;
        };
        if visit.state != State::Waiting {
            return;
        }
        visit.state = State::Gone;
        let returns_ms = visit.person.returns_ms;
        self.shuts(who);
        self.plan(linger_ms, What::Linger(who));
        self.plan_return(who, returns_ms);
    }

    /// Marks somebody as away after the linger, as the lobby does.
    pub(super) fn linger(&mut self, who: u32) {
        if self.state(who) == State::Gone {
            self.ask(who, Wish::Away);
        }
    }

    /// Plays somebody who closed the page, or slept, and looks again.
    pub(super) fn looks_again(&mut self, who: u32) {
        if self.state(who) != State::Gone {
            return;
        }
        self.seen.counts.worker += 2;
        self.seen.counts.lobby += 1;
        self.opens(who);
        let issues = self.mode(who).issues();
        let Some(visit) = self.visits.get_mut(who as usize) else {
            return;
        };
        let number = visit.number;
        let is_called = self.room.permits().of_number(number).is_some();
        let lives = is_called || self.room.tickets().line_of(number).place(number) != Place::Gone;
        if is_called {
            visit.state = State::Called;
            self.plan(0, What::Land(who));
        } else if lives {
            visit.state = State::Waiting;
            self.ask(who, Wish::Here);
        } else if issues {
            visit.state = State::Asking;
            self.ask(who, Wish::Join);
        } else {
            visit.state = State::Over(Outcome::TurnedAway);
        }
    }
}

/// Returns how long a visit lasts that begins at `from` and takes `work_ms` at the shop's usual speed.
fn worked(event: &super::event::Event, from: u32, work_ms: f64) -> u32 {
    let opens = event.opens_ms();
    let mut left = work_ms;
    let mut at = f64::from(from);
    let mut speed = 1.0;
    for (after_ms, next) in &event.speeds {
        let changes = (opens + after_ms) as f64;
        if changes > at {
            let done = (changes - at) * speed;
            if done >= left {
                break;
            }
            left -= done;
            at = changes;
        }
        speed = *next;
    }
    (at + left / speed - f64::from(from)).round().max(1.0) as u32
}
