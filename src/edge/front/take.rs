//! `POST /__baton/{room}/take`: moves an account's place to this device although it is called or inside on another. Only a pressed button asks
//! for this; a page never does so by itself.

use std::rc::Rc;

use wasm_bindgen::JsValue;

use super::answers::Draft;
use super::identity::Identity;
use super::{Front, lobby};
use crate::facts::units::VisitorId;
use crate::gate::{ErrorCode, Outcome, Press, Wanted};
use crate::settings::RoomSettings;
use crate::wire::Wish;

impl Front {
    /// Moves the account's place to this device, wherever it is.
    pub async fn take(self: &Rc<Self>, room: &RoomSettings, identity: &Identity, visitor: VisitorId) -> Result<Draft, JsValue> {
        if !identity.has_account() {
            return Ok(Draft::error(ErrorCode::EntryRequired));
        }
        if let Err(limited) = self.check_limit(room, identity.account()).await {
            return Ok(Self::limited(limited));
        }
        let question = self.question(room, identity, visitor, Wish::Join, Press::Take);
        let Ok(asked) = lobby::ask(&self.env, room, question).await else {
            return Ok(Draft::error(ErrorCode::RoomUnavailable));
        };
        let draft = self.joined(room, identity, visitor, &asked);
        let pass = match asked.outcome(Wanted::Permit, None, visitor, room) {
            Outcome::In(pass, _) => Some(self.issuer(room).pass(&pass)),
            // This pass belongs to a place that the device had before.
            _ => {
                let has_moved = asked.told.account.is_none() && asked.told.limited.is_none();
                let is_stale = identity.pass_cookie && has_moved;
                is_stale.then(|| self.issuer(room).clear_pass())
            }
        };
        Ok(draft.cookies(pass.into_iter().collect()))
    }
}
