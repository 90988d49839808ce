//! Turns a shop's name for a customer into the account that Baton goes by.

use facts::units::AccountId;
use sha2::{Digest, Sha256};

/// Returns the account that the issuer `iss` means by `sub`: the first half of SHA-256(`sub:` ‖ the issuer's length as four bytes, the highest first
/// ‖ issuer ‖ sub). It is the same on all hosts of a room, and another one for another issuer. O(bytes).
#[must_use]
pub fn account_id(iss: &str, sub: &str) -> AccountId {
    let mut hash = Sha256::new();
    hash.update(b"sub:");
    let length = u32::try_from(iss.len()).unwrap_or(u32::MAX);
    hash.update(length.to_be_bytes());
    hash.update(iss.as_bytes());
    hash.update(sub.as_bytes());
    let digest: [u8; 32] = hash.finalize().into();
    let (id, _) = digest.split_first_chunk().unwrap_or((&[0; 16], &[]));
    AccountId(*id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issuer_ends_where_its_sub_begins() {
        assert_ne!(account_id("a", "bc"), account_id("ab", "c"));
        assert_ne!(account_id("", "abc"), account_id("abc", ""));
        assert_eq!(account_id("shop", "7"), account_id("shop", "7"));
    }

    /// Made with `printf 'sub:\0\0\0\4shop7' | sha256sum`.
    #[test]
    fn others_can_work_it_out() {
        let AccountId(id) = account_id("shop", "7");
        let hex: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "6cb5dd746bdbe5d63614785dd364080a");
    }
}
