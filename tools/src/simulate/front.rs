//! What passes between visitors and lobbies by way of the front: cookies and asks. The front's tokens are those of `token`; what it does is in
//! `acts/front` and `acts/calls`.

use super::queue::Life;
use super::slab::Id;
use baton::facts::wire::{Ask, Wish};
use baton::gate::{self, Question};
use baton::lobby::Asker;
use baton::settings::{self, RoomSettings};
use baton::token::{Farewell, Keyring, Pass, PassCookie, Scope};
use serde_json::json;
use std::sync::LazyLock;

/// How long a front honours a pass without asking, in ms.
pub const PASS_TTL_MS: u64 = 6_000;
const SCOPE: Scope<'static> = Scope {
    room: "onsale",
    host: "shop.example",
};

/// How an ask reaches its lobby.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// As a request, which gets an answer.
    Plain,
    /// As an upgrade to a socket.
    Socket,
    /// As a request that a front sent again: nobody hears the answer.
    Unheard,
}

/// What the front knows of the room from its file.
pub(super) static ROOM: LazyLock<RoomSettings> = LazyLock::new(|| {
    let vars = json!({ "ROOMS": { "onsale": { "paths": ["/*"], "permits": 1 } } });
    let settings = settings::parse(&vars).expect("good settings");
    let room = settings.room("onsale").expect("the room").clone();
    RoomSettings {
        pass_ttl_ms: PASS_TTL_MS,
        ..room
    }
});

/// What the pass cookie holds.
#[derive(Clone, Debug)]
pub enum Cookie {
    /// A pass: the visitor has a lease.
    Pass(Pass),
    /// A farewell: the holder is done, and the last page still loads.
    Farewell(Farewell),
}

/// An ask: on its way, in a lobby, or on its way back.
pub struct Asking {
    pub visitor: usize,
    pub lobby: usize,
    pub ask: Ask,
    pub kind: Kind,
    /// When the front asked.
    pub asked_at: u64,
    /// When the lobby heard it.
    pub arrived_at: u64,
    /// The lobby's life and the asker that it answers; `None` until the ask has arrived.
    pub at: Option<(Life, Asker)>,
    pub done: bool,
    pub socket: Option<Id>,
    /// Whether the front asks the second time, because the lobby could not read the ask.
    pub again: bool,
    pub(super) question: Question,
    /// The request that asks, unless the front asks beside one.
    pub(super) visit: Option<Visiting>,
}

/// A request that waits for a lobby's answer.
#[derive(Clone)]
pub(super) struct Visiting {
    pub waits: Waits,
    pub why: Why,
}

/// What takes the answer.
#[derive(Clone)]
pub(super) enum Waits {
    Asking(gate::Asking),
    Connecting(gate::Connecting),
}

/// What a request is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Why {
    /// A visit to the gated path by a click.
    Click,
    /// A visit to the gated path by a click, under a farewell that still loads.
    Anew,
    /// A visit to the gated path ahead of a click.
    Look,
    /// A call to Baton itself: a claim.
    Claim,
    /// Another call to Baton itself.
    Call,
}

impl Asking {
    /// Returns whether the ask may lead to a place.
    #[must_use]
    pub const fn takes_place(&self) -> bool {
        matches!(self.ask.wish, Wish::Join | Wish::Attend | Wish::Arrive { .. } | Wish::Carry { .. })
    }
}

/// The front of a world. In one world of sixteen it signs and reads cookies; in the others it takes them at their word.
pub struct Front {
    pub keyring: Option<Keyring>,
    /// Whether the room is strict: the front asks about each request inside.
    pub strict: bool,
}

impl Front {
    /// Reads the cookie that a browser shows. With `forged` one letter of it is changed. Returns `None` if the cookie is no good.
    pub(super) fn reads(&self, cookie: &Cookie, time: u64, forged: bool) -> Option<Cookie> {
        let Some(keyring) = &self.keyring else {
            return (!forged).then(|| cookie.clone());
        };
        let mut text = match cookie {
            Cookie::Pass(pass) => keyring.sign(pass, SCOPE),
            Cookie::Farewell(farewell) => keyring.sign(farewell, SCOPE),
        };
        if forged {
            let at = (time % text.len() as u64) as usize;
            let other = if text.as_bytes()[at] == b'A' { "B" } else { "A" };
            text.replace_range(at..=at, other);
        }
        match keyring.verify_pass_cookie(&text, SCOPE, time).ok()?.token {
            PassCookie::Pass(pass) => Some(Cookie::Pass(pass)),
            PassCookie::Farewell(farewell) => Some(Cookie::Farewell(farewell)),
        }
    }
}
