//! What is sent beside the queue: whose turn comes while they are away. It is sent once, now or never, and nothing of it is stored.

use super::{Shell, about};
use crate::config;
use crate::log::{self, Code};
use crate::orders::Summons;
use futures_util::future::join_all;
use outbox::Webhook;
use worker::{Response, Result};

/// How long a webhook may take to answer, ms: the next waits for it, and all of them are worth something only now.
const SUMMONS_MS_MAX: u32 = 5_000;

impl Shell {
    /// Sends each receiver that wants it a message about people who are away, once. It answers when all have answered, so that the room, which sends one
    /// after the other, is never faster than they are.
    pub(super) async fn summon(&self, body: &str) -> Result<Response> {
        let Ok(summons) = serde_json::from_str::<Summons>(body) else {
            return Response::error("the order is not readable", 400);
        };
        self.list().await?;
        let room = Some(summons.room.as_str());
        let hooks: Vec<Webhook> = self.step(|living, _| {
            let hooks = living.core.hooks();
            let wants = hooks.filter(|hook| hook.wants(room, summons.kind));
            wants.cloned().collect()
        })?;
        let sent = hooks.iter().map(|hook| async {
            let secret = |name: &str| config::secret(&self.env, name);
            let ready = self.step(|living, _| living.ready(hook, summons.body.clone(), secret));
            let ready = ready.map_err(|error| error.to_string())?;
            self.send(&summons.id, ready?, SUMMONS_MS_MAX).await
        });
        for (hook, sent) in hooks.iter().zip(join_all(sent).await) {
            let failed = sent.err();
            if let Some(why) = &failed {
                let why = format!("{}: {why}", hook.name);
                log::say(&about(Code::WebhookFailed).because(why));
            }
            self.step(|living, now_ms| living.core.sent_beside(now_ms, &hook.name, failed))?;
        }
        Response::empty()
    }
}
