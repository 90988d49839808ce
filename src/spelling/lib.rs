//! Hosts, paths, addresses and the names of headers can be spelt in many ways. Where Baton binds something to one, it uses one spelling; where it matches one, it
//! considers every reading. Pure: nothing that a visitor sends can make this module panic.

#![warn(unused_crate_dependencies)]

mod address;
mod exception;
mod garbled;
mod header;
mod host;
mod letters;
mod method;
mod network;
mod origin;
mod pasted;
mod path;
mod readers;
mod reading;
mod readings;
mod written;

pub use address::Address;
pub use exception::Exception;
pub use garbled::Garbled;
pub use header::{HeaderKind, header_kind, is_baton_header, is_for_baton_to_say, is_replaced};
pub use host::{CookieDomain, Host, HostPattern, Scheme, Site};
pub use method::{Method, PatternMethod};
pub use network::Network;
pub use origin::check_app_origin;
pub use pasted::tidied;
pub use path::{Particular, Pattern, PatternError};
pub use reading::{DECODE_ROUNDS_MAX, PathReading, without_query};
pub use readings::{Pieces, Reading};
