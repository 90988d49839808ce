//! Works out when a room or a lane is open, from the operator's dates on the wall clock. Decides nothing; the lanes ([`super::lanes`])
//! make facts of it.

use facts::hours::{EVER_MS, NEVER_MS, Period};
use facts::ordered::sort_few;

/// What the dates say of one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Open.
    Open {
        /// When it closes, Unix ms; `None` if it stays open for good.
        closes_at_ms: Option<u64>,
    },
    /// Not open.
    Shut {
        /// When it opens, Unix ms; `None` if it stays shut for good.
        opens_at_ms: Option<u64>,
    },
}

/// Returns what the periods say of `wall_ms`. They must be in order and apart. Without periods it is always open. O(periods).
#[must_use]
pub fn moment(periods: &[Period], wall_ms: u64) -> Moment {
    if periods.is_empty() {
        return Moment::Open { closes_at_ms: None };
    }
    match periods.iter().find(|period| wall_ms < period.closes_at_ms) {
        Some(period) if period.opens_at_ms <= wall_ms => Moment::Open {
            closes_at_ms: Some(period.closes_at_ms).filter(|at| *at != NEVER_MS),
        },
        next => Moment::Shut {
            opens_at_ms: next.map(|period| period.opens_at_ms),
        },
    }
}

/// Makes periods of a list of openings and a list of closings: each opening lasts until the next closing.
///
/// # Errors
/// Returns what is wrong, and the cure.
pub fn periods(opens: &[u64], closes: &[u64]) -> Result<Vec<Period>, (&'static str, &'static str)> {
    let mut dates: Vec<(u64, bool)> = opens.iter().map(|at| (*at, true)).collect();
    dates.extend(closes.iter().map(|at| (*at, false)));
    sort_few(&mut dates, Ord::cmp);
    if dates.windows(2).any(|pair| matches!(pair, [(a, _), (b, _)] if a == b)) {
        return Err(("names one moment twice", "Give every opening and every closing a moment of its own"));
    }
    let mut periods = Vec::new();
    let mut open_since = None;
    // If a closing comes first, the room has been open until then.
    if dates.first().is_some_and(|(_, opens)| !opens) {
        open_since = Some(EVER_MS);
    }
    for (at, opens) in dates {
        match (opens, open_since) {
            (true, None) => open_since = Some(at),
            (false, Some(since)) if since < at => {
                open_since = None;
                periods.push(Period {
                    opens_at_ms: since,
                    closes_at_ms: at,
                });
            }
            (true, Some(_)) => {
                return Err((
                    "opens twice without closing in between",
                    "Give closes_at a date between any two of opens_at",
                ));
            }
            (false, _) => {
                return Err(("closes without having opened", "Give each date of closes_at one of opens_at before it"));
            }
        }
    }
    periods.extend(open_since.map(|since| Period {
        opens_at_ms: since,
        closes_at_ms: NEVER_MS,
    }));
    Ok(periods)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_pair_up() {
        let period = |opens_at_ms, closes_at_ms| Period { opens_at_ms, closes_at_ms };
        assert_eq!(periods(&[], &[]), Ok(vec![]));
        assert_eq!(periods(&[10], &[]), Ok(vec![period(10, NEVER_MS)]));
        assert_eq!(periods(&[], &[10]), Ok(vec![period(EVER_MS, 10)]));
        assert_eq!(periods(&[30, 10], &[20, 40]), Ok(vec![period(10, 20), period(30, 40)]));
        assert_eq!(periods(&[15], &[10, 20]), Ok(vec![period(EVER_MS, 10), period(15, 20)]));
        assert!(periods(&[10, 20], &[]).is_err());
        assert!(periods(&[10], &[20, 30]).is_err());
        assert!(periods(&[10], &[10]).is_err());
        assert!(periods(&[10, 10], &[20]).is_err());
    }

    #[test]
    fn a_period_is_open_from_its_first_millisecond_to_before_its_last() {
        let days = periods(&[10, 30], &[20]).unwrap();
        let shut = |opens_at_ms| Moment::Shut { opens_at_ms };
        let open = |closes_at_ms| Moment::Open { closes_at_ms };
        let seen: Vec<_> = [0, 9, 10, 19, 20, 29, 30, u64::MAX - 1].iter().map(|at| moment(&days, *at)).collect();
        let expected = [
            shut(Some(10)),
            shut(Some(10)),
            open(Some(20)),
            open(Some(20)),
            shut(Some(30)),
            shut(Some(30)),
            open(None),
            open(None),
        ];
        assert_eq!(seen, expected);
        assert_eq!(moment(&periods(&[], &[5]).unwrap(), 5), shut(None));
    }
}
