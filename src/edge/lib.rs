//! The shell: the only code of Baton that sees a clock, a die, a socket or a disk.
//!
//! | file | what |
//! |---|---|
//! | `entry.js`, `watchdog` | the module that the runtime loads; a panic costs one answer, a client that leaves none |
//! | `probe.js` | the way front – lobby – room as they measure it, for `npm run doctor` |
//! | `front/` | answers visitors and forwards to the origin; it is stateless |
//! | `room_object/` | the single writer of a room |
//! | `lobby_object/`, `sockets` | holds the sockets of the room's visitors; these as the runtime keeps them |
//! | `porter_object` | brings the room the batches of several lobbies at once |
//! | `house_object/`, `pictures` | the single writer of the rooms that exist beside those of the file; the pictures of pages in its SQLite |
//! | `outbox_object`, `outbox_store`, `outbox.js` | tells other software what happens, by reading the journals; what it keeps; its way out |
//! | `driven` | polls the work that answers a request, and has JavaScript make the calls for which it waits |
//! | `object`, `error`, `definition` | what all objects do alike: come into memory, and fail; what an object knows of the room that it is |
//! | `journal_page`, `actions_page`, `notes_page` | a page of an object's journal as an operator reads it; of who did what; as the outbox reads it |
//! | `store` | an object's journal in its SQLite, and its alarm |
//! | `peers`, `call`, `orders` | how objects and the front call each other; how an object reads a call and answers it; what the operator's front and an object say to each other |
//! | `config/`, `dice`, `log` | the deployment as read once in an isolate; the wall clock and random bytes; notable lines on the console |
//!
//! Nothing here decides who is next.

#![warn(unused_crate_dependencies)]

mod actions_page;
mod call;
mod config;
mod definition;
mod dice;
mod driven;
mod error;
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
