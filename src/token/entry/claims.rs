//! Judges what a signed token says: whose it is, for which room and host, and from when to when. Of the times, only the length of the token's life is
//! judged here. Whether it counts at this moment is asked again at each visit ([`Entrant::refusal`]).

use serde_json::{Map, Value};

use super::entrant::{Bearer, Entrant};
use super::jws::Signed;
use crate::{AT_MS_MAX, account_id};
use facts::entry::EntryRefusal;
use facts::lane_name::LaneName;

/// The longest life of a token, in seconds: a day.
pub const LIFE_S_MAX: u64 = 24 * 3_600;
/// The most bytes of a subject, and of an issuer.
pub const SUBJECT_BYTES_MAX: usize = 256;
/// The most bytes of `jti`.
const ID_BYTES_MAX: usize = 128;
/// The most audiences in one token.
const AUDIENCES_MAX: usize = 16;

/// Where a token is shown. The token must name this among its audiences: `onsale@tickets.example.com`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Audience<'a> {
    /// The room's name, as it stands in the file.
    pub room: &'a str,
    /// The host as [`Host`](spelling::Host) spells it, with its port if that is not the scheme's own.
    pub host: &'a str,
}

impl Audience<'_> {
    fn is(&self, text: &str) -> bool {
        text.split_once('@') == Some((self.room, self.host))
    }
}

impl Signed<'_> {
    /// Returns whom the shop lets come, if this token is for this audience. `now_ms` is Unix ms. O(length).
    ///
    /// # Errors
    /// Returns the first [`EntryRefusal`] that applies, in the order of this function. Never `Early` or `Late`.
    pub fn judge(&self, here: Audience<'_>, now_ms: u64) -> Result<Entrant, EntryRefusal> {
        let claims = &self.claims;
        let issuer = text(claims, "iss", SUBJECT_BYTES_MAX)?;
        if self.issuer.is_some() && self.issuer != issuer {
            return Err(EntryRefusal::Issuer);
        }
        let subject = text(claims, "sub", SUBJECT_BYTES_MAX)?.ok_or(EntryRefusal::Claims)?;
        text(claims, "jti", ID_BYTES_MAX)?;
        if !is_for(claims.get("aud"), here) {
            return Err(EntryRefusal::Audience);
        }
        let lane = lane(claims)?;
        let ends_s = seconds(claims, "exp")?.ok_or(EntryRefusal::Claims)?;
        let (from_s, made_s) = (seconds(claims, "nbf")?, seconds(claims, "iat")?);
        let now_s = now_ms / 1_000;
        // Without `nbf` the token begins when it was made (`iat`), but not later than now.
        let begins_s = from_s.unwrap_or_else(|| made_s.unwrap_or(now_s).min(now_s));
        if ends_s.saturating_sub(begins_s) > LIFE_S_MAX {
            return Err(EntryRefusal::Life);
        }
        Ok(Entrant {
            bearer: Bearer::Account {
                id: account_id(issuer.unwrap_or_default(), subject),
                signed_by: self.fingerprint,
            },
            from_at_ms: from_s.unwrap_or(0).saturating_mul(1_000),
            ends_at_ms: ends_s.saturating_mul(1_000),
            lane,
            refused: None,
            tried: false,
        })
    }
}

fn is_for(aud: Option<&Value>, here: Audience<'_>) -> bool {
    match aud {
        Some(Value::String(one)) => here.is(one),
        Some(Value::Array(all)) if all.len() <= AUDIENCES_MAX => {
            let mut all = all.iter().filter_map(Value::as_str);
            all.any(|one| here.is(one))
        }
        _ => false,
    }
}

/// Reads a claim that is a text of 1 to `bytes_max` bytes. Returns `None` if the claim is not there.
fn text<'c>(claims: &'c Map<String, Value>, name: &str, bytes_max: usize) -> Result<Option<&'c str>, EntryRefusal> {
    let Some(value) = claims.get(name) else {
        return Ok(None);
    };
    let text = value.as_str();
    let fits = text.filter(|text| (1..=bytes_max).contains(&text.len()));
    fits.map(Some).ok_or(EntryRefusal::Claims)
}

/// Reads the lane that the token names. Returns `None` for everybody's lane. A text that is no lane's name is refused like a lane that no room has.
fn lane(claims: &Map<String, Value>) -> Result<Option<LaneName>, EntryRefusal> {
    let Some(value) = claims.get("lane") else {
        return Ok(None);
    };
    let name = value.as_str().ok_or(EntryRefusal::Claims)?;
    LaneName::parse(name).map(Some).ok_or(EntryRefusal::Lane)
}

/// Reads a claim of whole seconds since 1970. Returns `None` if the claim is not there.
fn seconds(claims: &Map<String, Value>, name: &str) -> Result<Option<u64>, EntryRefusal> {
    let Some(value) = claims.get(name) else {
        return Ok(None);
    };
    let seconds = value.as_u64().filter(|s| *s <= AT_MS_MAX / 1_000);
    seconds.map(Some).ok_or(EntryRefusal::Claims)
}
