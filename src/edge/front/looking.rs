//! Single-flight: of the requests that want to know the same, one asks and the others wait. No request may hang on another's promise, so those that
//! wait look again every few milliseconds.

use std::time::Duration;

use worker::Delay;

use super::answers::Draft;
use crate::dice;
use gate::{ErrorCode, Look};

/// How often a request checks whether another has finished asking for it, ms.
const WAIT_MS: u64 = 20;

/// What a request does.
pub(super) enum Turn<T> {
    /// It uses this.
    Known(T),
    /// It asks, and then says what it learned or that it failed. The time is when it began, Unix ms.
    Asks(u64),
}

/// Returns what is known, or that this request asks. `look` is a turn at a [`Looks`](gate::Looks) that believes for `believed_ms`.
///
/// # Errors
/// The answer that the room cannot be reached, if others asked all that time and learned nothing.
pub(super) async fn turn<T>(believed_ms: u64, look: impl Fn(u64) -> Look<T>) -> Result<Turn<T>, Draft> {
    for _ in 0..=believed_ms / WAIT_MS {
        let now_ms = dice::now_ms();
        match look(now_ms) {
            Look::Known(known) => return Ok(Turn::Known(known)),
            Look::Ask => return Ok(Turn::Asks(now_ms)),
            Look::Wait => Delay::from(Duration::from_millis(WAIT_MS)).await,
        }
    }
    Err(Draft::error(ErrorCode::RoomUnavailable))
}
