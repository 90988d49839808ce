//! A link that is opened takes no nearer place away.

use baton::facts::holder::Shown;
use baton::facts::units::{Edition, LaneId, Number, Version};
use baton::facts::wire::{State, Status};
use baton::gate::is_nearer;

fn own(state: State, number: Number) -> Status {
    Status {
        state,
        number: Some(number),
        edition: Some(Edition(1)),
        ..Status::default()
    }
}

fn link(edition: u32, number: Number) -> Shown {
    Shown {
        edition: Edition(edition),
        number,
        row: Version(1),
    }
}

#[test]
fn whoever_is_called_or_inside_or_has_the_lower_number_keeps_the_place() {
    let (five, seven, nine) = (Number(5), Number(7), Number(9));
    let other_lane = LaneId(1).number(9);
    for (state, number, of_link, expected) in [
        (State::Waiting, five, link(1, seven), true),
        (State::Waiting, nine, link(1, seven), false),
        (State::Called, nine, link(1, seven), true),
        (State::Admitted, nine, link(1, seven), true),
        // The very same place moves nowhere, and one of another edition is over.
        (State::Called, seven, link(1, seven), false),
        (State::Called, five, link(2, seven), false),
        // An entry of a hall has no rank yet, and places of two lanes are not compared.
        (State::Hall, five, link(1, seven), false),
        (State::Waiting, five, link(1, LaneId::FIRST.entry(9)), false),
        (State::Waiting, five, link(1, other_lane), false),
        (State::Over, five, link(1, seven), false),
    ] {
        assert_eq!(is_nearer(&own(state, number), of_link), expected, "{state:?} {number:?} {of_link:?}");
    }
    let nothing = Status::default();
    assert!(!is_nearer(&nothing, link(1, seven)));
}
