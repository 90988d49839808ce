//! Tests each promise about lanes with a journal that breaks that promise alone. The room's own journal is sound; if one row is forged and the chain
//! computed anew, the audit names that row and the law.

use super::lane_shop::{EVERYBODY, LOBBY, MEMBERS, config, lane, members_and_everybody, name, numbers, presale, sale};
use super::sale::{OPENS_MS, Sale, holder};
use baton::facts::command::Command;
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::event::{Event, From, How, To};
use baton::facts::hall::{Door, Draw};
use baton::facts::lanes::LanesRule;
use baton::facts::units::{Fence, Instant, LaneId, Number};

const ORDER: &str = "the order is kept";
const RULE: &str = "the rule picks the lane";
const SHARES: &str = "lanes keep their shares";
const MOVES: &str = "a ticket moves to the end of a better lane";
const LISTED: &str = "nobody comes into a lane that left the list";
const NUMBERS: &str = "numbers are consecutive within an edition";
const HOURS: &str = "hours are kept";
const DRAW: &str = "the draw is what was committed to";
const FORM: &str = "a row is one turn of the room";
const PACE: &str = "mode and pace are kept";
const LIVING: &str = "no fact about what does not live";

/// Changes a fact of this form.
macro_rules! change {
    ($event:expr, $form:pat => $change:expr) => {
        match $event {
            $form => $change,
            event => panic!("{event:?}"),
        }
    };
}

fn calls(number: Number) -> impl Fn(&mut Event) {
    move |event| change!(event, Event::Called { number: called, .. } | Event::Handed { number: called, .. } => *called = number)
}

#[test]
fn the_order_is_kept_within_a_lane() {
    let sale = sale(LanesRule::Strict, 1, 2);
    assert_eq!(sale.called(), numbers(&[(MEMBERS, 1), (MEMBERS, 2)]));
    sale.forged(ORDER, |row| calls(MEMBERS.number(2))(&mut row[0]));
}

#[test]
fn numbers_are_consecutive_within_a_lane() {
    let mut sale = Sale::with(&members_and_everybody(LanesRule::Strict, 1));
    sale.come("members", 1..9);
    let other = |first: Number| move |row: &mut Vec<Event>| change!(&mut row[0], Event::Joined { first: is, .. } => *is = first);
    sale.forged(NUMBERS, other(MEMBERS.number(2)));
    sale.forged(NUMBERS, other(LaneId(2).number(1)));
    sale.come("everybody", 11..12);
    sale.forged(NUMBERS, other(EVERYBODY.number(9)));
    // Another lane that takes over a slot goes on with the slot's numbers.
    sale.come("members", 20..21);
    let left: Vec<Number> = (1..10).map(|nth| MEMBERS.number(nth)).collect();
    for number in left {
        sale.does(Command::Leave(sale.place(number)));
    }
    let friends = vec![lane("friends", 1), lane("everybody", 1)];
    sale.set(&config(friends, LanesRule::Strict));
    sale.come("friends", 30..31);
    sale.forged(NUMBERS, other(MEMBERS.number(1)));
}

#[test]
fn strict_calls_the_first_lane_in_which_somebody_is_present() {
    let sale = sale(LanesRule::Strict, 1, 2);
    sale.forged(RULE, |row| calls(EVERYBODY.number(1))(&mut row[1]));
}

#[test]
fn shares_are_given_in_turns() {
    let sale = sale(LanesRule::Shares, 3, 8);
    let (m, e) = (MEMBERS, EVERYBODY);
    let turns = [(m, 1), (m, 2), (m, 3), (e, 1), (m, 4), (m, 5), (m, 6), (e, 2)];
    assert_eq!(sale.called(), numbers(&turns));
    // A call of everybody's lane in the middle of the members' turn: the shares would still be kept.
    sale.forged(RULE, |row| calls(e.number(1))(&mut row[1]));
    // A fourth member in a row: the members would be more than one turn ahead.
    sale.forged(SHARES, |row| calls(m.number(4))(&mut row[3]));
    sale.forged(SHARES, |row| calls(m.number(7))(&mut row[7]));
}

