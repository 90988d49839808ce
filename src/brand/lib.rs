//! What makes a page the operator's own: colours, texts and pictures. This module is pure: it judges what an operator gives, says why it is
//! not accepted, and writes what the page needs.
//!
//! | file | what |
//! |---|---|
//! | `colour` | a colour and its contrast with another |
//! | `scheme` | the style sheet that follows from the colours that an operator chose |
//! | `texts` | the operator's own texts on a page, by language |
//! | `language` | the languages of the waiting page |
//! | `image` | whether bytes are a picture, and its type and size |

#![warn(unused_crate_dependencies)]

pub mod colour;
pub mod image;
pub mod language;
pub mod scheme;
pub mod texts;
