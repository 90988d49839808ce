//! Visitors with accounts, in two worlds of three: one account on up to five devices, and some browsers that two accounts use. All of it is picked
//! from streams of its own, so a seed plays as it did before accounts wherever nobody has one.

use baton::facts::units::AccountId;
use baton_advice::chance::Chance;

/// The stream of chance for the accounts of a world.
const WORLD: u64 = 0xacc0;

/// The account with this name. Accounts are named by numbers from 0; there are never more than devices.
#[must_use]
pub fn account(name: usize) -> AccountId {
    let mut id = [0xac; 16];
    id[..8].copy_from_slice(&(name as u64).to_be_bytes());
    AccountId(id)
}

/// The accounts that use each device, by the device's visitor.
#[derive(Clone, Debug, Default)]
pub struct Accounts {
    pub(super) of: Vec<Vec<usize>>,
}

impl Accounts {
    /// Picks which device has which accounts.
    #[must_use]
    pub fn pick(seed: u64, visitors: usize) -> Self {
        let mut rng = Chance::of(seed, WORLD);
        if rng.below(3) == 0 {
            return Self { of: vec![vec![]; visitors] };
        }
        let devices = rng.within(1, 5) as usize;
        let anonymous = rng.pick(&[0, 300]);
        let shared = rng.pick(&[0, 200]);
        let mut of = |device: usize| {
            if rng.chance(anonymous) {
                return vec![];
            }
            let own = device / devices;
            let mut all = vec![own];
            if rng.chance(shared) {
                all.push(rng.below(visitors as u64) as usize);
            }
            all
        };
        Self {
            of: (0..visitors).map(&mut of).collect(),
        }
    }
}