#[test]
fn a_lane_in_which_nobody_is_present_saves_nothing_up() {
    let mut sale = sale(LanesRule::Shares, 3, 1);
    assert_eq!(sale.called(), numbers(&[(MEMBERS, 1)]));
    let members: Vec<Number> = (2..9).map(|nth| MEMBERS.number(nth)).collect();
    sale.presence(&[], &members);
    sale.presence(&members, &[]);
    sale.set_permits(2);
    sale.turns_after(1_000);
    assert_eq!(sale.called(), numbers(&[(EVERYBODY, 1)]));
    sale.forged(RULE, |row| calls(MEMBERS.number(2))(&mut row[0]));
}

#[test]
fn a_missed_call_counts() {
    let mut sale = sale(LanesRule::Shares, 1, 1);
    assert_eq!(sale.called(), numbers(&[(MEMBERS, 1)]));
    sale.turns_after(4_000);
    assert!(matches!(sale.last()[0], Event::Ended { how: How::Missed, .. }));
    assert_eq!(sale.called(), numbers(&[(EVERYBODY, 1)]));
    sale.forged(SHARES, |row| calls(MEMBERS.number(2))(&mut row[1]));
}

#[test]
fn nobody_walks_in_while_anybody_can_be_called_in_any_lane() {
    let mut sale = Sale::with(&members_and_everybody(LanesRule::Strict, 1));
    sale.come("everybody", 11..12);
    sale.set_permits(1);
    let walks_in = |number: Number| Event::WalkedIn {
        lobby: LOBBY,
        number,
        fence: Fence(1),
        from: From::Hand,
        holder: Some(holder(1)),
    };
    sale.invented(ORDER, vec![walks_in(MEMBERS.number(1))]);
    // A visitor who is away holds nobody up.
    sale.presence(&[], &[EVERYBODY.number(1)]);
    sale.does(Command::walk_in(holder(1)).into_lane(name("members")));
    assert_eq!(sale.last(), [walks_in(MEMBERS.number(1))]);
    sale.forged(NUMBERS, |row| row[0] = walks_in(MEMBERS.number(2)));
}

#[test]
fn a_walk_in_takes_its_lanes_turn() {
    let mut sale = Sale::with(&members_and_everybody(LanesRule::Shares, 1));
    sale.set_permits(1);
    sale.does(Command::walk_in(holder(1)).into_lane(name("members")));
    sale.come("members", 2..4);
    sale.come("everybody", 11..13);
    sale.set_permits(2);
    sale.turns_after(1_000);
    assert_eq!(sale.called(), numbers(&[(EVERYBODY, 1)]));
    sale.forged(RULE, |row| calls(MEMBERS.number(2))(&mut row[0]));
}

#[test]
fn a_baton_goes_to_the_lane_that_the_rule_picks() {
    let mut sale = sale(LanesRule::Strict, 1, 1);
    let fence = Fence(1);
    sale.does(Command::Release(fence));
    assert_eq!(sale.called(), numbers(&[(MEMBERS, 2)]));
    sale.forged(RULE, |row| calls(EVERYBODY.number(1))(&mut row[0]));
    sale.forged("what comes back goes to the first who is present", |row| {
        row[0] = Event::Ended {
            fence,
            how: How::Left,
            to: To::Tray,
        };
    });
}

#[test]
fn the_usher_calls_while_anybody_waits_in_any_lane() {
    let mut sale = Sale::with(&members_and_everybody(LanesRule::Strict, 1));
    sale.come("everybody", 11..13);
    sale.set_permits(2);
    sale.turns_after(1_000);
    sale.forged("the usher leaves nothing undone", |row| {
        drop(row.remove(1));
    });
}

