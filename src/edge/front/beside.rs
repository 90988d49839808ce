//! Lets staff with a link, the operator's monitors with a secret, and listed addresses go in beside the line. They take no place and no permit, so no object is asked.

use wasm_bindgen::JsValue;
use worker::web_sys::Response;

use super::answers::Draft;
use super::incoming::Incoming;
use super::memory;
use super::received::Received;
use super::way_in::Entry;
use crate::dice;
use crate::log::{self, Code, Remark};
use gate::{BYPASS_HEADER, CookieName, Cookies, EntryLink};
use settings::RoomSettings;
use token::{ANYWHERE, Staff, StaffName, room_mark};

/// Returns what lets a request go in beside the line, or `None` if nothing does: nobody goes into a room that is over.
pub(super) fn way_in(received: &Received, room: &RoomSettings, now_ms: u64) -> Option<Entry> {
    if room.is_over {
        return None;
    }
    if shows_bypass(received, now_ms) || is_listed(&received.incoming, room) {
        return Some(Entry::Free);
    }
    let (cookies, header) = received.incoming.tokens(&received.host, room);
    let values = cookies.values(header.as_deref(), CookieName::Staff(&room.name));
    let mut found = values.iter().filter_map(|value| staff(received, room, value, now_ms));
    found.next().map(|staff| Entry::Staff(staff.name))
}

/// Returns the staff member that a token names, if the token is valid now for this room. One HMAC.
fn staff(received: &Received, room: &RoomSettings, text: &str, now_ms: u64) -> Option<Staff> {
    let keyring = &received.deployment.keyring;
    let verified = keyring.verify::<Staff>(text, ANYWHERE, now_ms).ok()?;
    let staff = verified.token;
    let is_ours = staff.room == room_mark(&room.bound_as) && staff.epoch == room.staff_epoch;
    is_ours.then_some(staff)
}

/// Answers a staff link with a cookie and a redirect to the same address without the token. Returns `None` if the token is not a staff token.
/// Whoever opens the link gets the cookie and nothing else.
pub(super) fn staff_link_opened(received: &Received, room: &RoomSettings, link: &EntryLink) -> Option<Result<Response, JsValue>> {
    let now_ms = dice::now_ms();
    let staff = staff(received, room, &link.token, now_ms)?;
    let age_s = Cookies::age_s(now_ms, staff.ends_at_ms);
    let name = CookieName::Staff(&room.name);
    let cookie = received.cookies_of(room).set(name, &link.token, age_s);
    let said = Remark::front(Code::StaffLinkOpened).in_room(&room.name);
    log::say(&said.because(staff_name(&staff.name)));
    let draft = Draft::new(303)
        .with("Location", link.path_and_query.clone())
        .with("Referrer-Policy", "no-referrer");
    Some(received.finish(draft.cookies(vec![cookie])))
}

/// Whether the request comes from an address that the room lets in. A rehearsal's crowd may come from one, and plays the public.
fn is_listed(incoming: &Incoming, room: &RoomSettings) -> bool {
    let networks = &room.bypass_addresses;
    if networks.is_empty() || room.is_rehearsal() {
        return false;
    }
    let from = incoming.client().and_then(|from| from.parse().ok());
    from.is_some_and(|from| networks.iter().any(|network| network.contains(from)))
}

/// Whether the request shows the operator's bypass secret. Wrong secrets count like wrong operators' tokens: after too many, the address is not
/// heard for a while, and its requests wait like any others. Without an address the right one is heard always.
fn shows_bypass(received: &Received, now_ms: u64) -> bool {
    let Some(secret) = &received.deployment.bypass else {
        return false;
    };
    let Some(shown) = received.incoming.header(BYPASS_HEADER) else {
        return false;
    };
    let from = received.address();
    let is_slowed = memory::slowed_s(now_ms, from).is_some();
    if is_slowed && from.is_some() {
        return false;
    }
    let is_it = secret.is(&shown);
    if !is_it && !is_slowed {
        memory::note_guess(now_ms, from);
        if memory::begin_saying_unknown_key(now_ms) {
            log::say(&Remark::front(Code::BypassRefused));
        }
    }
    is_it
}

fn staff_name(name: &StaffName) -> String {
    name.as_str().to_owned()
}
