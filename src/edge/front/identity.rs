//! Reads from the request in hand who asks (`gate/identity.rs`).

use super::memory;
use super::received::Received;
use crate::log::{self, Code, Remark};
use settings::RoomSettings;
use token::{Freshness, Pass};

pub use gate::Identity;
use gate::{Gated, TokensShown, lease_shown};

impl Received {
    /// Who asks, as far as the tokens for this room prove it.
    pub(super) fn identity(&self, room: &RoomSettings, now_ms: u64) -> Identity {
        let keys = &self.deployment;
        let knock = self.incoming.described().socket_token();
        let shown = self.tokens_shown(room, knock.as_deref());
        Identity::read(&shown, &keys.keyring, &keys.entry_keys, room, now_ms)
    }

    /// The lease that the pass cookie proves. Looks at nothing else.
    pub(super) fn lease_shown(&self, room: &RoomSettings, now_ms: u64) -> Option<Pass> {
        let shown = self.tokens_shown(room, None);
        lease_shown(&shown, &self.deployment.keyring, room, now_ms)
    }

    /// Returns a pass with which a request goes on at once: one that needs no question, or one about which an earlier request asks while the room is
    /// away. Nearly every request goes this way, so nothing else is looked at.
    pub(super) fn pass_at_once(&self, gated: &Gated<'_>, now_ms: u64) -> Option<Pass> {
        let room = &gated.room.settings;
        let pass = self.lease_shown(room, now_ms)?;
        let is_asked = || memory::is_away(&room.name, pass.lobby, now_ms) && memory::is_renewing(&room.bound_as, pass.fence, now_ms);
        let goes = match pass.freshness(now_ms, room.pass_ttl_ms) {
            Freshness::Fresh => true,
            Freshness::Ended => !gated.intent.is_speculative && is_asked(),
            _ => false,
        };
        goes.then_some(pass)
    }

    fn tokens_shown<'a>(&'a self, room: &'a RoomSettings, knock: Option<&'a str>) -> TokensShown<'a> {
        let (cookies, text) = self.incoming.tokens(&self.host, room);
        TokensShown {
            cookies,
            host: &self.host,
            text,
            knock,
        }
    }
}

/// Logs that somebody showed a key which this isolate does not know: a deploy is under way, or one that brought a new key was rolled back.
pub(super) fn note_unknown_key(now_ms: u64) {
    if memory::begin_saying_unknown_key(now_ms) {
        log::say(&Remark::front(Code::KeyUnknown));
    }
}
