//! The way of an ask to the lobby that answers it: past full lobbies, and after a place that is in another one; and how long the front waits on
//! the way. The front goes it, and so does the front of the simulator.

use facts::limits::LOBBIES_MAX;
use facts::units::{AddressTag, LobbyId};
use facts::wire::{Told, Wish};

/// How many full lobbies an ask passes on the way to one that has room.
pub const FULL_HOPS_MAX: u16 = 8;
/// How often an ask follows the place to another lobby. Once is enough, unless the place is carried or drawn at that very moment.
pub const MOVES_MAX: u16 = 3;
/// How long a lobby may take, beyond what it was asked to wait, ms. It gives the room up after 6 s by itself.
pub const ASK_PATIENCE_MS: u64 = 8_000;
/// The pause before an object that could not take an ask is asked once more, ms.
pub const ASK_AGAIN_MS: u64 = 250;

/// Returns the lobby where visitors of an address begin who have no ticket: the same at each visit, one for a whole IPv6 /48 (see [`AddressTag`]), and
/// each lobby equally likely.
#[must_use]
pub const fn home_lobby(address: AddressTag, lobbies: u16) -> LobbyId {
    let [a, b, c, d, ..] = address.0;
    let lobbies = if lobbies == 0 { 1 } else { lobbies as u32 };
    LobbyId((u32::from_be_bytes([a, b, c, d]) % lobbies) as u16)
}

/// Returns how long a lobby may take to answer an ask with this wish, ms.
#[must_use]
pub const fn ask_patience_ms(wish: Wish) -> u64 {
    match wish {
        Wish::Status { wait_ms } => ASK_PATIENCE_MS + wait_ms,
        _ => ASK_PATIENCE_MS,
    }
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// The lobby, or the room behind it, cannot be reached just now.
    Unreachable,
    /// Every lobby on the way is full.
    Full,
}

/// The way of one ask, bounded by [`FULL_HOPS_MAX`] and [`MOVES_MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hops {
    /// The lobby to ask now.
    pub lobby: LobbyId,
    full: u16,
    moved: u16,
}

impl Hops {
    /// Makes the way of an ask that begins at this lobby.
    #[must_use]
    pub const fn from(lobby: LobbyId) -> Self {
        Self { lobby, full: 0, moved: 0 }
    }

    /// Returns whether this is the answer. If not, moves on to the lobby to ask next.
    ///
    /// # Errors
    /// Returns why the ask stays without an answer, if the way has become too long.
    pub fn ends_with(&mut self, told: &Told) -> Result<bool, Silence> {
        if let Some(lobby) = told.at {
            self.moved += 1;
            self.lobby = lobby;
            return if self.moved > MOVES_MAX { Err(Silence::Unreachable) } else { Ok(false) };
        }
        if !told.full {
            return Ok(true);
        }
        self.full += 1;
        self.lobby = LobbyId(self.lobby.0.saturating_add(1));
        if self.full > FULL_HOPS_MAX || self.lobby.0 >= LOBBIES_MAX {
            Err(Silence::Full)
        } else {
            Ok(false)
        }
    }
}
