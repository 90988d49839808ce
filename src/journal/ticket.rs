//! What the facts say of one ticket, one after the other. The desk's story and the audit's are told from this; how it is said, and
//! what else is known at the time, is theirs.
//!
//! A number is another ticket in each edition; all of them are followed, one after the other.

use crate::facts::event::{Event, From, How, To, WhyEnded};
use crate::facts::units::{Edition, Fence, LobbyId, Number};
use core::fmt;
use core::str::FromStr;

/// Where a ticket stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
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

impl Place {
    const fn fence(self) -> Option<Fence> {
        match self {
            Self::Called(fence) | Self::Inside(fence) => Some(fence),
            Self::Unborn | Self::Waits | Self::Over => None,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unborn => Ok(()),
            Self::Waits => write!(f, "waits"),
            Self::Called(fence) => write!(f, "called-{fence}"),
            Self::Inside(fence) => write!(f, "inside-{fence}"),
            Self::Over => write!(f, "over"),
        }
    }
}

impl FromStr for Place {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let fence = |text: &str| text.parse().map(Fence).map_err(|_| ());
        match text.split_once('-') {
            None if text == "waits" => Ok(Self::Waits),
            None if text == "over" => Ok(Self::Over),
            Some(("called", text)) => Ok(Self::Called(fence(text)?)),
            Some(("inside", text)) => Ok(Self::Inside(fence(text)?)),
            _ => Err(()),
        }
    }
}

/// What a fact did to the ticket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happened<'a> {
    /// It was issued to somebody who waits.
    Joined {
        /// Through which lobby.
        lobby: LobbyId,
        /// How many got a number in the same fact before it.
        nth: u64,
    },
    /// It was issued when the hall was drawn.
    Drawn {
        /// How many got a number in the same draw before it.
        nth: u64,
    },
    /// It was issued to somebody who never waited.
    WalkedIn {
        /// Through which lobby.
        lobby: LobbyId,
        /// Where the permit came from.
        from: From,
        /// The permit's fence.
        fence: Fence,
    },
    /// The usher called it.
    Called(Fence),
    /// It was called with another's permit.
    Handed {
        /// The fence that the other had.
        from: Fence,
        /// How the other gave it back.
        how: How,
        /// The permit's new fence.
        fence: Fence,
    },
    /// Its permit was handed on.
    HandedOn {
        /// The fence that it had.
        from: Fence,
        /// How it gave the permit back.
        how: How,
        /// Who has it now.
        number: Number,
        /// The permit's new fence.
        fence: Fence,
    },
    /// Its permit came back.
    Ended {
        /// The fence that it had.
        fence: Fence,
        /// How.
        how: How,
        /// Where the permit went.
        to: To,
    },
    /// Its visitor came after the call.
    Claimed,
    /// Its visitor was active.
    Active,
    /// The site gave it more time.
    Extended {
        /// So much.
        by_ms: u64,
    },
    /// It was carried to another device.
    Carried(Option<(Fence, Fence)>),
    /// Its visitor went away.
    WentAway,
    /// Its visitor came back.
    CameBack,
    /// Its visitor gave the place up.
    Left,
    /// Its visitor went to a better lane and has another number there.
    Moved {
        /// Which.
        to: Number,
    },
    /// Its visitor came from a later lane, where the number was another.
    CameOver {
        /// Which.
        from: Number,
    },
    /// Every place in the line ended.
    LineEnded(WhyEnded),
    /// The operator ended it.
    Dismissed {
        /// Who did; empty where that is not shown.
        by: &'a str,
    },
    /// The operator began another edition.
    Reset {
        /// Which.
        edition: Edition,
        /// Who did; empty where that is not shown.
        by: &'a str,
        /// Whether that ended the ticket: it was not over before.
        ended: bool,
    },
}

/// One ticket, as far as the facts have come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    number: Number,
    place: Place,
}

impl Ticket {
    /// The ticket with this number, which stands there.
    #[must_use]
    pub const fn new(number: Number, place: Place) -> Self {
        Self { number, place }
    }

    /// Which it is.
    #[must_use]
    pub const fn number(&self) -> Number {
        self.number
    }

    /// Where it stands.
    #[must_use]
    pub const fn place(&self) -> Place {
        self.place
    }

    /// It is over, though the fact did not name it: a grace that ends names nobody.
    pub const fn end(&mut self) {
        self.place = Place::Over;
    }

    fn holds(&self, fence: Fence) -> bool {
        self.place.fence() == Some(fence)
    }

