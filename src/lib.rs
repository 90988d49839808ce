//! Baton: a fair semaphore for web sites.
pub mod rehearse;
pub mod room;
pub mod units;
