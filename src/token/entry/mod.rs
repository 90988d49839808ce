//! Entry tokens: what the shop signs for a visitor who may come, and what Baton remembers of it.
//!
//! The shop's token is a compact JWS. Baton reads a small part of that format and refuses the rest: three parts, a header of `alg`, `kid` and
//! `typ` alone, and an algorithm that follows from the key and never from the token. Once judged, the token travels on as an [`Entrant`], a
//! token of Baton's own. It is short, needs no public key to check, and does not outlive the key that signed the shop's token, should the
//! operator take that key away.
//!
//! | file | what |
//! |---|---|
//! | `keys` | the shop's keys, as the secret `ENTRY_KEYS` lists them |
//! | `jws` | the form of a token, and the question whether its signature is good |
//! | `claims` | what a token says, and for which room and host |
//! | `entrant` | what Baton remembers, and whether that counts at this moment |
//!
//! Nothing in here reads a clock or computes Ed25519: [`Question`] says what to verify, and the shell has the platform do it.

mod claims;
mod entrant;
mod jws;
mod keys;

pub use claims::{Audience, LIFE_S_MAX, SUBJECT_BYTES_MAX};
pub use entrant::{Bearer, CLOCK_SKEW_MS, Entrant};
pub use jws::{ENTRY_BYTES_MAX, Opened, Question, Signed};
pub use keys::{ENTRY_KEYS_MAX, EntryKeyError, EntryKeys};
