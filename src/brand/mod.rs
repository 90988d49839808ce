//! What makes a page the operator's: its colours, its texts, its pictures. Pure: what is good, what it is written as, and why not.
//!
//! | file | what |
//! |---|---|
//! | `colour` | a colour, and its contrast with another |
//! | `scheme` | what follows from the colours that were chosen, as a style sheet |
//! | `texts` | what a page says in the operator's words, by language |
//! | `language` | the languages there is a page in |
//! | `image` | whether bytes are a picture, of which type and size |

pub mod colour;
pub mod image;
pub mod language;
pub mod scheme;
pub mod texts;
