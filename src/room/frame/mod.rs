//! Frames: the moving picture of the line, one small table for everybody, from which each page works out its own `ahead`. This file
//! and `docs/client.md` say what its form is and how it is read; `make` makes it from a line. A frame must never show anybody fewer
//! people ahead than there are.

mod make;

use super::varint;
use facts::config::Mode;
use facts::units::{Ahead, Number};

/// The format that is written here.
pub const FORMAT: u8 = 1;
/// Below this rank a frame is exact.
pub const EXACT: u64 = 100;
/// Up to this rank points are so close that no bound between two is more than 1 % plus one too high, whatever the holes. A frame of 1,000,000 in line
/// with three holes in ten has 461 points in 684 bytes.
pub const CLOSE: u64 = 5_000;
/// From rank [`CLOSE`] on, the gap to the next point is a sixteenth of the rank, and a slack says by how much interpolation between the two may be
/// too low. With holes at random the slack grows like the square root of the gap: it is less than 1 % from `CLOSE` on.
const STEP_SHIFT: u32 = 4;
/// The slack that says nothing: all the people from one point to the next.
pub const SLACK_MAX: u8 = u8::MAX;
/// The bit for [`Frame::behind`] in the byte of the mode.
const BEHIND: u8 = 0x80;
/// The largest integer in a frame, 2⁵³ − 1: JavaScript counts exactly up to this.
const INTEGER_MAX: u64 = (1 << 53) - 1;

/// What a frame says of one living number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// The number within its lane. It is in the line.
    pub number: Number,
    /// Exactly how many people are in front of it.
    pub ahead: Ahead,
    /// For the numbers between the point before and this one: by how much `ahead` is above interpolation at most, in 255ths of the
    /// people from there to here.
    pub slack: u8,
}

/// A frame that was decoded or is to be encoded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// What the room does with arrivals.
    pub mode: Mode,
    /// True if somebody waits in another lane that goes first. Then there is no time between calls to go by.
    pub behind: bool,
    /// The room's version.
    pub version: u64,
    /// Over how many seconds pages spread their return if a lobby loses all sockets at once. The lobby writes it; the room does not know how many
    /// people a lobby has, and says 0.
    pub spread_s: u8,
    /// People in the line.
    pub waiting: u64,
    /// The short end of the measured time between calls.
    pub call_us_low: u64,
    /// The long end of the measured time between calls. It is not below the short end.
    pub call_us_high: u64,
    /// One point for each rank that follows from `waiting`, in ascending order.
    pub points: Vec<Point>,
    /// Up to which number a seat can be expected; 0 if perhaps nobody who waits gets one; `None` if that is not known.
    pub seats_to: Option<Number>,
}

/// Returns the ranks of the points in a line of `waiting`. They follow from it, so a frame does not carry them. There are at most about 850, for the
/// 2⁵³ − 1 that a frame can say; 479 for a line of [`LINE_MAX`](facts::limits::LINE_MAX).
fn ranks(waiting: u64) -> impl Iterator<Item = u64> {
    let last = waiting.checked_sub(1);
    let after = move |rank: &u64| {
        let gap = match *rank {
            ..EXACT => 1,
            EXACT..CLOSE => 3 + rank / 100,
            _ => rank >> STEP_SHIFT,
        };
        last.filter(|last| rank < last).map(|last| rank.saturating_add(gap).min(last))
    };
    std::iter::successors(last.map(|_| 0), after)
}

/// Returns true if there is a slack between this point and the next.
const fn has_slack(from: Ahead) -> bool {
    from.0 >= CLOSE
}

