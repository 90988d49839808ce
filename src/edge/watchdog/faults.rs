//! Deaths on demand, for tests: `GET /__baton/fault/{place}/{kind}` makes the next passage of `place` die.
//! Built only with the feature `fault-injection`; what ships must never have it.

use wasm_bindgen::prelude::wasm_bindgen;
use worker::{Request, Response};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(method, js_name = orderFault)]
    fn order_fault(this: &super::Watch, place: &str, kind: &str);
    #[wasm_bindgen(method, js_name = takeFault)]
    fn take_fault(this: &super::Watch, place: &str) -> Option<String>;
}

/// Answers a request that orders a death. The front asks this before anything else. `kind` is `panic`, `trap` or `overflow`.
pub fn order_by_request(request: &Request) -> Option<worker::Result<Response>> {
    let path = request.path();
    let (place, kind) = path.strip_prefix("/__baton/fault/")?.split_once('/')?;
    super::WATCH.with(|watch| watch.order_fault(place, kind));
    Some(Response::ok("ordered"))
}

#[allow(clippy::panic, reason = "this is the fault")]
pub(super) fn die_if_ordered(place: &str) {
    match super::WATCH.with(|watch| watch.take_fault(place)).as_deref() {
        None => {}
        Some("trap") => core::arch::wasm32::unreachable(),
        Some("overflow") => {
            core::hint::black_box(exhaust_stack(1));
        }
        Some(kind) => panic!("ordered {kind} at {place}"),
    }
}

#[allow(unconditional_recursion, reason = "this is the fault")]
fn exhaust_stack(depth: u64) -> u64 {
    let frame = core::hint::black_box([depth; 64]);
    exhaust_stack(depth + 1) + frame.iter().sum::<u64>()
}
