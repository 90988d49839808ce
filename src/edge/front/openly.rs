//! What a room tells everybody: its draws (`draw.rs`), and how its chain stands. Each isolate repeats the room's answer for some seconds, and one
//! request of it asks at a time, so that a crowd that looks at once costs the room few questions.

use std::rc::Rc;

use worker::Env;

use super::answers::Draft;
use super::looking::{self, Turn};
use super::{memory, objects};
use gate::{ErrorCode, Openly};
use settings::RoomSettings;

/// Returns the path by which the room is asked, and for how long its answer is told again, ms: a draw is news once, and any
/// head of the chain is as good as the next.
const fn asked(what: Openly) -> (&'static str, u64) {
    match what {
        Openly::Draw => ("draw", 5_000),
        Openly::Chain => ("chain", 10_000),
    }
}

/// Answers with what the room says, or said a moment ago, as JSON.
pub(super) async fn said(env: &Env, room: &RoomSettings, what: Openly) -> Draft {
    let (call, fresh_ms) = asked(what);
    let name = room.name.as_str();
    let look = |now_ms| memory::openly(name, what, |looks| looks.turn(now_ms, fresh_ms));
    let now_ms = match looking::turn(fresh_ms, look).await {
        Ok(Turn::Known(text)) => return Draft::json(200, String::from(&*text)),
        Ok(Turn::Asks(now_ms)) => now_ms,
        Err(refused) => return refused,
    };
    let asked = objects::ask_room(env, room, call, "").await;
    memory::openly(name, what, |looks| match &asked {
        Some((200, text)) => looks.learn(now_ms, Rc::from(text.as_str())),
        _ => looks.fail(now_ms),
    });
    match asked {
        Some((200, text)) => Draft::json(200, text),
        _ => Draft::error(ErrorCode::RoomUnavailable),
    }
}
