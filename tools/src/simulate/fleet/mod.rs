//! The house and its fronts in simulated time: operators who change the house at the same moment, a house that dies in the middle of a
//! change, answers that are late or lost, data centres with a cache of their own, isolates that are born and die. The code that ships
//! decides: [`Copy`](baton::house::fresh::Copy) what a front does with its copy, [`House`](baton::house::House) what the house does,
//! [`Gate`](baton::gate::Gate) what a table opens.
//!
//! | file | what |
//! |---|---|
//! | `mod` | a seed, a flaw on purpose, what came of it |
//! | `house` | the object: decides, writes, dies, comes back from its journal |
//! | `fronts` | isolates and their data centres' caches |
//! | `world` | what happens when, and what must hold |

mod fronts;
mod house;
mod world;

use world::World;

/// A bug on purpose, to see that the world finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// A copy is as old as its arrival, and not as the question that brought it.
    AgesFromArrival,
    /// A cached answer is as old as the one who finds it.
    CacheHasNoAge,
    /// A cached answer will do, though this front knows of a newer one.
    CacheForgetsWhatWasHeard,
    /// An older table replaces a newer one.
    TakesOlder,
    /// An isolate without a copy goes by the file alone.
    ColdOpens,
    /// A change is made whatever its operator has seen.
    NobodyIsAskedWhatWasSeen,
    /// A change that died on its way to the disk is in memory all the same.
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

/// What a world came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// Requests that were judged.
    pub requests: u64,
    /// Of those the ones that waited for a newer copy.
    pub waited: u64,
    /// Of those the ones that went on to the shop.
    pub opened: u64,
    /// Changes of the house that hold.
    pub changes: u64,
    /// Changes that were refused.
    pub refused: u64,
    /// Deaths of the house.
    pub deaths: u64,
}

impl Told {
    /// Both together.
    #[must_use]
    pub const fn plus(self, more: Self) -> Self {
        Self {
            requests: self.requests + more.requests,
            waited: self.waited + more.waited,
            opened: self.opened + more.opened,
            changes: self.changes + more.changes,
            refused: self.refused + more.refused,
            deaths: self.deaths + more.deaths,
        }
    }
}

/// Plays a world: the same for the same seed.
///
/// # Errors
/// What does not hold, and when.
pub fn play(seed: u64, flaw: Option<Flaw>) -> Result<Told, String> {
    World::new(seed, flaw)?.play()
}
