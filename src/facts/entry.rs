//! Why a visitor's entry token is not taken, and how often that happened, by reason. docs/entry.md explains each to the shop.

use serde::{Deserialize, Serialize};

macro_rules! refusals {
    ($($(#[$doc:meta])* $variant:ident $name:ident;)*) => {
        /// Why somebody has no entry. The names are part of the contract.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum EntryRefusal {
            $($(#[$doc])* $variant,)*
        }

        impl EntryRefusal {
            /// Every reason. A token of Baton's names one by its place here: append only.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name in answers, in metrics and at the desk.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => stringify!($name),)* }
            }
        }

        /// So many visits were refused, by reason.
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

            /// From counts in the order of [`EntryRefusal::ALL`]. None: it is another number of counts.
            #[must_use]
            pub fn of_counts(counts: &[u64]) -> Option<Self> {
                let [$($name,)*] = *counts else {
                    return None;
                };
                Some(Self { $($name,)* })
            }

            /// One visit, refused for this reason.
            #[must_use]
            pub fn one(why: EntryRefusal) -> Self {
                let mut one = Self::default();
                match why { $(EntryRefusal::$variant => one.$name = 1,)* }
                one
            }

            /// Both together.
            #[must_use]
            pub const fn plus(&self, more: &Self) -> Self {
                Self { $($name: self.$name.saturating_add(more.$name),)* }
            }
        }
    };
}

refusals! {
    /// No token was shown.
    Missing missing;
    /// It is no token of the form that Baton reads.
    Malformed malformed;
    /// It names a key that Baton does not know, or not the algorithm of that key.
    Key key;
    /// The key did not make its signature.
    Signature signature;
    /// It names another issuer than its key.
    Issuer issuer;
    /// `sub` or `exp` is missing, or a claim is not of its type.
    Claims claims;
    /// It is for another room or another host.
    Audience audience;
    /// Its time has not come.
    Early early;
    /// Its time is over.
    Late late;
    /// It lives longer than a token may.
    Life life;
    /// It asks for a lane that the room has not.
    Lane lane;
    /// The invitation, or the code, has given all its places to others.
    Used used;
    /// The invitation was taken back, or there is no such code.
    Unknown unknown;
}

impl EntryRefusals {
    /// Whether nobody was refused.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}
