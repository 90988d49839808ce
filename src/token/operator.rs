//! Who may operate, and what: the holder of the one secret `BATON_ADMIN_TOKEN`, and those whom file and house name with a role, rooms, and a way in:
//! the hash of a token, or an address that somebody else vouches for. Baton knows a token when it sees one, and can tell nobody what it is.
//!
//! [`Operator::may`] is the one place that decides whether somebody may do something; `gate/calls.rs` says what each call needs.
//!
//! **Why plain SHA-256:** a slow hash protects what people choose and others could guess. These tokens are long random strings
//! (`npm run operator-token` makes them), and nobody can try even a small part of them all. A token that is shown must have [`TOKEN_CHARS_MIN`]
//! characters, so that a hash of something short opens nothing.

use facts::schedule::BY_SCHEDULE;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The name of whoever shows `BATON_ADMIN_TOKEN`.
pub const SECRET_HOLDER: &str = "operator";
/// The fewest characters of a token whose hash alone is known.
pub const TOKEN_CHARS_MIN: usize = 32;

/// The names that the journal and the log write themselves: the holder of the secret, a room's schedule, and whatever Baton does by itself. No other
/// operator may have one, so that nobody can seem to be one of them.
pub const RESERVED_NAMES: [&str; 5] = [SECRET_HOLDER, BY_SCHEDULE, "baton", "house", "system"];

/// What an operator may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Give a lease back by its fence, in some rooms and until an instant: for the shop's own machines, such as the one that receives a payment's
    /// webhook. It reads nothing, not even what it may end.
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

    /// Returns whether this role may do what needs the other.
    #[must_use]
    pub fn reaches(self, other: Self) -> bool {
        match self {
            Self::Own => true,
            Self::Operate => other != Self::Own,
            Self::View | Self::Release => self == other,
        }
    }

    /// The name in the configuration and in answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::View => "view",
            Self::Operate => "operate",
            Self::Own => "own",
        }
    }

    /// Returns the role of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}

/// What a call is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Within<'a> {
    /// One room.
    Room(&'a str),
    /// The rooms of whoever asks: the answer is about them alone, and each room that the call names is judged by itself.
    OwnRooms,
    /// The whole deployment, for which an operator with a list of rooms may do nothing.
    Everything,
}

/// What a call needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Need<'a> {
    /// This role, or one that reaches it.
    pub role: Role,
    /// Where it needs that role.
    pub within: Within<'a>,
}

impl<'a> Need<'a> {
    /// Needs this role in this room.
    #[must_use]
    pub const fn in_room(role: Role, room: &'a str) -> Self {
        let within = Within::Room(room);
        Self { role, within }
    }

    /// Needs this role, for the rooms of whoever asks.
    #[must_use]
    pub const fn in_own_rooms(role: Role) -> Self {
        let within = Within::OwnRooms;
        Self { role, within }
    }

    /// Needs this role, without a list of rooms.
    #[must_use]
    pub const fn everywhere(role: Role) -> Self {
        let within = Within::Everything;
        Self { role, within }
    }
}

