//! Strict rooms: asks the room whether leases live. One question is out at a time and what arrives meanwhile shares the
//! next, never the one that is out: its answer may be older than a release that came before the check.

use super::{Shell, error, within};
use crate::edge::log::{self, Code};
use crate::edge::watchdog;
use crate::living::PATIENCE_MS;
use crate::lobby::CHECKS_WAITING_MAX;
use crate::room::command::Standing;
use crate::room::config::CHECKS_MAX;
use crate::units::{Fence, Instant, VisitorId};
use crate::wire::Told;
use futures_channel::oneshot;
use std::rc::Rc;
use worker::Result;

/// Who waits for a check: of which lease, and where the answer goes.
pub(super) type Check = (Fence, oneshot::Sender<(Standing, Instant)>);

impl Shell {
    /// What the room says of a lease; `None` when it is over.
    ///
    /// # Errors
    /// When the room can't be reached, or too many wait for it already.
    pub(super) async fn check(
        self: &Rc<Self>,
        visitor: VisitorId,
        fence: Fence,
    ) -> Result<Option<Told>> {
        let (sender, receiver) = oneshot::channel();
        let begins = self.change(|living, _| {
            if living.checks.len() >= CHECKS_WAITING_MAX {
                return None;
            }
            living.checks.push((fence, sender));
            Some(!core::mem::replace(&mut living.checking, true))
        })?;
        if begins.ok_or_else(|| error("too many checks wait for the room"))? {
            let shell = Rc::clone(self);
            watchdog::spawn(&self.state, "lobby.check", async move {
                shell.send_checks().await;
            });
        }
        let answer = within(PATIENCE_MS, receiver).await;
        let (standing, asked_at) = answer.ok_or_else(|| error("the room can't be reached"))?;
        self.wake(None).await?;
        self.change(|living, now| {
            let wall_ms = living.core.clock().wall_ms();
            let times = (now, wall_ms, asked_at);
            living.core.lobby.checked(times, visitor, fence, &standing)
        })
    }

    /// Asks until nobody waits. Who waits for a question that fails is let go with its senders: none of them gets in.
    async fn send_checks(self: &Rc<Self>) {
        loop {
            let next = self.change(|living, now| {
                let count = living.checks.len().min(CHECKS_MAX);
                let checks: Vec<Check> = living.checks.drain(..count).collect();
                living.checking = count > 0;
                (living.room.clone(), now, checks)
            });
            let (room, asked_at, checks) = match next {
                Ok((_, _, checks)) if checks.is_empty() => return,
                Ok(next) => next,
                Err(error) => return log::say(&self.about(Code::BackgroundFailed).because(error)),
            };
            let fences: Vec<Fence> = checks.iter().map(|(fence, _)| *fence).collect();
            let answered = async {
                let body = postcard::to_allocvec(&fences)
                    .map_err(|_| error("a check could not be encoded"))?;
                self.asked::<Vec<Standing>>(&room, "check", &body).await
            };
            match answered.await {
                Ok(standings) => {
                    for ((_, sender), standing) in checks.into_iter().zip(standings) {
                        // Who gave up waiting is gone.
                        let _ = sender.send((standing, asked_at));
                    }
                }
                Err(error) => {
                    let remark = self.about(Code::ChecksFailed).counting(fences.len() as u64);
                    log::say(&remark.because(error));
                }
            }
        }
    }
}
