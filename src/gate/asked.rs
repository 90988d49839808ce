//! What a lobby is asked in a visitor's name, and what it answered.

use super::{Identity, home_lobby};
use crate::facts::units::{AddressTag, LobbyId, Version, VisitorId};
use crate::facts::voucher::Spend;
use crate::token::Pass;
use crate::wire::{AccountAsk, Ask, LeaseTold, Told, Wish};

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
    /// Returns the tag of the address from which the visitor asks, if it is known and counts.
    pub address: &'a dyn Fn() -> Option<AddressTag>,
    /// How many lobbies the room has.
    pub lobbies: u16,
    /// The time, Unix ms.
    pub now_ms: u64,
}

impl Identity {
    /// Builds the question to a lobby, and chooses the lobby to ask first: the one that has the visitor's place, else that of the address from which
    /// the visitor asks, wherever its cookie was given.
    #[must_use]
    pub fn question(
        &self,
        visitor: VisitorId,
        wish: Wish,
        press: Press,
        here: &Here<'_>,
    ) -> (LobbyId, Ask) {
        let lobby = self.lobby();
        let spend = self.voucher().map(|voucher| Spend {
            voucher,
            at_ms: here.now_ms,
        });
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
        let home = || home_lobby(ask.address(), here.lobbies);
        (lobby.unwrap_or_else(home), ask)
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
    /// Makes the pass for a lease that the lobby told of.
    #[must_use]
    pub fn pass(&self, lease: &LeaseTold, visitor: VisitorId, pass_ttl_ms: u64) -> Pass {
        let row = Version(self.told.status.version);
        Pass::of(
            lease,
            row,
            self.lobby,
            visitor,
            self.asked_at_ms,
            pass_ttl_ms,
        )
    }
}
