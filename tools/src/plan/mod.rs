//! The planner: plays a sale many times before it is held, with the room that ships, in simulated time. Text in, figures out; there are no files, no
//! clock and no exit codes here, because those belong to the program.
//!
//! | file | what |
//! |---|---|
//! | `keys`, `said`, `flags` | what can be said of an event; what was said, and where; the command line |
//! | `event`, `taken`, `making` | an event that can be played; values out of what was said; the event that they make |
//! | `crowd` | people drawn from a seed |
//! | `parts`, `outcome` | what a run is made of; how it ends for people |
//! | `world`, `facts`, `visit`, `desk` | one run: time and the room's turns; what a row means for people; one person's page; a lobby's batches |
//! | `lanes`, `by_lane` | who has which lane; what is shown of each |
//! | `sense` | values that are allowed one by one but not together; remarks |
//! | `seen`, `forecast`, `bands` | what one run showed; what many runs say together, in bands |

pub mod bands;
pub mod by_lane;
pub mod crowd;
mod desk;
pub mod event;
mod facts;
pub mod flags;
pub mod forecast;
pub mod keys;
pub mod lanes;
mod making;
pub mod outcome;
mod parts;
pub mod said;
pub mod seen;
mod sense;
mod taken;
mod visit;
pub mod world;
