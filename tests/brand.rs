//! What makes a page the operator's: colours that can be read, texts by language, pictures that are pictures.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

#[path = "brand/colours.rs"]
mod colours;
#[path = "brand/images.rs"]
mod images;
#[path = "brand/texts.rs"]
mod texts;
