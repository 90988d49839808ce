//! How much of a seed was played.

use crate::sums::counts;

counts! {
/// How much was played.
Played {
    /// Steps, all of them checked unless checks are off.
    steps,
    /// Turns of the room.
    turns,
    /// Events that lobbies took in.
    changes,
    /// Turns after which every law was also checked in its full form.
    recounts,
    /// Passes that were honoured without asking.
    passes,
    /// Hops to another lobby.
    hops,
    /// Frames that were shown.
    frames,
}
}
