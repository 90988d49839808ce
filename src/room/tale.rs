//! Tells the desk's story of one ticket, for an operator who has its visitor on the phone: what the journal says of it, row by row.
//!
//! It reads only facts (`journal/ticket.rs`), a page at a time, and goes on at a [`Mark`], so the room may be of any size. The audit's story replays
//! the whole export, so it says more, such as how many were ahead, but it has no names. A number is another ticket in each edition: the tale tells of
//! each in turn, with a line where one ends.

use core::fmt;
use core::str::FromStr;
use facts::event::{Event, From, How, To, WhyEnded};
use facts::units::{Edition, Number};
use journal::ticket::{Chapter, Happened, Ticket};
use serde::Serialize;

/// Where reading goes on: after which row, and where the ticket stood by then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// The last row that was read.
    pub after: u64,
    chapter: Chapter,
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.chapter {
            Chapter::Unborn => write!(f, "{}", self.after),
            chapter => write!(f, "{}-{chapter}", self.after),
        }
    }
}

impl FromStr for Mark {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (after, chapter) = match text.split_once('-') {
            None => (text, Chapter::Unborn),
            Some((after, chapter)) => (after, chapter.parse()?),
        };
        let after = after.parse().map_err(|_| ())?;
        Ok(Self { after, chapter })
    }
}

/// Something that happened to the ticket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Telling {
    /// The row that says so.
    pub row: u64,
    /// When it happened, by the wall clock, Unix ms.
    pub at_ms: u64,
    /// What happened.
    pub says: String,
    /// How many times in a row it happened, until `until_ms`; more than once only for being active.
    pub times: u64,
    /// When it happened for the last time, Unix ms.
    pub until_ms: u64,
}

/// Reads rows and keeps what they say of one ticket.
#[derive(Debug)]
pub struct Tale {
    ticket: Ticket,
    after: u64,
    told: Vec<Telling>,
    /// The title of each lane, by slot; empty if the room has no lanes.
    lanes: Vec<String>,
}

const ACTIVE: &str = "was active: the lease goes on";

impl Tale {
    /// Begins the tale of `number` at `mark`.
    #[must_use]
    pub const fn new(number: Number, mark: Mark) -> Self {
        Self {
            ticket: Ticket::new(number, mark.chapter),
            after: mark.after,
            told: Vec::new(),
            lanes: Vec::new(),
        }
    }

    /// Tells numbers as people see them, in lanes with these titles, by slot.
    #[must_use]
    pub fn in_lanes(self, lanes: Vec<String>) -> Self {
        Self { lanes, ..self }
    }

    /// Returns a number as people see it.
    fn say(&self, number: Number) -> String {
        match self.lanes.get(usize::from(number.lane().0)) {
            None => number.to_string(),
            Some(lane) if number.is_entry() => format!("entry {} ({lane})", number.within()),
            Some(lane) => format!("{} ({lane})", number.within()),
        }
    }

    /// Returns a number as people see it, within a sentence: an entry of a hall is no number yet.
    fn name(&self, number: Number) -> String {
        let said = self.say(number);
        if number.is_entry() { said } else { format!("number {said}") }
    }

    /// Reads the next row. O(what its events list).
    pub fn row(&mut self, row: u64, wall_ms: u64, events: &[Event]) {
        self.after = row;
        for event in events {
            let Some(happened) = self.ticket.happens(event) else {
                continue;
            };
            let says = self.says(&happened);
            match self.told.last_mut() {
                Some(last) if last.says == ACTIVE && says == ACTIVE => {
                    last.times += 1;
                    last.until_ms = wall_ms;
                }
                _ => self.told.push(Telling {
                    row,
                    at_ms: wall_ms,
                    says,
                    times: 1,
                    until_ms: wall_ms,
                }),
            }
        }
    }

    /// Returns what was told, and where to go on.
    #[must_use]
    pub fn finish(self) -> (Vec<Telling>, Mark) {
        let (after, chapter) = (self.after, self.ticket.chapter());
        (self.told, Mark { after, chapter })
    }
}

impl Tale {
    fn says(&self, happened: &Happened<'_>) -> String {
        match happened {
            Happened::Joined { lobby, .. } => format!("got its number, through lobby {lobby}"),
            Happened::Drawn { .. } => "got its number when the hall was drawn".to_owned(),
            Happened::WalkedIn { lobby, from, fence } => {
                let from = match from {
                    From::Hand | From::Tray => "",
                    From::Nowhere => ", being only observed",
                };
                format!("walked in without waiting, through lobby {lobby}{from} (fence {fence})")
            }
            Happened::Called(fence) => format!("was called by the usher (fence {fence})"),
            Happened::Handed { from, fence, .. } => {
                format!("was called with the baton of fence {from} (fence {fence})")
            }
            Happened::HandedOn { how, number, .. } => {
                let number = self.say(*number);
                format!("{}; the permit was handed to number {number}", gave(*how))
            }
            Happened::Ended { how, to, .. } => {
                let to = match to {
                    To::Hand => "went back to the usher's hand",
                    To::Tray => "went onto the tray",
                    To::Debt => "vanished: the room has fewer now",
                };
                format!("{}; the permit {to}", gave(*how))
            }
            Happened::Claimed => "came after the call and is inside".to_owned(),
            Happened::Active => ACTIVE.to_owned(),
            Happened::Extended { by_ms } => {
                format!("was given {} s more by the site", by_ms / 1_000)
            }
            Happened::Carried(None) => "was carried to another device".to_owned(),
            Happened::Carried(Some((from, fence))) => {
                format!("was carried to another device (fence {from} → {fence})")
            }
            Happened::WentAway => "went away; the place is kept".to_owned(),
            Happened::CameBack => "came back".to_owned(),
            Happened::Left => "gave its place up".to_owned(),
            Happened::Moved { to } => {
                let to = self.name(*to);
                format!("went to the end of a better lane and is {to} from here on")
            }
            Happened::CameOver { from } => {
                format!("came from another lane, where it was {}", self.name(*from))
            }
            Happened::LineEnded(WhyEnded::SoldOut) => "was told that all is sold; the wait ended".to_owned(),
            Happened::Dismissed { by } => format!("was ended by the operator ({by})"),
            Happened::Reset { edition, by, ended } => begun(*edition, by, *ended),
        }
    }
}

fn begun(edition: Edition, by: &str, ended: bool) -> String {
    let ended = if ended { "ended when " } else { "" };
    format!("{ended}edition {edition} was begun by {by}: from here the number is another ticket")
}

const fn gave(how: How) -> &'static str {
    match how {
        How::Released => "released the permit",
        How::Expired => "ran out of time",
        How::Missed => "did not come when called; it keeps its place once, as away",
        How::MissedAgain => "did not come when called again and is over",
        How::Left => "gave the place up when called",
    }
}