#[test]
fn each_lane_has_its_hours() {
    let sale = Sale::with(&presale(Draw::Shuffle));
    let at = sale.last().len() - 1;
    assert!(matches!(
        sale.last()[at],
        Event::LaneDoors {
            lane: MEMBERS,
            door: Door::Shut { .. }
        }
    ));
    sale.forged(HOURS, |row| drop(row.remove(at)));
    sale.forged(HOURS, |row| {
        let door = Door::Open { closes_at_ms: None };
        row[at] = Event::LaneDoors { lane: MEMBERS, door };
    });
    // The door of the first slot is another fact, and a slot without a lane has no door.
    for lane in [EVERYBODY, LaneId(2)] {
        sale.forged(FORM, |row| {
            let door = Door::Shut { opens_at_ms: None };
            row.push(Event::LaneDoors { lane, door });
        });
    }
    // The room calls nobody from a lane that is shut.
    let mut sale = Sale::with(&members_and_everybody(LanesRule::Strict, 1));
    sale.come("members", 1..3);
    sale.come("everybody", 11..13);
    sale.set(&presale(Draw::Shuffle));
    sale.set_permits(1);
    sale.turns_after(1_000);
    assert_eq!(sale.called(), numbers(&[(EVERYBODY, 1)]));
    sale.forged(PACE, |row| calls(MEMBERS.number(1))(&mut row[0]));
}

#[test]
fn each_lane_has_its_hall_and_its_draw() {
    let mut sale = Sale::with(&presale(Draw::Shuffle));
    sale.now = Instant(OPENS_MS + 31_000);
    sale.come("members", 1..5);
    let [Event::LaneCommitted { lot, .. }, Event::LaneDoors { .. }, entered] = sale.last() else {
        panic!("{:?}", sale.last());
    };
    let (lot, entered) = (*lot, entered.clone());
    assert!(matches!(entered, Event::Entered { first, .. } if first == MEMBERS.entry(1)));
    sale.forged(DRAW, |row| drop(row.remove(0)));
    sale.forged(FORM, |row| row.insert(1, Event::Committed(lot)));
    sale.forged(FORM, |row| row[0] = Event::Committed(lot));
    let enters = |entry: Number| move |row: &mut Vec<Event>| change!(&mut row[2], Event::Entered { first, .. } => *first = entry);
    sale.forged(HOURS, enters(EVERYBODY.entry(1)));
    sale.forged("entries are consecutive", enters(MEMBERS.entry(2)));
    sale.now = Instant(OPENS_MS + 61_000);
    sale.turns_after(0);
    let [Event::LaneDoors { .. }, Event::Drawn { first, count: 4, .. }] = sale.last() else {
        panic!("{:?}", sale.last());
    };
    assert_eq!(*first, MEMBERS.number(1));
    let drawn = |change: fn(&mut Draw, &mut [u8; 32], &mut Number)| move |row: &mut Vec<Event>| change!(&mut row[1], Event::Drawn { draw, seed, first, .. } => change(draw, &mut seed.0, first));
    sale.forged(DRAW, drawn(|_, seed, _| seed[0] ^= 1));
    sale.forged(DRAW, drawn(|_, _, first| *first = MEMBERS.number(2)));
    sale.forged(HOURS, drawn(|draw, _, _| *draw = Draw::Arrival));
    // Everybody's lane has no hall, so it has committed to no seed.
    sale.forged(DRAW, drawn(|_, _, first| *first = EVERYBODY.number(1)));
    sale.forged(HOURS, |row| drop(row.pop()));
}

