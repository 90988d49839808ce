//! Guesses of codes behind an address that many share.

use super::{CARRIER, Site, at};
use baton::facts::voucher::Unspent;
use baton::facts::wire::Share;
use baton::lobby::Limits;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn c158_each_behind_a_shared_address_has_few_guesses_and_all_have_a_few_times_as_many() {
    let limits = Limits {
        ipv4_share: 20,
        ..Limits::default()
    };
    let mut site = Site::new(0, limits);
    let limited_by = |site: &mut Site, person, code| {
        let told = site.guess(at(CARRIER, person), code);
        assert_eq!(told.limited.is_none(), told.unspent == Some(Unspent::Unknown));
        told.limited.map(|limited| limited.by)
    };
    for person in 0..2 {
        for code in 0..5 {
            assert_eq!(limited_by(&mut site, person, code), None);
        }
        assert_eq!(limited_by(&mut site, person, 5), Some(Share::Visitor));
    }
    assert_eq!(limited_by(&mut site, 2, 0), Some(Share::Address));
}
