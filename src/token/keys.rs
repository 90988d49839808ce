//! The keys that sign and verify tokens. They are made from the operator's secrets, at most three, with one subkey for each kind of token. No secret
//! is ever shown, not even in `Debug`.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

use facts::units::AddressTag;
use facts::voucher::{CODE_KEYS, CodeHash};
use spelling::Address;

use super::{
    Farewell, Kind, Pass, PassCookie, Ticket, Token, TokenError, VERSION, Visitor,
    codec::{self, Reader},
};

type HmacSha256 = Hmac<Sha256>;

/// The least length of `BATON_SECRET`, `BATON_SECRET_PREVIOUS` and `BATON_SECRET_NEXT`, in bytes of UTF-8: the length of an HMAC-SHA256.
pub const SECRET_BYTES_MIN: usize = 32;

/// How old a token with an unknown key may be, in ms, to be taken for one whose key is on its way here. A deploy reaches every
/// isolate within some minutes.
pub const UNKNOWN_KEY_MS_MAX: u64 = 10 * 60 * 1_000;
/// How far in the future the instant in it may be, in ms: no longer than a pass is fresh. Otherwise an invented cookie could keep
/// its holder waiting for ever.
const UNKNOWN_KEY_AHEAD_MS_MAX: u64 = 3_600_000;

const MAC_BYTES: usize = 32;
const KEY_ID_BYTES: usize = 4;
const HEADER_BYTES: usize = 1 + 1 + KEY_ID_BYTES;

/// Why there are no keys. Without keys Baton signs nothing and refuses to start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyError {
    /// `BATON_SECRET` is not set, or empty.
    Missing,
    /// `BATON_SECRET` is too short.
    Short {
        /// Its length in bytes.
        bytes: usize,
    },
    /// `BATON_SECRET_PREVIOUS` is set but too short.
    PreviousShort {
        /// Its length in bytes.
        bytes: usize,
    },
    /// `BATON_SECRET_NEXT` is set but too short.
    NextShort {
        /// Its length in bytes.
        bytes: usize,
    },
}

impl std::fmt::Display for KeyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing => write!(f, "BATON_SECRET is not set; make one with `openssl rand -base64 48`"),
            Self::Short { bytes } => write!(
                f,
                "BATON_SECRET has {bytes} bytes, it needs at least {SECRET_BYTES_MIN}; make one with `openssl rand -base64 48`"
            ),
            Self::PreviousShort { bytes } => write!(
                f,
                "BATON_SECRET_PREVIOUS has {bytes} bytes, it needs at least {SECRET_BYTES_MIN}; put the old BATON_SECRET there whole, or remove it"
            ),
            Self::NextShort { bytes } => write!(
                f,
                "BATON_SECRET_NEXT has {bytes} bytes, it needs at least {SECRET_BYTES_MIN}; put the coming BATON_SECRET there whole, or remove it"
            ),
        }
    }
}

impl std::error::Error for KeyError {}

/// Where a token is valid. `host` is spelled as [`spelling::Host`] spells it; its case does not matter here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope<'a> {
    /// What the room's tokens are bound to; ignored for tokens that are bound to no room. For the desk's token the operator's fingerprint stands
    /// here, for a login the provider's issuer.
    pub room: &'a str,
    /// The host, with port if it is not the scheme's own.
    pub host: &'a str,
}

/// Which key signed a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeySlot {
    /// `BATON_SECRET`.
    Current,
    /// `BATON_SECRET_PREVIOUS`: the token should be signed anew when there is an occasion.
    Previous,
    /// `BATON_SECRET_NEXT`: another isolate signs with it already.
    Next,
}

/// A token whose MAC is right and whose values make sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified<T> {
    /// The token.
    pub token: T,
    /// The key that signed it.
    pub signed_by: KeySlot,
}

/// The subkeys of one secret.
#[derive(Clone)]
struct Key {
    id: [u8; KEY_ID_BYTES],
    visitor: HmacSha256,
    ticket: HmacSha256,
    pass: HmacSha256,
    farewell: HmacSha256,
    carry: HmacSha256,
    human: HmacSha256,
    desk: HmacSha256,
    rehearsal: HmacSha256,
    knock: HmacSha256,
    entrant: HmacSha256,
    invitation: HmacSha256,
    staff: HmacSha256,
    code: HmacSha256,
    login: HmacSha256,
    address: HmacSha256,
    draw: HmacSha256,
}

