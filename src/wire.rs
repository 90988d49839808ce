//! What travels between the front and a lobby, and the status that visitors see.
//!
//! JSON, so that a status is written once and handed on as it is. Towards browsers the fields
//! are those of `docs/client.md`; what does not apply is left out.

use crate::facts::config::Mode;
use crate::facts::event::WhyEnded;
use crate::facts::hall::Draw;
use crate::facts::holder::{Key, Shown};
use crate::facts::lane_name::LaneName;
use crate::facts::units::{AccountId, Edition, Fence, LaneId, LobbyId, Number, Version, VisitorId};
use crate::facts::voucher::{Spend, Unspent};
use serde::{Deserialize, Serialize};

/// What a visitor is told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// How far the visitor has come.
    pub state: State,
    /// The room's name.
    pub room: String,
    /// The room's version that this status knows of: a frame of an older one says nothing new.
    pub version: u64,
    /// What the room does with arrivals.
    pub mode: Mode,
    /// The visitor's place.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub number: Option<Number>,
    /// In which lane that is, where the room has lanes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lane: Option<LaneTold>,
    /// Another lane is called first for as long as anybody of it is present: so there is no estimate.
    #[serde(skip_serializing_if = "core::ops::Not::not", default)]
    pub behind: bool,
    /// The visitor's entry of the hall, counted from 1: what a draw makes a number of.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub entry: Option<u64>,
    /// The lane in whose hall the entry is, as it stands in the high bits of a number; left out for the first.
    #[serde(skip_serializing_if = "is_first", default)]
    pub hall: LaneId,
    /// How the entries get their numbers, while the visitor is in the hall.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub draw: Option<Draw>,
    /// The edition of the number: another has other numbers.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub edition: Option<Edition>,
    /// People in front, an upper bound that never rises.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ahead: Option<u64>,
    /// People in the line, or in the hall while that is where the visitor is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub waiting: Option<u64>,
    /// The wait, the short end.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub eta_min_s: Option<u64>,
    /// The wait, the long end.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub eta_max_s: Option<u64>,
    /// Until when a called visitor may come, Unix ms.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub claim_by_at_ms: Option<u64>,
    /// When the lease ends if nothing slides it, Unix ms.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ends_at_ms: Option<u64>,
    /// Up to which number a seat can be expected, 0: perhaps none for anybody who waits.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seats_to: Option<Number>,
    /// When the room opens while it is not open, Unix ms, if that is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub opens_at_ms: Option<u64>,
    /// How long a polling client should pause, seconds.
    pub poll_after_s: u64,
    /// Over how many seconds pages that lost their sockets all at once should spread their return; 0: as they like. Without a number: in how
    /// many the first call is due.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub spread_s: u64,
    /// Why it is over.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<Reason>,
    /// A first call was missed.
    #[serde(skip_serializing_if = "core::ops::Not::not", default)]
    pub missed: bool,
    /// The operator's words, plain text.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub message: Option<String>,
}

/// A visitor's lane, as visitors are told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneTold {
    /// What the shop's tokens and the settings call it.
    pub name: String,
    /// What people are shown.
    pub title: String,
    /// The visitor's number as people are shown it, counted from 1 in each lane; [`Status::number`] is another in each.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub number: Option<u64>,
    /// The token that was shown names an earlier lane of the list, or a voucher that was not tried yet may lead into one: joining moves the
    /// place to that lane's end.
    #[serde(skip_serializing_if = "core::ops::Not::not", default)]
    pub better: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde asks for it")]