/// Why an operator may not make a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Denied {
    /// The call needs a role that the operator's does not reach.
    Role {
        /// The operator's role.
        has: Role,
        /// The role that the call needs.
        needs: Role,
    },
    /// The call is about a room that is not on the operator's list.
    Room {
        /// The room.
        room: String,
        /// The operator's list.
        own: Vec<String>,
    },
    /// The call is about the whole deployment, and the operator has a list of rooms.
    Bound {
        /// The operator's list.
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

/// Somebody who may operate.
#[derive(Clone, PartialEq, Eq)]
pub struct Operator {
    /// The name that stands in the journal beside what the operator changed.
    pub name: String,
    /// What the operator may do.
    pub role: Role,
    /// Where the operator may act; empty means in every room, and beyond rooms.
    pub rooms: Vec<String>,
    /// Until when the operator may act, Unix ms; `None` means without an end.
    pub ends_at_ms: Option<u64>,
    /// The address by which a verified identity is this operator's, in lower case.
    pub email: Option<String>,
    /// The SHA-256 of the operator's token.
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
    /// Returns the operator who shows `BATON_ADMIN_TOKEN`, or `None` if the secret is empty.
    #[must_use]
    pub fn of_secret(secret: &str) -> Option<Self> {
        let set = !secret.is_empty();
        set.then(|| Self {
            digest: Some(digest_of(secret)),
            chars_min: 1,
            ..Self::named(SECRET_HOLDER.to_owned(), Role::Own)
        })
    }

    /// Returns an operator who has no way in until one is given.
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

    /// Lets the operator in by a token with this SHA-256.
    #[must_use]
    pub fn by_token(self, digest: [u8; 32]) -> Self {
        let digest = Some(digest);
        Self { digest, ..self }
    }

    /// Lets the operator in by a verified address.
    #[must_use]
    pub fn by_email(self, email: &str) -> Self {
        let email = Some(email.to_ascii_lowercase());
        Self { email, ..self }
    }

    /// Limits the operator to some rooms; an empty list means no limit.
    #[must_use]
    pub fn within(self, rooms: Vec<String>) -> Self {
        Self { rooms, ..self }
    }

    /// Limits the operator to the time until an instant, Unix ms.
    #[must_use]
    pub fn until(self, ends_at_ms: u64) -> Self {
        let ends_at_ms = Some(ends_at_ms);
        Self { ends_at_ms, ..self }
    }

    /// Returns whether the operator's time is over.
    #[must_use]
    pub fn is_over(&self, now_ms: u64) -> bool {
        self.ends_at_ms.is_some_and(|ends_at_ms| now_ms >= ends_at_ms)
    }

    /// Returns whether the operator has a token.
    #[must_use]
    pub const fn has_token(&self) -> bool {
        self.digest.is_some()
    }

    /// Decides whether the operator may do what needs this. O(own rooms).
    ///
    /// # Errors
    /// Returns [`Denied`], which says why not.
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

    /// Returns whether the operator may be told of a room.
    #[must_use]
    pub fn sees(&self, room: &str) -> bool {
        self.may(Need::in_room(Role::View, room)).is_ok()
    }

    /// Returns whether the operator may decide who operates.
    #[must_use]
    pub fn owns(&self) -> bool {
        self.may(Need::everywhere(Role::Own)).is_ok()
    }

    /// Returns what a [`Desk`](super::Desk) token is bound to: a hash of the operator's name, address and token. It goes into a MAC and never leaves.
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

    /// Returns whether both have the same token.
    #[must_use]
    pub fn shares_token_with(&self, other: &Self) -> bool {
        match (&self.digest, &other.digest) {
            (Some(own), Some(other)) => bool::from(own.ct_eq(other)),
            _ => false,
        }
    }

    /// Returns whether both have the same address.
    #[must_use]
    pub fn shares_email_with(&self, other: &Self) -> bool {
        self.email.is_some() && self.email == other.email
    }
}

/// All operators. If there are none, Baton offers operators nothing at all.
#[derive(Debug, Clone, Default)]
pub struct Operators(Vec<Operator>);

impl Operators {
    /// Makes the list from the secret, if it is set, and the operators who have a name.
    #[must_use]
    pub fn new(secret: Option<&str>, named: &[Operator]) -> Self {
        let holder = secret.and_then(Operator::of_secret);
        Self(holder.into_iter().chain(named.iter().cloned()).collect())
    }

    /// Returns whether there is no operator.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the holder of `BATON_ADMIN_TOKEN`, if it is set.
    #[must_use]
    pub fn holder(&self) -> Option<&Operator> {
        self.0.first().filter(|first| first.name == SECRET_HOLDER)
    }

    /// Returns each operator.
    pub fn iter(&self) -> impl Iterator<Item = &Operator> {
        self.0.iter()
    }

    /// Returns the operator whose token an `Authorization` header carries.
    #[must_use]
    pub fn shown_in(&self, authorization: &str) -> Option<&Operator> {
        let (scheme, token) = authorization.split_once(' ')?;
        // The token is compared in any case: what is wrong with the scheme must not show in the time.
        let found = self.of_token(token.trim());
        found.filter(|_| scheme.eq_ignore_ascii_case("bearer"))
    }

    /// Returns the operator whose token this is. The secret's holder comes first: whoever else is given the secret's hash takes nothing from it. Takes
    /// the same time whoever it is and whatever is wrong with it: it compares all digests, each whole. One hash; O(operators).
    #[must_use]
    pub fn of_token(&self, token: &str) -> Option<&Operator> {
        let shown = digest_of(token);
        let chars = token.chars().count();
        self.0.iter().fold(None, |found, operator| {
            let digest = operator.digest.as_ref();
            let same = digest.is_some_and(|digest| bool::from(shown.ct_eq(digest)));
            found.or((same && chars >= operator.chars_min).then_some(operator))
        })
    }

    /// Returns the operator whose verified address this is. O(operators).
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
