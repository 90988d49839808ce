//! The keys that an issuer publishes (a JWK set, RFC 7517): which of them may sign, how long they are believed, and when they are asked
//! for again. A token with a key that nobody knows may be of a new key, or nobody's: so it costs one question a minute, whoever sends
//! how many.

use serde_json::{Map, Value, json};

/// How long keys are believed, ms.
pub const KEYS_MS: u64 = 3_600_000;
/// How long after a question an unknown key leads to no other, ms.
pub const UNKNOWN_MS: u64 = 60_000;
/// How long an issuer that did not answer is not asked again, ms.
pub const FAILED_MS: u64 = 5_000;
/// Keys of one issuer: there are two or three while they change.
pub const KEYS_MAX: usize = 32;
/// Bytes of a set: 32 keys of RSA with their certificates.
pub const KEYS_BYTES_MAX: usize = 131_072;
/// Characters of the modulus of RSA with 2,048 bits, and with 8,192: longer ones cost too much to verify.
const MODULUS_CHARS: core::ops::RangeInclusive<usize> = 341..=1_366;

/// The algorithms there are. Neither shares a secret with whoever verifies, and `none` is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// RSA with SHA-256 (PKCS #1 v1.5).
    Rs256,
    /// ECDSA on P-256 with SHA-256.
    Es256,
}

impl Algorithm {
    /// As it stands in tokens and keys.
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
    /// The only one for which it is.
    pub algorithm: Algorithm,
    /// What makes it up, as a JWK, and nothing else that stood there.
    pub jwk: String,
}

impl PublicKey {
    /// The key of an entry; none: it is for something else, or weak.
    fn of(entry: &Map<String, Value>) -> Option<Self> {
        let text = |name: &str| entry.get(name).and_then(Value::as_str);
        let is_or_missing = |name: &str, wanted: &str| {
            entry
                .get(name)
                .is_none_or(|value| value.as_str() == Some(wanted))
        };
        let (algorithm, jwk) = match text("kty")? {
            "RSA" => {
                let (n, e) = (text("n")?, text("e")?);
                let jwk = json!({ "kty": "RSA", "n": n, "e": e });
                MODULUS_CHARS
                    .contains(&n.len())
                    .then_some((Algorithm::Rs256, jwk))?
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
    /// This is it.
    Found(&'a PublicKey),
    /// The issuer must be asked.
    Ask,
    /// There is none, and the issuer was asked lately.
    Unknown,
}

/// The keys of one issuer.
#[derive(Debug, Clone, Default)]
pub struct Keyset {
    keys: Vec<PublicKey>,
    /// When they came, Unix ms.
    came_at_ms: Option<u64>,
    /// When somebody last set out because a key was unknown.
    asked_at_ms: Option<u64>,
    /// When the issuer last did not answer.
    failed_at_ms: Option<u64>,
}

impl Keyset {
    /// What is known of the key of this name. O(keys).
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

    /// Somebody sets out to ask.
    pub const fn asked(&mut self, now_ms: u64) {
        self.asked_at_ms = Some(now_ms);
    }

    /// The issuer did not answer. The known keys stay until their time is over.
    pub const fn failed(&mut self, now_ms: u64) {
        self.failed_at_ms = Some(now_ms);
    }

    /// The issuer has answered. An answer that is no set of keys is as none. O(bytes).
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
