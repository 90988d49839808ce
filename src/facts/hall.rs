//! What the room stores of a hall: whether people may come in, and how its draw was made.

use super::units::Version;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Whether people may come in, by the hours. Moments are in Unix ms: the wall clock rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Door {
    /// The mode decides.
    Open {
        /// When the door closes; `None` if it stays open for good.
        closes_at_ms: Option<u64>,
    },
    /// Nobody is let in and nobody is called.
    Shut {
        /// When the door opens; `None` if it stays shut for good.
        opens_at_ms: Option<u64>,
    },
    /// Nobody is called, and whoever comes gets an entry.
    Hall {
        /// When the room opens.
        opens_at_ms: u64,
    },
}

impl Default for Door {
    fn default() -> Self {
        Self::Open { closes_at_ms: None }
    }
}

/// How people in the hall get their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Draw {
    /// By lot.
    #[default]
    Shuffle,
    /// In the order in which they came.
    Arrival,
}

impl Draw {
    /// The name in the configuration.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shuffle => "shuffle",
            Self::Arrival => "arrival",
        }
    }

    /// The names of all draws.
    pub const NAMES: [&str; 2] = [Self::Shuffle.name(), Self::Arrival.name()];

    /// Returns the draw with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::Shuffle, Self::Arrival].into_iter().find(|draw| draw.name() == name)
    }
}

/// A draw's seed or its hash: 32 bytes, shown to people and programs as hexadecimal digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seed(pub [u8; 32]);

impl Seed {
    /// Returns the SHA-256 of the seed, which is told before the draw.
    #[must_use]
    pub fn commitment(&self) -> Self {
        Self(Sha256::digest(self.0).into())
    }

    /// Returns the lot of an entry. The lowest lot goes first.
    #[must_use]
    pub fn lot(&self, entry: u64) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update(entry.to_be_bytes());
        hash.finalize().into()
    }
}

impl core::fmt::Display for Seed {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl core::str::FromStr for Seed {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bytes = [0; 32];
        if text.len() != 64 || !text.is_ascii() {
            return Err("not 64 hexadecimal digits");
        }
        for (at, byte) in bytes.iter_mut().enumerate() {
            let digits = text.get(at * 2..at * 2 + 2).unwrap_or_default();
            *byte = u8::from_str_radix(digits, 16).map_err(|_| "not 64 hexadecimal digits")?;
        }
        Ok(Self(bytes))
    }
}

impl Serialize for Seed {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            self.0.serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for Seed {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let text = <std::borrow::Cow<'_, str>>::deserialize(deserializer)?;
            text.parse().map_err(serde::de::Error::custom)
        } else {
            <[u8; 32]>::deserialize(deserializer).map(Self)
        }
    }
}

/// What fixes a draw's seed as soon as the hall begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lot {
    /// The row in which the hall began.
    pub nonce: Version,
    /// The SHA-256 of the seed.
    pub commitment: Seed,
}
