//! An object's clock follows the wall at arm's length.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use baton::clock::{Clock, SLACK_MS};
use baton::facts::units::Instant;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// (wall clock's step, ms to the armed alarm if one is armed, how far the clock goes)
#[test]
fn c53_the_clock_never_runs_back_and_never_leaps_past_its_alarm() {
    const HOUR_MS: i64 = 3_600_000;
    for (step, armed_in_ms, goes) in [
        (1_000, Some(1_000), 1_000),
        (0, Some(1_000), 0),
        (-HOUR_MS, Some(1_000), 0),
        (-HOUR_MS, None, 0),
        (HOUR_MS, Some(1_000), 1_000 + SLACK_MS),
        (HOUR_MS, Some(0), SLACK_MS),
        (HOUR_MS, Some(2 * HOUR_MS as u64), HOUR_MS as u64),
        (HOUR_MS, None, HOUR_MS as u64),
        (61_000, Some(1_000), 61_000),
        (61_001, Some(1_000), 61_000),
    ] {
        let start = 1_700_000_000_000_u64;
        let mut clock = Clock::new(start);
        let armed = armed_in_ms.map(|ms| clock.now().plus_ms(ms));
        let wall = start.saturating_add_signed(step);
        let now = clock.advance(wall, armed);
        assert_eq!(now.0 - start, goes, "wall {step}, alarm in {armed_in_ms:?}");
        // From there on time goes on as before.
        assert_eq!(
            clock.advance(wall + 500, Some(now.plus_ms(500))),
            now.plus_ms(500)
        );
        assert_eq!(clock.to_wall_ms(clock.now().plus_ms(9)), wall + 509);
        assert_eq!(clock.at_wall_ms(wall + 509), clock.now().plus_ms(9));
    }
}

#[test]
fn an_overdue_alarm_still_lets_a_minute_pass() {
    let mut clock = Clock::new(1_000_000);
    let armed = Some(Instant(900_000));
    assert_eq!(clock.advance(1_030_000, armed), Instant(1_030_000));
    assert_eq!(
        clock.advance(9_000_000, armed),
        Instant(1_030_000 + SLACK_MS)
    );
}

#[test]
fn the_clock_goes_on_after_a_restart() {
    let mut clock = Clock::resume(Instant(5_000), 1_000_000);
    assert_eq!(
        clock.advance(1_000_250, Some(Instant(5_100))),
        Instant(5_250)
    );
    assert_eq!(clock.wall_ms(), 1_000_250);
}
