//! The mode of a room, which an operator may have changed since the file was written.

use std::pin::pin;
use std::time::Duration;

use futures_util::future::{join_all, select};
use worker::{Delay, Env};

use super::platform::Platform;
use super::{lobby, memory};
use crate::dice;
use facts::config::Mode;
use facts::units::VisitorId;
use facts::wire::{Ask, Wish};
use gate::{Gate, HeardMode, MODE_PATIENCE_MS, Question, home_lobby};
use settings::RoomSettings;

/// The room's mode as last heard, else the file's. Nobody passes by it: see [`to_pass_by`].
pub fn heard(room: &RoomSettings) -> Mode {
    memory::heard_mode(&room.name).unwrap_or(room.core.mode)
}

/// The room's mode, for a request that goes in by it if it lets everybody pass. Such a mode is asked for first if it was heard long ago. If nobody
/// answers, the request passes as in `bypass`: nothing more is asked of a room that is silent.
pub async fn to_pass_by(env: &Env, room: &RoomSettings) -> Mode {
    let mode = heard(room);
    if !mode.passes() {
        return mode;
    }
    if memory::mode_news(&room.name, |news| news.asks_first(dice::now_ms())) {
        let patience = Delay::from(Duration::from_millis(MODE_PATIENCE_MS));
        select(pin!(ask(env, room)), pin!(patience)).await;
    }
    let mode = heard(room);
    if mode.passes() && !is_known(room) { Mode::Bypass } else { mode }
}

/// Asks the room how it stands, beside the answer, if nobody has heard of it for a second. For a request that has asked nothing: where all do so, an
/// operator's change would reach nobody.
pub fn keep_up(platform: &Platform, room: &RoomSettings) {
    let asks_beside = |news: &mut HeardMode| news.asks_beside(dice::now_ms());
    if memory::mode_news(&room.name, asks_beside) {
        let (env, room) = (platform.env.clone(), room.clone());
        platform.spawn("front.mode", async move { ask(&env, &room).await });
    }
}

/// Asks any lobby how the room stands. [`lobby::ask`] remembers the answer.
async fn ask(env: &Env, room: &RoomSettings) {
    let Ok(bytes) = dice::random_bytes() else {
        return;
    };
    let ask = Ask::plain(VisitorId(bytes), None, Wish::Status { wait_ms: 0 });
    let home = home_lobby(ask.address(), room.lobbies());
    let _ = lobby::ask(env, room, Question::new(home, ask)).await;
}

/// Returns true if nobody comes to the shop without a pass, and if nobody knows: a mode that lets everybody pass may have ended since it was heard.
pub fn needs_pass(room: &RoomSettings) -> bool {
    !heard(room).passes() || !is_known(room)
}

/// How all rooms of a host's gate stand together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Together {
    /// All let everybody pass and only observe.
    Observe,
    /// So they did when they were heard, and that of some was long ago.
    Observed,
    /// Some do more, or there are none.
    DoMore,
}

/// How all rooms stand together, as far as was heard.
pub fn together(gate: &Gate) -> Together {
    let rooms = || gate.rooms().iter().map(|room| &room.settings);
    if rooms().len() == 0 || rooms().any(|room| heard(room) != Mode::Observe) {
        return Together::DoMore;
    }
    match rooms().all(is_known) {
        true => Together::Observe,
        false => Together::Observed,
    }
}

/// Asks all rooms at once that let everybody pass and were heard long ago.
pub async fn hear_all(env: &Env, gate: &Gate) {
    join_all(gate.rooms().iter().map(|room| to_pass_by(env, &room.settings))).await;
}

fn is_known(room: &RoomSettings) -> bool {
    memory::mode_news(&room.name, |news| news.is_known(dice::now_ms()))
}
