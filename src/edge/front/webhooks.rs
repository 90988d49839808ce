//! What operators ask of the outbox: to see how webhooks are doing, to test one, and to send again what one did not take.

use serde::Serialize;

use super::Front;
use super::answers::Draft;
use super::js;
use crate::edge::log::{self, Code, Remark};
use crate::edge::orders::{Resend, WebhookTest};
use crate::edge::peers::Address;
use crate::gate::ErrorCode;

/// How long the outbox may take, ms.
const PATIENCE_MS: u64 = 5_000;

impl Front {
    pub(super) async fn webhooks(&self) -> Draft {
        if self.deployment.settings.webhooks.is_empty() {
            return Draft::json(200, "[]".to_owned());
        }
        self.ask_outbox("look", String::new()).await
    }

    pub(super) async fn test_webhook(&self, webhook: String) -> Draft {
        self.order_outbox("test", &webhook.clone(), &WebhookTest { webhook })
            .await
    }

    pub(super) async fn resend(&self, webhook: String, id: Option<String>) -> Draft {
        self.order_outbox("again", &webhook.clone(), &Resend { webhook, id })
            .await
    }

    async fn order_outbox(&self, path: &str, webhook: &str, order: &impl Serialize) -> Draft {
        let mut known = self.deployment.settings.webhooks.iter();
        if !known.any(|own| own.name == webhook) {
            let why = "wrangler.toml has no [[vars.WEBHOOKS]] of this name.";
            return Draft::error_saying(ErrorCode::NotFound, why);
        }
        match serde_json::to_string(order) {
            Ok(body) => self.ask_outbox(path, body).await,
            Err(_) => Draft::error(ErrorCode::Internal),
        }
    }

    async fn ask_outbox(&self, path: &str, body: String) -> Draft {
        let outbox = Address::of_outbox();
        let answer = outbox.post(&self.env, path, &[], body.as_bytes(), PATIENCE_MS);
        match answer.await {
            Ok(answer) if answer.status == 200 => {
                Draft::json(200, answer.text().unwrap_or_default())
            }
            Ok(_) => Draft::error_saying(ErrorCode::RoomUnavailable, "The outbox failed."),
            Err(error) => {
                let remark = Remark::front(Code::OutboxUnreachable);
                log::say(&remark.because(js::describe(&error)));
                Draft::error_saying(ErrorCode::RoomUnavailable, "The outbox does not answer.")
            }
        }
    }
}
