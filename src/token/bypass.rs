//! The secret with which the operator's monitors and load tests pass every room. Baton keeps its hash and compares in constant time.

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The least length of `BYPASS_SECRET`, in bytes.
pub const BYPASS_BYTES_MIN: usize = 32;

/// The hash of `BYPASS_SECRET`.
#[derive(Clone, PartialEq, Eq)]
pub struct BypassSecret([u8; 32]);

/// Shows nothing of the secret.
impl std::fmt::Debug for BypassSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BypassSecret")
    }
}

impl BypassSecret {
    /// Hashes `BYPASS_SECRET`, byte for byte. Returns `None` if it is not set, or shorter than [`BYPASS_BYTES_MIN`].
    #[must_use]
    pub fn new(secret: &str) -> Option<Self> {
        (secret.len() >= BYPASS_BYTES_MIN).then(|| Self(digest_of(secret)))
    }

    /// Returns whether `shown` is the secret. O(length), whatever it is.
    #[must_use]
    pub fn is(&self, shown: &str) -> bool {
        self.0.ct_eq(&digest_of(shown)).into()
    }
}

fn digest_of(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_very_secret_is_it_and_a_short_one_is_none() {
        let secret = "a secret of the monitors, long enough";
        let known = BypassSecret::new(secret).expect("long enough");
        assert!(known.is(secret));
        for other in ["", "a secret", &secret[1..], &format!("{secret} ")] {
            assert!(!known.is(other), "{other}");
        }
        assert_eq!(BypassSecret::new(""), None);
        assert_eq!(BypassSecret::new(&"a".repeat(31)), None);
        assert_eq!(format!("{known:?}"), "BypassSecret");
    }
}
