//! Ends the place of one of the shop's customers, by the customer's name.

use serde::Deserialize;
use serde_json::Value;

use super::operation::Operation;
use crate::front::answers::Stop;
use crate::front::objects;
use crate::orders::AccountEnd;
use token::account_id;

/// One of the shop's customers, named as in the shop's tokens; `iss` is left out where they have none.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Customer {
    #[serde(default)]
    iss: String,
    sub: String,
}

impl Operation<'_> {
    /// Ends the place of one of the shop's customers, whose name goes no further than here.
    pub(super) async fn leave_account(&self) -> Result<Value, Stop> {
        let room = self.room()?;
        let Customer { iss, sub } = self.typed_body().await?;
        let end = AccountEnd {
            by: self.by(),
            account: account_id(&iss, &sub),
        };
        objects::value_of(self.send(room, "leave", &end).await)
    }
}
