//! What a room of the house tells the house: how it is doing, once in a while and beside its turns.

use super::Shell;
use crate::log::{self, Code};
use crate::orders::Summary;
use crate::{dice, watchdog};
use room::courier::PUSH_TIMEOUT_MS;
use std::rc::Rc;
use std::time::Duration;
use worker::{Delay, Result};

/// How long a busy room of the house waits between two reports to the house, ms.
const TELLS_EVERY_MS: u64 = 10_000;

impl Shell {
    /// Tells the house how this room is doing, since something has happened, at most once in [`TELLS_EVERY_MS`].
    pub(super) fn tell_house(self: &Rc<Self>) {
        if self.tells.replace(true) {
            return;
        }
        let shell = Rc::clone(self);
        watchdog::spawn(&self.state, "room.summary", async move {
            Delay::from(Duration::from_millis(TELLS_EVERY_MS)).await;
            shell.tells.set(false);
            if let Err(error) = shell.summarise().await {
                log::say(&shell.about(Code::HouseUnreachable).because(error));
            }
        });
    }

    async fn summarise(self: &Rc<Self>) -> Result<()> {
        let report = self.reported()?;
        let (body, house) = self.read(|living| {
            let revision = living.core.room().live().revision;
            let at_ms = dice::now_ms();
            let summary = Summary { at_ms, report, revision };
            let summary = serde_json::to_string(&summary)?;
            Ok((format!("{}\n{summary}", living.name), living.house.clone()))
        })?;
        let Some(house) = house else { return Ok(()) };
        let caller = (&self.state, &self.env);
        house.call(caller, "summary", body.as_bytes(), PUSH_TIMEOUT_MS).await?;
        Ok(())
    }
}
