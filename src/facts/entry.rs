//! Why Baton refuses a visitor's entry token, and how often that happened, by reason. docs/entry.md explains each reason to the shop.

use serde::{Deserialize, Serialize};

macro_rules! refusals {
    ($($(#[$doc:meta])* $variant:ident $name:ident;)*) => {
        /// Why a visitor's entry token is refused. The names are part of the contract.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum EntryRefusal {
            $($(#[$doc])* $variant,)*
        }

        impl EntryRefusal {
            /// Every reason. A token of Baton's names a reason by its position here: append only.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name in answers, in metrics and at the desk.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => stringify!($name),)* }
            }
        }

        /// The number of visits that were refused, by reason.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub struct EntryRefusals {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl EntryRefusals {
            /// The counts in the order of [`EntryRefusal::ALL`].
            #[must_use]
            pub fn counts(&self) -> Vec<u64> {
                vec![$(self.$name,)*]
            }

            /// Builds the counts from a slice in the order of [`EntryRefusal::ALL`]. Returns `None` if its length differs.
            #[must_use]
            pub fn of_counts(counts: &[u64]) -> Option<Self> {
                let [$($name,)*] = *counts else {
                    return None;
                };
                Some(Self { $($name,)* })
            }

            /// Counts one visit that was refused for this reason.
            #[must_use]
            pub fn one(why: EntryRefusal) -> Self {
                let mut one = Self::default();
                match why { $(EntryRefusal::$variant => one.$name = 1,)* }
                one
            }

            /// Returns the sum of both.
            #[must_use]
            pub const fn plus(&self, more: &Self) -> Self {
                Self { $($name: self.$name.saturating_add(more.$name),)* }
            }
        }
    };
}

refusals! {
    /// The visitor showed no token.
    Missing missing;
    /// The token does not have the form that Baton reads.
    Malformed malformed;
    /// The token names a key that Baton does not know, or an algorithm that is not that key's.
    Key key;
    /// The signature was not made with the key.
    Signature signature;
    /// The token names an issuer other than its key's.
    Issuer issuer;
    /// `sub` or `exp` is missing, or a claim is not of its type.
    Claims claims;
    /// The token is for another room or another host.
    Audience audience;
    /// Its time has not come.
    Early early;
    /// Its time is over.
    Late late;
    /// The token lives longer than a token may.
    Life life;
    /// The token asks for a lane that the room does not have.
    Lane lane;
    /// The invitation or the code has given all its places to others.
    Used used;
    /// The invitation was taken back, or there is no such code.
    Unknown unknown;
}

impl EntryRefusals {
    /// Returns whether nobody was refused.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}