const fn is_first(lane: &LaneId) -> bool {
    lane.0 == LaneId::FIRST.0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde asks for it")]
const fn is_zero(value: &u64) -> bool {
    *value == 0
}

impl Status {
    /// The visitor's number as people are shown it: within the lane, where the room has lanes.
    #[must_use]
    pub fn shown_number(&self) -> Option<u64> {
        let within = self.lane.as_ref().and_then(|lane| lane.number);
        within.or(self.number.map(|number| number.0))
    }

    /// Whether joining moves the place to the end of an earlier lane.
    #[must_use]
    pub fn has_better_lane(&self) -> bool {
        self.lane.as_ref().is_some_and(|lane| lane.better)
    }

    /// The visitor's place, in the line or in the hall, as a token names it.
    #[must_use]
    pub fn shown(&self) -> Option<Shown> {
        let number = self.number.or_else(|| Some(self.hall.entry(self.entry?)));
        let (edition, number) = self.edition.zip(number)?;
        let row = Version(self.version);
        Some(Shown {
            edition,
            number,
            row,
        })
    }
}

/// How far a visitor has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// No ticket.
    #[default]
    None,
    /// In the hall: the room is not open yet, and there is an entry to its draw.
    Hall,
    /// In the line.
    Waiting,
    /// A permit is there to be taken.
    Called,
    /// Inside.
    Admitted,
    /// The ticket is over.
    Over,
}

impl State {
    /// The name in JSON and on the page.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Hall => "hall",
            Self::Waiting => "waiting",
            Self::Called => "called",
            Self::Admitted => "admitted",
            Self::Over => "over",
        }
    }
}

/// Why a ticket is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The visitor gave the place up.
    Left,
    /// Two calls were not answered.
    Missed,
    /// Away longer than the grace.
    Away,
    /// The visitor was done.
    Released,
    /// The lease reached its end.
    Expired,
    /// The place went to another device.
    Carried,
    /// There is nothing left to wait for.
    SoldOut,
    /// The room was begun anew.
    Reset,
}

impl Reason {
    /// The name in JSON and on the page.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Missed => "missed",
            Self::Away => "away",
            Self::Released => "released",
            Self::Expired => "expired",
            Self::Carried => "carried",
            Self::SoldOut => "sold_out",
            Self::Reset => "reset",
        }
    }

    /// Whether somebody who still shows the ended ticket is told so once, rather than being sent to the back of the line
    /// without a word. A visitor who left or was done means a new visit.
    #[must_use]
    pub const fn is_news(self) -> bool {
        match self {
            Self::Left | Self::Released => false,
            Self::Missed
            | Self::Away
            | Self::Expired
            | Self::Carried
            | Self::SoldOut
            | Self::Reset => true,
        }
    }
}

impl From<WhyEnded> for Reason {
    fn from(why: WhyEnded) -> Self {
        match why {
            WhyEnded::SoldOut => Self::SoldOut,
        }
    }
}

/// What the front asks a lobby on behalf of a visitor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// Who.
    pub visitor: VisitorId,
    /// What the visitor's ticket or pass says, if it showed one.
    pub shown: Option<Shown>,
    /// What.
    pub wish: Wish,
    /// For which account, where the wish leads to a number and an entry token names one. Other wishes ignore it: who holds a place
    /// has joined before.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub account: Option<AccountAsk>,
    /// With which voucher, where the wish leads to a number and no account is named.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub spend: Option<Spend>,
    /// The lane that the shop's token names, likewise; none: everybody's.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lane: Option<LaneName>,
    /// Without such a lane in the room there is no number: [`Told::no_lane`]. Else it is everybody's then.
    #[serde(skip_serializing_if = "core::ops::Not::not", default)]
    pub needs_lane: bool,
    /// The visitor has joined with this voucher before: what it is worth is known, and nothing better is told of.
    #[serde(skip_serializing_if = "core::ops::Not::not", default)]
    pub tried: bool,
}

impl Ask {
    /// A wish of somebody who names no account, voucher or lane.
    #[must_use]
    pub const fn plain(visitor: VisitorId, shown: Option<Shown>, wish: Wish) -> Self {
        Self {
            visitor,
            shown,
            wish,
            account: None,
            spend: None,
            lane: None,
            needs_lane: false,
            tried: false,
        }
    }
}

/// The account that somebody joins for. It has one place: joining takes over one that waits on another device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountAsk {
    /// Which.
    pub id: AccountId,
    /// The visitor has pressed the button: a place that is called or inside on another device is taken over too, as with a link, and
    /// also by somebody who came back with an older place.
    #[serde(skip_serializing_if = "core::ops::Not::not", default)]
    pub take: bool,
}

