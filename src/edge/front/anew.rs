//! Lets somebody walk in who was inside before and clicks once more after a purchase. A form that is sent once more does not walk in.

use std::rc::Rc;

use super::Front;
use super::identity::Identity;
use super::memory;
use super::verdict::{Entry, Verdict};
use crate::gate::{Gated, Intent, VisitKind};
use crate::token::Farewell;

impl Front {
    /// Returns whether a request that no pass lets in may walk in. What is sent under a pass that has ended may be sent for the second time, so the
    /// visitor is told first.
    pub(super) fn may_arrive(gated: &Gated<'_>, identity: &Identity) -> bool {
        let is_first = gated.intent.visit == VisitKind::Navigation || identity.pass.is_none();
        gated.intent.walks_in && is_first
    }

    /// Judges a request by the farewell that is left of a lease: it loads pages, and a click may begin anew.
    pub(super) async fn judge_by_farewell(
        self: &Rc<Self>,
        gated: &Gated<'_>,
        identity: &Identity,
        farewell: Farewell,
        now_ms: u64,
    ) -> Option<Verdict> {
        if gated.intent.is_click
            && !farewell.is_new(now_ms, gated.room.settings.pass_ttl_ms)
            && let Some(begun) = self.begins_anew(gated, identity, now_ms).await
        {
            return Some(begun);
        }
        let reads = gated.intent.visit.only_reads();
        reads.then(|| Verdict::In(Entry::Farewell(farewell), Vec::new()))
    }

    /// Walks somebody in who is done and comes once more, so that the next purchase is not filled in under a farewell, which submits nothing. Returns
    /// `None` if nobody can walk in now: then the farewell loads the page, and nobody is put into line for looking at it.
    async fn begins_anew(
        self: &Rc<Self>,
        gated: &Gated<'_>,
        identity: &Identity,
        now_ms: u64,
    ) -> Option<Verdict> {
        let room = &gated.room.settings;
        if memory::is_lately_full(&room.name, now_ms, room.core.tick_ms) {
            return None;
        }
        let intent = Intent {
            joins: false,
            ..gated.intent
        };
        let gated = Gated { intent, ..*gated };
        let verdict = self.judge_arrival(&gated, identity, now_ms).await.ok()?;
        matches!(verdict, Verdict::In(Entry::Lease(..), _)).then_some(verdict)
    }
}
