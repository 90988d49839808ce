//! Baton: a fair semaphore for web sites.
//!
//! Each folder here is a crate; this one is all of them but `edge` under one name, for tests and `tools/`.
//!
//! There are two worlds. The *cores* are pure: [`room`] (who is next), [`lobby`] (who has which number), [`lobby::porter`] (what brings the room the
//! batches of several lobbies at once), [`house`] (which rooms there are), [`brand`] (what makes a page the operator's), [`gate`] (what the
//! front decides by itself), [`control`] (what operators may ask), [`outbox`] (what other software is told, and when), [`spelling`], [`token`],
//! [`settings`], [`journal`], [`living::clock`]. [`facts`] has what they say to each other and store, and imports none of them. The cores have no clock,
//! no randomness and no I/O, and are tested natively. `edge` is the shell around them and the only impure code. No core names the runtime in its
//! manifest, so one that reaches for it does not compile.
//!
//! | JavaScript of its own | what it is |
//! |---|---|
//! | `staging/` | what `npm run staging` puts around the worker |
//! | `way_out/` | the worker that only forwards, deployed in Baton's place; it shares no code with Baton |

pub use {brand, control, facts, gate, house, journal, living, lobby, outbox, room, settings, spelling, token};
