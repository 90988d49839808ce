//! What the facts say of one ticket, one fact after the other. The desk's story and the audit's both start from this; each adds
//! its own wording and whatever else it knows of that time.
//!
//! A number is another ticket in each edition. All of them are followed, one after the other.

use core::fmt;
use core::str::FromStr;
use facts::event::{Event, From, How, To, WhyEnded};
use facts::units::{Edition, Fence, LobbyId, Number};

/// How far the facts have brought a ticket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Chapter {
    /// Not issued yet.
    #[default]
    Unborn,
    /// In the line.
    Waits,
    /// Has a permit and has not come yet.
    Called(Fence),
    /// Has come: holds a lease.
    Inside(Fence),
    /// Over.
    Over,
}

impl Chapter {
    const fn fence(self) -> Option<Fence> {
        match self {
            Self::Called(fence) | Self::Inside(fence) => Some(fence),
            Self::Unborn | Self::Waits | Self::Over => None,
        }
    }
}

impl fmt::Display for Chapter {
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

impl FromStr for Chapter {
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
    /// It was issued to a visitor who waits.
    Joined {
        /// The lobby through which the visitor joined.
        lobby: LobbyId,
        /// How many tickets the same fact issued before it.
        nth: u64,
    },
    /// It was issued when the hall was drawn.
    Drawn {
        /// How many tickets the same draw issued before it.
        nth: u64,
    },
    /// It was issued to a walk-in, who never waited.
    WalkedIn {
        /// The lobby through which the visitor walked in.
        lobby: LobbyId,
        /// Where the permit came from.
        from: From,
        /// The permit's fence.
        fence: Fence,
    },
    /// The usher called it.
    Called(Fence),
    /// It was called with a permit that another ticket gave back.
    Handed {
        /// The fence that the other ticket had.
        from: Fence,
        /// How the other ticket gave it back.
        how: How,
        /// The permit's new fence.
        fence: Fence,
    },
    /// Its permit went to another ticket.
    HandedOn {
        /// The fence that it had.
        from: Fence,
        /// How it gave the permit back.
        how: How,
        /// The ticket that has the permit now.
        number: Number,
        /// The permit's new fence.
        fence: Fence,
    },
    /// Its permit came back to the room.
    Ended {
        /// The fence that it had.
        fence: Fence,
        /// Why it came back.
        how: How,
        /// Where the permit went.
        to: To,
    },
    /// Its visitor came after the call.
    Claimed,
    /// Its visitor was active, so the lease slid.
    Active,
    /// The origin gave it more time.
    Extended {
        /// By how much, in ms.
        by_ms: u64,
    },
    /// It was carried to another device. If it held a permit: the old fence and the new one.
    Carried(Option<(Fence, Fence)>),
    /// Its visitor went away.
    WentAway,
    /// Its visitor came back.
    CameBack,
    /// Its visitor gave up the place.
    Left,
    /// Its visitor moved to a better lane and has another number there.
    Moved {
        /// The number there.
        to: Number,
    },
    /// Its visitor came from a later lane, under another number.
    CameOver {
        /// The number there.
        from: Number,
    },
    /// Every place in the line ended.
    LineEnded(WhyEnded),
    /// An operator ended it.
    Dismissed {
        /// The operator's name; empty where it is not shown.
        by: &'a str,
    },
    /// An operator began another edition.
    Reset {
        /// The edition that began.
        edition: Edition,
        /// The operator's name; empty where it is not shown.
        by: &'a str,
        /// Whether the reset ended the ticket; `false` if it was over already.
        ended: bool,
    },
}

/// One ticket, as of the facts taken in so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    number: Number,
    chapter: Chapter,
}

impl Ticket {
    /// The ticket with this number, at this chapter.
    #[must_use]
    pub const fn new(number: Number, chapter: Chapter) -> Self {
        Self { number, chapter }
    }

    /// The ticket's number.
    #[must_use]
    pub const fn number(&self) -> Number {
        self.number
    }

    /// Where it stands.
    #[must_use]
    pub const fn chapter(&self) -> Chapter {
        self.chapter
    }

    /// Ends the ticket for a reason that no fact names: when a grace ends, the fact lists nobody.
    pub const fn end(&mut self) {
        self.chapter = Chapter::Over;
    }

    fn holds(&self, fence: Fence) -> bool {
        self.chapter.fence() == Some(fence)
    }