impl Frame {
    /// Encodes the frame. O(points).
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mode = match self.mode {
            Mode::Open => 0,
            Mode::Paused => 1,
            Mode::Bypass => 2,
            Mode::Closed => 3,
            Mode::SoldOut => 4,
            Mode::Drain => 5,
            Mode::Observe => 6,
        };
        let behind = if self.behind { BEHIND } else { 0 };
        let mut bytes = vec![FORMAT, mode | behind, self.spread_s];
        let head = [self.version, self.waiting, self.call_us_low, self.call_us_high];
        for value in head {
            varint::put(&mut bytes, value);
        }
        let mut before: Option<&Point> = None;
        for point in &self.points {
            let from = before.map_or(0, |before| before.number.0);
            varint::put(&mut bytes, point.number.0.saturating_sub(from));
            if before.is_some_and(|before| has_slack(before.ahead)) {
                bytes.push(point.slack);
            }
            before = Some(point);
        }
        if let Some(seats_to) = self.seats_to {
            varint::put(&mut bytes, seats_to.0);
        }
        bytes
    }

    /// Decodes a frame. Returns `None` if the bytes are not exactly one well-formed frame of this format: cut short, bytes left over, an integer past
    /// 2⁵³ − 1, a range that runs backwards, or more people between two points than numbers. O(bytes), whatever the bytes claim.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let [FORMAT, mode, spread_s] = *take(&mut rest)? else {
            return None;
        };
        let behind = mode & BEHIND != 0;
        let mode = match mode & !BEHIND {
            0 => Mode::Open,
            1 => Mode::Paused,
            2 => Mode::Bypass,
            3 => Mode::Closed,
            4 => Mode::SoldOut,
            5 => Mode::Drain,
            6 => Mode::Observe,
            _ => return None,
        };
        let (version, waiting) = (get(&mut rest)?, get(&mut rest)?);
        let (call_us_low, call_us_high) = (get(&mut rest)?, get(&mut rest)?);
        let mut points: Vec<Point> = Vec::new();
        for ahead in ranks(waiting).map(Ahead) {
            let before = points.last();
            let (from, people) = before.map_or((0, 1), |p| (p.number.0, ahead.0 - p.ahead.0));
            let slacked = before.is_some_and(|before| has_slack(before.ahead));
            let step = get(&mut rest).filter(|step| *step >= people)?;
            let number = Number(from + step);
            let slack = if slacked {
                let [slack] = *take(&mut rest)?;
                slack
            } else {
                SLACK_MAX
            };
            if number.0 > INTEGER_MAX {
                return None;
            }
            points.push(Point { number, ahead, slack });
        }
        let seats_to = if rest.is_empty() { None } else { Some(Number(get(&mut rest)?)) };
        (rest.is_empty() && call_us_low <= call_us_high).then_some(Self {
            mode,
            behind,
            spread_s,
            version,
            waiting,
            call_us_low,
            call_us_high,
            points,
            seats_to,
        })
    }

    /// Returns an upper bound for the people in front of a number, by the rule that pages follow. The number is one within the lane and must be
    /// in the line. O(log points).
    #[must_use]
    pub fn ahead(&self, number: Number) -> Ahead {
        let after = self.points.partition_point(|p| p.number <= number);
        let Some(last) = after.checked_sub(1).and_then(|i| self.points.get(i)) else {
            return Ahead(0);
        };
        match self.points.get(after) {
            _ if last.number == number => last.ahead,
            Some(next) => bound_between(last, next, number),
            None => Ahead(self.waiting),
        }
    }

    /// Returns true if two frames of the room are equal in everything but the version.
    #[must_use]
    pub fn shows_the_same(&self, other: &Self) -> bool {
        self.mode == other.mode
            && self.behind == other.behind
            && self.waiting == other.waiting
            && self.call_us_low == other.call_us_low
            && self.call_us_high == other.call_us_high
            && self.points == other.points
            && self.seats_to == other.seats_to
    }
}

/// Returns the bound for a number between two points: the least of three. Each number since the last point may be a person. The next point has this
/// number in front. Interpolation plus its slack is never too low.
fn bound_between(last: &Point, next: &Point, number: Number) -> Ahead {
    let people = next.ahead.0 - last.ahead.0;
    let span = u128::from(next.number.0 - last.number.0);
    let past = number.0 - last.number.0;
    let straight = u128::from(past) * u128::from(people) / span;
    let slack = (u128::from(next.slack) * u128::from(people)).div_ceil(SLACK_MAX.into());
    // At most twice the people of a line, far below 2⁶⁴.
    let bent = u64::try_from(straight + slack).unwrap_or(u64::MAX);
    Ahead(last.ahead.0 + past.min(people - 1).min(bent))
}

fn take<'a, const N: usize>(rest: &mut &'a [u8]) -> Option<&'a [u8; N]> {
    let (head, tail) = rest.split_first_chunk::<N>()?;
    *rest = tail;
    Some(head)
}

/// Reads an integer of a frame: at most eight bytes, and no more than [`INTEGER_MAX`].
fn get(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..56).step_by(7) {
        let [byte] = *take(rest)?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return (value <= INTEGER_MAX).then_some(value);
        }
    }
    None
}
