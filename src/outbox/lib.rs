//! The outbox's core: which facts of the journals other software is told of, when each message is sent, and what becomes of one that is not taken.
//! It is pure; the shell is `edge/outbox_object.rs`.
//!
//! | file | what |
//! |---|---|
//! | `webhook` | which webhook is told what: one entry of the file |
//! | `address` | which addresses a webhook may go to |
//! | `notes` | makes notes from the rows of a journal; where reading stands |
//! | `message` | a note as the JSON that is sent, and its id |
//! | `queue` | what is due, what failed, what waits for the operator |
//! | `told` | how each webhook is doing, for the desk |
//! | `backoff` | how long a message pauses after a failure |
//! | `sign` | secrets and signatures, in the form of Standard Webhooks |

#![warn(unused_crate_dependencies)]

mod address;
mod backoff;
mod message;
mod notes;
mod queue;
mod sign;
mod told;
mod webhook;

pub use address::{Address, Wrong, is_private};
pub use backoff::{LONGEST_MS, SHORTEST_MS};
pub use message::{BODY_BYTES_MAX, Letter, letter, summons_letter, test_letter};
pub use notes::{Asked, Mark, Note, Page, ROWS_MAX, Reader, is_notable, notes_of_house};
pub use queue::{Change, DEAD_MAX, Died, Job, KEEP_TRYING_MS, LOOK_EVERY_MS, Look, Message, Outbox, PENDING_MAX, START_BACK_MS, Stored};
pub use sign::{SECRETS_MAX, SecretError, Secrets, signed_headers};
pub use told::{Lying, Told};
pub use webhook::{KINDS, Kind, Webhook};
