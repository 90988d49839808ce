//! What travels between the front and a lobby, and the status that visitors see.
//!
//! It is JSON, so that a status is written once and handed on as it is. Browsers get the fields of `docs/client.md`; a
//! field that does not apply is left out.

use crate::config::Mode;
use crate::event::WhyEnded;
use crate::hall::Draw;
use crate::holder::{Key, Shown};
use crate::lane_name::LaneName;
use crate::units::{AccountId, AddressTag, Edition, Fence, LaneId, LobbyId, Number, Version, VisitorId};
use crate::voucher::{Spend, Unspent};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a visitor is told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// How far the visitor has come.
    pub state: State,
    /// The room's name.
    pub room: String,
    /// The room's version that this status knows of. A frame of an older version says nothing new.
    pub version: u64,
    /// What the room does with people who come.
    pub mode: Mode,
    /// The visitor's place in the line.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub number: Option<Number>,
    /// The lane of that place, if the room has lanes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lane: Option<LaneTold>,
    /// Whether another lane is called first as long as anybody of it is present. Then there is no estimate.
    #[serde(skip_serializing_if = "core::ops::Not::not", default)]
    pub behind: bool,
    /// The visitor's entry of the hall, counted from 1. A draw makes a number of it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub entry: Option<u64>,
    /// The lane in whose hall the entry is, as it stands in the high bits of a number. Left out for the first lane.
    #[serde(skip_serializing_if = "is_first", default)]
    pub hall: LaneId,
    /// How the draw gives numbers to the entries, while the visitor is in the hall.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub draw: Option<Draw>,
    /// The edition that the number belongs to. Another edition has other numbers.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub edition: Option<Edition>,
    /// The number of people in front: an upper bound that never rises.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ahead: Option<u64>,
    /// The number of people in the line; for a visitor in the hall, of people in the hall.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub waiting: Option<u64>,
    /// The short end of the estimated wait.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub eta_min_s: Option<u64>,
    /// The long end of the estimated wait.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub eta_max_s: Option<u64>,
    /// Until when a called visitor may come, in Unix ms.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub claim_by_at_ms: Option<u64>,
    /// When the lease ends if nothing slides it, in Unix ms.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ends_at_ms: Option<u64>,
    /// Up to which number a seat can be expected; 0 if perhaps nobody who waits can expect one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seats_to: Option<Number>,
    /// When the room opens, in Unix ms, if it is not open and that is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub opens_at_ms: Option<u64>,
    /// How long a polling client should pause, in seconds.
    pub poll_after_s: u64,
    /// Over how many seconds pages should spread their return if all of them lose their sockets at once; 0 if they may return as they like. For a
    /// visitor without a number: in how many seconds the page's first request is due.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub spread_s: u64,
    /// Why the ticket is over.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<Reason>,
    /// Whether a first call was missed.
    #[serde(skip_serializing_if = "core::ops::Not::not", default)]
    pub missed: bool,
    /// The operator's message, plain text.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub message: Option<String>,
    /// The message in other languages, by their tags.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub messages: BTreeMap<String, String>,
}

/// A visitor's lane, as the visitor is told of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneTold {
    /// The name that the shop's tokens and the settings use.
    pub name: String,
    /// The title that people are shown.
    pub title: String,
    /// The visitor's number as people are shown it, counted from 1 in each lane; [`Status::number`] differs between lanes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub number: Option<u64>,
    /// Whether joining may move the place to the end of an earlier lane of the list: the token that was shown names that lane, or a voucher that
    /// was not tried yet may lead into one.
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
    /// The operator's message for a page in the language of this tag; empty if there is none.
    #[must_use]
    pub fn message_in(&self, language: &str) -> &str {
        let own = self.messages.get(language);
        own.or(self.message.as_ref()).map_or("", String::as_str)
    }

    /// The visitor's number as people are shown it: the number within the lane, if the room has lanes.
    #[must_use]
    pub fn shown_number(&self) -> Option<u64> {
        let within = self.lane.as_ref().and_then(|lane| lane.number);
        within.or(self.number.map(|number| number.0))
    }

    /// Returns whether joining may move the place to the end of an earlier lane.
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
        Some(Shown { edition, number, row })
    }
}

