//! Makes the frame of a line. It changes nothing. It runs once a tick, so it must stay cheap: it reads bits by the word, and looks at single bits
//! only where they can matter.

use super::{Frame, INTEGER_MAX, Point, SLACK_MAX, has_slack, ranks};
use crate::Room;
use crate::line::{Line, WORDS};
use facts::units::{Ahead, Instant, LaneId, Number};

impl Frame {
    /// Makes the frame of everybody's line as it is now. O(points · log n + n / 64).
    #[must_use]
    pub fn of(room: &Room, now: Instant) -> Self {
        Self::of_lane(room, now, room.lanes().everybody())
    }

    /// Makes the frame of a lane's line as it is now. O(points · log n + n / 64).
    #[must_use]
    pub fn of_lane(room: &Room, now: Instant, id: LaneId) -> Self {
        let call_time = room.case(now).pace_of(id).call_time();
        let lane = room.lanes().lane(id);
        let mut points = points(lane.line());
        for point in &mut points {
            point.number = Number(point.number.within());
        }
        Self {
            mode: lane.mode(room.config().mode),
            behind: room.lanes().is_behind(id, room.config().mode),
            spread_s: 0,
            version: room.version().0,
            waiting: lane.line().alive(),
            call_us_low: call_time.low_us,
            call_us_high: call_time.high_us,
            points,
            seats_to: room.seats_to(),
        }
    }
}

fn points(line: &Line) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::new();
    for ahead in ranks(line.alive()).map(Ahead) {
        let Some(number) = line.nth(ahead.0) else {
            break;
        };
        let slack = match points.last() {
            Some(last) if has_slack(last.ahead) => slack(line, last, number, ahead),
            _ => SLACK_MAX,
        };
        points.push(Point { number, ahead, slack });
    }
    points
}

/// Returns the least slack with which interpolating between two points shows nobody fewer people ahead than there are. O(numbers / 64), and a look at
/// each word of 64 numbers that could raise it.
///
/// The *height* of a ticket between the points is how many more people it has ahead than interpolation says, times `span`: people since the first
/// point · `span` − numbers since it · `people`.
fn slack(line: &Line, from: &Point, number: Number, ahead: Ahead) -> u8 {
    let people = ahead.0 - from.ahead.0;
    let span = number.0 - from.number.0;
    if span == people {
        return 0;
    }
    // Pages calculate in doubles. Where doubles could round, interpolation must say nothing.
    if span.checked_mul(people).is_none_or(|p| p > INTEGER_MAX) {
        return SLACK_MAX;
    }
    // So no height is beyond ±2⁵⁴.
    let way = Way {
        people: people as i64,
        span: span as i64,
    };
    let mut slack = 0;
    let mut allowed = 0;
    let mut count = 0;
    line.living_bits(from.number, number, |first, words| {
        // This loop is separate from the one that branches, so that a compiler can count several words at once.
        let mut ones = [0; WORDS];
        for (ones, bits) in ones.iter_mut().zip(words) {
            *ones = bits.count_ones() as u8;
        }
        // The height of a ticket on the first bit. `past` is negative if that bit is before the first point.
        let past = first.0 as i64 - from.number.0 as i64;
        let mut height = count * way.span - past * way.people;
        for (bits, ones) in words.iter().zip(&ones) {
            let ones = i64::from(*ones);
            if height + way.rise(ones) > allowed {
                let most = way.most(*bits, height);
                if most > allowed {
                    slack = way.slack(most);
                    allowed = way.allowed(slack);
                }
            }
            count += ones;
            height += ones * way.span - 64 * way.people;
        }
    });
    slack
}

/// The stretch from one point to the next: how many people and how many numbers it has.
struct Way {
    people: i64,
    span: i64,
}

impl Way {
    /// Returns how far the height rises from the first to the last of `people` tickets with consecutive numbers. Nothing rises faster.
    const fn rise(&self, people: i64) -> i64 {
        (people - 1) * (self.span - self.people)
    }

    /// Returns the greatest height in a word whose first bit is at `height`; `i64::MIN` if no bit is set. Only the last of each run
    /// of set bits needs a look.
    fn most(&self, mut bits: u64, mut height: i64) -> i64 {
        let mut most = i64::MIN;
        while bits != 0 {
            let gap = bits.trailing_zeros();
            bits >>= gap;
            let run = bits.trailing_ones();
            bits = bits.checked_shr(run).unwrap_or(0);
            let (gap, run) = (i64::from(gap), i64::from(run));
            most = most.max(height - gap * self.people + self.rise(run));
            height += run * self.span - (gap + run) * self.people;
        }
        most
    }

    /// Returns the least slack that allows a height above 0.
    fn slack(&self, height: i64) -> u8 {
        // The number of whole people, at least 1, that ⌈slack · people ÷ 255⌉ must reach.
        let need = (height - 1) / self.span + 1;
        let least = (need - 1) * i64::from(SLACK_MAX) / self.people + 1;
        u8::try_from(least).unwrap_or(SLACK_MAX)
    }

    /// Returns the height that a slack allows.
    fn allowed(&self, slack: u8) -> i64 {
        let part = i64::from(slack) * self.people;
        ((part + 254) / 255) * self.span
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where doubles would round, interpolation must not count. No line in memory is that long.
    #[test]
    fn beyond_doubles_the_straight_way_says_nothing() {
        let from = Point {
            number: Number(5_001),
            ahead: Ahead(5_000),
            slack: SLACK_MAX,
        };
        let slack_to = |span: u64| {
            let number = from.number.plus(span);
            slack(&Line::default(), &from, number, Ahead(5_312))
        };
        assert_eq!(slack_to(INTEGER_MAX / 312), 0);
        assert_eq!(slack_to(INTEGER_MAX / 312 + 1), SLACK_MAX);
        assert_eq!(slack_to(u64::MAX / 2), SLACK_MAX);
    }
}
