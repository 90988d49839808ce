//! Work that answers a request, as the runtime awaits it. Most of it waits for nothing: it is over when it was begun, and costs neither
//! a promise nor a turn of the event loop.

use core::future::poll_fn;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use std::sync::{Arc, Mutex};
use std::task::Wake;

use wasm_bindgen::JsValue;
use wasm_bindgen_futures::future_to_promise;
use worker::web_sys::Response;

use crate::edge::watchdog::Guarded;

/// Wakes the task that goes on with work which was begun before there was one. A new task looks at its work by itself, so
/// nothing is lost before.
#[derive(Default)]
struct Later(Mutex<Option<Waker>>);

impl Later {
    fn is_for(&self, task: &Waker) {
        if let Ok(mut waker) = self.0.lock() {
            waker.get_or_insert_with(|| task.clone());
        }
    }
}

impl Wake for Later {
    fn wake(self: Arc<Self>) {
        if let Ok(waker) = self.0.lock()
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
    let rest = poll_fn(move |context| {
        later.is_for(context.waker());
        look()
    });
    Ok(future_to_promise(async move { Ok(rest.await?.into()) }).into())
}
