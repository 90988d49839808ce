//! Passes: made from what a lobby tells of a lease ([`Pass::of`]), renewed and given back; and the visitor's other cookies.

use core::pin::pin;
use core::time::Duration;

use futures_channel::oneshot;
use futures_util::future::{Either, select};
use wasm_bindgen_futures::JsFuture;
use worker::Delay;
use worker::Env;

use super::platform::Platform;
use super::{js, lobby, memory};
use crate::dice;
use crate::log::{self, Code, Remark};
use facts::wire::{Ask, Wish};
use gate::{Question, Silence};
use settings::{RoomSettings, Strict};
use token::Pass;

/// How long an answer of the origin that asks for more time waits for the room, ms, so that the pass with the new end goes out with it: a visitor who
/// leaves for a bank now makes no other request here.
const EXTEND_WAIT_MS: u64 = 2_000;
/// How long a strict room's answer that gives a permit back waits for the room, ms: once the answer is out, the pass must be dead.
const RELEASE_WAIT_MS: u64 = 2_000;

/// Asks for the pass that follows on this one. Returns `Ok(None)` if the lease is over.
async fn renewed(env: &Env, room: &RoomSettings, pass: &Pass, wish: Wish) -> Result<Option<Pass>, Silence> {
    let asked = lobby::ask(env, room, Question::about(pass, wish)).await?;
    Ok(asked.renewal(pass, room))
}

/// Starts a renewal beside the answer, unless one is under way for this lease. A pass that comes too late
/// for this answer is remembered for the next.
pub fn renew_beside(platform: &Platform, room: &RoomSettings, pass: Pass) -> Option<oneshot::Receiver<Pass>> {
    if !memory::begin_renewal(&room.bound_as, pass.fence, dice::now_ms()) {
        return None;
    }
    let (sender, receiver) = oneshot::channel();
    let (env, room) = (platform.env.clone(), room.clone());
    platform.spawn("front.renew", async move {
        let renewed = renewed(&env, &room, &pass, Wish::Renew(pass.fence)).await.ok().flatten();
        memory::end_renewal(&room.bound_as, pass.fence, renewed);
        // The answer may be out already.
        let _ = renewed.map(|pass| sender.send(pass));
    });
    Some(receiver)
}

/// Awaits the holder's work and renews the lease meanwhile: a visitor who sends a file, or waits for a slow shop, is not idle.
pub async fn busy<T>(platform: &Platform, room: &RoomSettings, pass: Pass, work: impl Future<Output = T>) -> T {
    // When the work begins, the lease was slid at most half of `pass_ttl_s` ago, or a renewal runs beside it.
    let every = Duration::from_millis(room.pass_ttl_ms.min(room.core.lease_idle_ms) / 2);
    let mut work = pin!(work);
    loop {
        match select(work, Delay::from(every)).await {
            Either::Left((done, _)) => return done,
            Either::Right(((), unfinished)) => work = unfinished,
        }
        // The new pass is remembered for the holder's next request.
        let _ = renew_beside(platform, room, pass);
    }
}

/// Gives a permit back for its holder, whatever becomes of this answer and of this instance. Waits for the room if it is strict.
pub async fn release(platform: &Platform, room: &RoomSettings, pass: Pass) {
    memory::forget(&room.bound_as, pass.fence);
    let ask = Ask::plain(pass.visitor, Some(pass.shown()), Wish::Release(pass.fence));
    let sent = lobby::deliver(platform, room, pass.lobby, &ask);
    match sent {
        Ok(heard) if room.strict != Strict::Off => {
            lobby::within(RELEASE_WAIT_MS, JsFuture::from(heard)).await;
        }
        Ok(_) => {}
        Err(error) => {
            log::say(&lobby::lost(room, pass.lobby).because(js::describe(&error)));
        }
    }
}

/// Asks for more time. Returns the pass with the new end if the room answers within [`EXTEND_WAIT_MS`].
pub async fn extend(platform: &Platform, room: &RoomSettings, pass: Pass, by_ms: u64) -> Option<Pass> {
    let (sender, receiver) = oneshot::channel();
    let (env, settings) = (platform.env.clone(), room.clone());
    platform.spawn("front.extend", async move {
        let wish = Wish::Extend { fence: pass.fence, by_ms };
        let Ok(renewed) = renewed(&env, &settings, &pass, wish).await else {
            let remark = Remark::front(Code::NotExtended).in_room(&settings.name);
            return log::say(&remark.at_lobby(pass.lobby));
        };
        memory::end_renewal(&settings.bound_as, pass.fence, renewed);
        let _ = renewed.map(|pass| sender.send(pass));
    });
    lobby::within(EXTEND_WAIT_MS, receiver).await?.ok()
}
