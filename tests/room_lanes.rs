//! Lanes: which one is next, who may walk in, what a better token does, and the list changed while people wait.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

#[path = "room_lanes/draws.rs"]
mod draws;
#[path = "room_lanes/random.rs"]
mod random;
mod script;
mod wishes;

use baton::facts::command::Entering;
use baton::facts::holder::{Comes, Key, Member};
use baton::facts::lane_name::LaneName;
use baton::facts::units::{Instant, LaneId, LobbyId, Number};
use baton::room::lanes::Lanes;
use script::check;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn named(lanes: &Lanes, name: &str) -> LaneId {
    lanes.named(LaneName::parse(name))
}

#[test]
fn strict_calls_everybody_when_no_member_is_present() {
    check(
        "permits=1 lanes=members,all rule=strict",
        "0 join ann bob          => ann waits 0, bob waits 1
         0 join:members mia mo   => mia waits 0, mo waits 1
         1 usher                 => usher mia
         1 claim mia
         2 away mo
         3 release mia           => baton ann, mo waits 0
         4 back mo
         5 leave ann             => baton mo, bob waits 0",
    );
}

#[test]
fn shares_give_each_lane_its_calls_in_turn() {
    check(
        "permits=6 lanes=members:2,all:1 rule=shares",
        "0 join ann bob cy
         0 join:members mia mo max may
         1 usher                 => usher mia mo ann max may bob",
    );
}

/// The turn goes on over turns of the usher and batons alike.
#[test]
fn a_baton_counts_like_a_call() {
    check(
        "permits=1 lanes=members:2,all:1 rule=shares",
        "0 join ann bob
         0 join:members mia mo max
         1 usher                 => usher mia
         2 leave mia             => baton mo
         3 leave mo              => baton ann
         4 leave ann             => baton max",
    );
}

/// Members are away after one call of three: what was left of their turn is lost, and they wait for the next.
#[test]
fn an_absent_lane_saves_nothing_up() {
    check(
        "permits=1 lanes=members:3,all:1 rule=shares",
        "0 join ann bob
         0 join:members mia mo max may
         1 usher                 => usher mia
         2 away mo max may
         3 leave mia             => baton ann
         4 back mo max may
         5 leave ann             => baton mo
         6 away max may
         6 back max may
         7 leave mo              => baton bob",
    );
}

#[test]
fn a_missed_call_counts() {
    check(
        "permits=1 lanes=members:2,all:1 rule=shares claim=10",
        "0 join ann
         0 join:members mia mo max
         1 usher                 => usher mia
         11 usher                => usher mo, mia missed
         21 usher                => usher ann, mo missed",
    );
}

#[test]
fn nobody_walks_in_past_another_lane() {
    check(
        "permits=2 walkin=yes lanes=members,all rate=0",
        "0 join:members mia
         0 walkin ann            => full
         1 usher                 => usher mia
         1 walkin ann            => walkin ann, ann provisional
         2 release ann
         2 join:members mo
         3 away mo
         3 walkin:members bob    => walkin bob",
    );
}

/// To the end of the better lane, once, and never back; and a called place stays.
#[test]
fn a_better_token_moves_a_waiting_ticket() {
    let told = check(
        "permits=1 lanes=gold,silver,all",
        "0 join ann bob cy
         0 join:gold mia
         1 join:gold bob         => bob waits 1, cy waits 1
         2 join:silver bob       => bob waits 1, nothing
         2 join bob              => nothing
         3 away cy
         3 join:silver cy        => cy waits 0
         4 usher                 => usher mia
         4 join:gold mia         => mia called, nothing
         5 leave mia             => baton bob
         6 leave bob             => baton ann
         7 back cy               => cy waits 0
         8 leave ann             => baton cy",
    );
    let lanes = told.room.lanes();
    assert_eq!(told.ticket("bob").0, named(lanes, "gold").number(2));
    assert_eq!(told.ticket("cy").0, named(lanes, "silver").first_number());
}

/// A place is one across all lanes, and another lobby's is not moved.
#[test]
fn one_place_across_all_lanes() {
    check(
        "permits=1 lanes=members,all",
        "0 join ann@1            => ann waits 0
         0 join:members ann@2    => at 1, nothing
         0 join:nobody ann@1     => nothing
         1 join:members ann@1    => ann waits 0",
    );
}

