//! What the parts of Baton say to each other and store, without what they do with it: quantities, limits, the core's configuration, what lobbies
//! ask, what the room answers, and the facts of its journal.
//!
//! Plain values only. A file in here imports no other module of the project, so everybody may import it: the room, the lobby, the audit, the
//! simulator. Where a type's behaviour decides something, it lives beside that decision.

pub mod answer_times;
pub mod command;
pub mod config;
pub mod entry;
pub mod event;
pub mod hall;
pub mod holder;
pub mod hours;
pub mod house;
pub mod lane_name;
pub mod lanes;
pub mod limits;
pub mod message;
pub mod proofs;
pub mod reply;
pub mod rhythm;
pub mod schedule;
pub mod setting;
pub mod units;
pub mod voucher;
