//! The random bytes that an object draws when it comes into memory, and what it derives from them.

use facts::holder::Salt;
use facts::message::RoomMemory;
use facts::units::Edition;
use sha2::{Digest, Sha256};

/// 32 random bytes, drawn when an object comes into memory. Salts are made of them.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Chance(pub [u8; 32]);

impl core::fmt::Debug for Chance {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Chance(…)")
    }
}

impl Chance {
    /// The nonce that names this stretch of the room's memory.
    pub(super) fn memory(&self) -> RoomMemory {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update(b"memory");
        let [a, b, c, d, e, f, g, h, ..]: [u8; 32] = hash.finalize().into();
        RoomMemory(u64::from_be_bytes([a, b, c, d, e, f, g, h]))
    }

    /// Returns the next bytes, for use once nobody may know the salts made of these.
    pub(super) fn next(&self) -> Self {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update(b"next");
        Self(hash.finalize().into())
    }

    /// Returns a salt that nobody can guess, a different one for each edition.
    pub(super) fn salt(&self, edition: Edition) -> Salt {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update(edition.0.to_be_bytes());
        let digest: [u8; 32] = hash.finalize().into();
        let mut salt = [0; 16];
        salt.iter_mut().zip(digest).for_each(|(to, from)| *to = from);
        Salt(salt)
    }
}
