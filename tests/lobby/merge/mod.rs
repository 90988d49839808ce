//! The one function that merges a statement of the room into the replica, as a table: what the lobby knows of a ticket × what a message says of
//! it × of whom × how old the message is.
//!
//! `every_cell_follows_the_rules` goes through all cells: the enums of `axes` are the axes, and `rules` says what must come of each. The table in
//! `cells_written_out` says of some in words what comes of them. Both see a lobby only from outside: its replica, and whom it tells.

mod axes;
mod rules;
mod world;

use axes::{Age, Knows, Says, Whose};
use baton::facts::message::{Change, Ended, Listed};
use baton::facts::reply::Standing;
use baton::facts::units::{Number, Version};
use baton::lobby::{Phase, Ticket};
use std::collections::BTreeSet;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;
use world::{Seen, World, of};

impl Whose {
    fn holder(self) -> baton::facts::holder::Holder {
        match self {
            Self::Anns => of("ann"),
            Self::Bobs => of("bob"),
        }
    }
}

#[test]
fn every_cell_follows_the_rules() {
    for knows in Knows::ALL {
        for says in Says::ALL {
            for whose in Whose::ALL {
                for age in Age::ALL {
                    let mut world = World::that(*knows);
                    let before = world.kept();
                    let holder = whose.holder();
                    let wanted = rules::expected(&before, world.number, *age, *says, holder);
                    let seen = world.is_told(*age, *says, holder);
                    assert_eq!(
                        seen, wanted,
                        "\nknows {knows:?}, hears {says:?} of {whose:?}, {age:?} (left is what was seen)\nbefore: {before:?}"
                    );
                }
            }
        }
    }
}

/// Messages overlap and come twice. What is said again is no news.
#[test]
fn what_is_said_again_changes_nothing_and_nobody_is_told() {
    for knows in Knows::ALL {
        for says in Says::ALL {
            for whose in Whose::ALL {
                let mut world = World::that(*knows);
                let first = world.is_told(Age::Newer, *says, whose.holder());
                let again = world.is_told(Age::Newer, *says, whose.holder());
                let wanted = Seen { told: vec![], ..first };
                assert_eq!(again, wanted, "knows {knows:?}, hears {says:?} of {whose:?}");
            }
        }
    }
}

/// Whatever was said meanwhile, what comes late changes nothing more.
#[test]
fn what_comes_late_undoes_nothing() {
    for newer in Says::ALL {
        for late in Says::ALL {
            let mut world = World::that(Knows::Waiting);
            let first = world.is_told(Age::Newer, *newer, of("ann"));
            let then = world.is_told(Age::Same, *late, of("ann"));
            let wanted = Seen { told: vec![], ..first };
            assert_eq!(then, wanted, "{newer:?}, then late {late:?}");
        }
    }
}

/// A new form of a statement, of an end or of a phase does not compile here before it has a name, and then fails until the table has it.
#[test]
fn no_form_is_left_out() {
    let standing = |standing: Standing| match standing {
        Standing::Waiting { missed: false, .. } => 0,
        Standing::Waiting { missed: true, .. } => 1,
        Standing::Called { .. } => 2,
        Standing::Admitted { provisional: true, .. } => 3,
        Standing::Admitted { provisional: false, .. } => 4,
        Standing::Over => 5,
    };
    let ended = |why: Ended| match why {
        Ended::Left => 0,
        Ended::Missed => 1,
        Ended::Away => 2,
        Ended::Released => 3,
        Ended::Expired => 4,
        Ended::Moved => 5,
    };
    let phase = |phase: Phase| match phase {
        Phase::Waiting { missed: false } => 0,
        Phase::Waiting { missed: true } => 1,
        Phase::Called { .. } => 2,
        Phase::Admitted { provisional: true, .. } => 3,
        Phase::Admitted { provisional: false, .. } => 4,
    };
    let says = Says::ALL.iter();
    let standings: BTreeSet<i32> = says.clone().filter_map(|says| says.standing()).map(standing).collect();
    assert_eq!(standings, BTreeSet::from_iter(0..6));
    let ends: BTreeSet<i32> = says.filter_map(|says| says.ended()).map(ended).collect();
    assert_eq!(ends, BTreeSet::from_iter(0..6));
    let known = Knows::ALL.iter();
    let tickets = known.filter_map(|knows| World::that(*knows).kept().ticket);
    let phases: BTreeSet<i32> = tickets.map(|ticket| phase(ticket.phase)).collect();
    assert_eq!(phases, BTreeSet::from_iter(0..5));
}