/// How far a visitor has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// No ticket.
    #[default]
    None,
    /// In the hall: the room is not open yet, and the visitor has an entry for its draw.
    Hall,
    /// In the line.
    Waiting,
    /// Called: there is a permit to take.
    Called,
    /// Inside.
    Admitted,
    /// The ticket is over.
    Over,
}

impl State {
    /// Returns whether the visitor has a place.
    #[must_use]
    pub const fn is_place(self) -> bool {
        match self {
            Self::Hall | Self::Waiting | Self::Called | Self::Admitted => true,
            Self::None | Self::Over => false,
        }
    }

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
    /// The visitor missed two calls.
    Missed,
    /// The visitor was away for longer than the grace.
    Away,
    /// The visitor was done.
    Released,
    /// The lease reached its end.
    Expired,
    /// The place moved to another device.
    Carried,
    /// There is nothing left to wait for.
    SoldOut,
    /// A reset began the room anew.
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

    /// Returns whether Baton says so once to somebody who still shows the ended ticket, rather than sending them to the back of the line without a
    /// word. A visitor who left or was done comes for a new visit.
    #[must_use]
    pub const fn is_news(self) -> bool {
        match self {
            Self::Left | Self::Released => false,
            Self::Missed | Self::Away | Self::Expired | Self::Carried | Self::SoldOut | Self::Reset => true,
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
    /// The visitor.
    pub visitor: VisitorId,
    /// The place that the visitor's ticket or pass names, if the visitor showed one.
    pub shown: Option<Shown>,
    /// What the visitor wants.
    pub wish: Wish,
    /// The account to join for, if the wish leads to a number and an entry token names one. Other wishes ignore it:
    /// whoever holds a place has joined before.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub account: Option<AccountAsk>,
    /// The voucher to join with, if the wish leads to a number and no account is named.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub spend: Option<Spend>,
    /// The lane that the shop's token names, if the wish leads to a number; `None` for everybody's.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lane: Option<LaneName>,
    /// Whether the visitor gets no number if the room lacks that lane: [`Told::no_lane`]. Otherwise everybody's lane takes its place.
    #[serde(skip_serializing_if = "core::ops::Not::not", default)]
    pub needs_lane: bool,
    /// Whether the visitor has joined with this voucher before. Then its worth is known, and the lobby tells of no better lane because of it.
    #[serde(skip_serializing_if = "core::ops::Not::not", default)]
    pub tried: bool,
    /// The address from which the visitor asks, if it is another than the one where it was named: a place is counted where it is taken.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub from: Option<AddressTag>,
}

impl Ask {
    /// Makes an ask of somebody who names no account, voucher or lane.
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
            from: None,
        }
    }

    /// Returns the address from which the visitor asks, as far as that is known.
    #[must_use]
    pub const fn address(&self) -> AddressTag {
        match self.from {
            Some(from) => from,
            None => self.visitor.tag(),
        }
    }
}

/// The account that somebody joins for. It has one place: joining takes over a place that waits on another device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountAsk {
    /// The account.
    pub id: AccountId,
    /// Whether the visitor has pressed the button. Then joining also takes over a place that is called or inside on another device, as a link does,
    /// even for somebody who came back with an older place.
    #[serde(skip_serializing_if = "core::ops::Not::not", default)]
    pub take: bool,
}

