//! What the journal says of one ticket, row by row, for an operator who has somebody on the phone.
//!
//! It reads facts and nothing else, a page at a time, and goes on at a [`Mark`]; the room may be as large as it likes. The
//! audit's story (`audit/story.rs`) says more, such as how many were in front, since it replays the whole export. A number
//! is another ticket in each edition: all of them are told, one after the other, with a line where the one ends.

use super::event::{By, Event, From, How, To, WhyEnded};
use crate::units::{Fence, Number};
use core::fmt;
use core::str::FromStr;
use serde::Serialize;

/// Where a ticket stood after the rows that were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// Not issued yet.
    #[default]
    Unborn,
    /// In the line.
    Waits,
    /// Was given a permit and has not come yet.
    Called(Fence),
    /// Inside.
    Inside(Fence),
    /// Over.
    Over,
}

/// Where reading goes on: after which row, and where the ticket stood then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// The last row that was read.
    pub after: u64,
    place: Place,
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::Unborn => write!(f, "{}", self.after),
            Place::Waits => write!(f, "{}-waits", self.after),
            Place::Called(fence) => write!(f, "{}-called-{fence}", self.after),
            Place::Inside(fence) => write!(f, "{}-inside-{fence}", self.after),
            Place::Over => write!(f, "{}-over", self.after),
        }
    }
}

impl FromStr for Mark {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (after, place) = match text.split_once('-') {
            None => (text, Place::Unborn),
            Some((after, "waits")) => (after, Place::Waits),
            Some((after, "over")) => (after, Place::Over),
            Some((after, place)) => match place.split_once('-').ok_or(())? {
                ("called", fence) => (after, Place::Called(Fence(whole(fence)?))),
                ("inside", fence) => (after, Place::Inside(Fence(whole(fence)?))),
                _ => return Err(()),
            },
        };
        let after = whole(after)?;
        Ok(Self { after, place })
    }
}

fn whole(text: &str) -> Result<u64, ()> {
    text.parse().map_err(|_| ())
}

/// Something that happened to the ticket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Told {
    /// The row that says so.
    pub row: u64,
    /// The wall clock, Unix ms.
    pub at_ms: u64,
    /// What happened.
    pub says: String,
    /// How often in a row, until `until_ms`; more than once only for being active.
    pub times: u64,
    /// When it happened for the last time.
    pub until_ms: u64,
}

/// Reads rows and keeps what is about one ticket.
#[derive(Debug)]
pub struct Tale {
    number: Number,
    mark: Mark,
    told: Vec<Told>,
}

const ACTIVE: &str = "was active: the lease goes on";

impl Tale {
    /// Of `number`, from `mark` on.
    #[must_use]
    pub const fn new(number: Number, mark: Mark) -> Self {
        Self {
            number,
            mark,
            told: Vec::new(),
        }
    }

    /// Takes the next row in. O(what its events list).
    pub fn row(&mut self, row: u64, wall_ms: u64, events: &[Event]) {
        self.mark.after = row;
        for event in events {
            let Some(says) = self.event(event) else {
                continue;
            };
            match self.told.last_mut() {
                Some(last) if last.says == ACTIVE && says == ACTIVE => {
                    last.times += 1;
                    last.until_ms = wall_ms;
                }
                _ => self.told.push(Told {
                    row,
                    at_ms: wall_ms,
                    says,
                    times: 1,
                    until_ms: wall_ms,
                }),
            }
        }
    }

    /// What was told, and where to go on.
    #[must_use]
    pub fn finish(self) -> (Vec<Told>, Mark) {
        (self.told, self.mark)
    }

    fn holds(&self, fence: Fence) -> bool {
        matches!(self.mark.place, Place::Called(held) | Place::Inside(held) if held == fence)
    }