/// `in 45/95`: the lease's ends, in seconds after the list came; the message comes 5 s after it.
#[test]
fn cells_written_out() {
    rows(
        "
        knows    | hears            | whose | the message is     | then it knows             | is told
        Nothing  | Nothing          | Anns  | Newer              | nothing                   |
        Nothing  | Waits            | Anns  | Newer              | ann waits 3               | ann waiting
        Nothing  | CalledAnew       | Bobs  | Newer              | bob called by 8 until 25  | bob called
        Nothing  | Left             | Anns  | Newer              | nothing                   |
        Waiting  | Waits            | Anns  | Same               | ann waits 3               |
        Waiting  | Waits            | Anns  | Newer              | ann waits 3               |
        Waiting  | WaitsFartherBack | Anns  | Newer              | ann waits 5               |
        Waiting  | WaitsAway        | Anns  | Newer              | ann waits 3 away          |
        SaidHere | WaitsAway        | Anns  | Newer              | ann waits 3 unheard       |
        Waiting  | CalledAnew       | Anns  | Newer              | ann called by 8 until 25  | ann called
        Waiting  | CalledAnew       | Anns  | Same               | ann called by 8 until 25  | ann called
        Waiting  | CalledAnew       | Anns  | Older              | ann waits 5               |
        Waiting  | CalledAnew       | Anns  | Overlapping        | ann called by 8 until 25  | ann called
        Waiting  | CalledAnew       | Anns  | Gap                | ann waits 5               | hello
        Waiting  | CalledAnew       | Anns  | OfAnotherRoomLife  | ann waits 5               | hello
        Waiting  | CalledAnew       | Anns  | ToAnotherLobbyLife | ann waits 5               | hello
        Called   | CalledLater      | Anns  | Newer              | ann called by 7 until 20  |
        Called   | CalledSooner     | Anns  | Newer              | ann called by 7 until 15  |
        Called   | WaitsMissed      | Anns  | Newer              | ann waits 0 away missed   | ann waiting
        Called   | Inside           | Anns  | Newer              | ann in by 7 45/95         | ann admitted
        Called   | CalledSooner     | Bobs  | Newer              | bob called by 7 until 15  | ann over, bob called
        Missed   | WaitsMissed      | Anns  | Newer              | ann waits 0 away missed spoke |
        Missed   | WaitsMissed      | Bobs  | Newer              | bob waits 0 away missed   | ann over, bob waiting
        WalkedIn | Inside           | Anns  | Newer              | ann in by 7 45/95         |
        Inside   | InsideExtended   | Anns  | Newer              | ann in by 7 45/155        |
        Inside   | InsideAnew       | Anns  | Newer              | ann in by 8 45/95         | ann admitted
        Inside   | IsOver           | Anns  | Newer              | over expired              | ann over
        Inside   | Released         | Anns  | Older              | ann in by 7 40/90         |
        Inside   | LineEnded        | Anns  | Newer              | ann in by 7 40/90         |
        Called   | LineEnded        | Anns  | Newer              | over sold_out             | ann over
        InHall   | LineEnded        | Anns  | Newer              | over sold_out             | ann over
        Over     | Waits            | Anns  | Newer              | ann waits 3               | ann waiting
        Over     | Released         | Anns  | Newer              | over away                 |
        ",
    );
}

