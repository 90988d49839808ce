//! The moving picture of the line: one small table for everybody, from which each page works out
//! its own place. The form and how it is read are here and in `docs/client.md`; how it is made
//! of a line is in `draw`. It must never show anybody fewer people ahead than there are.

mod draw;

use super::varint;
use crate::facts::config::Mode;
use crate::facts::units::{Ahead, Number};

/// The format written here.
pub const FORMAT: u8 = 1;
/// So many at the head are told exactly.
pub const EXACT: u64 = 100;
/// Up to here points are so close that no bound between two is more than 1 % and one off,
/// whatever the holes. 1,000,000 in line with three holes in ten are 461 points in 684 bytes.
pub const CLOSE: u64 = 5_000;
/// From [`CLOSE`] on a point follows each sixteenth part of the way, and a slack says how far the
/// line between two strays from a straight one. At random holes that is like the square root of
/// their distance: less than 1 % from `CLOSE` on.
const STEP_SHIFT: u32 = 4;
/// The slack that says nothing: the whole way from one point to the next.
pub const SLACK_MAX: u8 = u8::MAX;
/// In the byte of the mode: [`Frame::behind`].
const BEHIND: u8 = 0x80;
/// The largest integer in a frame, 2⁵³ − 1: what JavaScript can count to.
const INTEGER_MAX: u64 = (1 << 53) - 1;

/// What a frame knows of one living number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// The number within its lane. It is in the line.
    pub number: Number,
    /// How many are in front of it, exactly.
    pub ahead: Ahead,
    /// For those between the point before and this one: by how many 255ths of the people from
    /// there to here the line rises above a straight one, at most.
    pub slack: u8,
}

/// A decoded frame, or what a frame is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// What the room does with arrivals.
    pub mode: Mode,
    /// Somebody who goes first waits in another lane: there is no time between calls to go by.
    pub behind: bool,
    /// The room's version.
    pub version: u64,
    /// People in the line.
    pub waiting: u64,
    /// Measured time between calls, short end.
    pub call_us_low: u64,
    /// Measured time between calls, long end. Not below the short end.
    pub call_us_high: u64,
    /// One for each of the ranks that follow from `waiting`, rising.
    pub points: Vec<Point>,
    /// Up to which number a seat can be expected; 0: perhaps none for anybody who waits. `None`: that is not known.
    pub seats_to: Option<Number>,
}

/// The ranks of the points in a line of `waiting`: they follow from it, so they are not sent. At
/// most about 850, for the 2⁵³ − 1 that a frame can say; 479 for a line of
/// [`LINE_MAX`](crate::facts::limits::LINE_MAX).
fn ranks(waiting: u64) -> impl Iterator<Item = u64> {
    let last = waiting.checked_sub(1);
    let after = move |rank: &u64| {
        let gap = match *rank {
            ..EXACT => 1,
            EXACT..CLOSE => 3 + rank / 100,
            _ => rank >> STEP_SHIFT,
        };
        last.filter(|last| rank < last)
            .map(|last| rank.saturating_add(gap).min(last))
    };
    std::iter::successors(last.map(|_| 0), after)
}

/// Whether the way from a point to the next has a slack.
const fn has_slack(from: Ahead) -> bool {
    from.0 >= CLOSE
}

impl Frame {
    /// The bytes of the frame. O(points).
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
        let mut bytes = vec![FORMAT, mode | behind];
        let head = [
            self.version,
            self.waiting,
            self.call_us_low,
            self.call_us_high,
        ];
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

    /// Reads a frame. `None` when the bytes are not exactly one well-formed frame of this format:
    /// cut short, bytes left over, an integer past 2⁵³ − 1, a range that runs backwards, more
    /// people between two points than numbers. O(bytes), whatever they claim.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let [FORMAT, mode] = *take(&mut rest)? else {
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
            points.push(Point {
                number,
                ahead,
                slack,
            });
        }
        let seats_to = if rest.is_empty() {
            None
        } else {
            Some(Number(get(&mut rest)?))
        };
        (rest.is_empty() && call_us_low <= call_us_high).then_some(Self {
            mode,
            behind,
            version,
            waiting,
            call_us_low,
            call_us_high,
            points,
            seats_to,
        })
    }

    /// An upper bound of the people in front of a number within the lane that is in the line, by the rule that
    /// pages follow. O(log points).
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

    /// Whether two frames show the same picture: all but the version.
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

/// The bound of a number between two points: the least of three. Each number since the last point
/// is a person; the next point is one of those behind; the line is straight but for its slack.
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

/// An integer of a frame: at most eight bytes, and no more than JavaScript counts to.
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
