//! Runs the work that answers a request. As far as possible nothing of it waits in WebAssembly: an export polls the work once, and most work is done then.
//! If all that it waits for is one call to an object ([`called`]), JavaScript makes that call, and [`resume_front`] polls the work again with what came. So
//! there is no promise, no task and no closure on this side. Work that waits for anything else becomes a promise, and makes its own calls from then on.
//!
//! JavaScript brings each work back exactly once: a call has a timeout, and one whose client has gone fails (`entry.js`). When the instance dies, all work
//! under way goes with it, and `entry.js` brings none of it to the next instance.

use core::cell::{Cell, RefCell};
use core::future::poll_fn;
use core::pin::Pin;
use core::sync::atomic::{AtomicBool, Ordering};
use core::task::{Context, Poll, Waker};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::task::Wake;

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};
use worker::web_sys::Response;

use crate::watchdog::{self, Guarded};

/// The most work that waits for JavaScript's calls, at some 10 KB each; what comes beyond that waits by promises. An isolate has far fewer requests.
const UNDER_WAY_MAX: usize = 1_024;

type Answering = Guarded<'static, worker::Result<Response>>;

/// What the poll that is under way may do about calls.
#[derive(Default)]
enum Turn {
    /// Make them by promises.
    #[default]
    Promises,
    /// Have JavaScript make one.
    Driven,
    /// It has JavaScript make this one.
    Wants(String),
    /// It takes in what came of that one.
    Came(Result<JsValue, JsValue>),
}

thread_local! {
    static TURN: Cell<Turn> = const { Cell::new(Turn::Promises) };
    static UNDER_WAY: RefCell<BTreeMap<u32, Work>> = const { RefCell::new(BTreeMap::new()) };
    static LAST: Cell<u32> = const { Cell::new(0) };
}

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

/// Work that is not done.
struct Work {
    work: Answering,
    later: Arc<Later>,
    waker: Waker,
}

/// Polls the work once. Returns the answer if it is ready, a text if JavaScript is to make a call for it, and otherwise a promise of the answer. The text
/// is `?`, the name of the work, and what [`called`] was given, a line each.
///
/// # Errors
/// When the platform refuses even an error's answer.
pub fn begin(work: Answering) -> Result<JsValue, JsValue> {
    Work::new(work).goes_on(Turn::Driven)
}

/// Polls the work of an object once, which makes its calls by promises. Returns the answer if it is ready, otherwise a promise of it.
///
/// # Errors
/// As for [`begin`].
pub fn begin_by_promises(work: Answering) -> Result<JsValue, JsValue> {
    Work::new(work).goes_on(Turn::Promises)
}

/// Goes on with work that waited for a call: with what came of it, or with the error `why`. Without either, nothing was sent, and the work makes the
/// call itself. Returns what [`begin`] returns.
///
/// # Errors
/// As for [`begin`], and when no work of this name is under way.
#[wasm_bindgen]
pub fn resume_front(id: u32, came: JsValue, why: JsValue) -> Result<JsValue, JsValue> {
    watchdog::fault_point("front.resume");
    let taken = UNDER_WAY.with_borrow_mut(|under_way| under_way.remove(&id));
    let work = taken.ok_or_else(|| JsValue::from_str("nothing is under way by this name"))?;
    match (came.is_undefined(), why.is_undefined()) {
        (false, _) => work.goes_on(Turn::Came(Ok(came))),
        (true, false) => work.goes_on(Turn::Came(Err(why))),
        (true, true) => work.makes_calls(),
    }
}

/// Makes a call to an object: JavaScript does if the work that is being polled waits for nothing else, and otherwise `send`. `call` is what both are told.
///
/// # Errors
/// What was thrown.
pub async fn called(call: String, send: impl FnOnce(&str) -> Promise) -> Result<JsValue, JsValue> {
    let mut is_wanted = false;
    let driven = poll_fn(|_| match (TURN.take(), is_wanted) {
        (Turn::Driven, false) => {
            TURN.set(Turn::Wants(call.clone()));
            is_wanted = true;
            Poll::Pending
        }
        (Turn::Wants(call), true) => {
            TURN.set(Turn::Wants(call));
            Poll::Pending
        }
        (Turn::Came(came), true) => {
            TURN.set(Turn::Driven);
            Poll::Ready(Some(came))
        }
        (turn, _) => {
            TURN.set(turn);
            Poll::Ready(None)
        }
    });
    match driven.await {
        Some(came) => came,
        None => JsFuture::from(send(&call)).await,
    }
}

impl Work {
    fn new(work: Answering) -> Self {
        let later = Arc::new(Later::default());
        let waker = Waker::from(Arc::clone(&later));
        Self { work, later, waker }
    }

    fn look(&mut self) -> Poll<worker::Result<Response>> {
        Pin::new(&mut self.work).poll(&mut Context::from_waker(&self.waker))
    }

    fn goes_on(mut self, turn: Turn) -> Result<JsValue, JsValue> {
        TURN.set(turn);
        let looked = self.look();
        match (looked, TURN.take()) {
            (Poll::Ready(answer), _) => Ok(answer?.into()),
            (Poll::Pending, Turn::Wants(call)) => match self.is_awaited() {
                true => self.makes_calls(),
                false => Ok(self.keep(&call)),
            },
            (Poll::Pending, _) => Ok(self.promised()),
        }
    }

    /// Whether something else than JavaScript's call may wake the work, or there is no place for it.
    fn is_awaited(&self) -> bool {
        // The waker and this hold it.
        Arc::strong_count(&self.later) > 2 || UNDER_WAY.with_borrow(BTreeMap::len) >= UNDER_WAY_MAX
    }

    fn keep(self, call: &str) -> JsValue {
        let id = LAST.get().wrapping_add(1);
        LAST.set(id);
        UNDER_WAY.with_borrow_mut(|under_way| under_way.insert(id, self));
        format!("?\n{id}\n{call}").into()
    }

    /// Goes on with work that wanted JavaScript to make a call, and makes that call.
    fn makes_calls(mut self) -> Result<JsValue, JsValue> {
        match self.look() {
            Poll::Ready(answer) => Ok(answer?.into()),
            Poll::Pending => Ok(self.promised()),
        }
    }

    /// A new task polls its work at once. This work was just polled, so it is polled again only after it was woken.
    fn promised(mut self) -> JsValue {
        let rest = poll_fn(move |context| match self.later.register(context.waker()) {
            true => self.look(),
            false => Poll::Pending,
        });
        future_to_promise(async move { Ok(rest.await?.into()) }).into()
    }
}
