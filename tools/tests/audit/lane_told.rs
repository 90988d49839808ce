//! Tests the stories of tickets in rooms with lanes.

use super::lane_shop::{EVERYBODY, MEMBERS, members_and_everybody, name, presale};
use super::sale::{OPENS_MS, Sale, export};
use baton::facts::command::Command;
use baton::facts::event::Event;
use baton::facts::hall::Draw;
use baton::facts::lanes::LanesRule;
use baton::facts::units::{Fence, Instant, Number};
use baton_tools::audit::Stop;
use baton_tools::audit::story::{Story, Tale};

fn story(sale: &Sale, number: u64, lane: Option<&str>) -> Result<Story, Stop> {
    let mut tale = Tale::new(number, lane.map(name), None);
    (export(&sale.rows).iter()).try_for_each(|line| tale.line(line))?;
    tale.finish(None)
}

fn sentences(story: &Story) -> Vec<&str> {
    story.told.iter().map(|told| told.sentence.as_str()).collect()
}

/// Returns a sale in which two members and three others join, and the second of the others shows a member's token later. Two are called, and one
/// hands the permit on.
fn moved() -> Sale {
    let mut sale = Sale::with(&members_and_everybody(LanesRule::Strict, 1));
    sale.come("members", 1..3);
    sale.come("everybody", 11..14);
    sale.come("members", 12..13);
    sale.set_permits(2);
    sale.turns_after(1_000);
    let place = sale.place(MEMBERS.number(1));
    sale.does(Command::Claim { place, fence: Fence(1) });
    sale.does(Command::Release(Fence(1)));
    sale
}

#[test]
fn a_story_names_the_lane_and_goes_on_where_its_ticket_went() {
    let sale = moved();
    let told = story(&sale, 2, Some("everybody")).unwrap();
    assert_eq!((told.number, told.lane.as_deref()), (2, Some("everybody")));
    assert_eq!(
        sentences(&told),
        [
            "got its number through lobby 0, with 1 in front",
            "went to the end of a better lane: it is 3 (members) from here on, with 2 in front",
            "was called with the baton of number 1 (members), who released the permit; 3 s to come (fence 1 → 3)",
        ]
    );
    assert_eq!(told.end, "is called (fence 3)");
    assert!(told.to_string().starts_with("number 2 (everybody) of room onsale\n"));
    // Under its new number the story begins where that number does.
    let told = story(&sale, 3, Some("members")).unwrap();
    let [came, called] = sentences(&told)[..] else {
        panic!("{told}");
    };
    assert_eq!(came, "came from another lane, where it was 2 (everybody), with 2 in front");
    assert!(called.contains("1 (members)"), "{called}");
    // The number with its lane in it asks for the same story as the lane and the number within it.
    assert_eq!(story(&sale, MEMBERS.number(3).0, None).unwrap(), told);
    let handed = story(&sale, 1, Some("members")).unwrap();
    let on = "released the permit; the permit was handed on to number 3 (members) (fence 1 → 3)";
    assert_eq!(sentences(&handed).last(), Some(&on));
    let ahead = story(&sale, 3, Some("everybody")).unwrap();
    assert_eq!(ahead.end, "waits, with 1 in front");
}

#[test]
fn a_number_that_a_lane_never_issued_is_said_so() {
    let sale = moved();
    let says = |number, lane| match story(&sale, number, lane) {
        Err(Stop::Unreadable { what, .. }) => what,
        other => panic!("{other:?}"),
    };
    assert_eq!(says(4, Some("members")), "number 4 (members) was not issued; 1 to 3 were");
    assert_eq!(says(1, Some("nobodys")), "no number was issued");
}

#[test]
fn a_story_goes_through_the_draw_of_another_lane() {
    let mut sale = Sale::with(&presale(Draw::Shuffle));
    sale.come("everybody", 1..2);
    sale.now = Instant(OPENS_MS + 31_000);
    sale.come("members", 10..15);
    sale.come("members", 1..2);
    let moved = Event::Moved {
        from: EVERYBODY.number(1),
        to: MEMBERS.entry(6),
    };
    assert_eq!(sale.last(), [moved]);
    sale.now = Instant(OPENS_MS + 61_000);
    sale.turns_after(0);
    let told = story(&sale, 1, Some("everybody")).unwrap();
    let [_, went, drawn] = sentences(&told)[..] else {
        panic!("{told}");
    };
    assert!(went.contains("it is entry 6 (members)"), "{went}");
    let number: Vec<Number> = (1..7).map(|nth| MEMBERS.number(nth)).collect();
    let is_its = |number: &&Number| sale.room.tickets().holder(**number).map(|holder| holder.key) == Some(super::sale::holder(1).key);
    let ahead = number.iter().find(is_its).unwrap().within() - 1;
    assert_eq!(drawn, format!("got its number in the draw, with entry 6; {ahead} in front"));
    assert_eq!(told.end, format!("waits, with {ahead} in front"));
}