impl Key {
    fn new(secret: &[u8]) -> Option<Self> {
        let root = HmacSha256::new_from_slice(secret).ok()?;
        let derive = |label: &str| -> [u8; MAC_BYTES] {
            let mut mac = root.clone();
            mac.update(label.as_bytes());
            mac.finalize().into_bytes().into()
        };
        let subkey = |kind: Kind| HmacSha256::new_from_slice(&derive(kind.label())).ok();
        Some(Self {
            id: *derive("baton-key-id-v1").first_chunk()?,
            visitor: subkey(Kind::Visitor)?,
            ticket: subkey(Kind::Ticket)?,
            pass: subkey(Kind::Pass)?,
            farewell: subkey(Kind::Farewell)?,
            carry: subkey(Kind::Carry)?,
            human: subkey(Kind::Human)?,
            desk: subkey(Kind::Desk)?,
            rehearsal: subkey(Kind::Rehearsal)?,
            knock: subkey(Kind::Knock)?,
            entrant: subkey(Kind::Entrant)?,
            invitation: subkey(Kind::Invitation)?,
            staff: subkey(Kind::Staff)?,
            code: HmacSha256::new_from_slice(&derive("baton-code-v1")).ok()?,
            login: subkey(Kind::Login)?,
            address: HmacSha256::new_from_slice(&derive("baton-address-v1")).ok()?,
            draw: HmacSha256::new_from_slice(&derive("baton-draw-v1")).ok()?,
        })
    }

    fn hash_code(&self, room: &str, code: &str) -> CodeHash {
        let mut mac = self.code.clone();
        codec::with_length(|bytes| mac.update(bytes), room.as_bytes());
        codec::with_length(|bytes| mac.update(bytes), code.as_bytes());
        let mac: [u8; MAC_BYTES] = mac.finalize().into_bytes().into();
        let [a, b, c, d, e, f, g, h, ..] = mac;
        CodeHash::from([a, b, c, d, e, f, g, h])
    }

    fn mac<T: Token>(&self, scope: Scope<'_>, signed: &[u8]) -> HmacSha256 {
        let mut mac = match T::KIND {
            Kind::Visitor => self.visitor.clone(),
            Kind::Ticket => self.ticket.clone(),
            Kind::Pass => self.pass.clone(),
            Kind::Farewell => self.farewell.clone(),
            Kind::Carry => self.carry.clone(),
            Kind::Human => self.human.clone(),
            Kind::Desk => self.desk.clone(),
            Kind::Rehearsal => self.rehearsal.clone(),
            Kind::Knock => self.knock.clone(),
            Kind::Entrant => self.entrant.clone(),
            Kind::Invitation => self.invitation.clone(),
            Kind::Staff => self.staff.clone(),
            Kind::Login => self.login.clone(),
        };
        let room = if T::BOUND_TO_ROOM { scope.room } else { "" };
        let host = scope.host.to_ascii_lowercase();
        codec::with_length(|bytes| mac.update(bytes), room.as_bytes());
        codec::with_length(|bytes| mac.update(bytes), host.as_bytes());
        codec::with_length(|bytes| mac.update(bytes), signed);
        mac
    }
}

/// The keys in use: the current one signs, all verify.
#[derive(Clone)]
pub struct Keyring {
    current: Key,
    previous: Option<Key>,
    next: Option<Key>,
}

impl std::fmt::Debug for Keyring {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keyring")
            .field("current", &self.current.id)
            .field("previous", &self.previous.as_ref().map(|key| key.id))
            .field("next", &self.next.as_ref().map(|key| key.id))
            .finish()
    }
}

impl Keyring {
    /// Makes the keys from `BATON_SECRET` and `BATON_SECRET_PREVIOUS`, taken byte for byte as they are. An empty previous secret counts as none.
    ///
    /// # Errors
    /// Returns [`KeyError`] if `BATON_SECRET` is missing, or either is shorter than [`SECRET_BYTES_MIN`].
    pub fn from_secrets(current: Option<&str>, previous: Option<&str>) -> Result<Self, KeyError> {
        let current = current.unwrap_or_default();
        let previous = previous.filter(|secret| !secret.is_empty());
        if current.is_empty() {
            return Err(KeyError::Missing);
        }
        if current.len() < SECRET_BYTES_MIN {
            return Err(KeyError::Short { bytes: current.len() });
        }
        let key = |secret: &str| Key::new(secret.as_bytes());
        let previous = match previous {
            None => None,
            Some(secret) if secret.len() >= SECRET_BYTES_MIN => key(secret),
            Some(secret) => {
                return Err(KeyError::PreviousShort { bytes: secret.len() });
            }
        };
        // HMAC takes a key of any length; the type merely cannot say so.
        let current = key(current).ok_or(KeyError::Missing)?;
        Ok(Self {
            current,
            previous,
            next: None,
        })
    }

