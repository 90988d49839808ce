//! Secrets and signatures, in the form of Standard Webhooks (standardwebhooks.com): HMAC-SHA256 over id, second and body.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use core::fmt;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Maximum secrets of a webhook at once: the new one and the one before.
pub const SECRETS_MAX: usize = 2;
/// Bytes of a key, as the form allows them.
const KEY_BYTES: core::ops::RangeInclusive<usize> = 24..=64;

/// The keys of a webhook. `Debug` shows none of them.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secrets(Vec<Vec<u8>>);

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({})", self.0.len())
    }
}

/// A secret has the wrong form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretError;

impl fmt::Display for SecretError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("is not whsec_ and 24 to 64 bytes in base64, or two of these with a space between")
    }
}

impl Secrets {
    /// Reads `whsec_…`, or two of these with a space between.
    ///
    /// # Errors
    /// [`SecretError`] if any of them has the wrong form.
    pub fn parse(text: &str) -> Result<Self, SecretError> {
        let keys: Result<Vec<_>, _> = text.split_ascii_whitespace().map(key).collect();
        let keys = keys?;
        match (1..=SECRETS_MAX).contains(&keys.len()) {
            true => Ok(Self(keys)),
            false => Err(SecretError),
        }
    }

    /// Returns the value of `webhook-signature`: one signature a key.
    fn signature(&self, id: &str, second: u64, body: &str) -> String {
        let each = self.0.iter().filter_map(|key| {
            let mut mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
            mac.update(format!("{id}.{second}.").as_bytes());
            mac.update(body.as_bytes());
            Some(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
        });
        each.collect::<Vec<_>>().join(" ")
    }
}

fn key(text: &str) -> Result<Vec<u8>, SecretError> {
    let text = text.strip_prefix("whsec_").ok_or(SecretError)?;
    let key = STANDARD.decode(text).map_err(|_| SecretError)?;
    match KEY_BYTES.contains(&key.len()) {
        true => Ok(key),
        false => Err(SecretError),
    }
}

/// Returns the three headers of the form with their values. `now_ms` is the time of this very try.
#[must_use]
pub fn signed_headers(secrets: &Secrets, id: &str, now_ms: u64, body: &str) -> [(&'static str, String); 3] {
    let second = now_ms / 1_000;
    [
        ("webhook-id", id.to_owned()),
        ("webhook-timestamp", second.to_string()),
        ("webhook-signature", secrets.signature(id, second, body)),
    ]
}
