//! `POST /__baton/{room}/enter`: everything in one call, for clients without cookies. A visitor who may go in is in; any other gets a place and is
//! told about it. The call sets no cookie and reads none, so a page of another site cannot use it in a visitor's name.

use wasm_bindgen::JsValue;
use worker::web_sys::Response;

use super::received::Received;
use super::{Front, entry, mode, refused};
use gate::{Errand, Identity, better_entrant, judge_entry, lane_of};
use settings::{EntryPolicy, RoomSettings};
use token::Entrant;

impl Front {
    /// Answers with a status object and `in`. `identity` must not hold a visitor whom only a pass names.
    pub async fn enter_call(&self, room: &RoomSettings, identity: &Identity, now_ms: u64) -> Result<Response, JsValue> {
        let shown = entry::shown_in_header(&self.received, room, now_ms).await;
        let (identity, vouched) = vouched_for(&self.received, room, identity, shown, now_ms)?;
        let errand = Errand::Enter(mode::now(&self.platform, room, now_ms));
        let verdict = self.call(room, identity, errand, now_ms).await?;
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

/// Returns who calls, including what the token in the header says, and the tokens to keep. A visitor for whom the shop vouches needs no name from
/// an earlier call: an account is counted by itself, and an invitation gives one place.
fn vouched_for(
    received: &Received,
    room: &RoomSettings,
    identity: &Identity,
    shown: Option<Entrant>,
    now_ms: u64,
) -> Result<(Identity, Vec<String>), JsValue> {
    let mut identity = identity.clone();
    let mut kept = Vec::new();
    if let Some(entrant) = shown {
        let known = identity.entrant;
        // Whoever shows a token means it to count, even in a room that needs none.
        let keys = &received.deployment.entry_keys;
        identity.entry = judge_entry(EntryPolicy::Required, Some(&entrant), keys, now_ms);
        identity.entrant = Some(entrant);
        identity.lane = lane_of(identity.entry, identity.entrant.as_ref());
        identity.needs_lane = true;
        let is_vouched_for = identity.has_account() || identity.voucher().is_some();
        if identity.visitor.is_none() && is_vouched_for {
            let visitor = received.new_visitor(room)?;
            identity.visitor = Some(visitor);
            identity.visitor_cookie = true;
            kept.push(received.issuer(room).visitor(visitor));
        }
        let entrant = better_entrant(entrant, known, keys, now_ms);
        kept.extend(entrant.map(|entrant| received.issuer(room).entry(&entrant)));
    }
    Ok((identity, kept))
}
