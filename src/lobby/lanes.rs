//! The lanes of the room as it last told them: which is whose, and how things are for the people of one.

use super::Lobby;
use super::asking::Want;
use super::ticket::{Phase, Ticket};
use facts::lane_name::LaneName;
use facts::message::{Gist, LaneGist, LanePace};
use facts::rhythm::CallTime;
use facts::units::Number;
use facts::voucher::Spend;
use facts::wire::{Ask, LaneTold, Wish};

impl Lobby {
    /// The lane of this name, or `None` if people may not come into it.
    fn lane_named(&self, name: LaneName) -> Option<&LaneGist> {
        let mut lanes = self.lanes.iter();
        lanes.find(|lane| lane.name == name && lane.is_listed)
    }

    /// The lane of somebody without a ticket: the one that was asked for, or else everybody's, which is the last of the list.
    pub(super) fn lane_for(&self, wanted: Option<LaneName>) -> Option<&LaneGist> {
        let named = wanted.and_then(|name| self.lane_named(name));
        named.or_else(|| self.lanes.iter().rfind(|lane| lane.is_listed))
    }

    /// How things are for the people of a lane, or of the whole room if `lane` is `None`.
    pub(super) fn gist_of(&self, lane: Option<&LaneGist>) -> Gist {
        let Some(lane) = lane else {
            return self.gist;
        };
        let everybody = self.lane_for(None).map(|everybody| everybody.id);
        Gist {
            full: self.gist.full && everybody == Some(lane.id),
            mode: lane.mode,
            waiting: lane.waiting,
            walk_in: lane.walk_in,
            call_time: match lane.pace {
                LanePace::Calls(call_time) => call_time,
                LanePace::Behind => CallTime::default(),
            },
            in_hall: lane.in_hall,
            opens_at_ms: lane.opens_at_ms,
            draw: lane.draw,
            ..self.gist
        }
    }

    /// Whether the ask needs a lane that the room does not have.
    pub(super) fn lacks_lane(&self, ask: &Ask) -> bool {
        let lacks = |name| self.lane_named(name).is_none();
        ask.needs_lane && ask.lane.is_some_and(lacks)
    }

    /// Whether joining moves a ticket to the end of the lane that was asked for. It does if the ticket waits and that
    /// lane is earlier in the list and can be joined now.
    pub(super) fn is_better(&self, ask: &Ask, ticket: &Ticket) -> bool {
        let waits = matches!(ticket.phase, Phase::Waiting { .. });
        let place = |is: &dyn Fn(&LaneGist) -> bool| self.lanes.iter().position(is);
        let own = place(&|lane| lane.id == ticket.number.lane());
        let wanted = place(&|lane| Some(lane.name) == ask.lane && lane.is_listed && lane.mode.issues());
        waits && wanted.zip(own).is_some_and(|(wanted, own)| wanted < own)
    }

    /// Whether a voucher could move a ticket: it waits, and not in the first lane of the list. Only the room knows to which lane the voucher leads.
    pub(super) fn may_be_raised(&self, ask: &Ask, ticket: &Ticket) -> bool {
        let waits = matches!(ticket.phase, Phase::Waiting { .. });
        let mut listed = self.lanes.iter().filter(|lane| lane.is_listed);
        let is_behind = listed.next().is_some_and(|first| first.id != ticket.number.lane());
        ask.spend.is_some() && ask.account.is_none() && waits && is_behind
    }

    /// Whether to tell the visitor that joining may lead to a better lane: a token surely does, a voucher may until it was tried.
    pub(super) fn tells_of_better(&self, ask: &Ask, ticket: &Ticket) -> bool {
        let joins = matches!(ask.wish, Wish::Join | Wish::Attend);
        let is_open = !joins && !ask.tried && self.may_be_raised(ask, ticket);
        self.is_better(ask, ticket) || is_open
    }

    /// The voucher that this wish spends. A visitor who has a place and only looks at a page spends none.
    pub(super) fn spend_for(&self, ask: &Ask) -> Option<Spend> {
        let looks = matches!(ask.wish, Wish::Arrive { .. });
        let stays = looks && self.ticket_of(ask.visitor).is_some();
        ask.spend.filter(|_| ask.account.is_none() && !stays)
    }

    /// The lane into which this wish brings the visitor. A visitor who has a place and only looks at a page is moved nowhere.
    pub(super) fn lane_wanted(&self, ask: &Ask, want: Want) -> Option<LaneName> {
        let enters = matches!(want, Want::Join | Want::WalkIn);
        let looks = matches!(ask.wish, Wish::Arrive { .. });
        if !enters || (looks && self.ticket_of(ask.visitor).is_some()) {
            return None;
        }
        self.lane_named(ask.lane?).map(|lane| lane.name)
    }

    /// What a visitor in this lane is told of it.
    pub(super) fn lane_told(lane: &LaneGist, number: Option<Number>) -> LaneTold {
        LaneTold {
            name: lane.name.to_string(),
            title: lane.title.clone(),
            number: number.filter(|n| !n.is_entry()).map(Number::within),
            better: false,
        }
    }
}
