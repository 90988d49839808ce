//! The moving picture of the line, and the words of the operator.

use crate::play::{START, play};
use baton::facts::units::{AddressTag, VisitorId};
use baton::lobby::Moment;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn a_frame_goes_out_once_a_tick_and_only_with_sockets() {
    play(
        "permits=0",
        "
        ann waits already
        1 far joins dee
        1 push             => ack
        1 time
        2 ann opens
        2 far joins eve
        2 push             => ack
        2 time             => frame
        2.5 far joins fox
        3 push             => ack
        3 when             => awake 3, alarm 22
        3 time             => frame
        ",
    );
}

/// It may not know everybody in front.
#[test]
fn a_new_socket_sees_no_frame_that_is_older_than_its_ticket() {
    play(
        "permits=0",
        "
        ann waits already
        0 ann opens
        1 far joins dee
        1 push           => ack
        1 ann looks      => ann sees 1 waits 0 with frame
        2 far joins eve
        2 bob joins      => batch 2 (1 attempts; join bob)
        2 ok             => bob is told 4 waits 3 issued
        2 bob opens
        2 bob looks      => bob sees 4 waits 3
        ",
    );
}

#[test]
fn ahead_never_rises_whatever_comes_in_which_order() {
    play(
        "permits=1",
        "
        0 far joins dee
        0 far joins eve
        0 ann joins       => hello 1
        0 ok              => batch 1 (1 attempts; join ann)
        0 ok              => ann is told 3 waits 2 issued
        0 ann opens
        1 far leaves dee
        1 push            => ack
        1 ann asks        => ann is told 3 waits 1
        2 far leaves eve
        2 push            => ack
        2 ann asks        => ann is told 3 waits 0
        2 ann looks       => ann sees 3 waits 0 with frame
        ",
    );
}

#[test]
fn everybody_hears_of_another_mode() {
    play(
        "permits=0",
        "
        ann waits already
        0 ann opens
        0 bob joins     => batch 2 (1 attempts; join bob)
        0 ok            => bob is told 2 waits 1 issued
        0 bob polls 25
        1 mode paused
        1 push          => ann hears 1 waits 0 [paused], bob is told 2 waits 1 [paused], ack
        2 mode open
        2 push          => ann hears 1 waits 0, ack
        ",
    );
}

/// Two thousand sockets a second are told. The first frame goes at once.
#[test]
fn with_many_sockets_frames_go_less_often_than_each_tick() {
    let mut story = play("permits=0", "ann waits already");
    for nth in 0..4_000_u32 {
        let m = Moment {
            now: START,
            wall_ms: START.0,
        };
        let [a, b, c, d] = nth.to_be_bytes();
        let who = VisitorId::at(AddressTag([8; 8]), [0, 0, 0, 0, a, b, c, d]);
        story.lobby.handle_socket_opened(m, who, None);
    }
    for (line, seen) in [
        ("1 far joins dee", ""),
        ("1 push", "ack"),
        ("1 time", "frame"),
        ("2 far joins eve", ""),
        ("2 push", "ack"),
        ("2.999 time", ""),
        ("3 time", "frame"),
    ] {
        assert_eq!(story.run(line).join(", "), seen, "{line}");
    }
}
