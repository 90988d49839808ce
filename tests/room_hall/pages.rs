//! A hall of more people than a page of the journal has.

use super::{OPENS_MS, Story, config, entry};
use baton::facts::command::Command;
use baton::facts::hall::Draw;
use baton::facts::holder::{Comes, Key, Member};
use baton::facts::limits::HOLDERS_PAGE;
use baton::facts::units::Instant;
use baton::room::laws;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// After a draw every page is due anew with the accounts of its numbers: nothing is kept beside it of who stood in the hall.
#[test]
fn accounts_that_came_late_to_the_hall_are_on_the_pages_of_the_line() {
    let mut story = Story::new(&config(Draw::Shuffle));
    story.hours(50_000);
    while story.room.hall().line().tail_from() <= entry(HOLDERS_PAGE - 1) {
        story.join(50_000, 2_000);
    }
    let (holder, account) = (story.people[0], Key(7 << 32));
    let member = Member {
        holder,
        account,
        comes: Comes::Anew,
    };
    story.say(51_000, &Command::join(vec![member]));
    assert_eq!(story.room.book().accounts().late().count(), 1);
    story.hours(OPENS_MS);
    assert_eq!(story.room.living_of_account(account), story.place_of(1));
    assert!(story.place_of(1).is_some());
    assert_eq!(story.room.book().accounts().late().count(), 0);
    laws::one_place_an_account(&story.room, Instant(OPENS_MS)).expect("law 2");
}