/// The room's line becomes everybody's; numbers of its people stay what they were.
#[test]
fn lanes_come_to_a_room_with_people() {
    let told = check(
        "permits=1",
        "0 join ann bob
         1 set lanes=members:1,all:1 rule=shares
         1 join:members mia
         1 join cy               => cy waits 2
         2 usher                 => usher mia
         3 leave mia             => baton ann",
    );
    assert_eq!(told.ticket("cy").0, Number(3));
    assert_eq!(told.room.lanes().everybody(), LaneId::FIRST);
}

/// A lane that leaves the list stays what it was for its people, and takes nobody more; its slot is free when they are gone.
#[test]
fn a_lane_leaves_the_list_with_people() {
    let told = check(
        "permits=1 lanes=members,all",
        "0 join ann
         0 join:members mia mo
         1 set lanes=all
         1 join:members max      => max waits 1
         2 usher                 => usher mia
         3 leave mia             => baton mo
         4 set lanes=press,all
         4 join:press pia
         5 leave mo              => baton pia
         6 set lanes=press,guests,all
         6 join:guests gus
         7 leave pia             => baton gus",
    );
    let lanes = told.room.lanes();
    assert_eq!(told.ticket("pia").0.lane(), LaneId(2));
    // The members' slot, whose numbers go on.
    assert_eq!(told.ticket("gus").0, LaneId(1).number(3));
    assert_eq!(named(lanes, "members"), lanes.everybody());
}

/// Lanes of the list come first, in its order.
#[test]
fn a_lane_that_has_left_the_list_is_told_last() {
    let room = check(
        "permits=1 lanes=members,press,all",
        "0 join:members mia
         0 join:press pia
         1 set lanes=guests,all",
    )
    .room;
    let now = Instant(1_000);
    let told: Vec<_> = room
        .lane_gists(now)
        .into_iter()
        .map(|lane| (lane.name.to_string(), lane.is_listed))
        .collect();
    let reported: Vec<_> = room
        .lane_reports(now)
        .into_iter()
        .map(|lane| (lane.name, lane.is_listed))
        .collect();
    let wanted = [
        ("guests", true),
        ("all", true),
        ("members", false),
        ("press", false),
    ];
    assert_eq!(
        told,
        wanted.map(|(name, is_listed)| (name.to_owned(), is_listed))
    );
    assert_eq!(reported, told);
}

/// More names than slots, with people in all: everybody's finds one first, and who names a lane without one is everybody.
#[test]
fn with_too_few_slots_everybody_has_one() {
    let told = check(
        "permits=1 lanes=a,b,c,d,e,f,g,h",
        "0 join:a a
         0 join:b b
         0 join:c c
         0 join:d d
         0 join:e e
         0 join:f f
         0 join:g g
         1 set lanes=x,y
         1 join:x x
         1 join:y y              => y waits 1
         2 usher                 => usher a",
    );
    assert_eq!(told.ticket("x").0.lane(), told.ticket("y").0.lane());
}

/// And the account stays the place's, so that another device of it gets no second one.
#[test]
fn a_move_keeps_the_account() {
    let mut room = check("permits=1 lanes=members,all", "").room;
    let member = Member {
        holder: wishes::holder(1),
        account: Key(7),
        comes: Comes::Anew,
    };
    for (lane, name) in [(None, "all"), (LaneName::parse("members"), "members")] {
        let command = Entering::JoinAs(vec![member]).into_lane(lane);
        let mut row = room.open_row(script::START);
        room.perform(script::START, &command, LobbyId(0), &mut row);
        let number = room.living_of_account(Key(7)).unwrap();
        assert_eq!(number, named(room.lanes(), name).first_number());
    }
}

/// A reset begins every lane anew.
#[test]
fn a_reset_begins_every_lane() {
    let told = check(
        "permits=1 lanes=members:2,all:1 rule=shares",
        "0 join ann
         0 join:members mia
         1 usher                 => usher mia
         1 join:members ann      => ann waits 1
         2 claim mia             => ann waits 0",
    );
    let mut room = told.room;
    let mut row = room.open_row(told.now);
    room.reset("olga", &mut row);
    assert!(room.is_empty());
    for (id, lane) in room.lanes().all() {
        assert_eq!(lane.line().next(), id.first_number());
    }
}
