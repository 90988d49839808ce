//! Baton.
