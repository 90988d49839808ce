//! From a visitor's name to the key by which the room knows its holder.

use crate::facts::holder::{Holder, Key, Salt, Tag};
use crate::facts::units::VisitorId;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The holder that a visitor is under this salt: HMAC-SHA-256, cut. O(1).
#[must_use]
pub fn holder(salt: Salt, visitor: VisitorId) -> Holder {
    Holder {
        key: Key::from(hashed(salt, b'v', &visitor.0)),
        tag: tag(salt, visitor),
    }
}

/// The address of a visitor under this salt. O(1).
#[must_use]
pub fn tag(salt: Salt, visitor: VisitorId) -> Tag {
    let [a, b, c, d, ..]: [u8; 8] = hashed(salt, b'a', &visitor.tag().0);
    Tag::from([a, b, c, d])
}

fn hashed(salt: Salt, what: u8, bytes: &[u8]) -> [u8; 8] {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&salt.0) else {
        return [0; 8];
    };
    mac.update(&[what]);
    mac.update(bytes);
    let digest: [u8; 32] = mac.finalize().into_bytes().into();
    let [a, b, c, d, e, f, g, h, ..] = digest;
    [a, b, c, d, e, f, g, h]
}
