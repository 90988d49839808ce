//! What can happen in a small world, and how it is written: `join a`, `usher`, `permits 3`.

use baton::facts::config::Mode;
use core::fmt;

/// A visitor: the place in [`Rules::people`](crate::world::Rules).
pub type Person = u8;

/// What a visitor can do, each through its lobby.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    Join,
    /// The same through another lobby than the one in which the visitor's place is.
    Elsewhere,
    WalkIn,
    Claim,
    Renew,
    Extend,
    Release,
    Leave,
    Away,
    Back,
    /// To the visitor's other device.
    Carry,
    /// Where visitors have accounts: the other device joins.
    Moves,
    /// The same by a pressed button.
    Takes,
}

/// Every deed with its word.
pub const DEEDS: &[(Deed, &str)] = &[
    (Deed::Join, "join"),
    (Deed::Elsewhere, "elsewhere"),
    (Deed::WalkIn, "walk-in"),
    (Deed::Claim, "claim"),
    (Deed::Renew, "renew"),
    (Deed::Extend, "extend"),
    (Deed::Release, "release"),
    (Deed::Leave, "leave"),
    (Deed::Away, "away"),
    (Deed::Back, "back"),
    (Deed::Carry, "carry"),
    (Deed::Moves, "moves"),
    (Deed::Takes, "takes"),
];

/// One edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A visitor does something, alone in a batch of the lobby.
    Does(Deed, Person),
    /// All idle visitors of a lobby join in one command.
    JoinAll(u8),
    /// A lobby says of all its tickets that their holders are there.
    Wake(u8),
    /// Time passes to the next moment at which anything runs out.
    Later,
    /// The usher's turn.
    Usher,
    /// The operator sets the permits.
    Permits(u8),
    /// The operator sets the mode.
    Mode(Mode),
    /// The operator begins the room anew.
    Reset,
}

/// The letter of a visitor.
pub fn name(person: Person) -> char {
    char::from(b'a' + person)
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Does(deed, person) => {
                let word = DEEDS.iter().find(|(d, _)| d == deed).expect("a deed").1;
                write!(f, "{word} {}", name(*person))
            }
            Self::JoinAll(lobby) => write!(f, "join-all {lobby}"),
            Self::Wake(lobby) => write!(f, "wake {lobby}"),
            Self::Later => f.write_str("later"),
            Self::Usher => f.write_str("usher"),
            Self::Permits(count) => write!(f, "permits {count}"),
            Self::Mode(mode) => f.write_str(mode.name()),
            Self::Reset => f.write_str("reset"),
        }
    }
}

impl Step {
    /// Reads what [`Display`](fmt::Display) writes.
    pub fn parse(text: &str) -> Self {
        let words: Vec<&str> = text.split_whitespace().collect();
        let count = |word: &str| word.parse().unwrap_or_else(|_| panic!("no number: {text}"));
        match words.as_slice() {
            ["later"] => Self::Later,
            ["usher"] => Self::Usher,
            ["reset"] => Self::Reset,
            ["permits", n] => Self::Permits(count(n)),
            ["wake", n] => Self::Wake(count(n)),
            ["join-all", n] => Self::JoinAll(count(n)),
            [word] => Self::Mode(mode(word).unwrap_or_else(|| panic!("no step: {text}"))),
            [word, who] => {
                let deed = DEEDS.iter().find(|(_, w)| w == word);
                let (deed, _) = deed.unwrap_or_else(|| panic!("no step: {text}"));
                Self::Does(*deed, who.as_bytes()[0] - b'a')
            }
            _ => panic!("no step: {text}"),
        }
    }
}

/// A mode by its name.
pub fn mode(word: &str) -> Option<Mode> {
    [Mode::Open, Mode::Paused, Mode::Bypass].into_iter().find(|mode| mode.name() == word)
}
