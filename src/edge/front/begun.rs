//! Runs the work that answers a request. Most of it never waits: it is done after the first poll, and then costs
//! neither a promise nor a turn of the event loop.

use core::future::poll_fn;
use core::pin::Pin;
use core::sync::atomic::{AtomicBool, Ordering};
use core::task::{Context, Poll, Waker};
use std::sync::{Arc, Mutex};
use std::task::Wake;

use wasm_bindgen::JsValue;
use wasm_bindgen_futures::future_to_promise;
use worker::web_sys::Response;

use crate::watchdog::Guarded;

/// The waker of work that is polled before it has a task. It passes a wake on to the task as soon as there is one.
#[derive(Default)]
struct Later {
    task: Mutex<Option<Waker>>,
    is_woken: AtomicBool,
}

impl Later {
    /// Registers the task, if none is registered yet. Returns true if the work was ever woken.
    fn register(&self, task: &Waker) -> bool {
        if let Ok(mut waker) = self.task.lock() {
            waker.get_or_insert_with(|| task.clone());
        }
        self.is_woken.load(Ordering::Relaxed)
    }
}

impl Wake for Later {
    fn wake(self: Arc<Self>) {
        self.is_woken.store(true, Ordering::Relaxed);
        if let Ok(waker) = self.task.lock()
            && let Some(task) = waker.as_ref()
        {
            task.wake_by_ref();
        }
    }
}

/// Polls the work once. Returns the answer if it is ready, otherwise a promise of it.
///
/// # Errors
/// When the platform refuses even an error's answer.
pub fn begin(mut work: Guarded<'static, worker::Result<Response>>) -> Result<JsValue, JsValue> {
    let later = Arc::new(Later::default());
    let waker = Waker::from(Arc::clone(&later));
    let mut look = move || Pin::new(&mut work).poll(&mut Context::from_waker(&waker));
    if let Poll::Ready(answer) = look() {
        return Ok(answer?.into());
    }
    // A new task polls its work at once. This work was just polled, so it is polled again only after it was woken.
    let rest = poll_fn(move |context| match later.register(context.waker()) {
        true => look(),
        false => Poll::Pending,
    });
    Ok(future_to_promise(async move { Ok(rest.await?.into()) }).into())
}
