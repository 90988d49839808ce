//! An object's clock follows the wall at arm's length.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use baton::facts::units::{Instant, LobbyId, VisitorId};
use baton::living::clock::{Bell, Clock, JUMP_MS, REACH_MS, SLACK_MS, TIMER_EARLY_MS, TIMER_REACH_MS, TIMER_SLACK_MS};
use baton::living::{LivingLobby, Stay};
use baton::lobby::{Effect, Limits, Lobby, LobbyConfig, SILENT_AFTER_MS};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const START: u64 = 1_700_000_000_000;
const HOUR_MS: i64 = 3_600_000;

/// What rings next, in so many ms.
#[derive(Clone, Copy, Debug)]
enum Rings {
    Alarm(u64),
    Timer(u64),
    Nothing,
}

fn bell(rings: Rings, clock: &Clock) -> Option<Bell> {
    match rings {
        Rings::Alarm(in_ms) => Some(Bell::Alarm {
            from_ms: clock.wall_ms(),
            at_ms: clock.wall_ms() + in_ms,
        }),
        Rings::Timer(in_ms) => Some(Bell::Timer(clock.now().plus_ms(in_ms))),
        Rings::Nothing => None,
    }
}

/// (wall clock's step, what rings, how far the clock goes, whether the wall clock jumped)
#[test]
fn c53_the_clock_never_runs_back_and_never_leaps_past_what_rings_next() {
    use Rings::{Alarm, Nothing, Timer};
    let minute = REACH_MS as i64;
    for (step, rings, goes, jumps) in [
        (1_000, Alarm(1_000), 1_000, false),
        (0, Alarm(1_000), 0, false),
        (-HOUR_MS, Alarm(1_000), 0, true),
        (-HOUR_MS, Timer(1_000), 0, true),
        (-HOUR_MS, Nothing, 0, true),
        // A jump past a near alarm takes nothing.
        (HOUR_MS, Alarm(1_000), 0, true),
        (HOUR_MS, Alarm(REACH_MS), 0, true),
        // The object has slept to a minute before a far alarm, whatever the wall clock says.
        (HOUR_MS, Alarm(3 * REACH_MS), 2 * REACH_MS, true),
        (HOUR_MS, Alarm(2 * HOUR_MS as u64), HOUR_MS as u64, false),
        (HOUR_MS, Nothing, HOUR_MS as u64, false),
        (1_000 + SLACK_MS as i64, Alarm(1_000), 1_000 + SLACK_MS, false),
        (1_001 + SLACK_MS as i64, Alarm(1_000), 0, true),
        (minute + SLACK_MS as i64, Alarm(REACH_MS), REACH_MS + SLACK_MS, false),
        // A timer may be late.
        (1_000, Timer(1_000), 1_000, false),
        (1_001, Timer(1_000), 1_001, false),
        (1_000 + TIMER_SLACK_MS as i64, Timer(1_000), 1_000 + TIMER_SLACK_MS, false),
        (1_001 + TIMER_SLACK_MS as i64, Timer(1_000), 0, false),
        (1_001 + JUMP_MS as i64, Timer(1_000), 0, true),
        (-1_000, Timer(1_000), 0, false),
        (HOUR_MS, Timer(1_000), 0, true),
    ] {
        let mut clock = Clock::new(START);
        let wall = START.saturating_add_signed(step);
        let now = clock.advance(wall, bell(rings, &clock));
        assert_eq!(now.0 - START, goes, "wall {step}, {rings:?}");
        let steady = if jumps { wall } else { 0 };
        assert_eq!(clock.steady_since_ms(), steady, "wall {step}, {rings:?}");
        // From there on time goes on as before.
        assert_eq!(clock.advance(wall + 500, bell(Alarm(500), &clock)), now.plus_ms(500));
        assert_eq!(clock.to_wall_ms(clock.now().plus_ms(9)), wall + 509);
        assert_eq!(clock.at_wall_ms(wall + 509), clock.now().plus_ms(9));
    }
}

