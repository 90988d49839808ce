//! What goes out of a lobby: one batch at a time to the room, and words to whom they concern.

use super::{Shell, error};
use crate::edge::log::{self, Code};
use crate::edge::peers::Address;
use crate::edge::sockets;
use crate::living::{RETRY_DOUBLINGS_MAX, RETRY_MS, ROOM_TIMEOUT_MS};
use crate::lobby::Delivered;
use crate::room::command::{Batch, Message, Refusal};
use crate::wire::State as Stage;
use serde::de::DeserializeOwned;
use std::rc::Rc;
use std::time::Duration;
use worker::{Delay, Result};

impl Shell {
    /// Sends batches until there is nothing to send: one at a time, the same bytes again while
    /// their outcome is unknown.
    pub(super) async fn send_batches(self: &Rc<Self>) {
        let mut failures = 0;
        loop {
            let next = self.change(|living, now| {
                let batch = living.core.next_batch(now);
                batch.map(|batch| (living.room.clone(), batch))
            });
            let (room, batch) = match next {
                Ok(Some(next)) => next,
                Ok(None) => return,
                Err(error) => return log::say(&self.about(Code::BackgroundFailed).because(error)),
            };
            match self.send(&room, &batch).await {
                Ok(answer) => {
                    failures = 0;
                    if let Err(error) = self.take(&batch, answer) {
                        return log::say(&self.about(Code::BackgroundFailed).because(error));
                    }
                }
                Err(error) => {
                    log::say(&self.about(Code::BatchAgain).because(error));
                    let noted = self.change(|living, now| living.core.unanswered(now, &batch));
                    if let Err(error) = noted {
                        return log::say(&self.about(Code::BackgroundFailed).because(error));
                    }
                    Delay::from(Duration::from_millis(
                        RETRY_MS << u32::min(failures, RETRY_DOUBLINGS_MAX),
                    ))
                    .await;
                    failures += 1;
                }
            }
        }
    }

    pub(super) async fn send(
        &self,
        room: &Address,
        batch: &Batch,
    ) -> Result<std::result::Result<Message, Refusal>> {
        let body =
            postcard::to_allocvec(batch).map_err(|_| error("a batch could not be encoded"))?;
        self.asked(room, "batch", &body).await
    }

    /// What the room answers to this body.
    ///
    /// # Errors
    /// When it can't be reached, or answers something else.
    pub(super) async fn asked<T: DeserializeOwned>(
        &self,
        room: &Address,
        path: &str,
        body: &[u8],
    ) -> Result<T> {
        let answer = room
            .post(&self.env, path, &[], body, ROOM_TIMEOUT_MS)
            .await?;
        if answer.status != 200 {
            return Err(error(&format!("the room answered {}", answer.status)));
        }
        postcard::from_bytes(&answer.body).map_err(|_| error("the room's answer could not be read"))
    }

    pub(super) fn take(
        self: &Rc<Self>,
        batch: &Batch,
        answer: std::result::Result<Message, Refusal>,
    ) -> Result<()> {
        let delivered = self.change(|living, now| living.core.take(now, batch, answer))?;
        match delivered {
            Ok(delivered) => {
                self.tell(&delivered);
                Ok(())
            }
            Err(refusal) => {
                // Another life of this lobby has spoken, or the room is not the one we knew.
                *self.living.borrow_mut() = None;
                Err(error(&format!("the room refused a batch: {refusal:?}")))
            }
        }
    }

    /// Tells whom it concerns: waiters, sockets, held polls.
    pub(super) fn tell(&self, delivered: &Delivered) {
        let mut slot = self.living.borrow_mut();
        let Some(living) = slot.as_mut() else { return };
        for (waiter, outcome) in &delivered.outcomes {
            if let Some(sender) = living.waiters.remove(waiter) {
                let _ = sender.send(*outcome);
            }
        }
        let everybody = delivered.everybody;
        let visitors = if everybody {
            sockets::visitors(&self.state)
        } else {
            delivered.changed.clone()
        };
        let now = living.core.clock().now();
        for visitor in &visitors {
            let status = living
                .core
                .lobby
                .status(now, living.core.clock().wall_ms(), *visitor);
            let Ok(text) = serde_json::to_string(&status) else {
                continue;
            };
            let over = status.state == Stage::Over;
            for gone in sockets::tell(&self.state, *visitor, &text, over) {
                living.core.lobby.socket_closed(now, gone);
            }
        }
        let polls = core::mem::take(&mut living.polls);
        for (visitor, senders) in polls {
            if everybody || visitors.contains(&visitor) {
                senders.into_iter().for_each(|poll| {
                    let _ = poll.send(());
                });
            } else {
                living.polls.insert(visitor, senders);
            }
        }
    }
}
