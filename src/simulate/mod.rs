//! The simulator: the room, its lobbies, their visitors and everything that can go wrong, in one thread, from
//! one seed. Objects run the code of the shell (`living`) over disks that fail on purpose.
//!
//! After every step every law holds, a plain model of the semaphore has decided the same ([`model`]), and an
//! oracle that knows whose every number is has judged all that anybody was told. At the end the faults stop,
//! and whoever stayed gets in, in order, within a stated time.
//!
//! A *step* is one event of the world: a message arrives, an alarm rings, a visitor acts. What a step can
//! break is checked after it: facts, states and ranks after a turn of the room, words when they are said. A
//! step that turned no room, told nobody anything and wrote nothing leaves nothing to check.
//!
//! | file | what |
//! |---|---|
//! | `run`, `shrink`, `flags`, `tally` | one seed from start to end; the smallest failure; the command line; sums |
//! | `world`, `queue`, `slab`, `rng` | time and the next event; what is on its way; chance |
//! | `weather`, `faults`, `disk` | what goes wrong, by name; disks that fail |
//! | `operator` | what the room should be set to, and when |
//! | `room_side`, `lobby_side`, `lobby_asks`, `lobby_sends` | the objects' platform |
//! | `front`, `people`, `calm` | cookies; visitors; the end, at which all are served |
//! | `judge`, `model`, `oracle` | the laws, the plain semaphore, whose every number is |
//!
//! What is not simulated: a lobby whose storage is lost *and* whose host's clock is set back beyond the first
//! life of its predecessor. It would speak under an old epoch and be refused until the clock has caught up.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    missing_docs,
    reason = "a tool: a simulation that cannot go on stops"
)]

mod calm;
mod disk;
pub mod faults;
pub mod flags;
mod front;
pub mod judge;
mod lobby_asks;
mod lobby_sends;
mod lobby_side;
pub mod model;
mod operator;
mod oracle;
mod people;
mod queue;
mod rng;
mod room_side;
pub mod run;
pub mod shrink;
mod slab;
pub mod tally;
mod weather;
mod world;