fn rows(table: &str) {
    let lines = table.lines().map(str::trim).filter(|line| !line.is_empty());
    for line in lines.skip(1) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [knows, says, whose, age, then, told] = cells[..] else {
            panic!("six columns: {line}");
        };
        let mut world = World::that(Knows::named(knows));
        let holder = Whose::named(whose).holder();
        let seen = world.is_told(Age::named(age), Says::named(says), holder);
        let told_is = match seen.says_hello {
            true => "hello".to_owned(),
            false => seen.told.join(", "),
        };
        let then_is = match (seen.then.ticket, seen.then.ends[0]) {
            (Some(ticket), _) => words(&ticket),
            (None, Some(why)) => format!("over {}", why.name()),
            (None, None) => "nothing".to_owned(),
        };
        assert_eq!((then_is.as_str(), told_is.as_str()), (then, told), "{line}");
    }
}

fn words(ticket: &Ticket) -> String {
    let name = if ticket.holder == of("ann") { "ann" } else { "bob" };
    let after_s = |at: baton::facts::units::Instant| at.since_ms(crate::play::START) / 1_000;
    match ticket.phase {
        Phase::Waiting { missed } => {
            let away = match ticket.away {
                Some(true) => " away",
                Some(false) => "",
                None => " unheard",
            };
            let missed = if missed { " missed" } else { "" };
            let spoke = if ticket.spoke { " spoke" } else { "" };
            format!("{name} waits {}{away}{missed}{spoke}", ticket.ahead)
        }
        Phase::Called { fence, claim_by } => {
            format!("{name} called by {fence} until {}", after_s(claim_by))
        }
        Phase::Admitted {
            fence, idle_end, hard_end, ..
        } => {
            let (idle, hard) = (after_s(idle_end), after_s(hard_end));
            format!("{name} in by {fence} {idle}/{hard}")
        }
    }
}

/// A place that moves to another lane has another number there. In whichever order the two changes come, its holder has one place and is told once.
#[test]
fn a_place_that_moves_is_the_same_in_both_orders() {
    let moves = |first_over: bool| {
        let mut world = World::that(Knows::Waiting);
        let was = world.kept().ticket.expect("it waits");
        let listed = Listed {
            number: Number(2),
            holder: was.holder,
            standing: Says::Waits.standing().expect("it waits"),
        };
        let mut message = world.message(Age::Newer);
        message.changes = vec![Change::Lives(listed), Change::Over(was.number, Ended::Moved)];
        if first_over {
            message.changes.reverse();
        }
        let told = world.hears(message).told;
        let replica = world.lobby.replica();
        assert_eq!(told, ["ann waiting"]);
        assert_eq!(replica.living(), 1);
        assert_eq!(replica.of_number(was.number), None);
        let ticket = *replica.of_key(was.holder.key).expect("she has a place");
        assert_eq!(ticket.unseen_since, None, "she has been seen");
        assert_eq!((ticket.number, ticket.ahead, ticket.row), (Number(2), 3, Version(101)));
        ticket
    };
    assert_eq!(moves(false), moves(true));
}

/// Bob takes Ann's place by a link, and leaves his own by that.
#[test]
fn whoever_takes_a_place_over_has_one() {
    for first_over in [false, true] {
        let mut world = World::that(Knows::Waiting);
        let lives = |number, name| {
            Change::Lives(Listed {
                number,
                holder: of(name),
                standing: Says::Waits.standing().expect("it waits"),
            })
        };
        let mut message = world.message(Age::Same);
        message.changes = vec![lives(Number(2), "bob")];
        world.hears(message);
        let mut message = world.message(Age::Newer);
        message.changes = vec![Change::Over(Number(2), Ended::Left), lives(world.number, "bob")];
        if !first_over {
            message.changes.reverse();
        }
        let told = world.hears(message).told;
        let replica = world.lobby.replica();
        assert_eq!(told, ["ann over", "bob waiting"]);
        assert_eq!(replica.living(), 1);
        let place = replica.of_key(of("bob").key).map(|ticket| ticket.number);
        assert_eq!(place, Some(world.number));
    }
}
