//! Reads from the request in hand who asks (`gate/identity.rs`).

use super::{Front, memory};
use crate::log::{self, Code, Remark};
use settings::RoomSettings;
use token::Pass;

pub use gate::Identity;
use gate::{TokensShown, lease_shown};

impl Front {
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

    fn tokens_shown<'a>(&'a self, room: &'a RoomSettings, knock: Option<&'a str>) -> TokensShown<'a> {
        let (cookies, text) = self.incoming.tokens(&self.host, room);
        TokensShown {
            cookies,
            host: &self.host,
            text,
            knock,
        }
    }

    /// Logs that somebody showed a key which this isolate does not know: a deploy is under way, or one that brought a new key was rolled back.
    pub(super) fn note_unknown_key(&self, now_ms: u64) {
        if memory::begin_saying_unknown_key(now_ms) {
            log::say(&Remark::front(Code::KeyUnknown));
        }
    }
}
