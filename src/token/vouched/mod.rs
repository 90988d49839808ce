//! Identities that somebody else vouches for: signed assertions of Cloudflare Access and ID tokens of an OpenID provider, both JWTs.
//!
//! Baton reads a small part of that format and refuses the rest: RS256 or ES256, a key that the issuer publishes, one issuer, one audience, a time,
//! an address. The result is an e-mail address and nothing else; [`Operators`](super::Operators) says whose it is.
//!
//! | file | what |
//! |---|---|
//! | `assertion` | the form of a token, the question whether its signature is good, and what it says |
//! | `keyset` | the issuer's keys, how long Baton believes them, and when it asks for them again |
//! | `sign_in` | the code flow: what is sent to the provider, and what must come back |
//!
//! Nothing in here reads a clock, fetches anything, or computes a signature: the shell has the platform do it.

mod assertion;
mod keyset;
mod sign_in;

pub use assertion::{ASSERTION_BYTES_MAX, Asked, Assertion, Doubt, Email, Expected};
pub use keyset::{Algorithm, FAILED_MS, KEYS_BYTES_MAX, KEYS_MAX, KEYS_MS, Keyset, Lookup, PublicKey, UNKNOWN_MS};
pub use sign_in::{Login, PROVIDER_BYTES_MAX, Provider, Returned, is_secure_address};
