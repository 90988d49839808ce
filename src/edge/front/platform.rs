//! The platform, as far as one request may use it.

use worker::{Context, Env};

use crate::watchdog::{self, Who};

/// The bindings, and the way to go on beside the answer.
pub struct Platform {
    /// The bindings: objects, assets, services.
    pub env: Env,
    /// Keeps what the request began until it is done.
    pub context: Context,
    /// Whose work it is, if it dies.
    pub who: Who,
}

impl Platform {
    /// Runs work that outlives the answer.
    pub fn spawn(&self, place: &'static str, work: impl Future<Output = ()> + 'static) {
        self.context.wait_until(watchdog::guard(self.who.clone(), place, work));
    }
}
