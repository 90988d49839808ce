//! Whose a picture is, and what a deletion by each comes to.

use baton::brand::image::IMAGES_MAX;
use baton::settings::{Deletion, Hold, IMAGES_KEPT_FREE, IMAGES_OF_ONE_MAX, has_place};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// What becomes of a picture that `mika` deletes, who may act in these rooms.
fn deletion(within: &[&str], uploaders: &[&str], rooms: &[&str]) -> Deletion {
    let within = texts(within);
    let hold = Hold {
        by: "mika",
        within: &within,
        uploaders: texts(uploaders),
        rooms: texts(rooms),
    };
    let deletion = hold.deletion();
    assert_eq!(hold.is_theirs(), deletion != Deletion::Unknown);
    deletion
}

/// The operator's rooms, the uploaders, the rooms whose pages show the picture, and what becomes of it.
type Case<'a> = (&'a [&'a str], &'a [&'a str], &'a [&'a str], Deletion);

#[test]
fn a_picture_is_its_uploaders_and_the_rooms_whose_pages_show_it() {
    use Deletion::{Forget, GiveUp, Shown, Unknown};
    let shown = |rooms: &[&str]| Shown(texts(rooms));
    let own = ["alpha"];
    #[rustfmt::skip]
    let cases: [Case; 11] = [
        (&own, &["mika"], &[], Forget), (&own, &["noor"], &[], Unknown), (&own, &[], &[], Unknown),
        (&own, &["noor"], &["beta"], Unknown), (&own, &["noor"], &["alpha"], shown(&["alpha"])),
        // Of what others have as well, nobody tells.
        (&own, &["mika", "noor"], &[], GiveUp), (&own, &["mika"], &["beta"], GiveUp), (&own, &["mika"], &["alpha", "beta"], shown(&["alpha"])),
        // Whoever may act everywhere has every picture.
        (&[], &["noor"], &[], Forget), (&[], &[], &["alpha", "beta"], shown(&["alpha", "beta"])), (&[], &["mika", "noor"], &[], Forget),
    ];
    for (within, uploaders, rooms, expected) in cases {
        assert_eq!(deletion(within, uploaders, rooms), expected, "{within:?} {uploaders:?} {rooms:?}");
    }
}

#[test]
fn an_operator_with_rooms_fills_a_share_of_the_house() {
    assert!(has_place(IMAGES_MAX - 1, None) && !has_place(IMAGES_MAX, None));
    assert!(has_place(0, Some(IMAGES_OF_ONE_MAX - 1)) && !has_place(0, Some(IMAGES_OF_ONE_MAX)));
    let last = IMAGES_MAX - IMAGES_KEPT_FREE;
    assert!(has_place(last - 1, Some(0)) && !has_place(last, Some(0)));
    assert!(has_place(last, None), "they all together leave some places");
}
