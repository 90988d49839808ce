//! How people come in. There is one command for it: whether somebody joins or walks in, into which lane, for an account or not, with a voucher or
//! not are its fields.

use super::holder::{Comes, Holder, Key, Member};
use super::lane_name::LaneName;
use super::voucher::Spend;
use serde::{Deserialize, Serialize};

/// People who come in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enter {
    /// By which door.
    pub how: Enters,
    /// The lane; `None` for everybody's. Whoever waits in a lane behind it moves to its end by joining.
    pub lane: Option<LaneName>,
    /// Who comes, in order. At most [`JOIN_COUNT_MAX`](super::limits::JOIN_COUNT_MAX) join; only the first walks in.
    pub who: Who,
}

/// By which door somebody comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Enters {
    /// Each gets a number, unless they have one.
    Join,
    /// Straight through, if a permit is free and nobody present waits.
    WalkIn,
}

/// Who comes in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Who {
    /// Visitors without account and voucher: the short form, since these are nearly all.
    Plain(Vec<Holder>),
    /// Anybody.
    People(Vec<Person>),
}

/// Somebody who comes in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// The device.
    pub holder: Holder,
    /// The account that the place is to belong to. An account has one place: the one that it has, if that may move here; else this device's own, if
    /// it is no account's; else a number.
    pub account: Option<Account>,
    /// The voucher that is spent on the number, and leads to its own lane instead of the command's. Whoever has a number keeps it and spends nothing,
    /// unless the voucher leads to a better lane than the one in which they wait.
    pub spend: Option<Spend>,
}

/// An account for which somebody comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// The account.
    pub key: Key,
    /// How the device comes, which decides what it may take over. Who walks in takes nothing over.
    pub comes: Comes,
}

impl Who {
    /// The number of people.
    #[must_use]
    pub const fn len(&self) -> usize {
        match self {
            Self::Plain(holders) => holders.len(),
            Self::People(people) => people.len(),
        }
    }

    /// Whether nobody comes.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns everybody, in order.
    pub fn iter(&self) -> impl Iterator<Item = Person> + Clone + '_ {
        let (holders, people) = match self {
            Self::Plain(holders) => (holders.as_slice(), &[][..]),
            Self::People(people) => (&[][..], people.as_slice()),
        };
        let holders = holders.iter().map(|holder| Person::from(*holder));
        holders.chain(people.iter().copied())
    }

    /// Adds somebody who comes like those who are there: with an account if they have one, and none with a voucher. Returns the index, or `None`
    /// if this one does not.
    pub fn push_alike(&mut self, person: Person) -> Option<usize> {
        match self {
            Self::Plain(holders) if person == person.holder.into() => holders.push(person.holder),
            Self::People(people) if person.account.is_some() && person.spend.is_none() => {
                let is_alike = |one: &Person| one.account.is_some() && one.spend.is_none();
                if !people.last().is_some_and(is_alike) {
                    return None;
                }
                people.push(person);
            }
            _ => return None,
        }
        Some(self.len() - 1)
    }
}

impl Person {
    /// Returns the same person with a voucher.
    #[must_use]
    pub const fn with(self, spend: Spend) -> Self {
        let spend = Some(spend);
        Self { spend, ..self }
    }
}

impl From<Holder> for Person {
    fn from(holder: Holder) -> Self {
        Self { holder, ..Self::default() }
    }
}

impl From<Member> for Person {
    fn from(member: Member) -> Self {
        let (key, comes) = (member.account, member.comes);
        Self {
            holder: member.holder,
            account: Some(Account { key, comes }),
            spend: None,
        }
    }
}

impl From<Person> for Who {
    fn from(person: Person) -> Self {
        if person == person.holder.into() {
            Self::Plain(vec![person.holder])
        } else {
            Self::People(vec![person])
        }
    }
}

impl From<Vec<Holder>> for Who {
    fn from(holders: Vec<Holder>) -> Self {
        Self::Plain(holders)
    }
}

impl From<Vec<Member>> for Who {
    fn from(members: Vec<Member>) -> Self {
        Self::People(members.into_iter().map(Person::from).collect())
    }
}

impl From<Vec<Person>> for Who {
    fn from(people: Vec<Person>) -> Self {
        Self::People(people)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Command;
    use crate::voucher::{CODE_KEYS, CodeHash, Voucher};

    fn holder(person: u64) -> Holder {
        Holder {
            key: Key(person),
            ..Holder::default()
        }
    }

    fn member(person: u64) -> Person {
        Person::from(Member {
            holder: holder(person),
            account: Key(person),
            comes: Comes::Anew,
        })
    }

    /// A visitor without account and voucher takes the twelve bytes of the holder, and nothing that says what is left out.
    #[test]
    fn plain_visitors_travel_in_the_short_form() {
        let thousand: Vec<Holder> = (0..1_000).map(holder).collect();
        let bytes = postcard::to_allocvec(&Command::join(thousand)).unwrap();
        assert_eq!(bytes.len(), 1_000 * 12 + 6);
        let one = Command::join(vec![member(1)]);
        let bytes = postcard::to_allocvec(&one).unwrap();
        assert_eq!(postcard::from_bytes::<Command>(&bytes).unwrap(), one);
    }

    #[test]
    fn who_comes_alike_comes_together_and_who_has_a_voucher_alone() {
        let with = |person: Person| {
            person.with(Spend {
                voucher: Voucher::Code([CodeHash(1); CODE_KEYS]),
                at_ms: 1,
            })
        };
        let plain = |nth| Person::from(holder(nth));
        let all = [plain(1), member(2), with(plain(3)), with(member(4))];
        for (first, one) in all.into_iter().enumerate() {
            for (second, other) in all.into_iter().enumerate() {
                let mut who = Who::from(one);
                let together = first == second && first < 2;
                let at = who.push_alike(other);
                assert_eq!(at, together.then_some(1), "{one:?} and {other:?}");
                assert_eq!(who.len(), 1 + usize::from(together));
                assert_eq!(who.iter().last(), Some(if together { other } else { one }));
            }
        }
    }
}
