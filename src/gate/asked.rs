//! What lobbies are asked in a visitor's name, and what they answered.

use super::{Hops, Identity, Silence, home_lobby};
use facts::planted::{self, Bug};
use facts::units::{AddressTag, LobbyId, Version, VisitorId};
use facts::voucher::Spend;
use facts::wire::{AccountAsk, Ask, LeaseTold, Told, Wish};
use settings::RoomSettings;
use token::Pass;

/// Whether the visitor pressed the button that takes over a place which is called or inside on another device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Press {
    /// The visitor did not.
    None,
    /// The visitor did.
    Take,
}

/// Where and when a visitor asks.
pub struct Here<'a> {
    /// The room.
    pub room: &'a RoomSettings,
    /// Returns the tag of the address from which the visitor asks, if it is known and counts.
    pub address: &'a dyn Fn() -> Option<AddressTag>,
    /// Returns random bytes, of which a new name is made.
    pub dice: &'a dyn Fn() -> [u8; 16],
    /// The time, Unix ms.
    pub now_ms: u64,
}

impl Here<'_> {
    /// Makes a name for a new visitor. It says from which address the visitor came.
    #[must_use]
    pub fn new_name(&self) -> VisitorId {
        let dice @ [a, b, c, d, e, f, g, h, ..] = (self.dice)();
        match (self.address)() {
            Some(tag) => VisitorId::at(tag, [a, b, c, d, e, f, g, h]),
            None => VisitorId(dice),
        }
    }
}

/// A question to the lobbies of a room: what is asked, and which of them to ask now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    ask: Ask,
    first: LobbyId,
    way: Hops,
}

impl Question {
    /// Makes a question about a lease, in the name of its holder.
    #[must_use]
    pub fn about(pass: &Pass, wish: Wish) -> Self {
        let ask = Ask::plain(pass.visitor, Some(pass.shown()), wish);
        Self::new(pass.lobby, ask)
    }

    /// Makes the question that this lobby is asked first.
    #[must_use]
    pub const fn new(first: LobbyId, ask: Ask) -> Self {
        let way = Hops::from(first);
        Self { ask, first, way }
    }

    /// The lobby to ask now.
    #[must_use]
    pub const fn lobby(&self) -> LobbyId {
        self.way.lobby
    }

    /// What is asked for.
    #[must_use]
    pub const fn wish(&self) -> Wish {
        self.ask.wish
    }

    /// Returns what the lobby to ask now is asked. Only the lobby that the ticket names is shown the ticket: another would take it for one of its own,
    /// and the place may be another visitor's by now.
    #[must_use]
    pub fn ask(&self) -> Ask {
        let shown = self
            .ask
            .shown
            .filter(|_| self.lobby() == self.first || planted::is(Bug::TicketShownElsewhere));
        Ask { shown, ..self.ask.clone() }
    }

    /// Takes in what that lobby told. Returns the answer to the question, or `None` if there is another lobby to ask now. `asked_at_ms` is the wall
    /// clock before the lobby was asked, Unix ms.
    ///
    /// # Errors
    /// Returns why the question stays without an answer, if the way has become too long.
    pub fn hear(&mut self, told: Told, asked_at_ms: u64) -> Result<Option<Asked>, Silence> {
        let lobby = self.lobby();
        let is_answer = self.way.ends_with(&told)?;
        Ok(is_answer.then_some(Asked {
            told,
            lobby,
            joins: self.ask.wish == Wish::Join,
            asked_at_ms,
        }))
    }
}

impl Identity {
    /// Builds the question to a lobby, and chooses the lobby to ask first: the one that has the visitor's place, else that of the address from which
    /// the visitor asks, wherever its cookie was given.
    #[must_use]
    pub fn question(&self, visitor: VisitorId, wish: Wish, press: Press, here: &Here<'_>) -> Question {
        let lobby = self.lobby();
        let spend = self.voucher().map(|voucher| Spend { voucher, at_ms: here.now_ms });
        // Nothing is counted for a place that is there, but for codes.
        let counts = lobby.is_none() || spend.is_some();
        let from = if counts { (here.address)() } else { None };
        let ask = Ask {
            visitor,
            shown: self.shown(),
            wish,
            account: self.account().map(|id| AccountAsk {
                id,
                take: press == Press::Take,
            }),
            spend,
            lane: self.lane,
            needs_lane: self.needs_lane,
            tried: self.has_tried(),
            from: from.filter(|from| *from != visitor.tag()),
        };
        let home = || home_lobby(ask.address(), here.room.lobbies());
        Question::new(lobby.unwrap_or_else(home), ask)
    }
}

/// A lobby's answer.
#[derive(Clone, Debug)]
pub struct Asked {
    /// What the lobby said.
    pub told: Told,
    /// The lobby that answered in the end.
    pub lobby: LobbyId,
    /// Whether the lobby was asked to join.
    pub joins: bool,
    /// The wall clock before the lobby was asked, Unix ms: remaining times in the answer count from here.
    pub asked_at_ms: u64,
}

impl Asked {
    /// Returns the pass that follows on this one, or `None` if its lease is over.
    #[must_use]
    pub fn renewal(&self, pass: &Pass, room: &RoomSettings) -> Option<Pass> {
        let lease = self.told.lease.filter(|lease| pass.is_of(lease))?;
        Some(self.pass(&lease, pass.visitor, room.pass_ttl_ms))
    }

    /// Makes the pass for a lease that the lobby told of.
    #[must_use]
    pub fn pass(&self, lease: &LeaseTold, visitor: VisitorId, pass_ttl_ms: u64) -> Pass {
        let row = Version(self.told.status.version);
        let times = if planted::is(Bug::PassOutlivesItsTime) { 2 } else { 1 };
        Pass::of(lease, row, self.lobby, visitor, self.asked_at_ms, times * pass_ttl_ms)
    }
}
