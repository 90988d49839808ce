//! Says whose code is running, so that a panic costs its own caller and nobody else.
//!
//! Baton is built with the stable toolchain, where a panic in wasm aborts: the instance is dead, and with it the futures of *every* handler in the
//! isolate. `entry.js` brings them back: it fails the handler that panicked and repeats those that were only hit. To know which one panicked, every
//! handler runs its work inside [`guard`], which marks the handler's argument while it is being polled. The mark lies in JavaScript and outlives the
//! dead instance. `entry.js` itself marks what the front does without a future.
//!
//! What follows for the handlers:
//! - each one is a single `watchdog::guard(…)` around its whole work, and background work is [`spawn`]ed;
//! - each one may run twice, and an object may be built anew from its storage at any moment;
//! - a change writes at its end (`SqlStore::commit`), and several writes go inside [`atomically`], so that a panic undoes them;
//! - an object loads from SQL synchronously (`object::wake`); `block_concurrency_while` would hold the gate shut after a panic.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use wasm_bindgen::prelude::*;
use worker::{Request, State, Storage, WebSocket};

#[wasm_bindgen(module = "/watchdog.js")]
extern "C" {
    type Watch;
    #[wasm_bindgen(thread_local_v2, js_name = watch)]
    static WATCH: Watch;

    #[wasm_bindgen(method)]
    fn enter(this: &Watch, who: &JsValue);
    #[wasm_bindgen(method)]
    fn leave(this: &Watch);
    #[wasm_bindgen(method, catch)]
    fn transact(this: &Watch, storage: &JsValue, write: &mut dyn FnMut() -> Result<JsValue, JsValue>) -> Result<JsValue, JsValue>;
}

/// What a handler was called with: the identity by which `entry.js` knows the call.
#[derive(Debug, Clone)]
pub struct Who(JsValue);

impl Who {
    /// Identifies the front's `fetch` handler.
    pub fn raw(request: &worker::web_sys::Request) -> Self {
        Self(request.into())
    }

    /// Identifies a `fetch` handler of an object.
    pub fn request(request: &Request) -> Self {
        Self(request.inner().into())
    }

    /// Identifies a socket's event.
    pub fn socket(socket: &WebSocket) -> Self {
        let raw: &worker::worker_sys::web_sys::WebSocket = socket.as_ref();
        Self(raw.into())
    }

    /// Identifies an object's alarm, or background work of the object.
    pub fn object(state: &State) -> Self {
        Self(state.as_raw().into())
    }
}

/// Runs a handler's work under watch. `place` names the handler (`"room.alarm"`) for fault injection.
pub fn guard<'a, T>(who: Who, place: &'static str, work: impl Future<Output = T> + 'a) -> Guarded<'a, T> {
    Guarded {
        who,
        place,
        work: Box::pin(work),
    }
}

/// The future that [`guard`] returns. It knows only what the work yields, so that the code around handlers is compiled once and not for each of them.
pub struct Guarded<'a, T> {
    who: Who,
    place: &'static str,
    work: Pin<Box<dyn Future<Output = T> + 'a>>,
}

impl<T> Future for Guarded<'_, T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        WATCH.with(|watch| watch.enter(&self.who.0));
        fault_point(self.place);
        let poll = self.work.as_mut().poll(cx);
        WATCH.with(Watch::leave);
        poll
    }
}

/// Runs work of an object that outlives the handler which started it.
pub fn spawn(state: &State, place: &'static str, work: impl Future<Output = ()> + 'static) {
    state.wait_until(guard(Who::object(state), place, work));
}

/// Runs `write` as one SQL transaction (`storage.transactionSync`, which workers-rs does not bind): all its writes and
/// alarms happen, or none. An `Err` or a panic undoes them.
///
/// # Errors
/// What `write` returns, or what the storage throws.
pub fn atomically(storage: &Storage, write: &mut dyn FnMut() -> worker::Result<()>) -> worker::Result<()> {
    let mut run = || {
        write()?;
        Ok(JsValue::UNDEFINED)
    };
    WATCH.with(|watch| watch.transact(storage.as_raw().as_ref(), &mut run))?;
    Ok(())
}

/// Dies here if a test ordered it (`watchdog/faults.rs`). Does nothing unless built with the feature `fault-injection`.
#[inline]
pub fn fault_point(place: &str) {
    #[cfg(feature = "fault-injection")]
    faults::die_if_ordered(place);
    #[cfg(not(feature = "fault-injection"))]
    let _ = place;
}

#[cfg(feature = "fault-injection")]
mod faults;
#[cfg(feature = "fault-injection")]
pub use faults::order_by_request;
