//! What checks Baton and never ships: the simulator ([`simulate`]), the audit of exported journals ([`audit`]) and the
//! rehearsal of a recorded crowd ([`rehearse`]), the planner of a sale ([`plan`]), and the kits' table of test vectors ([`vectors`]). Their command lines, and
//! `check-config`, are in `bin/`; [`explain`] says for the latter which room a request belongs to.

pub mod advise;
pub mod audit;
pub mod explain;
pub mod flags;
pub mod lines;
pub mod plan;
pub mod rehearse;
pub mod simulate;
pub mod vectors;
