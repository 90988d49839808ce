//! Reads a signed assertion: a compact JWS (RFC 7515) of exactly three parts with a JWT in it (RFC 7519). Its algorithm must be one of two, and the
//! key's own. So what the token says of itself can choose neither a weaker algorithm nor a key that travels with it.

use serde_json::{Map, Value};

use super::super::codec;
use super::keyset::{Algorithm, PublicKey};

/// The longest assertion, in bytes. The platform allows 16 KB of headers in all.
pub const ASSERTION_BYTES_MAX: usize = 8_192;
/// How far the issuer's clock may be from Baton's, in ms.
const SKEW_MS: u64 = 60_000;
/// The longest address, in bytes.
const EMAIL_BYTES_MAX: usize = 254;

/// Why an assertion is not believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// It is no token of this form.
    Malformed,
    /// Its algorithm is not accepted, or is not the key's.
    Algorithm,
    /// The issuer publishes no such key.
    Key,
    /// That key did not sign it.
    Signature,
    /// It names another issuer.
    Issuer,
    /// It is for another audience.
    Audience,
    /// It is over, has not begun, or has no end.
    Time,
    /// It does not answer this question.
    Nonce,
    /// It has no address, or one that nobody has verified.
    Email,
    /// The provider gave no code, or no token for it.
    Code,
}

impl Doubt {
    /// The name for the log.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::Algorithm => "algorithm",
            Self::Key => "key",
            Self::Signature => "signature",
            Self::Issuer => "issuer",
            Self::Audience => "audience",
            Self::Time => "time",
            Self::Nonce => "nonce",
            Self::Email => "email",
            Self::Code => "code",
        }
    }
}

/// When an address counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Email {
    /// Always: the issuer tells only addresses that it has verified itself.
    AsTold,
    /// If the token says that it was verified.
    Verified,
}

/// What an assertion must say.
#[derive(Debug, Clone, Copy)]
pub struct Expected<'a> {
    /// The issuer.
    pub issuer: &'a str,
    /// The audience.
    pub audience: &'a str,
    /// The nonce of the question that it must answer; `None` if there was no question.
    pub nonce: Option<&'a str>,
    /// When its address counts.
    pub email: Email,
}

/// An assertion of the right form. Nothing in it is believed yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assertion {
    algorithm: Algorithm,
    key: String,
    signed: Vec<u8>,
    signature: Vec<u8>,
    claims: Map<String, Value>,
}

/// The question for the platform whether this key made this signature over these bytes.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The public key as a JWK.
    pub jwk: &'a str,
    /// The signature to verify.
    pub signature: &'a [u8],
    /// The bytes that were signed.
    pub signed: &'a [u8],
}

impl Assertion {
    /// Reads an assertion. Total for any input; O(length).
    ///
    /// # Errors
    /// Returns [`Doubt::Malformed`] or [`Doubt::Algorithm`].
    pub fn open(text: &str, taken: &[Algorithm]) -> Result<Self, Doubt> {
        if text.len() > ASSERTION_BYTES_MAX {
            return Err(Doubt::Malformed);
        }
        let (signed, signature) = text.rsplit_once('.').ok_or(Doubt::Malformed)?;
        let (header, payload) = signed.split_once('.').ok_or(Doubt::Malformed)?;
        let header = object(header)?;
        // `crit` names what a reader must understand, and Baton understands none of it.
        if header.contains_key("crit") {
            return Err(Doubt::Malformed);
        }
        let named = header.get("alg").and_then(Value::as_str);
        let algorithm = taken.iter().find(|known| Some(known.name()) == named);
        let algorithm = *algorithm.ok_or(Doubt::Algorithm)?;
        let key = header.get("kid").and_then(Value::as_str);
        Ok(Self {
            algorithm,
            key: key.ok_or(Doubt::Malformed)?.to_owned(),
            signed: signed.as_bytes().to_vec(),
            signature: codec::from_any_text(signature).ok_or(Doubt::Malformed)?,
            claims: object(payload)?,
        })
    }

    /// The name of the key that the assertion says has signed it.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the question for the platform.
    ///
    /// # Errors
    /// Returns [`Doubt::Algorithm`] if the key is for another one.
    pub fn ask<'a>(&'a self, key: &'a PublicKey) -> Result<Asked<'a>, Doubt> {
        let same = key.algorithm == self.algorithm;
        let asked = Asked {
            algorithm: self.algorithm,
            jwk: &key.jwk,
            signature: &self.signature,
            signed: &self.signed,
        };
        same.then_some(asked).ok_or(Doubt::Algorithm)
    }

    /// Returns the address that the assertion vouches for, if the platform found its signature good. O(claims).
    ///
    /// # Errors
    /// Returns the first [`Doubt`] that applies.
    pub fn answered(&self, is_good: bool, expected: Expected<'_>, now_ms: u64) -> Result<&str, Doubt> {
        let text = |name: &str| self.claims.get(name).and_then(Value::as_str);
        require(is_good, Doubt::Signature)?;
        require(text("iss") == Some(expected.issuer), Doubt::Issuer)?;
        require(self.is_for(expected.audience), Doubt::Audience)?;
        require(self.is_now(now_ms), Doubt::Time)?;
        if let Some(nonce) = expected.nonce {
            require(text("nonce") == Some(nonce), Doubt::Nonce)?;
        }
        let is_verified = self.claims.get("email_verified") == Some(&Value::Bool(true));
        require(expected.email == Email::AsTold || is_verified, Doubt::Email)?;
        let email = text("email").filter(|email| (1..=EMAIL_BYTES_MAX).contains(&email.len()));
        email.ok_or(Doubt::Email)
    }

    /// Returns whether the audience is this one, or a list with it. In a list of several, `azp` must name this one (OpenID Connect Core, 3.1.3.7).
    fn is_for(&self, audience: &str) -> bool {
        let party = self.claims.get("azp").and_then(Value::as_str);
        match self.claims.get("aud") {
            Some(Value::String(one)) => one == audience,
            Some(Value::Array(all)) => {
                let named = all.iter().any(|one| one.as_str() == Some(audience));
                named && (all.len() == 1 || party == Some(audience))
            }
            _ => false,
        }
    }

    fn is_now(&self, now_ms: u64) -> bool {
        let instant = |name: &str| self.claims.get(name).map(seconds);
        let ends = instant("exp").flatten();
        let is_before_end = ends.is_some_and(|end| now_ms < end.saturating_add(SKEW_MS));
        let begun = |name: &str| match instant(name) {
            None => true,
            Some(at) => at.is_some_and(|at| at <= now_ms.saturating_add(SKEW_MS)),
        };
        is_before_end && begun("nbf") && begun("iat")
    }
}

/// Reads a NumericDate as ms; `None` if it is none. Some issuers write fractions.
fn seconds(value: &Value) -> Option<u64> {
    let seconds = value.as_f64()?;
    let fits = (0.0..1e11).contains(&seconds);
    fits.then_some((seconds * 1_000.0) as u64)
}

fn require(holds: bool, doubt: Doubt) -> Result<(), Doubt> {
    if holds { Ok(()) } else { Err(doubt) }
}

fn object(part: &str) -> Result<Map<String, Value>, Doubt> {
    let bytes = codec::from_any_text(part).ok_or(Doubt::Malformed)?;
    let text = core::str::from_utf8(&bytes).map_err(|_| Doubt::Malformed)?;
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Ok(object),
        _ => Err(Doubt::Malformed),
    }
}