    /// Moves it there if `so`, which is what happened.
    fn moves<'a>(&mut self, so: bool, to: Place, happened: Happened<'a>) -> Option<Happened<'a>> {
        so.then(|| {
            self.place = to;
            happened
        })
    }

    /// Takes the next fact in: what it did to the ticket; `None`: nothing. O(numbers that it lists).
    pub fn happens<'a>(&mut self, event: &'a Event) -> Option<Happened<'a>> {
        let (me, place) = (self.number, self.place);
        match event {
            Event::Joined {
                lobby,
                first,
                count,
                ..
            } => {
                let nth = nth(*first, (*count).into(), me)?;
                let lobby = *lobby;
                self.moves(true, Place::Waits, Happened::Joined { lobby, nth })
            }
            Event::Drawn { first, count, .. } => {
                let nth = nth(*first, *count, me)?;
                self.moves(true, Place::Waits, Happened::Drawn { nth })
            }
            Event::WalkedIn {
                lobby,
                number,
                fence,
                from,
                ..
            } => {
                let (lobby, from, fence) = (*lobby, *from, *fence);
                let happened = Happened::WalkedIn { lobby, from, fence };
                self.moves(*number == me, Place::Inside(fence), happened)
            }
            Event::Moved { from, to } if *from == me => {
                self.moves(true, Place::Over, Happened::Moved { to: *to })
            }
            Event::Moved { from, to } => {
                self.moves(*to == me, Place::Waits, Happened::CameOver { from: *from })
            }
            Event::Left(number) => self.moves(*number == me, Place::Over, Happened::Left),
            Event::WentAway(numbers) => numbers.contains(&me).then_some(Happened::WentAway),
            Event::CameBack(numbers) => numbers.contains(&me).then_some(Happened::CameBack),
            Event::LineEnded { why, .. } => {
                let waits = matches!(place, Place::Waits | Place::Called(_));
                self.moves(waits, Place::Over, Happened::LineEnded(*why))
            }
            Event::Dismissed { number, by } => {
                (*number == me).then_some(Happened::Dismissed { by })
            }
            Event::Reset { edition, by, .. } => {
                let reset = Happened::Reset {
                    edition: *edition,
                    by,
                    ended: place != Place::Over,
                };
                self.moves(place != Place::Unborn, Place::Unborn, reset)
            }
            _ => self.permit(event),
        }
    }

    /// The same of facts about permits.
    fn permit<'a>(&mut self, event: &Event) -> Option<Happened<'a>> {
        let me = self.number;
        match event {
            Event::Called { number, fence } => {
                let called = Happened::Called(*fence);
                self.moves(*number == me, Place::Called(*fence), called)
            }
            Event::Handed {
                from,
                how,
                number,
                fence,
            } => {
                let (from, how, number, fence) = (*from, *how, *number, *fence);
                if number == me {
                    let handed = Happened::Handed { from, how, fence };
                    return self.moves(true, Place::Called(fence), handed);
                }
                let on = Happened::HandedOn {
                    from,
                    how,
                    number,
                    fence,
                };
                self.moves(self.holds(from), after(how), on)
            }
            Event::Ended { fence, how, to } => {
                let (fence, how, to) = (*fence, *how, *to);
                let ended = Happened::Ended { fence, how, to };
                self.moves(self.holds(fence), after(how), ended)
            }
            Event::Claimed { fence } => {
                self.moves(self.holds(*fence), Place::Inside(*fence), Happened::Claimed)
            }
            Event::Slid { fence } => self.holds(*fence).then_some(Happened::Active),
            Event::Extended { fence, by_ms } => {
                let by_ms = *by_ms;
                self.holds(*fence).then_some(Happened::Extended { by_ms })
            }
            Event::Carried { number, fences, .. } => {
                let to = match (self.place, fences) {
                    (Place::Called(_), Some((_, fence))) => Place::Called(*fence),
                    (_, Some((_, fence))) => Place::Inside(*fence),
                    (place, None) => place,
                };
                self.moves(*number == me, to, Happened::Carried(*fences))
            }
            // About nobody in particular. The fact lists nobody whose grace ended.
            _ => None,
        }
    }
}

/// Which of `count` numbers from `first` on this is, from 0.
fn nth(first: Number, count: u64, number: Number) -> Option<u64> {
    let nth = number.0.checked_sub(first.0)?;
    (nth < count).then_some(nth)
}

/// Where a ticket stands after its permit came back.
const fn after(how: How) -> Place {
    match how {
        How::Missed => Place::Waits,
        How::Released | How::Expired | How::MissedAgain | How::Left => Place::Over,
    }
}