/// (what the wall clock has gone since the timer was set for a second, how far the clock goes)
#[test]
fn a_timer_that_has_rung_has_come_whatever_the_wall_clock_says() {
    for (step, goes) in [
        (1_000, 1_000),
        (1_030, 1_030),
        (999, 999),
        (1_000 - TIMER_EARLY_MS as i64, 1_000 - TIMER_EARLY_MS),
        (999 - TIMER_EARLY_MS as i64, 1_000),
        (-HOUR_MS, 1_000),
        (HOUR_MS, 1_000 + TIMER_SLACK_MS),
    ] {
        let mut clock = Clock::new(START);
        let at = clock.now().plus_ms(1_000);
        let now = clock.ring(START.saturating_add_signed(step), at);
        assert_eq!(now.0 - START, goes, "wall {step}");
    }
    // The wall clock was an hour ahead for a while: nothing is due too soon, and nothing too late.
    let mut clock = Clock::new(START);
    let at = clock.now().plus_ms(5_000);
    for wall in [START + 3_600_100, START + 3_601_000, START + 2_000] {
        assert!(clock.advance(wall, Some(Bell::Timer(at))) < at);
    }
    assert_eq!(clock.ring(START + 5_000, at), at);
}

/// Ten minutes with a timer each few ms, on a runtime that reads its clock in steps of `step_ms` and has an event before each timer rings, which rings
/// up to `late_ms` late. Returns the true time and the clock's, ms since the start.
fn after_many_timers(step_ms: u64, late_ms: u64) -> (u64, u64) {
    let read = |true_ms: u64| START + true_ms / step_ms * step_ms;
    let mut clock = Clock::new(START);
    let mut true_ms = 0;
    for turn in 0_u64.. {
        let at = clock.now().plus_ms(1 + turn * 7 % 40);
        true_ms += at.since_ms(clock.now());
        if late_ms > 0 {
            true_ms += turn * 13 % late_ms;
            clock.advance(read(true_ms), Some(Bell::Timer(at)));
            true_ms += 1;
        }
        clock.ring(read(true_ms), at);
        assert!(clock.now().0 - START <= true_ms, "{true_ms} ms: ahead");
        if true_ms > 600_000 {
            break;
        }
    }
    (true_ms, clock.now().0 - START)
}

#[test]
fn no_number_of_timers_moves_the_clock_away_from_the_wall() {
    for (step_ms, late_ms) in [(1, 0), (3, 0), (1, 50), (3, 50), (10, 0), (10, 900)] {
        let (true_ms, reads_ms) = after_many_timers(step_ms, late_ms);
        assert!(true_ms - reads_ms < step_ms, "{step_ms}, {late_ms}: {reads_ms} at {true_ms}");
    }
}

#[test]
fn a_wall_clock_that_was_set_back_and_forward_again_takes_no_time() {
    let mut clock = Clock::new(START);
    let alarm = bell(Rings::Alarm(8_000), &clock);
    assert_eq!(clock.advance(START - 480_000, alarm), Instant(START));
    assert_eq!(clock.advance(START + 1_000, alarm), Instant(START));
    assert_eq!(clock.advance(START + 2_000, alarm), Instant(START + 1_000));
}

#[test]
fn an_overdue_alarm_still_lets_a_minute_pass() {
    let mut clock = Clock::new(1_000_000);
    let bell = Some(Bell::Alarm {
        from_ms: 800_000,
        at_ms: 900_000,
    });
    assert_eq!(clock.advance(1_030_000, bell), Instant(1_030_000));
    assert_eq!(clock.advance(9_000_000, bell), Instant(1_030_000));
}

