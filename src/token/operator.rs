//! Who may operate, and what: the one secret `BATON_ADMIN_TOKEN`, and whom file and house name with a role, rooms, and the hash of
//! a token or an address that somebody else vouches for. Knows tokens when it sees them, and can tell nobody what they are.
//!
//! [`Operator::may`] is the one place that decides whether somebody may do something; `gate/calls.rs` says what each call takes.
//!
//! **Why plain SHA-256:** a slow hash protects what people choose and could guess. These tokens are long random strings
//! (`npm run operator-token` makes them), of which nobody tries even a small part; and so that a hash of something short
//! opens nothing, whatever is shown must have [`TOKEN_CHARS_MIN`] characters.

use crate::facts::schedule::BY_SCHEDULE;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The name of whoever shows `BATON_ADMIN_TOKEN`.
pub const SECRET_HOLDER: &str = "operator";
/// The fewest characters of a token of which only the hash is known.
pub const TOKEN_CHARS_MIN: usize = 32;

/// The names that the journal and the log write themselves, so that nobody else can seem to be one of them: the holder of the
/// secret, a room's schedule, and whatever Baton does by itself.
pub const RESERVED_NAMES: [&str; 5] = [SECRET_HOLDER, BY_SCHEDULE, "baton", "house", "system"];

/// What somebody may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Give a lease back by its fence, in some rooms and until an instant: for the shop's own machines, such as what hears a
    /// payment's webhook. It reads nothing, not even what it may end.
    Release,
    /// Read everything: rooms, journals, metrics.
    View,
    /// Read everything, release, and change what may be changed while the room runs.
    Operate,
    /// All of that, and change which rooms the house has and who may operate.
    Own,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 4] = [Self::View, Self::Operate, Self::Own, Self::Release];

    /// Whether who has this role may do what takes the other.
    #[must_use]
    pub fn reaches(self, other: Self) -> bool {
        match self {
            Self::Own => true,
            Self::Operate => other != Self::Own,
            Self::View | Self::Release => self == other,
        }
    }

    /// As it stands in the configuration and in answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::View => "view",
            Self::Operate => "operate",
            Self::Own => "own",
        }
    }

    /// The role of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}

/// What a call is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Within<'a> {
    /// This room.
    Room(&'a str),
    /// The rooms of whoever asks: what is told is of them alone, and each that the call names is judged by itself.
    OwnRooms,
    /// The whole deployment. An operator with a list of rooms may not.
    Everything,
}

/// What a call takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Need<'a> {
    /// This role, or one that reaches it.
    pub role: Role,
    /// There.
    pub within: Within<'a>,
}

impl<'a> Need<'a> {
    /// This role in this room.
    #[must_use]
    pub const fn in_room(role: Role, room: &'a str) -> Self {
        let within = Within::Room(room);
        Self { role, within }
    }

    /// This role, for what concerns the rooms of whoever asks.
    #[must_use]
    pub const fn in_own_rooms(role: Role) -> Self {
        let within = Within::OwnRooms;
        Self { role, within }
    }

    /// This role, without a list of rooms.
    #[must_use]
    pub const fn everywhere(role: Role) -> Self {
        let within = Within::Everything;
        Self { role, within }
    }
}

/// Why somebody may not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Denied {
    /// The role does not reach so far.
    Role {
        /// The own one.
        has: Role,
        /// The one that it takes.
        needs: Role,
    },
    /// It is about a room that is not on the own list.
    Room {
        /// Which.
        room: String,
        /// The list.
        own: Vec<String>,
    },
    /// It is about the whole deployment.
    Bound {
        /// The own list of rooms.
        own: Vec<String>,
    },
}

impl std::fmt::Display for Denied {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Role { has, needs } => {
                let (has, needs) = (has.name(), needs.name());
                write!(f, "Your role is {has}; this needs the role {needs}.")
            }
            Self::Room { room, own } => {
                let own = own.join(", ");
                write!(f, "You may act in {own}; this is about the room {room}.")
            }
            Self::Bound { own } => {
                let own = own.join(", ");
                write!(f, "You may act in {own}; this is about all rooms.")
            }
        }
    }
}

/// One who may operate.
#[derive(Clone, PartialEq, Eq)]
pub struct Operator {
    /// Stands in the journal beside what was changed.
    pub name: String,
    /// What this one may do.
    pub role: Role,
    /// Where; empty: in every room, and beyond rooms.
    pub rooms: Vec<String>,
    /// Until when, Unix ms; none: always.
    pub ends_at_ms: Option<u64>,
    /// The address by which a verified identity is this one's, in lower case.
    pub email: Option<String>,
    /// SHA-256 of the own token.
    digest: Option<[u8; 32]>,
    chars_min: usize,
}

/// Shows no digest and no address.
impl std::fmt::Debug for Operator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Operator")
            .field("name", &self.name)
            .field("role", &self.role)
            .field("rooms", &self.rooms)
            .finish_non_exhaustive()
    }
}

