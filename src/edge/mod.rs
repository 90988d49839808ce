//! The shell: the only code of Baton that sees a clock, a die, a socket or a disk.
//!
//! - `front` answers visitors and forwards to the origin; stateless.
//! - `room_object` is the single writer of a room; `lobby_object` holds its visitors' sockets.
//! - `house_object` is the single writer of which rooms there are beside those of the file; `definition` is what an object knows of
//!   its room.
//! - `porter_object` brings the room several lobbies' batches at once.
//! - `outbox_object` tells other software what happens, out of the journals; `notes_page` is what an object's journal says to it,
//!   `outbox_store` what it keeps.
//! - `object` is what objects do alike: come into memory, and fail; `journal_page` shows their journal.
//! - `store` keeps an object's journal in its SQLite, and its alarm; `peers` is how objects and
//!   the front call each other, `call` how an object reads a call and answers it, `orders` what the operator's front and a room say.
//! - `pictures` keeps those of pages in the house's SQLite.
//! - `log` says what is notable.
//! - `watchdog` makes a panic cost one answer; `config` and `dice` are what their names say.
//!
//! Nothing here decides who is next.

mod actions_page;
mod call;
mod config;
mod definition;
mod dice;
mod front;
mod house_object;
mod journal_page;
mod lobby_object;
mod log;
mod notes_page;
mod object;
mod orders;
mod outbox_object;
mod outbox_store;
mod peers;
mod pictures;
mod porter_object;
mod room_object;
mod sockets;
mod store;
mod watchdog;
