//! Asks a room, or another object, in words of its own: a path and a body. Visitors' questions go to lobbies (`lobby`).

use serde::Serialize;
use serde_json::Value;
use worker::Env;

use super::answers::{Draft, Stop};
use super::js;
use crate::log::{self, Code, Remark};
use crate::orders::RoomTold;
use crate::peers::Address;
use gate::ErrorCode;
use settings::RoomSettings;

/// How long a room may take, ms.
pub const PATIENCE_MS: u64 = 5_000;

/// An object's answer: its status and its body. `None`: there is none.
pub(super) type Asked = Option<(u16, String)>;

pub(super) async fn ask_room(env: &Env, room: &RoomSettings, path: &str, body: &str) -> Asked {
    let remark = Remark::front(Code::RoomUnreachable).in_room(&room.name);
    ask_object(env, &Address::of_room(room), path, body, PATIENCE_MS, remark).await
}

/// Asks an object. If it does not answer, `remark` goes to the log.
pub(super) async fn ask_object(env: &Env, object: &Address, path: &str, body: &str, patience_ms: u64, remark: Remark) -> Asked {
    let body = body.as_bytes();
    match object.post(env, path, &[], body, patience_ms).await {
        Ok(answer) => Some((answer.status, String::from_utf8(answer.body).ok()?)),
        Err(error) => {
            log::say(&remark.because(js::describe(&error)));
            None
        }
    }
}

pub(super) async fn report(env: &Env, room: &RoomSettings) -> Option<RoomTold> {
    let (status, text) = ask_room(env, room, "report", "").await?;
    (status == 200).then(|| serde_json::from_str(&text).ok()).flatten()
}

/// Returns what an object answered. Its refusal is the answer as it stands; if it does not answer, the room is unavailable.
///
/// # Errors
/// The refusal.
pub(super) fn passed(asked: Asked) -> Result<String, Draft> {
    match asked {
        Some((200..=299, text)) => Ok(text),
        Some((status, text)) if text.starts_with("{\"error\":") => Err(Draft::passed(status, text)),
        _ => Err(Draft::error(ErrorCode::RoomUnavailable)),
    }
}

/// Returns what an object answered as a value.
///
/// # Errors
/// Its refusal.
pub(super) fn value_of(asked: Asked) -> Result<Value, Stop> {
    let value = serde_json::from_str(&passed(asked)?);
    Ok(value.map_err(|_| Draft::error(ErrorCode::RoomUnavailable))?)
}

pub(super) fn text_of(order: &impl Serialize) -> Result<String, Draft> {
    serde_json::to_string(order).map_err(|_| Draft::error(ErrorCode::Internal))
}
