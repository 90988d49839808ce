//! The keys that an issuer publishes (a JWK set, RFC 7517): which of them may sign, how long Baton believes them, and when it asks for them
//! again. A token that names an unknown key may be signed with a new one, or be forged. So unknown keys cost the issuer one question a minute,
//! however many tokens name them.

use serde_json::{Map, Value, json};

/// How long Baton believes keys, in ms.
pub const KEYS_MS: u64 = 3_600_000;
/// How long after a question an unknown key leads to no other question, in ms.
pub const UNKNOWN_MS: u64 = 60_000;
/// How long Baton waits before it asks an issuer again that did not answer, in ms.
pub const FAILED_MS: u64 = 5_000;
/// The most keys of one issuer: there are two or three while they change.
pub const KEYS_MAX: usize = 32;
/// The most bytes of a set: 32 RSA keys with their certificates.
pub const KEYS_BYTES_MAX: usize = 131_072;
/// The characters of an RSA modulus, from 2,048 to 8,192 bits: longer ones cost too much to verify.
const MODULUS_CHARS: core::ops::RangeInclusive<usize> = 341..=1_366;

/// The algorithms that Baton accepts. In neither does the verifier hold the signer's secret, and `none` is not among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// RSA with SHA-256 (PKCS #1 v1.5).
    Rs256,
    /// ECDSA on P-256 with SHA-256.
    Es256,
}

impl Algorithm {
    /// The name in tokens and keys.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Es256 => "ES256",
        }
    }
}

/// A key that may sign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey {
    id: String,
    /// The only algorithm that the key is for.
    pub algorithm: Algorithm,
    /// What makes the key up, as a JWK, and nothing else that stood there.
    pub jwk: String,
}

impl PublicKey {
    /// Reads the key of an entry; `None` if it is for something else, or weak.
    fn of(entry: &Map<String, Value>) -> Option<Self> {
        let text = |name: &str| entry.get(name).and_then(Value::as_str);
        let is_or_missing = |name: &str, wanted: &str| entry.get(name).is_none_or(|value| value.as_str() == Some(wanted));
        let (algorithm, jwk) = match text("kty")? {
            "RSA" => {
                let (n, e) = (text("n")?, text("e")?);
                let jwk = json!({ "kty": "RSA", "n": n, "e": e });
                MODULUS_CHARS.contains(&n.len()).then_some((Algorithm::Rs256, jwk))?
            }
            "EC" if text("crv") == Some("P-256") => {
                let jwk = json!({ "kty": "EC", "crv": "P-256", "x": text("x")?, "y": text("y")? });
                (Algorithm::Es256, jwk)
            }
            _ => return None,
        };
        let is_for_this = is_or_missing("use", "sig") && is_or_missing("alg", algorithm.name());
        is_for_this.then_some(Self {
            id: text("kid")?.to_owned(),
            algorithm,
            jwk: jwk.to_string(),
        })
    }
}

/// What is known of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookup<'a> {
    /// The key.
    Found(&'a PublicKey),
    /// The issuer must be asked.
    Ask,
    /// Baton has no such key, and has asked the issuer lately.
    Unknown,
}

/// The keys of one issuer.
#[derive(Debug, Clone, Default)]
pub struct Keyset {
    keys: Vec<PublicKey>,
    /// When the keys came, Unix ms.
    came_at_ms: Option<u64>,
    /// When Baton last began to ask the issuer, Unix ms.
    asked_at_ms: Option<u64>,
    /// When the issuer last did not answer, Unix ms.
    failed_at_ms: Option<u64>,
}

impl Keyset {
    /// Returns what is known of the key of this name. O(keys).
    #[must_use]
    pub fn find(&self, id: &str, now_ms: u64) -> Lookup<'_> {
        let lately = |at: Option<u64>, ms: u64| at.is_some_and(|at| now_ms.abs_diff(at) < ms);
        let failed = lately(self.failed_at_ms, FAILED_MS);
        if !lately(self.came_at_ms, KEYS_MS) {
            return if failed { Lookup::Unknown } else { Lookup::Ask };
        }
        match self.keys.iter().find(|key| key.id == id) {
            Some(key) => Lookup::Found(key),
            None if failed => Lookup::Unknown,
            None if lately(self.came_at_ms.max(self.asked_at_ms), UNKNOWN_MS) => Lookup::Unknown,
            None => Lookup::Ask,
        }
    }

    /// Notes that Baton begins to ask the issuer.
    pub const fn asked(&mut self, now_ms: u64) {
        self.asked_at_ms = Some(now_ms);
    }

    /// Notes that the issuer did not answer. The known keys stay until their time is over.
    pub const fn failed(&mut self, now_ms: u64) {
        self.failed_at_ms = Some(now_ms);
    }

    /// Takes in the issuer's answer. An answer that is no set of keys counts as none. O(bytes).
    pub fn came(&mut self, text: &str, now_ms: u64) {
        let set: Value = serde_json::from_str(text).unwrap_or_default();
        let Some(entries) = set.get("keys").and_then(Value::as_array) else {
            return self.failed(now_ms);
        };
        let entries = entries.iter().filter_map(Value::as_object);
        self.keys = entries.filter_map(PublicKey::of).take(KEYS_MAX).collect();
        (self.came_at_ms, self.failed_at_ms) = (Some(now_ms), None);
    }
}
