//! The shell: the only code of Baton that sees a clock, a die, a socket or a disk.
//!
//! - `front` answers visitors and forwards to the origin; it is stateless.
//! - `room_object` is the single writer of a room; `lobby_object` holds the sockets of the room's visitors, with `sockets`.
//! - `house_object` is the single writer of the rooms that exist beside those of the file; `definition` is what an object knows of
//!   its room.
//! - `porter_object` brings the room the batches of several lobbies at once.
//! - `outbox_object` tells other software what happens, by reading the journals; `notes_page` is what an object's journal says to it,
//!   `outbox_store` what it keeps.
//! - `object` is what all objects do alike: come into memory, and fail; `journal_page` and `actions_page` show operators their journals.
//! - `store` keeps an object's journal in its SQLite, and its alarm; `peers` is how objects and the front call each other, `call` how an
//!   object reads a call and answers it, `orders` what the operator's front and an object say to each other.
//! - `pictures` keeps the pictures of pages in the house's SQLite.
//! - `log` writes what is notable to the console.
//! - `watchdog` makes a panic cost one answer; `config` reads the deployment, and `dice` the clock and random bytes.
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
