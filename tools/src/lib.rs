//! Everything that checks Baton and never ships with the worker: the simulator ([`simulate`]), the audit of exported journals ([`audit`]), the report
//! after a sale ([`report`]), the check of forecasts ([`advise`]), the rehearsal of a recorded crowd ([`rehearse`]), the planner of a sale
//! ([`plan`]), and the kits' table of test vectors ([`vectors`]). Audit and report need no command line, because the desk's browser runs them too.
//!
//! | folder | what it has |
//! |---|---|
//! | `bin/` | the programs: files, streams and exit codes only |

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
pub mod program;
#[cfg(feature = "programs")]
pub mod rehearse;
pub mod report;
#[cfg(feature = "programs")]
pub mod simulate;
pub mod sums;
#[cfg(feature = "programs")]
pub mod vectors;