#[test]
fn the_clock_goes_on_after_a_restart() {
    let mut clock = Clock::resume(Instant(5_000), 1_000_000);
    let bell = Some(Bell::Alarm {
        from_ms: 1_000_000,
        at_ms: 1_000_100,
    });
    assert_eq!(clock.advance(1_000_250, bell), Instant(5_250));
    assert_eq!(clock.wall_ms(), 1_000_250);
}

fn lobby(stay: Stay) -> LivingLobby {
    let config = LobbyConfig {
        room: "onsale".into(),
        linger_ms: 30_000,
        spread_ms: 40_000,
        tickets_max: 10,
        limits: Limits::default(),
        porter: false,
    };
    LivingLobby::new(Lobby::new(LobbyId(0), config, 1), stay, START, None)
}

#[test]
fn a_timer_that_the_clocks_setting_may_have_lost_is_set_anew() {
    let elapsing = |steps: &[i64]| {
        let mut living = lobby(Stay::Stays);
        let m = living.moment(START);
        living.lobby.handle_socket_opened(m, VisitorId([1; 16]), None);
        let first = living.timer_in_ms();
        assert!(first.is_some_and(|ms| ms <= TIMER_REACH_MS));
        let mut wall_ms = START;
        let mut anew = |step: &i64| {
            wall_ms = wall_ms.saturating_add_signed(*step);
            let _ = living.moment(wall_ms);
            living.timer_in_ms().is_some()
        };
        steps.iter().map(&mut anew).collect::<Vec<_>>()
    };
    assert_eq!(elapsing(&[0, 500, 500]), [false; 3], "it still rings in time");
    assert_eq!(elapsing(&[-HOUR_MS, 100, HOUR_MS, 100]), [true, false, true, false]);
    assert_eq!(elapsing(&[HOUR_MS, 100]), [true, false]);
    // Back and forward again between two events: by then it is overdue, and does not ring.
    let past = i64::try_from(TIMER_REACH_MS + TIMER_SLACK_MS).unwrap() + 1;
    assert_eq!(elapsing(&[past, 100]), [true, false]);
}

/// After how long a lobby in memory closes a socket that is never heard, in ms. The socket opens so long after the lobby began, and each timer is so
/// late. Nobody asks anything meanwhile.
fn silent_is_closed_after(stay: Stay, begun_ms: u64, late_ms: u64) -> Option<u64> {
    let mut living = lobby(stay);
    let opened_ms = START + begun_ms;
    let m = living.moment(opened_ms);
    living.lobby.handle_socket_opened(m, VisitorId([1; 16]), None);
    let mut wall_ms = opened_ms;
    while wall_ms < opened_ms + 3 * SILENT_AFTER_MS {
        let mut looks = false;
        while let Some(effect) = living.lobby.poll_effect() {
            looks |= matches!(effect, Effect::CloseSilent);
        }
        if looks && living.ear().is_silent(opened_ms) {
            return Some(wall_ms - opened_ms);
        }
        let m = if stay == Stay::Stays {
            wall_ms += living.timer_in_ms().expect("a timer after each ring") + late_ms;
            living.timer_rang(wall_ms)
        } else {
            wall_ms += living.alarm_in_ms().expect("an alarm after each ring") + late_ms;
            living.rang();
            living.moment(wall_ms)
        };
        living.lobby.handle_timeout(m);
    }
    None
}

#[test]
fn a_silent_socket_is_closed_soon_after_it_may_be() {
    for (stay, late_ms, within_ms) in [(Stay::Stays, 0, 10_000), (Stay::Stays, 1_500, 14_000), (Stay::Sleeps, 0, 25_000)] {
        for begun_ms in (0..30_000).step_by(250) {
            let after_ms = silent_is_closed_after(stay, begun_ms, late_ms);
            let ms = after_ms.expect("it is closed at all");
            let in_time = SILENT_AFTER_MS..=SILENT_AFTER_MS + within_ms;
            assert!(in_time.contains(&ms), "{ms} ms: {stay:?}, begun {begun_ms}, late {late_ms}");
        }
    }
}
