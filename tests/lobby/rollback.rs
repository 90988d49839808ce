//! A backup was restored: what people were told since is not in the room's data.

use crate::play::play;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Nobody carried the place: its number was given twice before anybody could know.
#[test]
fn who_shows_a_number_that_was_given_again_is_not_told_that_it_was_carried() {
    let play = play(
        "permits=0",
        "
        ann waits already
        0 kept
        1 bob joins    => batch 2 (1 attempts; join bob)
        1 ok           => bob is told 2 waits 1 issued
        2 restored
        2 born
        2 cid joins    => hello 1
        2 ok           => batch 1 (1 attempts; join cid)
        2 ok           => cid is told 2 waits 1 issued
        3 bob attends  => batch 2 (1 attempts; shows bob 2)
        3 ok           => refused unknown, hello 2 knows 3
        3 ok           => batch 3 (shows bob 2)
        3 ok           => batch 4 (join bob)
        3 ok           => bob is told 16387 waits 2 issued
        4 ann attends  => ann is told 1 waits 0
        4 dan joins    => batch 5 (2 attempts; join dan)
        4 ok           => dan is told 16388 waits 3 issued
        ",
    );
    assert_eq!(play.room.rolled_back(), 1);
}

#[test]
fn a_ticket_of_a_row_that_is_not_written_moves_the_numbers_before_anybody_gets_its_own() {
    let play = play(
        "permits=0",
        "
        ann waits already
        0 kept
        1 bob joins    => batch 2 (1 attempts; join bob)
        1 ok           => bob is told 2 waits 1 issued
        1 cid joins    => batch 3 (1 attempts; join cid)
        1 ok           => cid is told 3 waits 2 issued
        2 restored
        2 born
        2 bob asks     => hello 1
        2 ok           => batch 1 (shows bob 2)
        2 ok           => refused unknown, hello 2 knows 2
        2 ok           => batch 2 (shows bob 2)
        2 ok           => bob is told none
        2 dan joins    => batch 3 (1 attempts; join dan)
        2 ok           => dan is told 16387 waits 1 issued
        3 cid attends  => batch 4 (1 attempts; shows cid 3)
        3 ok           => batch 5 (join cid)
        3 ok           => cid is told 16388 waits 2 issued
        ",
    );
    assert_eq!(play.room.rolled_back(), 1, "one proof covers the other place");
}

/// On Cloudflare a room can be taken back to a moment while its lobbies go on.
#[test]
fn a_lobby_that_knows_more_than_the_room_takes_the_rooms_book_for_its_own() {
    let play = play(
        "permits=0",
        "
        ann waits already
        0 kept
        1 bob joins    => batch 2 (1 attempts; join bob)
        1 ok           => bob is told 2 waits 1 issued
        2 restored
        2 push         => poked, hello 2 knows 3, no ack
        2 ok           => batch 3
        2 ok
        2 ann asks     => ann is told 1 waits 0
        2 bob attends  => batch 4 (1 attempts; shows bob 2)
        2 ok           => batch 5 (join bob)
        2 ok           => bob is told 16386 waits 1 issued
        ",
    );
    assert_eq!(play.room.rolled_back(), 1);
}

/// A reset came after the backup, so every place in it had ended. A new edition begins, and no number of the proved one is given again, nor of later ones
/// that nobody has shown yet.
#[test]
fn a_ticket_of_a_later_edition_begins_one_behind_all_that_were_lost() {
    let play = play(
        "permits=0",
        "
        ann waits already
        0 kept
        1 reset
        1 born
        1 bob joins    => hello 1
        1 ok           => batch 1 (1 attempts; join bob)
        1 ok           => bob is told 1 waits 0 issued
        2 restored
        2 born
        2 bob attends  => hello 1
        2 ok           => batch 1 (1 attempts; shows bob 1)
        2 ok           => refused unknown, hello 2 knows 2
        2 ok           => batch 2 (join bob)
        2 ok           => bob is told 1 waits 0 issued
        2 ann attends  => ann is told 1 over reset
        ",
    );
    assert_eq!(play.room.edition().0, 11);
    assert_eq!(play.room.rolled_back(), 1);
}
