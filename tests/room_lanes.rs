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

use baton::facts::command::Command;
use baton::facts::holder::{Comes, Key, Member};
use baton::facts::lane_name::LaneName;
use baton::facts::rhythm::CallTime;
use baton::facts::units::{Instant, LaneId, LobbyId, Number};
use baton::room::lanes::{LaneReport, Lanes};
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
         2 join:gold bob         => bob waits 1, nothing
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

/// Whoever is called, or inside, has what a better token is for.
#[test]
fn a_better_token_moves_nobody_who_is_called_or_inside() {
    check(
        "permits=1 lanes=gold,all",
        "0 join ann
         1 usher                 => usher ann
         2 join:gold ann         => ann called, nothing
         3 claim ann
         4 join:gold ann         => ann in, nothing",
    );
}

/// It counts from the number in the lane in which the ticket is called.
#[test]
fn the_wait_of_a_moved_ticket_begins_anew() {
    let told = check(
        "permits=1 lanes=gold,all",
        "0 join bob
         10 join:gold bob        => bob waits 0
         30 usher                => usher bob",
    );
    let wait = told.room.report(told.now).durations.wait;
    assert_eq!((wait.count, wait.sum_ms), (1, 20_000));
}

/// The pauses of an empty lane say nothing about waiting.
#[test]
fn a_move_into_an_empty_lane_begins_its_pace_anew() {
    let story = "0 join:gold a b c d e f
         1 usher                 => usher a
         2 leave a               => baton b
         3 leave b               => baton c
         4 leave c               => baton d
         5 leave d               => baton e
         6 leave e               => baton f
         7 join ann bob";
    let pace = |story: &str| {
        let told = check("permits=1 lanes=gold,all", story);
        let gold = named(told.room.lanes(), "gold");
        told.room.case(told.now).pace_of(gold).call_time()
    };
    assert!(pace(&format!("{story}\n8 join:gold ann")).high_us > 0);
    let empty = format!("{story}\n8 leave f => baton ann\n9 join:gold bob => bob waits 0");
    assert_eq!(pace(&empty), CallTime::default());
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

/// The names of the lanes as operators are told of them, of those that have left the list in parentheses.
fn told_lanes(told: &script::Told) -> Vec<String> {
    let reports = told.room.lanes().reports(told.now, told.room.config().mode).into_iter();
    let name = |lane: LaneReport| match lane.is_listed {
        true => lane.name,
        false => format!("({})", lane.name),
    };
    reports.map(name).collect()
}

/// Other settings do not begin the round anew; another rule holds from the next call on.
#[test]
fn the_turn_goes_on_through_changes_of_anything_but_the_lanes() {
    check(
        "permits=1 lanes=members:2,all:1 rule=shares",
        "0 join ann bob
         0 join:members mia mo max may
         1 usher                 => usher mia
         2 leave mia             => baton mo
         3 set claim=20
         3 leave mo              => baton ann
         4 leave ann             => baton max
         5 set rule=strict
         5 leave max             => baton may
         6 join:members moe
         7 leave may             => baton moe",
    );
}

/// A lane that leaves the list is gone at once when nobody is in it, and stays while somebody is inside with a number of it.
#[test]
fn who_is_inside_keeps_the_lane_and_its_slot() {
    let rules = "permits=1 lanes=members,press,all";
    let story = "0 join:members mia
         0 usher                 => usher mia
         1 claim mia
         2 set lanes=all";
    assert_eq!(told_lanes(&check(rules, story)), ["all", "(members)"]);
    let story = format!("{story}\n3 set lanes=guests,all\n3 join:guests gus");
    let told = check(rules, &story);
    assert_eq!(told_lanes(&told), ["guests", "all", "(members)"]);
    assert_eq!(told.ticket("gus").0.lane(), LaneId(2), "where press was");
    let story = format!("{story}\n4 release mia => baton gus\n5 set lanes=staff,guests,all");
    let told = check(rules, &format!("{story}\n5 join:staff stu"));
    assert_eq!(told_lanes(&told), ["staff", "guests", "all"]);
    assert_eq!(told.ticket("stu").0.lane(), LaneId(1), "where members were");
}

/// People who came as everybody do not become another lane's when everybody's has another name.
#[test]
fn everybody_by_another_name_is_another_lane() {
    let told = check(
        "permits=1 lanes=members,all",
        "0 join ann
         1 set lanes=members,public
         1 join bob              => bob waits 0
         2 usher                 => usher ann",
    );
    let public = named(told.room.lanes(), "public");
    assert_eq!(told.ticket("bob").0, public.first_number());
    assert_eq!(told.ticket("ann").0, Number(1));
    assert_eq!(told_lanes(&told), ["members", "public", "(all)"]);
}

#[test]
fn an_operator_is_told_who_is_where_in_each_lane() {
    let told = check(
        "permits=1 lanes=members,all",
        "0 join ann bob
         0 join:members mia mo max may moe
         0 usher                 => usher mia
         1 away mo max
         1 leave mia             => baton may",
    );
    let report = |now| told.room.lanes().reports(now, told.room.config().mode);
    let [members, all] = &report(told.now)[..] else {
        panic!("two lanes");
    };
    let counts = (members.waiting, members.present, members.away, members.called);
    assert_eq!(counts, (4, 1, 2, 1));
    assert_eq!((all.waiting, all.present, all.called), (2, 2, 0));
    assert_eq!((members.is_next, all.is_next), (true, false));
    assert_eq!((members.called_lately, all.called_lately), (2, 0));
    let minute_later = report(Instant(script::START.0 + 60_001));
    assert_eq!(minute_later[0].called_lately, 1, "the first call is older");
    assert_eq!(members.living(), ("members", 4));
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
        .case(now)
        .lane_gists()
        .into_iter()
        .map(|lane| (lane.name.to_string(), lane.is_listed))
        .collect();
    let reported: Vec<_> = room
        .lanes()
        .reports(now, room.config().mode)
        .into_iter()
        .map(|lane| (lane.name, lane.is_listed))
        .collect();
    let wanted = [("guests", true), ("all", true), ("members", false), ("press", false)];
    assert_eq!(told, wanted.map(|(name, is_listed)| (name.to_owned(), is_listed)));
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
        let mut command = Command::join(vec![member]);
        if let Some(lane) = lane {
            command = command.into_lane(lane);
        }
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
    assert!(room.tickets().is_empty());
    for (id, lane) in room.lanes().all() {
        assert_eq!(lane.line().next(), id.first_number());
    }
}
