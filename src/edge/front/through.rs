//! A request that goes in: it is sent on to the origin, and what the answer asks for is done.

use wasm_bindgen::JsValue;
use worker::web_sys::Response;

use super::answers::Draft;
use super::onward::Attached;
use super::received::Received;
use super::returned::Returned;
use super::way_in::{Cookie, Entry};
use super::{Front, down, health, lease, mode, ungated, waiting};
use gate::{ErrorCode, Gated, Release, Router, Unheeded};
use settings::RoomSettings;

impl Front {
    /// Forwards a request that goes in, and does what the origin's answer asks for.
    pub(super) async fn enter(&self, gated: &Gated<'_>, entry: Entry, cookies: Vec<String>) -> Result<Response, JsValue> {
        let room = &gated.room.settings;
        let is_speculative = gated.intent.is_speculative;
        let onward = self.received.onward(Some(room));
        let pledge = entry.pledge(room);
        let sent = onward.send(&self.platform.env, Some(&pledge));
        let returned = match &entry {
            Entry::Lease(pass, _) if onward.is_slow(room) && !is_speculative => lease::busy(&self.platform, room, *pass, sent).await?,
            _ => sent.await?,
        };
        let gives_nothing_back = gated.intent.gives_nothing_back();
        self.came_back(room, gives_nothing_back, entry, cookies, returned).await
    }

    /// Does what the origin's answer asks for: gives the permit back, extends the lease, or sets the pass cookie. Does nothing of it for a request
    /// that looks ahead: such an answer goes no further, so that the click asks again.
    pub(super) async fn came_back(
        &self,
        room: &RoomSettings,
        gives_nothing_back: bool,
        entry: Entry,
        cookies: Vec<String>,
        returned: Returned,
    ) -> Result<Response, JsValue> {
        if let (true, Returned::Answer(answer)) = (gives_nothing_back, &returned)
            && answer.says_anything(room)
        {
            let _ = answer.response.body().map(|body| body.cancel());
            let router = Router::of(&self.received.incoming.described());
            let draft = Draft::error(ErrorCode::Speculative);
            return self.received.finish(waiting::lead_router(&self.received, room, router, draft));
        }
        let mut attached = Attached {
            must: cookies,
            may: Vec::new(),
        };
        // The mode that was heard let in whoever is free.
        let needs_pass = match &entry {
            Entry::Free => !mode::heard(room).passes(),
            _ => mode::needs_pass(room),
        };
        match &entry {
            Entry::Lease(pass, _) => health::note_answer(&self.platform, &self.received, room, pass, &returned),
            Entry::Farewell(_) | Entry::Staff(_) | Entry::Free => health::note_answer_to_others(&self.platform, room, &returned),
        }
        let answer = match returned {
            Returned::Answer(answer) => answer,
            Returned::Nothing { .. } => {
                attach_pass(&self.received, room, entry, &mut attached);
                let draft = down::origin_down(&self.platform.env, &self.received).await;
                return self.received.finish(draft.cookies(attached.must).cookies(attached.may));
            }
            Returned::Refused => return self.received.finish(Draft::error(ErrorCode::BadRequest)),
        };
        let commands = answer.commands(room);
        if commands.release == Release::Keep && answer.release().is_some() && matches!(entry, Entry::Lease(..)) {
            ungated::note_unheeded(&self.platform, &self.received, Some(room), Unheeded::OtherRoom);
        }
        match (commands.release, commands.extend_ms, &entry) {
            (Release::Now, _, Entry::Lease(pass, _)) => {
                lease::release(&self.platform, room, *pass).await;
                attached.must.push(self.received.issuer(room).farewell(pass));
            }
            (Release::Keep, Some(by_ms), Entry::Lease(pass, _)) => match lease::extend(&self.platform, room, *pass, by_ms).await {
                Some(extended) => attached.must.push(self.received.issuer(room).pass(&extended)),
                None => attach_pass(&self.received, room, entry, &mut attached),
            },
            _ => attach_pass(&self.received, room, entry, &mut attached),
        }
        self.received.onward(Some(room)).gated(answer, &attached, needs_pass)
    }
}

/// Attaches the pass unless the client has it already.
fn attach_pass(received: &Received, room: &RoomSettings, entry: Entry, attached: &mut Attached) {
    let Entry::Lease(pass, cookie) = entry else {
        return;
    };
    match cookie {
        Cookie::Shown => {}
        Cookie::Renewed => attached.may.push(received.issuer(room).pass(&pass)),
        Cookie::New => attached.must.push(received.issuer(room).pass(&pass)),
        Cookie::Coming(mut coming) => {
            if let Ok(Some(renewed)) = coming.try_recv() {
                attached.may.push(received.issuer(room).pass(&renewed));
            }
        }
    }
}
