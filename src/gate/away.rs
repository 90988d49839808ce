//! What one isolate has learnt of a room that gives no answer: which of its lobbies is asked beside the answer instead of being waited for, and what
//! the log says of it. Decides nothing about who may go in. The clock is an argument.

use facts::few::FewMap;
use facts::units::LobbyId;

/// For how long a lobby counts as away after a question to it has failed, ms. Each failure prolongs it. After so long without a question nobody knows
/// how it is, so the next one is waited for.
const AWAY_MS: u64 = 60_000;
/// How long nothing of a room answers before the log says that nobody can enter, ms.
const SILENT_MS: u64 = 5_000;

/// What is known of a room's lobbies. At most one entry for each lobby of the room, 40 bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Away {
    /// The lobbies to which a question has failed.
    lobbies: FewMap<LobbyId, Failing>,
    /// Since when no lobby of the room has answered, Unix ms.
    silent_since_ms: Option<u64>,
    /// When a question to any of them last failed, Unix ms.
    failed_ms: u64,
    /// Whether the log has said that the room is silent.
    is_said: bool,
}

/// A lobby to which a question has failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Failing {
    /// When the last question failed that has had no answer since, Unix ms.
    failed_ms: Option<u64>,
    /// When it last answered, Unix ms.
    answered_ms: u64,
}

/// What a failed question is worth to the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct News {
    /// Whether the lobby answered until now.
    pub lobby_is_away: bool,
    /// Whether the whole room has been silent for so long that people notice, and the log has not said so.
    pub room_is_away: bool,
}

impl Away {
    /// Whether this lobby would probably be waited for in vain. O(log lobbies).
    #[must_use]
    pub fn is_away(&self, lobby: LobbyId, now_ms: u64) -> bool {
        let failed_ms = self.lobbies.get(&lobby).and_then(|known| known.failed_ms);
        failed_ms.is_some_and(|failed_ms| now_ms.abs_diff(failed_ms) < AWAY_MS)
    }

    /// Notes that a question asked at `asked_at_ms` got no answer. Nothing follows from one that was asked before the lobby's last answer.
    /// O(log lobbies).
    pub fn failed(&mut self, lobby: LobbyId, asked_at_ms: u64, now_ms: u64) -> News {
        let is_away = self.is_away(lobby, now_ms);
        let known = self.lobbies.or_default(lobby);
        if asked_at_ms < known.answered_ms {
            return News {
                lobby_is_away: false,
                room_is_away: false,
            };
        }
        known.failed_ms = Some(now_ms);
        // Two failures far apart are two outages, as far as anybody knows.
        let is_stale = now_ms.abs_diff(self.failed_ms) >= AWAY_MS && !self.is_said;
        let since_ms = self.silent_since_ms.filter(|_| !is_stale);
        let since_ms = *self.silent_since_ms.insert(since_ms.unwrap_or(now_ms));
        self.failed_ms = now_ms;
        let room_is_away = !self.is_said && now_ms.saturating_sub(since_ms) >= SILENT_MS;
        self.is_said |= room_is_away;
        News {
            lobby_is_away: !is_away,
            room_is_away,
        }
    }

    /// Notes that a lobby answered. Returns for how long the room was silent, in ms, if the log has said that it was. O(log lobbies).
    pub fn answered(&mut self, lobby: LobbyId, now_ms: u64) -> Option<u64> {
        if let Some(known) = self.lobbies.get_mut(&lobby) {
            *known = Failing {
                failed_ms: None,
                answered_ms: now_ms,
            };
        }
        let since_ms = self.silent_since_ms.take()?;
        core::mem::take(&mut self.is_said).then(|| now_ms.saturating_sub(since_ms))
    }
}