/// What a visitor wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wish {
    /// A navigation came to the gated path: claim when called, resume a lease, else walk in,
    /// else join, else just say how things are.
    Arrive {
        /// Whether walking in may be tried.
        walk_in: bool,
        /// Whether to take a number when walking in fails.
        join: bool,
    },
    /// A number, or the one there is.
    Join,
    /// The same for a socket, which the page opens again by itself: whose ticket a reset has ended is told so, and asks
    /// for a new one.
    Attend,
    /// How things are; counts as being seen.
    Status {
        /// How long to wait for something that matters, ms.
        wait_ms: u64,
    },
    /// Take the permit.
    Claim,
    /// Give up the place or the permit, for all tabs.
    Leave,
    /// The holder of this lease is active.
    Renew(Fence),
    /// Whether this lease lives, by the room's own word. Slides it only when its idle end comes near.
    Check(Fence),
    /// The origin says that the holder is done.
    Release(Fence),
    /// The origin asks for more time.
    Extend {
        /// For which lease.
        fence: Fence,
        /// How much, ms.
        by_ms: u64,
    },
    /// Another device may take the place over: what a link must name.
    Offer,
    /// This visitor takes over that place.
    Carry {
        /// Which, as of the row in which the link was made.
        place: Shown,
        /// Whose it was.
        key: Key,
    },
}

/// What a lobby answers the front.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// What the visitor may know.
    pub status: Status,
    /// A ticket was issued by this very ask.
    #[serde(default)]
    pub issued: bool,
    /// The lease to make a pass of.
    #[serde(default)]
    pub lease: Option<LeaseTold>,
    /// This lobby is full: ask the next.
    #[serde(default)]
    pub full: bool,
    /// A walk-in would not succeed now.
    #[serde(default)]
    pub no_walk_in: bool,
    /// No number for this visitor now: a limit is reached.
    #[serde(default)]
    pub limited: Option<Limited>,
    /// The visitor's place is in that lobby: ask there.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub at: Option<LobbyId>,
    /// What came of an offer, or of taking one up.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub carry: Option<CarryTold>,
    /// Why the account of the ask is not the one that waits here.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub account: Option<AccountTold>,
    /// Why the voucher of the ask gave no place.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unspent: Option<Unspent>,
    /// The room has no lane of the name that was asked for: nobody joined.
    #[serde(skip_serializing_if = "core::ops::Not::not", default)]
    pub no_lane: bool,
    /// Whether the room wants to know how the origin answers, as far as it was heard.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub wants_health: Option<bool>,
}

/// A number that was not given, because the visitor or its address has had its share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limited {
    /// Whose share it is.
    pub by: Share,
    /// When it is worth asking again, seconds.
    pub retry_after_s: u64,
}

/// Whose share is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Share {
    /// The visitor's own: numbers taken in a minute.
    Visitor,
    /// The address's: numbers taken in a minute.
    Address,
    /// The address's: tickets held at once.
    Tickets,
}

/// What came of [`Wish::Offer`] and [`Wish::Carry`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CarryTold {
    /// The place may be taken over by whoever names this.
    Offered {
        /// Whose it is.
        key: Key,
        /// As of which row.
        row: Version,
    },
    /// The place is this visitor's.
    Carried,
    /// There is no such place to give, or no such offer (any more).
    Gone,
}

/// Why this device does not hold the place of the account that it asked for. Nothing was moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccountTold {
    /// The account's place is on another device, and moves here only when somebody presses the button: the same ask with
    /// [`AccountAsk::take`]. So it is where the place is called or inside, where this device is called or inside with a place that is
    /// no account's, and for who comes back with a place that the account no longer has.
    Elsewhere(State),
    /// This device holds the place of another account, which stays that one's. A device that gives it up can join for this one.
    Another,
}

/// A lease as it stands, in *remaining* time: whoever signs it uses the clock it had before it
/// asked, so that a pass never outlives its lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseTold {
    /// The ticket.
    pub number: Number,
    /// The edition.
    pub edition: Edition,
    /// The fence.
    pub fence: Fence,
    /// To the idle end.
    pub idle_in_ms: u64,
    /// To the hard end.
    pub hard_in_ms: u64,
    /// A walk-in whose cookie has not come back yet.
    pub provisional: bool,
}