impl Operator {
    /// The operator who shows `BATON_ADMIN_TOKEN`. `None` when it is empty.
    #[must_use]
    pub fn of_secret(secret: &str) -> Option<Self> {
        let set = !secret.is_empty();
        set.then(|| Self {
            digest: Some(digest_of(secret)),
            chars_min: 1,
            ..Self::named(SECRET_HOLDER.to_owned(), Role::Own)
        })
    }

    /// Somebody without a way in, until one is given.
    #[must_use]
    pub const fn named(name: String, role: Role) -> Self {
        Self {
            name,
            role,
            rooms: Vec::new(),
            ends_at_ms: None,
            email: None,
            digest: None,
            chars_min: TOKEN_CHARS_MIN,
        }
    }

    /// The same, by a token of this SHA-256.
    #[must_use]
    pub fn by_token(self, digest: [u8; 32]) -> Self {
        let digest = Some(digest);
        Self { digest, ..self }
    }

    /// The same, by a verified address.
    #[must_use]
    pub fn by_email(self, email: &str) -> Self {
        let email = Some(email.to_ascii_lowercase());
        Self { email, ..self }
    }

    /// The same, in some rooms alone; none: everywhere.
    #[must_use]
    pub fn within(self, rooms: Vec<String>) -> Self {
        Self { rooms, ..self }
    }

    /// The same, until an instant, Unix ms.
    #[must_use]
    pub fn until(self, ends_at_ms: u64) -> Self {
        let ends_at_ms = Some(ends_at_ms);
        Self { ends_at_ms, ..self }
    }

    /// Whether this one's time is over.
    #[must_use]
    pub fn is_over(&self, now_ms: u64) -> bool {
        self.ends_at_ms
            .is_some_and(|ends_at_ms| now_ms >= ends_at_ms)
    }

    /// Whether this one has a token.
    #[must_use]
    pub const fn has_token(&self) -> bool {
        self.digest.is_some()
    }

    /// Whether this one may do what takes this. O(own rooms).
    ///
    /// # Errors
    /// [`Denied`], which says why.
    pub fn may(&self, need: Need<'_>) -> Result<(), Denied> {
        if !self.role.reaches(need.role) {
            let (has, needs) = (self.role, need.role);
            return Err(Denied::Role { has, needs });
        }
        let own = || self.rooms.clone();
        match need.within {
            _ if self.rooms.is_empty() => Ok(()),
            Within::OwnRooms => Ok(()),
            Within::Room(room) if self.rooms.iter().any(|own| own == room) => Ok(()),
            Within::Room(room) => Err(Denied::Room {
                room: room.to_owned(),
                own: own(),
            }),
            Within::Everything => Err(Denied::Bound { own: own() }),
        }
    }

    /// Whether what is told of a room concerns this one.
    #[must_use]
    pub fn sees(&self, room: &str) -> bool {
        self.may(Need::in_room(Role::View, room)).is_ok()
    }

    /// Whether this one may say who may operate.
    #[must_use]
    pub fn owns(&self) -> bool {
        self.may(Need::everywhere(Role::Own)).is_ok()
    }

    /// What a [`Desk`](super::Desk) token is bound to: who this is, and by which token and address. Goes into a MAC and never leaves.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let email = self.email.as_deref().unwrap_or_default();
        let parts = [
            self.name.as_bytes(),
            email.as_bytes(),
            self.digest.as_ref().map_or(&[][..], |digest| digest),
        ];
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        let hash: [u8; 32] = hash.finalize().into();
        super::codec::to_text(&hash)
    }

    /// Whether both have the same token.
    #[must_use]
    pub fn shares_token_with(&self, other: &Self) -> bool {
        match (&self.digest, &other.digest) {
            (Some(own), Some(other)) => bool::from(own.ct_eq(other)),
            _ => false,
        }
    }

    /// Whether both have the same address.
    #[must_use]
    pub fn shares_email_with(&self, other: &Self) -> bool {
        self.email.is_some() && self.email == other.email
    }
}

/// All of them; none: there is nothing for operators at all.
#[derive(Debug, Clone, Default)]
pub struct Operators(Vec<Operator>);

impl Operators {
    /// From the secret, if it is set, and those who have a name.
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
            let digest = operator.digest.as_ref();
            let same = digest.is_some_and(|digest| bool::from(shown.ct_eq(digest)));
            if same && chars >= operator.chars_min {
                Some(operator)
            } else {
                found
            }
        })
    }

    /// Whose verified address this is. O(operators).
    #[must_use]
    pub fn of_email(&self, email: &str) -> Option<&Operator> {
        let email = email.to_ascii_lowercase();
        let mut found = self.0.iter();
        found.find(|operator| operator.email.as_ref() == Some(&email))
    }
}

fn digest_of(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}