    /// Adds `BATON_SECRET_NEXT`: Baton accepts tokens signed with it before it signs any itself. An empty secret counts as none.
    ///
    /// # Errors
    /// Returns [`KeyError::NextShort`] if the secret is too short.
    pub fn with_next(self, next: Option<&str>) -> Result<Self, KeyError> {
        let next = match next.filter(|secret| !secret.is_empty()) {
            None => None,
            Some(secret) if secret.len() >= SECRET_BYTES_MIN => Key::new(secret.as_bytes()),
            Some(secret) => {
                return Err(KeyError::NextShort { bytes: secret.len() });
            }
        };
        Ok(Self { next, ..self })
    }

    /// Returns whether a token names a key that is not known here, and says that it is new. Then a deploy has brought the key to other isolates
    /// first, and this one must not take the token away from its holder. Nothing else that the token says is believed. O(length).
    #[must_use]
    pub fn is_ahead_of_us(&self, text: &str, now_ms: u64) -> bool {
        let made_at_ms = self
            .claims::<Visitor>(text)
            .map(|visitor| visitor.issued_at_ms)
            .or_else(|| self.claims::<Ticket>(text).map(|ticket| ticket.issued_at_ms))
            // A pass and a farewell say when they end, soon after they are made.
            .or_else(|| self.claims::<Pass>(text).map(|pass| pass.fresh_until_at_ms))
            .or_else(|| self.claims::<Farewell>(text).map(|end| end.ends_at_ms));
        made_at_ms.is_some_and(|at_ms| {
            let is_new = at_ms.saturating_add(UNKNOWN_KEY_MS_MAX) > now_ms;
            is_new && at_ms <= now_ms.saturating_add(UNKNOWN_KEY_AHEAD_MS_MAX)
        })
    }

    /// Reads what a token says that was signed with a key that is not known here; `None` for any other token.
    fn claims<T: Token>(&self, text: &str) -> Option<T> {
        let bytes = codec::from_text(text, HEADER_BYTES + T::PAYLOAD_BYTES + MAC_BYTES)?;
        let mut reader = Reader(&bytes);
        let [version, kind] = reader.take()?;
        let id: [u8; KEY_ID_BYTES] = reader.take()?;
        let known = [Some(&self.current), self.previous.as_ref(), self.next.as_ref()];
        let is_known = known.into_iter().flatten().any(|key| key.id == id);
        if version != VERSION || kind != T::KIND.byte() || is_known {
            return None;
        }
        T::read(&mut reader)
    }

    /// Returns what the draws of a room follow from, with the current key first. `room` is its name with its home. With all keys, Baton can still
    /// reveal a seed that it committed to before a rotation, or after a rotation that was taken back. One HMAC for each key.
    #[must_use]
    pub fn draw_keys(&self, room: &str) -> Vec<[u8; 32]> {
        let keys = core::iter::once(&self.current).chain(&self.previous).chain(&self.next);
        keys.map(|key| {
            let mut mac = key.draw.clone();
            mac.update(room.as_bytes());
            mac.finalize().into_bytes().into()
        })
        .collect()
    }

    /// Returns a room's code hashed with every key that it may have been stored with, the current one first. Where a key is missing, the hash of the
    /// current one stands in its place. `code` as [`code_of`](gate::code_of) writes it. At most three HMACs.
    #[must_use]
    pub fn code_hashes(&self, room: &str, code: &str) -> [CodeHash; CODE_KEYS] {
        let newest = self.current.hash_code(room, code);
        let hash = |key: &Option<Key>| {
            let hash = key.as_ref().map(|key| key.hash_code(room, code));
            hash.unwrap_or(newest)
        };
        [newest, hash(&self.previous), hash(&self.next)]
    }

    /// Returns a room's code hashed as it is stored: with the current key. One HMAC.
    #[must_use]
    pub fn code_hash(&self, room: &str, code: &str) -> CodeHash {
        self.current.hash_code(room, code)
    }

    /// Returns the tag with which the names of visitors at this address begin. One HMAC, of most IPv6 three. A new `BATON_SECRET` gives every address
    /// another tag.
    #[must_use]
    pub fn tag(&self, address: Address) -> AddressTag {
        let hashed = |bytes: &[u8]| {
            let mut mac = self.current.address.clone();
            mac.update(bytes);
            let mac: [u8; MAC_BYTES] = mac.finalize().into_bytes().into();
            mac
        };
        let shared = |bytes: &[u8]| {
            let [a, b, c, d, e, f, g, h, ..] = hashed(bytes);
            AddressTag([a, b, c, d, e, f, g, h | 1])
        };
        match address {
            Address::V4(v4) => shared(&v4.octets()),
            Address::City(network) => shared(&network),
            Address::V6([p, q, r, s, t, u, v, w]) => {
                let [a, b, c, d, ..] = hashed(&[p, q, r, s, t, u]);
                let [e, f, ..] = hashed(&[p, q, r, s, t, u, v]);
                let [g, h, ..] = hashed(&[p, q, r, s, t, u, v, w]);
                AddressTag([a, b, c, d, e, f, g, h & !1])
            }
        }
    }

