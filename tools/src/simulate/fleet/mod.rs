//! The house and its fronts in simulated time. Operators change the house at the same moment, the house dies in the middle of a change, answers are
//! late or lost, data centres have a cache of their own, and isolates are born and die. The code that ships decides:
//! [`Copy`](baton::house::fresh::Copy) what a front does with its copy, [`House`](baton::house::House) what the house does, and
//! [`Gate`](baton::gate::Gate) what a table opens.
//!
//! | file | what |
//! |---|---|
//! | `mod` | a seed, a flaw on purpose, and what came of it |
//! | `house` | the object: decides, writes, dies, comes back from its journal |
//! | `fronts` | isolates and their data centres' caches |
//! | `world` | what happens when, and what must hold |

mod fronts;
mod house;
mod world;

use crate::sums::counts;
use world::World;

/// A bug on purpose, to prove that the world finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// A copy's age counts from its arrival, not from the question that brought it.
    AgesFromArrival,
    /// A cached answer's age counts from when a front finds it.
    CacheHasNoAge,
    /// A cached answer will do although this front has heard of a newer version.
    CacheForgetsWhatWasHeard,
    /// An older table replaces a newer one.
    TakesOlder,
    /// An isolate without a copy decides by the file alone.
    ColdOpens,
    /// The house makes a change whatever its operator has seen.
    NobodyIsAskedWhatWasSeen,
    /// A change that died on its way to the disk stays in memory.
    MemoryBeforeDisk,
}

/// Every flaw.
pub const FLAWS: [Flaw; 7] = [
    Flaw::AgesFromArrival,
    Flaw::CacheHasNoAge,
    Flaw::CacheForgetsWhatWasHeard,
    Flaw::TakesOlder,
    Flaw::ColdOpens,
    Flaw::NobodyIsAskedWhatWasSeen,
    Flaw::MemoryBeforeDisk,
];

counts! {
/// What happened in a world.
Told {
    /// Requests that were judged.
    requests,
    /// Requests that waited for a newer copy.
    waited,
    /// Judged requests that went on to the shop.
    opened,
    /// Changes of the house that hold.
    changes,
    /// Changes that were refused.
    refused,
    /// Deaths of the house.
    deaths,
}
}

/// Plays a world. The same seed always plays the same.
///
/// # Errors
/// Returns what does not hold, and when.
pub fn play(seed: u64, flaw: Option<Flaw>) -> Result<Told, String> {
    World::new(seed, flaw)?.play()
}
