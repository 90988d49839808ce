//! Visitors with accounts, in two worlds of three: one account on up to five devices, and some browsers that two accounts use. All of it is drawn
//! from streams of its own, so a seed plays as it did before accounts wherever nobody has one.

use super::people::Visitor;
use super::rng::Rng;
use super::world::World;
use baton::facts::units::AccountId;
use baton::wire::{AccountAsk, AccountTold, Wish};

/// Streams of chance, apart from the world's and from those of visitors, which have a visitor's number above the low 32 bits.
const WORLD: u64 = 0xacc0;
const DEVICE: u64 = 0xacc1_0000;
/// How many of a thousand asks come after the shop's token has run out.
const LOGGED_OUT: u32 = 150;
/// How many of a thousand visitors press the button when they are told that their place is elsewhere.
const PRESSES: u32 = 400;

/// How many accounts there can be: never more than devices. Accounts are named by numbers from 0.
#[must_use]
pub const fn devices_of(visitors: usize) -> usize {
    visitors
}

/// The account with this name.
#[must_use]
pub fn account(name: usize) -> AccountId {
    let mut id = [0xac; 16];
    id[..8].copy_from_slice(&(name as u64).to_be_bytes());
    AccountId(id)
}

/// The accounts that use each device, by the device's visitor.
#[derive(Clone, Debug, Default)]
pub struct Accounts {
    of: Vec<Vec<usize>>,
}

impl Accounts {
    /// Draws which device has which accounts.
    #[must_use]
    pub fn draw(seed: u64, visitors: usize) -> Self {
        let mut rng = Rng::of(seed, WORLD);
        if rng.below(3) == 0 {
            return Self {
                of: vec![vec![]; visitors],
            };
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
                all.push(rng.below(devices_of(visitors) as u64) as usize);
            }
            all
        };
        Self {
            of: (0..visitors).map(&mut of).collect(),
        }
    }
}

impl World {
    /// Draws the account for which a device asks now. Returns `None` if the wish leads to no place, the device has no
    /// account or the shop's token has run out.
    pub fn account_for(&mut self, visitor: usize, wish: &Wish) -> Option<AccountAsk> {
        if !matches!(wish, Wish::Arrive { .. } | Wish::Join | Wish::Attend) {
            return None;
        }
        let accounts = self.accounts.of.get(visitor)?;
        let person = &mut self.people[visitor];
        person.asked_as += 1;
        let mut rng = Rng::of(self.seed ^ DEVICE, (visitor as u64) << 32 | person.asked_as);
        let name = accounts.get(rng.below(accounts.len() as u64) as usize)?;
        let take = core::mem::take(&mut person.presses);
        (take || !rng.chance(LOGGED_OUT)).then_some(AccountAsk {
            id: account(*name),
            take,
        })
    }

    /// Tells a page why the account's place is not here. The visitor may press the button with the next ask.
    pub fn is_told_of_account(&mut self, visitor: usize, told: AccountTold) {
        let person: &mut Visitor = &mut self.people[visitor];
        let mut rng = Rng::of(
            self.seed ^ DEVICE,
            (visitor as u64) << 32 | !person.asked_as,
        );
        match told {
            AccountTold::Elsewhere(_) => person.presses = rng.chance(PRESSES),
            AccountTold::Another => {}
        }
    }
}
