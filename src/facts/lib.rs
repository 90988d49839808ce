//! What the parts of Baton say to each other and store, without what they do with it: quantities, limits, the core's configuration, what lobbies
//! ask, what the room answers, and the facts of its journal.
//!
//! Plain values only. This crate imports no other of the project, so everybody may import it: the room, the lobby, the audit, the
//! simulator. Where a type's behaviour decides something, it lives beside that decision.
//!
//! | file | what |
//! |---|---|
//! | `units`, `limits` | numbers that cannot be mixed up; every limit of the core, once, with its arithmetic |
//! | `config`, `mode`, `setting`, `live`, `hours`, `schedule`, `hall` | what an operator sets and the core goes by: one table, an entry a setting; what a setting is; what may change while people wait; dates; steps of a schedule; doors, draws and their seeds |
//! | `lanes`, `lane_name` | what an operator sets of each lane, and the rule; a lane's name |
//! | `proofs`, `answer_times`, `origin` | how the shop's check judged proofs, by verdict; how long the shop took, by octaves; how it answered, by lease |
//! | `voucher` | what a voucher and a sheet are; why one gives no place |
//! | `entry` | why an entry token is not taken, and how often |
//! | `overheard` | all that fronts measure and tell the room, and how soon |
//! | `command`, `enter`, `reply` | what lobbies ask; how people come in; what the room answers, and what it tells them unasked |
//! | `notice` | what an operator tells everybody, by language |
//! | `message` | what a room and its lobbies say to each other |
//! | `holder`, `rhythm` | who holds a ticket; how often people are called |
//! | `event`, `house` | the facts that the room stores, and the house, whose form is for ever |
//! | `wire`, `envelope` | what travels between front and lobby, and the visitor's status; the version before each message |
//! | `log` | what is notable: codes, levels, and a line's form |
//! | `ordered`, `few`, `planted` | maps and sets filled without a sort; a map of few entries; bugs on purpose, for tests |

#![warn(unused_crate_dependencies)]

pub mod answer_times;
pub mod command;
pub mod config;
pub mod enter;
pub mod entry;
pub mod envelope;
pub mod event;
pub mod few;
pub mod hall;
pub mod holder;
pub mod hours;
pub mod house;
pub mod lane_name;
pub mod lanes;
pub mod limits;
pub mod live;
pub mod log;
pub mod message;
pub mod mode;
pub mod notice;
pub mod ordered;
pub mod origin;
pub mod overheard;
pub mod planted;
pub mod proofs;
pub mod reply;
pub mod rhythm;
pub mod schedule;
pub mod setting;
pub mod units;
pub mod voucher;
pub mod wire;
