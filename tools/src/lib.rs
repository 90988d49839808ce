//! What checks Baton and never ships with the worker: the simulator ([`simulate`]), the audit of exported journals ([`audit`]), the report
//! after a sale ([`report`]), the rehearsal of a recorded crowd ([`rehearse`]), the planner of a sale ([`plan`]), and the kits' table of
//! test vectors ([`vectors`]). Their command lines are in `bin/`. Audit and report need none: the desk's browser runs them too.

#[cfg(feature = "programs")]
pub mod advise;
pub mod audit;
#[cfg(feature = "programs")]
pub mod flags;
#[cfg(feature = "programs")]
pub mod lines;
#[cfg(feature = "programs")]
pub mod plan;
#[cfg(feature = "programs")]
pub mod rehearse;
pub mod report;
#[cfg(feature = "programs")]
pub mod simulate;
#[cfg(feature = "programs")]
pub mod vectors;
