//! What accounts do in the world: which one an ask is of, and what a visitor makes of the answer.

use crate::simulate::accounts::account;
use crate::simulate::people::Visitor;
use crate::simulate::world::World;
use baton::facts::wire::{AccountAsk, AccountTold, Wish};
use baton_advice::chance::Chance;

/// The streams of chance of visitors, which have a visitor's number above the low 32 bits.
const DEVICE: u64 = 0xacc1_0000;
/// How many of a thousand asks come after the shop's token has run out.
const LOGGED_OUT: u32 = 150;
/// How many of a thousand visitors press the button when they are told that their place is elsewhere.
const PRESSES: u32 = 400;

impl World {
    /// Picks the account for which a device asks now. Returns `None` if the wish leads to no place, the device has no
    /// account or the shop's token has run out.
    pub fn account_for(&mut self, visitor: usize, wish: &Wish) -> Option<AccountAsk> {
        if !matches!(wish, Wish::Arrive { .. } | Wish::Join | Wish::Attend) {
            return None;
        }
        let accounts = self.accounts.of.get(visitor)?;
        let person = &mut self.people[visitor];
        person.asked_as += 1;
        let mut rng = Chance::of(self.seed ^ DEVICE, (visitor as u64) << 32 | person.asked_as);
        let name = accounts.get(rng.below(accounts.len() as u64) as usize)?;
        let take = core::mem::take(&mut person.presses);
        (take || !rng.chance(LOGGED_OUT)).then_some(AccountAsk { id: account(*name), take })
    }

    /// Tells a page why the account's place is not here. The visitor may press the button with the next ask.
    pub fn tell_of_account(&mut self, visitor: usize, told: AccountTold) {
        let person: &mut Visitor = &mut self.people[visitor];
        let mut rng = Chance::of(self.seed ^ DEVICE, (visitor as u64) << 32 | !person.asked_as);
        match told {
            AccountTold::Elsewhere(_) => person.presses = rng.chance(PRESSES),
            AccountTold::Another => {}
        }
    }
}
