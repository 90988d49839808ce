//! The shell: the only code of Baton that sees a clock, a die, a socket or a disk.
//!
//! - `front` answers visitors and forwards to the origin; stateless.
//! - `room_object` is the single writer of a room; `lobby_object` holds its visitors' sockets.
//! - `house_object` is the single writer of which rooms there are beside those of the file; `definition` is what an object knows of
//!   its room.
//! - `object` is what objects do alike: come into memory, and fail; `journal_page` shows their journal.
//! - `store` keeps an object's journal in its SQLite, and its alarm; `peers` is how objects and
//!   the front call each other, `orders` what the operator's front and a room say.
//! - `log` says what is notable.
//! - `watchdog` makes a panic cost one answer; `config` and `dice` are what their names say.
//!
//! Nothing here decides who is next.

mod config;
mod definition;
mod dice;
mod front;
mod house_object;
mod journal_page;
mod lobby_object;
mod log;
mod object;
mod orders;
mod peers;
mod room_object;
mod sockets;
mod store;
mod watchdog;
