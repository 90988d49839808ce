//! Which of two places a device keeps that has one and opens the link of another: the link may be a stranger's trap.

use facts::holder::Shown;
use facts::wire::{State, Status};

/// Returns whether the visitor's own place is nearer than the one of a link. Of that one nothing is known but its number: whoever is called or inside
/// keeps the own place, and in one lane the lower number is nearer. An entry of a hall has no rank yet, and places of two lanes are not compared.
#[must_use]
pub fn is_nearer(own: &Status, of_link: Shown) -> bool {
    let (state, Some(own)) = (own.state, own.shown()) else {
        return false;
    };
    if own.edition != of_link.edition || own.number == of_link.number {
        return false;
    }
    match state {
        State::Called | State::Admitted => true,
        State::Waiting => {
            let is_one_lane = own.number.lane() == of_link.number.lane();
            is_one_lane && !of_link.number.is_entry() && own.number < of_link.number
        }
        State::None | State::Hall | State::Over => false,
    }
}
