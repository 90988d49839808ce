//! Reads the form of the shop's token, a compact JWS (RFC 7515) of exactly three parts, and says whether one of the shop's keys signed it. `kid`
//! chooses the key, and the key fixes the algorithm. What the token says of its algorithm must agree, and decides nothing.

use serde_json::{Map, Value};

use super::super::codec;
use super::keys::{EntryKey, EntryKeys, Material, is_mac};
use facts::entry::EntryRefusal;

/// The longest token, in bytes. It fits in a cookie of 4 KB, and in an address.
pub const ENTRY_BYTES_MAX: usize = 2_048;
/// The bytes of an Ed25519 signature.
const SIGNATURE_BYTES: usize = 64;

/// A token of the right form.
#[derive(Debug)]
pub enum Opened<'k> {
    /// Its signature is good.
    Signed(Signed<'k>),
    /// The platform must say whether its signature is good.
    Asked(Question<'k>),
}

/// The claims that a key of the shop signed, not yet judged.
#[derive(Debug)]
pub struct Signed<'k> {
    pub(super) fingerprint: [u8; 4],
    pub(super) issuer: Option<&'k str>,
    pub(super) claims: Map<String, Value>,
}

/// The question whether this key made this signature over these bytes, by Ed25519.
#[derive(Debug)]
pub struct Question<'k> {
    /// The public key.
    pub key: [u8; 32],
    /// The signature to verify.
    pub signature: [u8; SIGNATURE_BYTES],
    /// The bytes that were signed.
    pub signed: Vec<u8>,
    claims: Signed<'k>,
}

impl<'k> Question<'k> {
    /// Returns the claims if the signature is good.
    ///
    /// # Errors
    /// Returns [`EntryRefusal::Signature`] if it is not.
    pub fn answered(self, is_good: bool) -> Result<Signed<'k>, EntryRefusal> {
        if is_good { Ok(self.claims) } else { Err(EntryRefusal::Signature) }
    }
}

impl EntryKeys {
    /// Reads a token that the shop may have signed. Total for any input; O(length), at most one HMAC.
    ///
    /// # Errors
    /// Returns [`EntryRefusal::Malformed`], [`EntryRefusal::Key`] or [`EntryRefusal::Signature`].
    pub fn open(&self, text: &str) -> Result<Opened<'_>, EntryRefusal> {
        if text.len() > ENTRY_BYTES_MAX {
            return Err(EntryRefusal::Malformed);
        }
        let (signed, signature) = text.rsplit_once('.').ok_or(EntryRefusal::Malformed)?;
        let (header, payload) = signed.split_once('.').ok_or(EntryRefusal::Malformed)?;
        let part = |text: &str| codec::from_any_text(text).ok_or(EntryRefusal::Malformed);
        let (header, payload, signature) = (part(header)?, part(payload)?, part(signature)?);
        let key = self.key_of(&object(&header)?)?;
        let claims = Signed {
            fingerprint: key.fingerprint,
            issuer: key.issuer.as_deref(),
            claims: object(&payload)?,
        };
        match &key.material {
            Material::Shared(shared) if is_mac(shared, signed.as_bytes(), &signature) => Ok(Opened::Signed(claims)),
            Material::Shared(_) => Err(EntryRefusal::Signature),
            Material::Public(public) => Ok(Opened::Asked(Question {
                key: *public,
                signature: signature.try_into().map_err(|_| EntryRefusal::Signature)?,
                signed: signed.as_bytes().to_vec(),
                claims,
            })),
        }
    }

    /// Returns the key that the header names. Refuses a header with anything but `alg`, `kid` and `typ`: it asks for something that Baton does not
    /// do (`crit`, a key of its own).
    fn key_of(&self, header: &Map<String, Value>) -> Result<&EntryKey, EntryRefusal> {
        let is_known = |name: &String| ["alg", "kid", "typ"].contains(&name.as_str());
        let text = |name: &str| header.get(name).and_then(Value::as_str);
        let is_jwt = match header.get("typ") {
            None => true,
            Some(typ) => typ.as_str().is_some_and(|typ| typ.eq_ignore_ascii_case("JWT")),
        };
        let (Some(algorithm), Some(id), true, true) = (text("alg"), text("kid"), is_jwt, header.keys().all(is_known)) else {
            return Err(EntryRefusal::Malformed);
        };
        let key = self.named(id).ok_or(EntryRefusal::Key)?;
        if key.algorithm() == algorithm { Ok(key) } else { Err(EntryRefusal::Key) }
    }
}

fn object(bytes: &[u8]) -> Result<Map<String, Value>, EntryRefusal> {
    let text = core::str::from_utf8(bytes).map_err(|_| EntryRefusal::Malformed)?;
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Ok(object),
        _ => Err(EntryRefusal::Malformed),
    }
}
