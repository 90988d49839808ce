//! From a visitor's name, or an account's, to the key by which the room knows it.

use core::cell::Cell;
use facts::holder::{Holder, Key, Salt, Tag};
use facts::units::{AccountId, AddressTag, Network, VisitorId};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Returns the holder that a visitor is under this salt: HMAC-SHA-256, truncated. O(1).
#[must_use]
pub fn holder(salt: Salt, visitor: VisitorId) -> Holder {
    Holder {
        key: Key::from(hashed(salt, b'v', &visitor.0)),
        tag: tag(salt, visitor.tag()),
    }
}

/// Returns what the keys of accounts are made with under this salt. Whoever knows it can tell which of the customers that they know has a key, and
/// nothing of visitors' names: the salt itself does not follow from it. O(1).
#[must_use]
pub fn account_salt(salt: Salt) -> Salt {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ..] = mac(salt, &[b"c"]);
    Salt([a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p])
}

/// Returns the key of an account under this salt: HMAC-SHA-256 with [`account_salt`], truncated. O(1).
#[must_use]
pub fn account(salt: Salt, account: AccountId) -> Key {
    let [a, b, c, d, e, f, g, h, ..] = mac(account_salt(salt), &[&account.0]);
    Key::from([a, b, c, d, e, f, g, h])
}

/// The holder that was made last. One ask needs it some six times, and making it takes two HMACs.
#[derive(Clone, Default)]
pub(super) struct LastHolder(Cell<Option<(Salt, VisitorId, Holder)>>);

impl LastHolder {
    /// Does what [`holder`] does. O(1).
    pub fn of(&self, salt: Salt, visitor: VisitorId) -> Holder {
        match self.0.get() {
            Some((same_salt, same, last)) if (same_salt, same) == (salt, visitor) => last,
            _ => {
                let made = holder(salt, visitor);
                self.0.set(Some((salt, visitor, made)));
                made
            }
        }
    }
}

/// Shows nothing of the holder: it follows from the rest, and must not make two equal lobbies look different.
impl core::fmt::Debug for LastHolder {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("LastHolder")
    }
}

/// Returns the tag of an address under this salt. Of IPv6, what tells apart the addresses of one /48 is masked with a part of its hash. O(1).
#[must_use]
pub fn tag(salt: Salt, address: AddressTag) -> Tag {
    if address.is_shared() {
        let [a, b, c, d, ..] = hashed(salt, b'a', &address.0);
        return Tag::shared(u32::from_be_bytes([a, b, c, d]));
    }
    let [.., e, f, g, h] = address.0;
    let [a, b, c, d, mask56, mask64, ..] = hashed(salt, b'n', &address.within(Network::Slash48).0);
    // The lowest bit of an address's tag is no part of its hash.
    let slash64 = u16::from_be_bytes([g, h]) >> 1;
    Tag::of_ipv6(
        u32::from_be_bytes([a, b, c, d]),
        u32::from(u16::from_be_bytes([e, f])) ^ u32::from(mask56),
        u32::from(slash64) ^ u32::from(mask64),
    )
}

fn hashed(salt: Salt, what: u8, bytes: &[u8]) -> [u8; 8] {
    let [a, b, c, d, e, f, g, h, ..] = mac(salt, &[&[what], bytes]);
    [a, b, c, d, e, f, g, h]
}

fn mac(salt: Salt, parts: &[&[u8]]) -> [u8; 32] {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&salt.0) else {
        return [0; 32];
    };
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_holder_is_of_this_salt_and_this_visitor() {
        let last = LastHolder::default();
        for at in [0, 1, 1, 3, 2, 0, 0, 1] {
            let (salt, visitor) = (Salt([at % 2; 16]), VisitorId([at / 2; 16]));
            assert_eq!(last.of(salt, visitor), holder(salt, visitor));
        }
    }
}
