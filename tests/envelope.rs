//! The form of what front, lobby and room say to each other: what is read, and what is answered "try again".

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

use baton::facts::envelope::{Unreadable, bytes, of_bytes, of_text, text};
use baton::facts::message::{FromRoom, Refusal, ToRoom, WIRE};
use baton::facts::units::Fence;
use baton::facts::wire::{Ask, Told, Wish};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn what_is_written_is_read_and_begins_with_the_version() {
    let said = ToRoom::Check(vec![Fence(7)]);
    let sent = bytes(&said).unwrap();
    assert_eq!(sent.first(), Some(&WIRE));
    assert_eq!(of_bytes(&sent), Ok(said));
    let sent = text(&Told::default()).unwrap();
    assert!(sent.starts_with(&format!("{WIRE}{{")), "{sent}");
    assert_eq!(of_text(&sent), Ok(Told::default()));
}

#[test]
fn another_version_is_try_again_and_nothing_of_it_is_read() {
    let refused = bytes(&FromRoom::Refused(Refusal::Version)).unwrap();
    for version in (0..=u8::MAX).filter(|version| *version != WIRE) {
        let other = [&[version][..], refused.get(1..).unwrap()].concat();
        assert_eq!(of_bytes::<FromRoom>(&other), Err(Unreadable::Version));
        assert_eq!(of_bytes::<FromRoom>(&[version]), Err(Unreadable::Version));
    }
    for other in ["0{}", "2{}", "9", "2"] {
        assert_eq!(of_text::<Told>(other), Err(Unreadable::Version), "{other}");
    }
}

#[test]
fn what_means_nothing_is_malformed() {
    let said = bytes(&ToRoom::Check(vec![Fence(7), Fence(8)])).unwrap();
    let longer = [&said[..], &[0]].concat();
    let cut = said.split_last().unwrap().1;
    for bad in [&[][..], &[WIRE], cut, &longer, &[WIRE, 250]] {
        assert_eq!(of_bytes::<ToRoom>(bad), Err(Unreadable::Malformed), "{bad:?}");
    }
    let ask = Ask::plain(Default::default(), None, Wish::Join);
    let asked = text(&ask).unwrap();
    for bad in ["", "{}", "1", "1{", "x", &asked[..asked.len() - 1], &format!("{asked}}}")] {
        assert_eq!(of_text::<Ask>(bad), Err(Unreadable::Malformed), "{bad}");
    }
}