    /// Signs with the current key. One HMAC, about 1 µs natively; at most 146 characters of base64url (a pass).
    #[must_use]
    pub fn sign<T: Token>(&self, token: &T, scope: Scope<'_>) -> String {
        let mut bytes = Vec::with_capacity(HEADER_BYTES + T::PAYLOAD_BYTES + MAC_BYTES);
        bytes.push(VERSION);
        bytes.push(T::KIND.byte());
        bytes.extend_from_slice(&self.current.id);
        token.write(&mut bytes);
        let mac = self.current.mac::<T>(scope, &bytes).finalize().into_bytes();
        bytes.extend_from_slice(&mac);
        codec::to_text(&bytes)
    }

    /// Reads a token of kind `T` made for this scope. `now_ms` is Unix ms. Total for any input; one HMAC (more only if
    /// secrets happen to share a key id).
    ///
    /// # Errors
    /// Returns the first [`TokenError`] that applies, in the order of its variants.
    pub fn verify<T: Token>(&self, text: &str, scope: Scope<'_>, now_ms: u64) -> Result<Verified<T>, TokenError> {
        let verified = self.open::<T>(text, scope)?;
        verified.token.check(now_ms)?;
        Ok(verified)
    }

    /// Reads what the pass cookie holds: a pass or a farewell.
    ///
    /// # Errors
    /// As [`Keyring::verify`].
    pub fn verify_pass_cookie(&self, text: &str, scope: Scope<'_>, now_ms: u64) -> Result<Verified<PassCookie>, TokenError> {
        // The lengths differ, so at most one of the two ever gets as far as the MAC.
        match self.verify::<Farewell>(text, scope, now_ms) {
            Ok(Verified { token, signed_by }) => Ok(Verified {
                token: PassCookie::Farewell(token),
                signed_by,
            }),
            Err(TokenError::Malformed) => {
                let Verified { token, signed_by } = self.verify::<Pass>(text, scope, now_ms)?;
                Ok(Verified {
                    token: PassCookie::Pass(token),
                    signed_by,
                })
            }
            Err(error) => Err(error),
        }
    }

    fn open<T: Token>(&self, text: &str, scope: Scope<'_>) -> Result<Verified<T>, TokenError> {
        let len = HEADER_BYTES + T::PAYLOAD_BYTES + MAC_BYTES;
        let bytes = codec::from_text(text, len).ok_or(TokenError::Malformed)?;
        let (signed, mac) = bytes.split_last_chunk::<MAC_BYTES>().ok_or(TokenError::Malformed)?;
        let mut reader = Reader(signed);
        let [version, kind] = reader.take().ok_or(TokenError::Malformed)?;
        let id: [u8; KEY_ID_BYTES] = reader.take().ok_or(TokenError::Malformed)?;
        if version != VERSION {
            return Err(TokenError::UnknownVersion);
        }
        if kind != T::KIND.byte() {
            return Err(TokenError::WrongKind);
        }
        let signed_by = self.find::<T>(id, scope, signed, mac)?;
        let token = T::read(&mut reader).ok_or(TokenError::OutOfRange)?;
        Ok(Verified { token, signed_by })
    }

    /// Returns which key made this MAC.
    fn find<T: Token>(&self, id: [u8; KEY_ID_BYTES], scope: Scope<'_>, signed: &[u8], mac: &[u8; MAC_BYTES]) -> Result<KeySlot, TokenError> {
        let slots = [
            (KeySlot::Current, Some(&self.current)),
            (KeySlot::Previous, self.previous.as_ref()),
            (KeySlot::Next, self.next.as_ref()),
        ];
        let mut error = TokenError::UnknownKey;
        for (slot, key) in slots {
            let Some(key) = key.filter(|key| bool::from(key.id.ct_eq(&id))) else {
                continue;
            };
            // Constant time, and all 32 bytes: a cut MAC is not accepted.
            if key.mac::<T>(scope, signed).verify_slice(mac).is_ok() {
                return Ok(slot);
            }
            error = TokenError::BadMac;
        }
        Err(error)
    }
}
