//! What a room does for the outbox: nudges it beside a turn, and shows it what the journal says. No turn waits for either.

use super::Shell;
use crate::front::js::describe;
use crate::log::{self, Code};
use crate::notes_page::{notes_of_room, said};
use crate::peers::Address;
use crate::store::SqlStore;
use crate::{dice, watchdog};
use facts::envelope;
use outbox::{Asked, Mark};
use room::courier::PUSH_TIMEOUT_MS;
use std::rc::Rc;
use std::time::Duration;
use worker::{Delay, Response, Result};

/// How long after a turn the outbox is nudged, ms. At most one nudge leaves in that time.
const NUDGES_AFTER_MS: u64 = 250;

impl Shell {
    /// Answers the outbox with the notes since its mark. Only the first question brings the room into memory.
    pub(super) async fn notes(&self, name: &str, body: &[u8]) -> Result<Response> {
        let Ok(Asked { mark, since_ms }) = envelope::of_bytes(body) else {
            return Response::error("the question is not readable", 400);
        };
        let mark = match mark {
            Some(mark) => mark,
            None => self.first_mark(name, since_ms).await?,
        };
        let store = SqlStore::open(&self.state, "room.notes")?;
        said(&notes_of_room(&store, mark, dice::now_ms())?)
    }

    /// Returns the mark behind which the rows since that moment begin.
    async fn first_mark(&self, name: &str, since_ms: u64) -> Result<Mark> {
        self.wake(name).await?;
        self.read(|living| {
            let store = living.core.journal().store();
            let row = store.newest_before(since_ms)?;
            let room = living.core.room();
            Ok(Mark {
                row,
                hash: store.hash_of(row)?.map(|hash| hash.0),
                edition: room.edition().0,
                mode: (row > 0 && row == room.version().0).then(|| room.config().mode),
            })
        })
    }

    /// Nudges the outbox beside the turn, since the turn wrote something that other software may be told of.
    pub(super) fn nudge(self: &Rc<Self>, outbox: (Address, String)) {
        if self.nudges.replace(true) {
            return;
        }
        let shell = Rc::clone(self);
        watchdog::spawn(&self.state, "room.nudge", async move {
            Delay::from(Duration::from_millis(NUDGES_AFTER_MS)).await;
            shell.nudges.set(false);
            let (outbox, own) = outbox;
            let caller = (&shell.state, &shell.env);
            let nudged = outbox.call(caller, "nudge", own.as_bytes(), PUSH_TIMEOUT_MS);
            if let Err(error) = nudged.await {
                let remark = shell.about(Code::OutboxUnreachable);
                log::say(&remark.because(describe(&error)));
            }
        });
    }
}
