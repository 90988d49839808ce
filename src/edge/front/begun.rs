//! Work that answers a request, as the runtime awaits it. Most of it waits for nothing: it is over when it was begun, and costs neither
//! a promise nor a turn of the event loop.

use core::future::poll_fn;
use core::pin::Pin;
use core::sync::atomic::{AtomicBool, Ordering};
use core::task::{Context, Poll, Waker};
use std::sync::{Arc, Mutex};
use std::task::Wake;

use wasm_bindgen::JsValue;
use wasm_bindgen_futures::future_to_promise;
use worker::web_sys::Response;

use crate::edge::watchdog::Guarded;

/// Wakes the task that goes on with work which was begun before there was one.
#[derive(Default)]
struct Later {
    task: Mutex<Option<Waker>>,
    is_woken: AtomicBool,
}

impl Later {
    /// From now on there is a task. Whether the work was woken before.
    fn is_due(&self, task: &Waker) -> bool {
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

/// Begins work: the answer, or a promise of it.
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
    // A new task looks at its work at once; this one has just been looked at.
    let rest = poll_fn(move |context| match later.is_due(context.waker()) {
        true => look(),
        false => Poll::Pending,
    });
    Ok(future_to_promise(async move { Ok(rest.await?.into()) }).into())
}