#[test]
fn a_draw_keeps_a_missed_call() {
    let mut sale = Sale::with(&presale(Draw::Arrival));
    sale.come("everybody", 1..2);
    sale.set_permits(1);
    sale.turns_after(1_000);
    sale.turns_after(4_000);
    assert!(matches!(sale.last()[0], Event::Ended { how: How::Missed, .. }));
    sale.now = Instant(OPENS_MS + 31_000);
    sale.come("members", 1..2);
    let moved = Event::Moved {
        from: EVERYBODY.number(1),
        to: MEMBERS.entry(1),
    };
    assert_eq!(sale.last().last(), Some(&moved));
    sale.presence(&[MEMBERS.entry(1)], &[]);
    sale.now = Instant(OPENS_MS + 61_000);
    sale.turns_after(0);
    assert_eq!(sale.called(), numbers(&[(MEMBERS, 1)]));
    sale.turns_after(4_000);
    assert!(matches!(sale.last()[0], Event::Ended { how: How::MissedAgain, .. }));
    sale.forged("a permit ends by its holder or at its time", |row| {
        change!(&mut row[0], Event::Ended { how, .. } => *how = How::Missed);
    });
}

#[test]
fn a_ticket_moves_to_the_end_of_a_better_lane_and_no_other_way() {
    let mut sale = Sale::with(&members_and_everybody(LanesRule::Strict, 1));
    sale.come("members", 1..3);
    sale.come("everybody", 11..14);
    sale.come("members", 11..12);
    let (from, to) = (EVERYBODY.number(1), MEMBERS.number(3));
    assert_eq!(sale.last(), [Event::Moved { from, to }]);
    let moves = |from, to| move |row: &mut Vec<Event>| row[0] = Event::Moved { from, to };
    sale.forged(MOVES, moves(from, MEMBERS.number(4)));
    sale.forged(MOVES, moves(from, MEMBERS.number(1)));
    sale.forged(MOVES, moves(from, MEMBERS.entry(1)));
    sale.forged(MOVES, moves(MEMBERS.number(1), EVERYBODY.number(4)));
    sale.forged(MOVES, moves(EVERYBODY.number(2), EVERYBODY.number(4)));
    sale.forged(LIVING, moves(EVERYBODY.number(9), to));
    // A ticket that moved is no longer in its old lane.
    sale.invented(LIVING, vec![Event::WentAway(vec![from])]);
    // A ticket that is called stays in its lane.
    sale.set_permits(4);
    sale.turns_after(1_000);
    assert_eq!(sale.called().last(), Some(&EVERYBODY.number(2)));
    let (from, to) = (EVERYBODY.number(2), MEMBERS.number(4));
    sale.invented(LIVING, vec![Event::Moved { from, to }]);
    let drains = RoomConfig {
        mode: Mode::Drain,
        ..sale.room.config().clone()
    };
    sale.set(&drains);
    let from = EVERYBODY.number(3);
    sale.invented(MOVES, vec![Event::Moved { from, to }]);
}

#[test]
fn a_lane_with_living_tickets_stays_and_nobody_comes_into_it() {
    let mut sale = sale(LanesRule::Strict, 1, 0);
    let early = vec![lane("early", 1), lane("everybody", 1)];
    sale.set(&config(early, LanesRule::Strict));
    let joined = |first: Number| Event::Joined {
        lobby: LOBBY,
        first,
        count: 1,
        holders: vec![holder(50)],
    };
    sale.invented(LISTED, vec![joined(MEMBERS.number(9))]);
    let (from, to) = (EVERYBODY.number(1), MEMBERS.number(9));
    sale.invented(LISTED, vec![Event::Moved { from, to }]);
    // The members keep their places, and the new lane has a slot of its own.
    sale.come("early", 50..51);
    assert_eq!(sale.last(), [joined(LaneId(2).number(1))]);
    sale.set_permits(2);
    sale.turns_after(1_000);
    assert_eq!(sale.called(), numbers(&[(MEMBERS, 1), (MEMBERS, 2)]));
    sale.forged(RULE, |row| calls(LaneId(2).number(1))(&mut row[0]));
    sale.forged(RULE, |row| calls(EVERYBODY.number(1))(&mut row[0]));
}