/// What a visitor wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wish {
    /// Arrives by a navigation to the gated path: claims if called, resumes a lease, else walks in, else joins, else asks how things are.
    Arrive {
        /// Whether walking in may be tried.
        walk_in: bool,
        /// Whether to take a number when walking in fails.
        join: bool,
    },
    /// Asks for a number, or for the one that the visitor has.
    Join,
    /// Like `Join`, for a socket, which the page opens again by itself. A visitor whose ticket a reset ended is
    /// told so, and has to ask for a new one.
    Attend,
    /// Asks how things are. This counts as being seen.
    Status {
        /// How long to wait for something that matters, in ms.
        wait_ms: u64,
    },
    /// Takes the permit.
    Claim,
    /// Gives up the place or the permit, for all tabs.
    Leave,
    /// The holder of this lease is active.
    Renew(Fence),
    /// Asks whether this lease lives, by the room's own word. It slides the lease only when its idle end comes near.
    Check(Fence),
    /// The origin says that the holder is done.
    Release(Fence),
    /// The origin asks for more time.
    Extend {
        /// The lease.
        fence: Fence,
        /// How much, in ms.
        by_ms: u64,
    },
    /// Lets another device take the place over, and asks for what a link must name.
    Offer,
    /// Takes over a place.
    Carry {
        /// The place, with the row in which the link was made.
        place: Shown,
        /// The key of its holder at that time.
        key: Key,
    },
}

/// What a lobby answers the front.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// What the visitor may know.
    pub status: Status,
    /// Whether this very ask issued a ticket.
    #[serde(default)]
    pub issued: bool,
    /// The lease to make a pass of.
    #[serde(default)]
    pub lease: Option<LeaseTold>,
    /// Whether this lobby is full. Then the front asks the next.
    #[serde(default)]
    pub full: bool,
    /// Whether a walk-in would fail now.
    #[serde(default)]
    pub no_walk_in: bool,
    /// Why there is no number for this visitor now, if a limit is reached.
    #[serde(default)]
    pub limited: Option<Limited>,
    /// The lobby that has the visitor's place, if it is another one: ask there.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub at: Option<LobbyId>,
    /// What came of an offer, or of taking one up.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub carry: Option<CarryTold>,
    /// Why this device does not hold the place of the account in the ask.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub account: Option<AccountTold>,
    /// Why the voucher of the ask gave no place.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unspent: Option<Unspent>,
    /// Whether the room has lost the place that was shown: nobody may be told anything of it.
    #[serde(skip_serializing_if = "core::ops::Not::not", default)]
    pub lost: bool,
    /// Whether the room lacks the lane that was asked for, so that nobody joined.
    #[serde(skip_serializing_if = "core::ops::Not::not", default)]
    pub no_lane: bool,
    /// Whether the room wants to know how the origin answers; `None` if this lobby has not heard from the room.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub wants_health: Option<bool>,
}

/// A number that was not given, because the visitor or its address has had its share, or the line is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limited {
    /// What is used up.
    pub by: Share,
    /// In how many seconds it is worth asking again.
    pub retry_after_s: u64,
}

/// What is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Share {
    /// The visitor's own share of numbers taken in a minute.
    Visitor,
    /// The address's share of numbers taken in a minute.
    Address,
    /// The address's share of tickets held at once.
    Tickets,
    /// Nobody's share: as many people have a place as may wait.
    Line,
}

/// What came of [`Wish::Offer`] and [`Wish::Carry`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CarryTold {
    /// Whoever names this may take the place over.
    Offered {
        /// The key of its holder.
        key: Key,
        /// The row that the offer reflects.
        row: Version,
    },
    /// The place is this visitor's now.
    Carried,
    /// There is no such place to give, or no such offer, or it is void by now.
    Gone,
}

/// Why this device does not hold the place of the account that it asked for. Nothing moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccountTold {
    /// The account's place is on another device, and moves here only when somebody presses the button, which sends the same ask with
    /// [`AccountAsk::take`]. This is so if that place is called or inside, if this device is called or inside with a place that is no account's, or
    /// if the visitor comes back with a place that the account no longer has.
    Elsewhere(State),
    /// This device holds the place of another account, which keeps it. A device that gives that place up can join for this account.
    Another,
}

/// A lease as it stands, in *remaining* time. Whoever signs it uses the clock's reading from before the question, so
/// that a pass never outlives its lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseTold {
    /// The ticket.
    pub number: Number,
    /// The edition.
    pub edition: Edition,
    /// The fence.
    pub fence: Fence,
    /// Time to the idle end, in ms.
    pub idle_in_ms: u64,
    /// Time to the hard end, in ms.
    pub hard_in_ms: u64,
    /// Whether this is a walk-in whose cookie has not come back yet.
    pub provisional: bool,
}
