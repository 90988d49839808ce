//! Who may operate: the one secret `BATON_ADMIN_TOKEN`, and whom the configuration names with a role and the hash of a
//! token. Knows tokens when it sees them, and can tell nobody what they are.
//!
//! **Why plain SHA-256:** a slow hash protects what people choose and could guess. These tokens are long random strings
//! (`npm run operator-token` makes them), of which nobody tries even a small part; and so that a hash of something short
//! opens nothing, whatever is shown must have [`TOKEN_CHARS_MIN`] characters.

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The name of whoever shows `BATON_ADMIN_TOKEN`.
pub const SECRET_HOLDER: &str = "operator";
/// The fewest characters of a token of which only the hash is known.
pub const TOKEN_CHARS_MIN: usize = 32;

/// What somebody may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Give a lease back by its fence, in one room and until an instant: for the shop's own machines, such as what hears a
    /// payment's webhook. It reads nothing, not even what it may end.
    Release,
    /// Read everything: rooms, journals, metrics.
    View,
    /// Read everything, release, and change what may be changed while the room runs.
    Operate,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 3] = [Self::View, Self::Operate, Self::Release];

    /// Whether who has this role may do what takes the other.
    #[must_use]
    pub fn reaches(self, other: Self) -> bool {
        self == Self::Operate || self == other
    }

    /// As it stands in the configuration and in answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::View => "view",
            Self::Operate => "operate",
        }
    }

    /// The role of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}

/// Where and until when a machine may act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    /// The room's name.
    pub room: String,
    /// Unix ms.
    pub ends_at_ms: u64,
}

/// One who may operate.
#[derive(Clone, PartialEq, Eq)]
pub struct Operator {
    /// Stands in the journal beside what was changed.
    pub name: String,
    /// What this one may do.
    pub role: Role,
    /// Where and until when, if not everywhere and always.
    pub bounds: Option<Bounds>,
    digest: [u8; 32],
    chars_min: usize,
}

/// Shows no digest.
impl std::fmt::Debug for Operator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Operator")
            .field("name", &self.name)
            .field("role", &self.role)
            .finish_non_exhaustive()
    }
}

impl Operator {
    /// Whoever shows `BATON_ADMIN_TOKEN`. `None` when it is empty.
    #[must_use]
    pub fn of_secret(secret: &str) -> Option<Self> {
        let set = !secret.is_empty();
        set.then(|| Self {
            name: SECRET_HOLDER.to_owned(),
            role: Role::Operate,
            bounds: None,
            digest: digest_of(secret),
            chars_min: 1,
        })
    }

    /// Whoever shows a token of this SHA-256.
    #[must_use]
    pub const fn of_digest(name: String, role: Role, digest: [u8; 32]) -> Self {
        Self {
            name,
            role,
            bounds: None,
            digest,
            chars_min: TOKEN_CHARS_MIN,
        }
    }

    /// The same, in one room and until an instant.
    #[must_use]
    pub fn within(self, bounds: Bounds) -> Self {
        Self {
            bounds: Some(bounds),
            ..self
        }
    }

    /// Whether this one's time is over.
    #[must_use]
    pub fn is_over(&self, now_ms: u64) -> bool {
        (self.bounds.as_ref()).is_some_and(|bounds| now_ms >= bounds.ends_at_ms)
    }

    /// Whether this one may act in a room.
    #[must_use]
    pub fn may_act_in(&self, room: &str) -> bool {
        self.bounds
            .as_ref()
            .is_none_or(|bounds| bounds.room == room)
    }

    /// What a [`Desk`](super::Desk) token is bound to. Goes into a MAC and never leaves.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        super::codec::to_text(&self.digest)
    }

    /// Whether both have the same token.
    #[must_use]
    pub fn shares_token_with(&self, other: &Self) -> bool {
        bool::from(self.digest.ct_eq(&other.digest))
    }
}

/// All of them; none: there is nothing for operators at all.
#[derive(Debug, Clone, Default)]
pub struct Operators(Vec<Operator>);

impl Operators {
    /// From the secret, if it is set, and the configuration.
    #[must_use]
    pub fn new(secret: Option<&str>, named: &[Operator]) -> Self {
        let holder = secret.and_then(Operator::of_secret);
        Self(holder.into_iter().chain(named.iter().cloned()).collect())
    }

    /// Whether there is nobody.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &Operator> {
        self.0.iter()
    }

    /// Whose token an `Authorization` header carries.
    #[must_use]
    pub fn shown_in(&self, authorization: &str) -> Option<&Operator> {
        let (scheme, token) = authorization.split_once(' ')?;
        // Not lazily: what is wrong with the scheme must not show in the time.
        let found = self.of_token(token.trim());
        found.filter(|_| scheme.eq_ignore_ascii_case("bearer"))
    }

    /// Whose token this is. Takes as long whoever it is and whatever is wrong with it: all digests are compared, each
    /// whole. One hash; O(operators).
    #[must_use]
    pub fn of_token(&self, token: &str) -> Option<&Operator> {
        let shown = digest_of(token);
        let chars = token.chars().count();
        self.0.iter().fold(None, |found, operator| {
            let same = bool::from(shown.ct_eq(&operator.digest));
            if same && chars >= operator.chars_min {
                Some(operator)
            } else {
                found
            }
        })
    }
}

fn digest_of(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}
