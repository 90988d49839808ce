//! Reads the shop's keys from the secret `ENTRY_KEYS`: at most four, each with its name and its algorithm. No key is ever shown, not
//! even in `Debug` or in an error.

use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::super::codec;

/// The most keys of one deployment: two issuers, each with a key and its successor.
pub const ENTRY_KEYS_MAX: usize = 4;
/// The least length of a shared key, in bytes: the length of an HMAC-SHA256 (RFC 7518, 3.2).
const SHARED_BYTES_MIN: usize = 32;
/// The longest shared key, in bytes.
const SHARED_BYTES_MAX: usize = 1_024;
/// The bytes of an Ed25519 public key.
const PUBLIC_BYTES: usize = 32;
/// The most bytes of a key's name, and of an issuer.
const NAME_BYTES_MAX: usize = 128;
const FIELDS: [&str; 4] = ["kid", "alg", "key", "iss"];

/// What is wrong with `ENTRY_KEYS`. It shows nothing of what stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryKeyError {
    /// Where, such as `[1].alg`; empty means the whole.
    pub at: String,
    /// What is wrong.
    pub what: &'static str,
    /// What to write.
    pub cure: &'static str,
}

/// What a key verifies with.
#[derive(Clone)]
pub(super) enum Material {
    /// `HS256`.
    Shared(Hmac<Sha256>),
    /// `EdDSA`: an Ed25519 public key.
    Public([u8; PUBLIC_BYTES]),
}

/// One of the shop's keys.
#[derive(Clone)]
pub(super) struct EntryKey {
    pub id: String,
    pub issuer: Option<String>,
    pub material: Material,
    /// Tells this key from every other, and reveals nothing about it.
    pub fingerprint: [u8; 4],
}

impl EntryKey {
    /// The algorithm as `alg` names it.
    pub const fn algorithm(&self) -> &'static str {
        match self.material {
            Material::Shared(_) => "HS256",
            Material::Public(_) => "EdDSA",
        }
    }
}

/// The shop's keys.
#[derive(Clone, Default)]
pub struct EntryKeys {
    keys: Vec<EntryKey>,
}

impl std::fmt::Debug for EntryKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ids = self.keys.iter().map(|key| key.fingerprint);
        f.debug_list().entries(ids).finish()
    }
}

impl EntryKeys {
    /// Reads `[{"kid": …, "alg": "HS256" or "EdDSA", "key": …, "iss": …}]`; `iss` may be left out. An empty text means
    /// that there is no key. O(length).
    ///
    /// # Errors
    /// Returns everything that is wrong, in the order of the list.
    pub fn parse(text: &str) -> Result<Self, Vec<EntryKeyError>> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let whole = |what, cure| {
            vec![EntryKeyError {
                at: String::new(),
                what,
                cure,
            }]
        };
        let list = match serde_json::from_str::<Value>(text) {
            Ok(Value::Array(list)) => list,
            Ok(_) => {
                return Err(whole("is no list", "Write [{\"kid\": …, \"alg\": …, \"key\": …}]"));
            }
            Err(_) => {
                return Err(whole("is not JSON", "Write [{\"kid\": …, \"alg\": …, \"key\": …}], on one line"));
            }
        };
        if list.len() > ENTRY_KEYS_MAX {
            return Err(whole("lists more than 4 keys", "Remove those that no longer sign"));
        }
        let mut errors = Vec::new();
        let mut keys: Vec<EntryKey> = Vec::new();
        for (at, value) in list.iter().enumerate() {
            let mut complain = |field: &str, what, cure| {
                let at = format!("[{at}]{field}");
                errors.push(EntryKeyError { at, what, cure });
            };
            let Some(table) = value.as_object() else {
                let cure = "Write {\"kid\": …, \"alg\": …, \"key\": …}";
                complain("", "is no object", cure);
                continue;
            };
            let Some(key) = read(table, &mut complain) else {
                continue;
            };
            if keys.iter().any(|other| other.id == key.id) {
                let cure = "Give each key a name of its own";
                complain(".kid", "is another key's name too", cure);
            }
            keys.push(key);
        }
        errors.extend(lacking_issuer(&keys).filter(|_| keys.len() == list.len()));
        if errors.is_empty() { Ok(Self { keys }) } else { Err(errors) }
    }

    /// Returns whether there is no key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Returns the key of this name.
    pub(super) fn named(&self, id: &str) -> Option<&EntryKey> {
        self.keys.iter().find(|key| key.id == id)
    }

    /// Returns whether a key with this fingerprint is still there.
    pub(super) fn has(&self, fingerprint: [u8; 4]) -> bool {
        self.keys.iter().any(|key| key.fingerprint == fingerprint)
    }
}

