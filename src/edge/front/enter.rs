//! `POST /__baton/{room}/enter`: everything in one call, for clients without cookies. A visitor who may go in is in; any other gets a place and is
//! told about it. The call sets no cookie and reads none, so a page of another site cannot use it in a visitor's name.

use wasm_bindgen::JsValue;
use worker::web_sys::Response;

use super::{Front, entry, mode, refused};
use gate::{Errand, Identity};
use settings::RoomSettings;

impl Front {
    /// Answers with a status object and `in`. `identity` must not hold a visitor whom only a pass names.
    pub async fn enter_call(&self, room: &RoomSettings, identity: &Identity, now_ms: u64) -> Result<Response, JsValue> {
        let shown = entry::shown_in_header(&self.received, room, now_ms).await;
        let mut identity = identity.clone();
        let vouched = match shown {
            Some(entrant) => {
                let keys = &self.received.deployment.entry_keys;
                let new_name = || self.received.new_visitor(room);
                identity.shows(entrant, keys, &self.received.issuer(room), new_name)?
            }
            None => Vec::new(),
        };
        let errand = Errand::Enter(mode::to_pass_by(&self.platform.env, room).await);
        let verdict = self.call(room, identity, errand, now_ms).await?;
        if verdict.asked.is_none() {
            mode::keep_up(&self.platform, room);
        }
        let draft = self.call_shown(room, errand, &verdict);
        // What the lobby says of the token counts more than the token.
        let vouched = if verdict.asked.is_some() { vouched } else { Vec::new() };
        refused::finish_call(
            &self.received,
            room,
            draft.cookies(vouched).cookies(self.received.issuer(room).kept(&verdict)),
        )
    }
}