    /// What an event means for the ticket; `None`: nothing.
    fn event(&mut self, event: &Event) -> Option<String> {
        let me = self.number;
        match event {
            Event::Joined {
                lobby,
                first,
                count,
            } => {
                let issued = *first <= me && me < first.plus((*count).into());
                issued.then(|| {
                    self.mark.place = Place::Waits;
                    format!("got its number, through lobby {lobby}")
                })
            }
            Event::Drawn { first, count, .. } => {
                let drawn = *first <= me && me < first.plus(*count);
                drawn.then(|| {
                    self.mark.place = Place::Waits;
                    "got its number when the hall was drawn".to_owned()
                })
            }
            Event::WalkedIn {
                lobby,
                number,
                fence,
                from,
            } => (*number == me).then(|| {
                self.mark.place = Place::Inside(*fence);
                let from = match from {
                    From::Hand | From::Tray => "",
                    From::Nowhere => ", being only observed",
                };
                format!("walked in without waiting, through lobby {lobby}{from} (fence {fence})")
            }),
            Event::Called { number, fence } => {
                (*number == me).then(|| self.called(By::Usher, *fence))
            }
            Event::Handed {
                from,
                how,
                number,
                fence,
            } => {
                if *number == me {
                    return Some(self.called(By::Baton(*from), *fence));
                }
                self.holds(*from).then(|| {
                    self.ended(*how);
                    format!("{}; the permit was handed to number {number}", ending(*how))
                })
            }
            Event::Ended { fence, how, to } => self.holds(*fence).then(|| {
                self.ended(*how);
                let to = match to {
                    To::Hand => "went back to the usher's hand",
                    To::Tray => "went onto the tray",
                    To::Debt => "vanished: the room has fewer now",
                };
                format!("{}; the permit {to}", ending(*how))
            }),
            Event::Claimed { fence } => self.holds(*fence).then(|| {
                self.mark.place = Place::Inside(*fence);
                "came after the call and is inside".to_owned()
            }),
            Event::Slid { fence } => self.holds(*fence).then(|| ACTIVE.to_owned()),
            Event::Extended { fence, by_ms } => self
                .holds(*fence)
                .then(|| format!("was given {} s more by the site", by_ms / 1_000)),
            Event::Refenced { from, fence } => self.holds(*from).then(|| {
                self.mark.place = Place::Inside(*fence);
                format!("was carried to another device (fence {from} → {fence})")
            }),
            Event::WentAway(numbers) => numbers
                .contains(&me)
                .then(|| "went away; the place is kept".to_owned()),
            Event::CameBack(numbers) => numbers.contains(&me).then(|| "came back".to_owned()),
            Event::Left(number) => (*number == me).then(|| {
                self.mark.place = Place::Over;
                "gave its place up".to_owned()
            }),
            Event::LineEnded { why, .. } => {
                let waits = matches!(self.mark.place, Place::Waits | Place::Called(_));
                waits.then(|| self.line_ended(*why))
            }
            Event::Dismissed { number, by, .. } => {
                (*number == me).then(|| format!("was ended by the operator ({by})"))
            }
            Event::Reset { edition, by, .. } => {
                let place = core::mem::take(&mut self.mark.place);
                let others = format!("by {by}: from here the number is another ticket");
                match place {
                    Place::Unborn => None,
                    Place::Over => Some(format!("edition {edition} was begun {others}")),
                    Place::Waits | Place::Called(_) | Place::Inside(_) => {
                        Some(format!("ended when edition {edition} was begun {others}"))
                    }
                }
            }
            // About nobody in particular. Whose grace ended is not listed: where the ticket stands now says it.
            _ => None,
        }
    }

    fn called(&mut self, by: By, fence: Fence) -> String {
        self.mark.place = Place::Called(fence);
        match by {
            By::Usher => format!("was called by the usher (fence {fence})"),
            By::Baton(from) => format!("was called with the baton of fence {from} (fence {fence})"),
        }
    }

    const fn ended(&mut self, how: How) {
        self.mark.place = match how {
            How::Missed => Place::Waits,
            How::Released | How::Expired | How::MissedAgain | How::Left => Place::Over,
        };
    }

    fn line_ended(&mut self, why: WhyEnded) -> String {
        self.mark.place = Place::Over;
        let why = if why == WhyEnded::SoldOut {
            "all is sold"
        } else {
            "the line is over"
        };
        format!("was told that {why}; the wait ended")
    }
}

const fn ending(how: How) -> &'static str {
    match how {
        How::Released => "released the permit",
        How::Expired => "ran out of time",
        How::Missed => "did not come when called; it keeps its place once, as away",
        How::MissedAgain => "did not come when called again and is over",
        How::Left => "gave the place up when called",
    }
}