/// Complains about each key without an issuer beside one that has one: its owner could sign for the other's customers.
fn lacking_issuer(keys: &[EntryKey]) -> impl Iterator<Item = EntryKeyError> {
    let some_have = keys.iter().any(|key| key.issuer.is_some());
    let lacking = keys.iter().enumerate();
    let lacking = lacking.filter(move |(_, key)| some_have && key.issuer.is_none());
    lacking.map(|(at, _)| EntryKeyError {
        at: format!("[{at}].iss"),
        what: "is left out, while another key has one: this key would sign for that issuer's customers too",
        cure: "Write the `iss` of its own tokens, or leave `iss` out of every key",
    })
}

/// Reads one key. If anything is wrong, complains about each thing and returns `None`.
fn read(table: &Map<String, Value>, complain: &mut impl FnMut(&str, &'static str, &'static str)) -> Option<EntryKey> {
    let is_known = |name: &String| FIELDS.contains(&name.as_str());
    if !table.keys().all(is_known) {
        let cure = "Leave kid, alg, key and iss";
        complain("", "has a field that means nothing here", cure);
        return None;
    }
    let name = |field: &str| {
        let text = table.get(field)?.as_str()?;
        (1..=NAME_BYTES_MAX).contains(&text.len()).then(|| text.to_owned())
    };
    let id = name("kid");
    if id.is_none() {
        let cure = "Write the name that the shop puts in the token's header, of 1 to 128 bytes";
        complain(".kid", "is no name of a key", cure);
    }
    let issuer = name("iss");
    if issuer.is_none() && table.contains_key("iss") {
        let cure = "Write the `iss` of the shop's tokens, of 1 to 128 bytes, or leave it out";
        complain(".iss", "is no name of an issuer", cure);
    }
    let text = table.get("key").and_then(Value::as_str).unwrap_or_default();
    let material = material(table.get("alg"), text, complain);
    let (id, material) = (id?, material?);
    Some(EntryKey {
        fingerprint: fingerprint(&id, text),
        id,
        issuer,
        material,
    })
}

/// Reads the key itself in the form that its algorithm needs.
fn material(algorithm: Option<&Value>, text: &str, complain: &mut impl FnMut(&str, &'static str, &'static str)) -> Option<Material> {
    match algorithm.and_then(Value::as_str) {
        Some("HS256") if (SHARED_BYTES_MIN..=SHARED_BYTES_MAX).contains(&text.len()) => {
            Hmac::new_from_slice(text.as_bytes()).ok().map(Material::Shared)
        }
        Some("HS256") => {
            let cure = "Write the shared secret as text, of 32 to 1024 bytes, as from `openssl rand -base64 48`";
            complain(".key", "is no shared key", cure);
            None
        }
        Some("EdDSA") => {
            let bytes = codec::from_text(text, PUBLIC_BYTES);
            let public = bytes.and_then(|bytes| bytes.try_into().ok());
            if public.is_none() {
                let cure = "Write the public key of Ed25519 as 43 characters of base64url: `x` of its JWK";
                complain(".key", "is no public key", cure);
            }
            public.map(Material::Public)
        }
        _ => {
            let cure = "Write \"HS256\" or \"EdDSA\"";
            complain(".alg", "is no algorithm that is taken", cure);
            None
        }
    }
}

/// Returns the first bytes of a hash of the name and the key.
fn fingerprint(id: &str, key: &str) -> [u8; 4] {
    let mut hash = Sha256::new();
    for field in ["baton-entry-key-v1", id, key] {
        codec::with_length(|bytes| hash.update(bytes), field.as_bytes());
    }
    let [a, b, c, d, ..]: [u8; 32] = hash.finalize().into();
    [a, b, c, d]
}

/// Returns whether the shared key made this MAC. Compares all 32 bytes, in constant time: a cut MAC is not accepted.
pub(super) fn is_mac(key: &Hmac<Sha256>, signed: &[u8], mac: &[u8]) -> bool {
    let mut hmac = key.clone();
    hmac.update(signed);
    hmac.verify_slice(mac).is_ok()
}
