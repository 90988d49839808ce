//! The simulator: the room, its lobbies, their visitors and everything that can go wrong, in one thread, from one seed. The room runs the code of the
//! shell (`living`) over a disk that fails on purpose. The lobbies are the endpoint that ships.
//!
//! After every step every law holds, the audit's book of its facts has come to the same ([`model`]), and an oracle that knows who holds every number
//! has judged all that anybody was told. At the end the faults stop, and every visitor who stays gets in, in order, within a stated time.
//!
//! A *step* is one event of the world: a message arrives, an alarm rings, a visitor acts. After a step the oracle checks what that step can break:
//! facts, states and ranks after a turn of the room, and words when they are said. A step in which the room made no turn, nobody was told anything
//! and nothing was written leaves nothing to check.
//!
//! | file | what |
//! |---|---|
//! | `run`, `played`, `shrink`, `flags`, `tally` | one seed from start to end; how much of it was played; the smallest failure; the command line; sums |
//! | `plan`, `picks` | what is set for a world; what its seed picks |
//! | `world`, `queue`, `slab` | the world and its time; what can happen; what is on its way |
//! | `acts` | what happens in a world |
//! | `faults`, `disk`, `builds` | what goes wrong, by name; disks that fail; builds that cannot read each other's messages |
//! | `accounts`, `lanes`, `vouchers`, `schedule` | who has which account; which lanes there are; sheets of invitations and codes; what should change by itself |
//! | `room_side`, `lobby_side`, `porter_side`, `front`, `people` | the objects; cookies and asks; visitors |
//! | `judge`, `law`, `model` | the laws; how a broken one is said; the audit of each row, and the book that it keeps |
//! | `fleet` | worlds of another kind: the house, its operators and its fronts |
//! | `roll_back` | worlds of another kind: a room's data is restored from a backup |
//! | `watch`, `greetings`, `oracle` | what lobbies are told; when they get long lists; who holds every number, and what visitors are told |

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    missing_docs,
    reason = "a tool: a simulation that cannot go on stops"
)]

mod accounts;
mod acts;
mod builds;
mod disk;
pub mod faults;
pub mod flags;
pub mod fleet;
mod front;
pub mod greetings;
pub mod judge;
mod lanes;
mod law;
mod lobby_side;
pub mod model;
mod oracle;
mod people;
mod picks;
mod plan;
pub mod played;
mod porter_side;
mod queue;
pub mod roll_back;
mod room_side;
pub mod run;
mod schedule;
pub mod shrink;
mod slab;
pub mod tally;
mod vouchers;
mod watch;
mod world;
