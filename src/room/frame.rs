//! The moving picture of the line: one small table for everybody, from which each page works out
//! its own place. The format is in `docs/protocol.md`.

use super::Room;
use super::config::Mode;
use crate::units::{Ahead, Instant, Number};

/// The format written here.
pub const FORMAT: u8 = 1;
/// So many at the head are told exactly.
const EXACT: u64 = 100;
/// Behind them a point follows each thirty-second part of the way: 1,000,000 in line are 300
/// points of at most four bytes, so a frame stays near 1 KB.
const STEP_SHIFT: u32 = 5;
/// A line of [`LINE_MAX`](super::config::LINE_MAX) needs about 470; this bounds decoding.
const POINTS_MAX: u64 = 1_024;

/// A decoded frame, or what a frame is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// What the room does with arrivals.
    pub mode: Mode,
    /// The room's version.
    pub version: u64,
    /// People in the line.
    pub waiting: u64,
    /// Measured time between calls, short end.
    pub call_us_low: u64,
    /// Measured time between calls, long end.
    pub call_us_high: u64,
    /// Rising (number, ahead).
    pub points: Vec<(Number, Ahead)>,
}

impl Frame {
    /// The picture of a room's line now. O(points · log n).
    #[must_use]
    pub fn of(room: &Room, now: Instant) -> Self {
        let call_time = room.call_time(now);
        let waiting = room.line().alive();
        let mut points = Vec::new();
        let mut rank = 0;
        while rank < waiting {
            if let Some(number) = room.line().nth(rank) {
                points.push((number, Ahead(rank)));
            }
            rank += if rank < EXACT {
                1
            } else {
                (rank >> STEP_SHIFT).max(1)
            };
        }
        Self {
            mode: room.config().mode,
            version: room.version().0,
            waiting,
            call_us_low: call_time.low_us,
            call_us_high: call_time.high_us,
            points,
        }
    }

    /// The bytes of the frame.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mode = match self.mode {
            Mode::Open => 0,
            Mode::Paused => 1,
            Mode::Bypass => 2,
        };
        let mut bytes = vec![FORMAT, mode];
        let head = [
            self.version,
            self.waiting,
            self.call_us_low,
            self.call_us_high,
        ];
        for value in head.into_iter().chain([self.points.len() as u64]) {
            put(&mut bytes, value);
        }
        let (mut number, mut ahead) = (0, 0);
        for (n, a) in &self.points {
            put(&mut bytes, n.0.saturating_sub(number));
            put(&mut bytes, a.0.saturating_sub(ahead));
            (number, ahead) = (n.0, a.0);
        }
        bytes
    }

    /// Reads a frame. `None` when the bytes are no frame of this format.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let [FORMAT, mode] = *take(&mut rest)? else {
            return None;
        };
        let mode = match mode {
            0 => Mode::Open,
            1 => Mode::Paused,
            2 => Mode::Bypass,
            _ => return None,
        };
        let mut next = || get(&mut rest);
        let (version, waiting) = (next()?, next()?);
        let (call_us_low, call_us_high) = (next()?, next()?);
        let count = next().filter(|count| *count <= POINTS_MAX)?;
        let mut points = Vec::new();
        let (mut number, mut ahead) = (0_u64, 0_u64);
        for _ in 0..count {
            number = number.checked_add(next()?)?;
            ahead = ahead.checked_add(next()?)?;
            points.push((Number(number), Ahead(ahead)));
        }
        rest.is_empty().then_some(Self {
            mode,
            version,
            waiting,
            call_us_low,
            call_us_high,
            points,
        })
    }

    /// An upper bound of the people in front of a number, by the rule that pages follow.
    /// O(log points).
    #[must_use]
    pub fn ahead(&self, number: Number) -> Ahead {
        let after = self.points.partition_point(|(n, _)| *n <= number);
        let Some((n, a)) = after.checked_sub(1).and_then(|i| self.points.get(i)) else {
            return Ahead(0);
        };
        let bound = a.0.saturating_add(number.0 - n.0);
        let most = self
            .points
            .get(after)
            .map_or(self.waiting, |(_, next)| next.0);
        Ahead(if n == &number { a.0 } else { bound.min(most) })
    }

    /// Whether two frames show the same picture: all but the version.
    #[must_use]
    pub fn shows_the_same(&self, other: &Self) -> bool {
        self.mode == other.mode
            && self.waiting == other.waiting
            && self.call_us_low == other.call_us_low
            && self.call_us_high == other.call_us_high
            && self.points == other.points
    }
}

fn put(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn take<'a, const N: usize>(rest: &mut &'a [u8]) -> Option<&'a [u8; N]> {
    let (head, tail) = rest.split_first_chunk::<N>()?;
    *rest = tail;
    Some(head)
}

fn get(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..56).step_by(7) {
        let [byte] = *take(rest)?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}
