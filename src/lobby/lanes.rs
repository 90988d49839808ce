//! The lanes of the room as it last told them: which is whose, and how things are for the people of one.

use super::ticket::{Phase, Ticket};
use facts::lane_name::LaneName;
use facts::message::{Gist, LaneGist, LanePace};
use facts::units::Number;
use facts::wire::{Ask, LaneTold, Wish};

/// The room's gist, and its lanes in the order of their list, both of one message. A room without lanes has an empty list.
#[derive(Clone, Debug, Default)]
pub(super) struct Lanes {
    gist: Gist,
    lanes: Vec<LaneGist>,
}

impl Lanes {
    /// Takes in what a message says. Returns whether a mode has changed, or what people see of the lanes. O(lanes).
    pub fn hear(&mut self, gist: Gist, lanes: &[LaneGist]) -> bool {
        let seen = |lanes: &[LaneGist]| -> Vec<_> {
            let of = |lane: &LaneGist| (lane.id, lane.name, lane.mode, lane.pace == LanePace::Behind);
            lanes.iter().map(of).collect()
        };
        let turn = self.gist.mode != gist.mode || seen(&self.lanes) != seen(lanes);
        self.gist = gist;
        lanes.clone_into(&mut self.lanes);
        turn
    }

    /// How things are in the whole room.
    pub const fn gist(&self) -> &Gist {
        &self.gist
    }

    pub const fn are_there(&self) -> bool {
        !self.lanes.is_empty()
    }

    /// What the room says of the lane of this number; `None` if the room has no lanes, or the number is of none of them. O(lanes).
    pub fn of_number(&self, number: Number) -> Option<&LaneGist> {
        self.lanes.iter().find(|lane| lane.id == number.lane())
    }

    /// The lane of this name, or `None` if people may not come into it. O(lanes).
    pub fn named(&self, name: LaneName) -> Option<&LaneGist> {
        let mut lanes = self.lanes.iter();
        lanes.find(|lane| lane.name == name && lane.is_listed)
    }

    /// The lane of somebody without a ticket: the one that was asked for, or else everybody's, which is the last of the list.
    pub fn of_newcomer(&self, wanted: Option<LaneName>) -> Option<&LaneGist> {
        let named = wanted.and_then(|name| self.named(name));
        named.or_else(|| self.lanes.iter().rfind(|lane| lane.is_listed))
    }

    /// How things are for the people of a lane, or of the whole room if `lane` is `None`.
    pub fn gist_of(&self, lane: Option<&LaneGist>) -> Gist {
        let Some(lane) = lane else {
            return self.gist;
        };
        let everybody = self.of_newcomer(None).map(|everybody| everybody.id);
        Gist {
            full: self.gist.full && everybody == Some(lane.id),
            mode: lane.mode,
            waiting: lane.waiting,
            walk_in: lane.walk_in,
            call_time: lane.pace.call_time(),
            in_hall: lane.in_hall,
            opens_at_ms: lane.opens_at_ms,
            draw: lane.draw,
            ..self.gist
        }
    }

    /// Whether the ask needs a lane that the room does not have.
    pub fn lack_one_for(&self, ask: &Ask) -> bool {
        let lacks = |name| self.named(name).is_none();
        ask.needs_lane && ask.lane.is_some_and(lacks)
    }

    /// Whether joining moves a ticket to the end of the lane that was asked for. It does if the ticket waits and that
    /// lane is earlier in the list and can be joined now.
    pub fn have_better(&self, ask: &Ask, ticket: &Ticket) -> bool {
        let waits = matches!(ticket.phase, Phase::Waiting { .. });
        let place = |is: &dyn Fn(&LaneGist) -> bool| self.lanes.iter().position(is);
        let own = place(&|lane| lane.id == ticket.number.lane());
        let wanted = place(&|lane| Some(lane.name) == ask.lane && lane.is_listed && lane.mode.issues());
        waits && wanted.zip(own).is_some_and(|(wanted, own)| wanted < own)
    }

    /// Whether a voucher could move a ticket: it waits, and not in the first lane of the list. Only the room knows to which lane the voucher leads.
    pub fn may_raise(&self, ask: &Ask, ticket: &Ticket) -> bool {
        let waits = matches!(ticket.phase, Phase::Waiting { .. });
        let mut listed = self.lanes.iter().filter(|lane| lane.is_listed);
        let is_behind = listed.next().is_some_and(|first| first.id != ticket.number.lane());
        ask.spend.is_some() && ask.account.is_none() && waits && is_behind
    }

    /// Whether to tell the visitor that joining may lead to a better lane: a token surely does, a voucher may until it was tried.
    pub fn may_have_better(&self, ask: &Ask, ticket: &Ticket) -> bool {
        let joins = matches!(ask.wish, Wish::Join | Wish::Attend);
        let is_open = !joins && !ask.tried && self.may_raise(ask, ticket);
        self.have_better(ask, ticket) || is_open
    }

    /// What a visitor in this lane is told of it.
    pub fn told(lane: &LaneGist, number: Option<Number>) -> LaneTold {
        LaneTold {
            name: lane.name.to_string(),
            title: lane.title.clone(),
            number: number.filter(|n| !n.is_entry()).map(Number::within),
            better: false,
        }
    }
}
