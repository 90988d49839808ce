//! Which passes are being renewed, so that one request does it for all, and new passes that came too late for their answer.

use std::cell::RefCell;
use std::collections::BTreeMap;

use facts::units::Fence;
use token::{Freshness, Pass};

/// Renewed passes kept for their holders' next request: about 100 bytes each of the isolate's 128 MB. Beyond that the first in
/// the order of room and fence are forgotten.
const RENEWED_MAX: usize = 4_096;
/// Renewals in flight at once in one isolate. Beyond that a pass is renewed only when it has ended.
const RENEWING_MAX: usize = 4_096;
/// After this a renewal counts as cut off with its request, ms.
const RENEWING_MS_MAX: u64 = 30_000;

/// The text that binds the room's tokens, and the fence. The house may make a room anew while this isolate lives, and its fences begin at 1 again.
type Lease = (String, Fence);

#[derive(Default)]
struct Renewals {
    /// Since when, Unix ms.
    renewing: BTreeMap<Lease, u64>,
    renewed: BTreeMap<Lease, Pass>,
}

thread_local! {
    static RENEWALS: RefCell<Renewals> = RefCell::new(Renewals::default());
}

/// Whether this request may renew the lease's pass: no other request in this isolate is doing so. End it with [`end_renewal`].
pub fn begin_renewal(bound_as: &str, fence: Fence, now_ms: u64) -> bool {
    RENEWALS.with_borrow_mut(|renewals| {
        if renewals.renewing.len() >= RENEWING_MAX {
            renewals.renewing.retain(|_, since_ms| now_ms.abs_diff(*since_ms) < RENEWING_MS_MAX);
        }
        let lease = (bound_as.to_owned(), fence);
        let since_ms = renewals.renewing.get(&lease).copied();
        let is_free = since_ms.is_none_or(|since_ms| now_ms.abs_diff(since_ms) >= RENEWING_MS_MAX);
        let may = is_free && renewals.renewing.len() < RENEWING_MAX;
        if may {
            renewals.renewing.insert(lease, now_ms);
        }
        may
    })
}

/// Whether a request asks about this lease right now.
pub fn is_renewing(bound_as: &str, fence: Fence, now_ms: u64) -> bool {
    RENEWALS.with_borrow(|renewals| {
        let since_ms = renewals.renewing.get(&(bound_as.to_owned(), fence));
        since_ms.is_some_and(|since_ms| now_ms.abs_diff(*since_ms) < RENEWING_MS_MAX)
    })
}

/// Ends a renewal, with or without a new pass.
pub fn end_renewal(bound_as: &str, fence: Fence, renewed: Option<Pass>) {
    RENEWALS.with_borrow_mut(|renewals| {
        let lease = (bound_as.to_owned(), fence);
        renewals.renewing.remove(&lease);
        if let Some(pass) = renewed {
            renewals.renewed.insert(lease, pass);
        }
        while renewals.renewed.len() > RENEWED_MAX {
            renewals.renewed.pop_first();
        }
    });
}

/// Returns a pass that came too late for the answer that asked for it, if it is still fresh.
pub fn renewed(bound_as: &str, fence: Fence, now_ms: u64, pass_ttl_ms: u64) -> Option<Pass> {
    RENEWALS.with_borrow_mut(|renewals| {
        let lease = (bound_as.to_owned(), fence);
        let pass = renewals.renewed.get(&lease).copied()?;
        if pass.freshness(now_ms, pass_ttl_ms) == Freshness::Fresh {
            return Some(pass);
        }
        renewals.renewed.remove(&lease);
        None
    })
}

/// Forgets the renewed pass of a lease that is over.
pub fn forget(bound_as: &str, fence: Fence) {
    RENEWALS.with_borrow_mut(|renewals| renewals.renewed.remove(&(bound_as.to_owned(), fence)));
}
