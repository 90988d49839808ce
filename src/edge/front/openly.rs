//! What a room tells everybody: its draws (`draw.rs`), and how its chain stands. Each isolate repeats the room's answer for some seconds, so that a
//! crowd that looks at once costs the room few questions.

use super::Front;
use super::answers::Draft;
use super::memory::{self, Said};
use crate::edge::dice;
use crate::gate::{ErrorCode, Openly};
use crate::settings::RoomSettings;

/// Returns the path by which the room is asked, and for how long its answer is told again, ms: a draw is news once, and any
/// head of the chain is as good as the next.
const fn asked(what: Openly) -> (&'static str, u64) {
    match what {
        Openly::Draw => ("draw", 5_000),
        Openly::Chain => ("chain", 10_000),
    }
}

impl Front {
    /// Answers with what the room says, or said a moment ago, as JSON.
    pub(super) async fn said_openly(&self, room: &RoomSettings, what: Openly) -> Draft {
        let (call, fresh_ms) = asked(what);
        let now_ms = dice::now_ms();
        let known = memory::said(&room.name, what);
        if let Some(known) = known.filter(|known| now_ms.abs_diff(known.at_ms) < fresh_ms) {
            return Draft::json(200, known.text);
        }
        match self.ask_room(room, call, "").await {
            Some((200, text)) => {
                let said = Said {
                    at_ms: now_ms,
                    text: text.clone(),
                };
                memory::keep_said(&room.name, what, said);
                Draft::json(200, text)
            }
            _ => Draft::error(ErrorCode::RoomUnavailable),
        }
    }
}
