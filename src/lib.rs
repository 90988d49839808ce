//! Baton: a fair semaphore for web sites.
pub mod room;
pub mod units;