    /// If `so`, moves the ticket to `to` and returns `happened`.
    fn moves<'a>(&mut self, so: bool, to: Chapter, happened: Happened<'a>) -> Option<Happened<'a>> {
        so.then(|| {
            self.chapter = to;
            happened
        })
    }

    /// Takes in the next fact. Returns what it did to the ticket, or `None` if nothing. O(numbers that the fact lists).
    pub fn happens<'a>(&mut self, event: &'a Event) -> Option<Happened<'a>> {
        let (me, chapter) = (self.number, self.chapter);
        match event {
            Event::Joined { lobby, first, count, .. } => {
                let nth = nth(*first, (*count).into(), me)?;
                let lobby = *lobby;
                self.moves(true, Chapter::Waits, Happened::Joined { lobby, nth })
            }
            Event::Drawn { first, count, .. } => {
                let nth = nth(*first, *count, me)?;
                self.moves(true, Chapter::Waits, Happened::Drawn { nth })
            }
            Event::WalkedIn {
                lobby, number, fence, from, ..
            } => {
                let (lobby, from, fence) = (*lobby, *from, *fence);
                let happened = Happened::WalkedIn { lobby, from, fence };
                self.moves(*number == me, Chapter::Inside(fence), happened)
            }
            Event::Moved { from, to } if *from == me => self.moves(true, Chapter::Over, Happened::Moved { to: *to }),
            Event::Moved { from, to } => self.moves(*to == me, Chapter::Waits, Happened::CameOver { from: *from }),
            Event::Left(number) => self.moves(*number == me, Chapter::Over, Happened::Left),
            Event::WentAway(numbers) => numbers.contains(&me).then_some(Happened::WentAway),
            Event::CameBack(numbers) => numbers.contains(&me).then_some(Happened::CameBack),
            Event::LineEnded { why, .. } => {
                let waits = matches!(chapter, Chapter::Waits | Chapter::Called(_));
                self.moves(waits, Chapter::Over, Happened::LineEnded(*why))
            }
            Event::Dismissed { number, by } => (*number == me).then_some(Happened::Dismissed { by }),
            Event::Reset { edition, by, .. } => {
                let reset = Happened::Reset {
                    edition: *edition,
                    by,
                    ended: chapter != Chapter::Over,
                };
                self.moves(chapter != Chapter::Unborn, Chapter::Unborn, reset)
            }
            _ => self.permit(event),
        }
    }

    /// Does the same for facts about permits.
    fn permit<'a>(&mut self, event: &Event) -> Option<Happened<'a>> {
        let me = self.number;
        match event {
            Event::Called { number, fence } => {
                let called = Happened::Called(*fence);
                self.moves(*number == me, Chapter::Called(*fence), called)
            }
            Event::Handed { from, how, number, fence } => {
                let (from, how, number, fence) = (*from, *how, *number, *fence);
                if number == me {
                    let handed = Happened::Handed { from, how, fence };
                    return self.moves(true, Chapter::Called(fence), handed);
                }
                let on = Happened::HandedOn { from, how, number, fence };
                self.moves(self.holds(from), after(how), on)
            }
            Event::Ended { fence, how, to } => {
                let (fence, how, to) = (*fence, *how, *to);
                let ended = Happened::Ended { fence, how, to };
                self.moves(self.holds(fence), after(how), ended)
            }
            Event::Claimed { fence } => self.moves(self.holds(*fence), Chapter::Inside(*fence), Happened::Claimed),
            Event::Slid { fence } => self.holds(*fence).then_some(Happened::Active),
            Event::Extended { fence, by_ms } => {
                let by_ms = *by_ms;
                self.holds(*fence).then_some(Happened::Extended { by_ms })
            }
            Event::Carried { number, fences, .. } => {
                let to = match (self.chapter, fences) {
                    (Chapter::Called(_), Some((_, fence))) => Chapter::Called(*fence),
                    (_, Some((_, fence))) => Chapter::Inside(*fence),
                    (chapter, None) => chapter,
                };
                self.moves(*number == me, to, Happened::Carried(*fences))
            }
            // These facts name no ticket. In particular, no fact lists the tickets whose grace ended.
            _ => None,
        }
    }
}

/// Returns the position of `number` among the `count` numbers from `first` on, counted from 0, or `None` if it is not one of them.
fn nth(first: Number, count: u64, number: Number) -> Option<u64> {
    let nth = number.0.checked_sub(first.0)?;
    (nth < count).then_some(nth)
}

/// Where a ticket stands after its permit came back.
const fn after(how: How) -> Chapter {
    match how {
        How::Missed => Chapter::Waits,
        How::Released | How::Expired | How::MissedAgain | How::Left => Chapter::Over,
    }
}
