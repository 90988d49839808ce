//! Signatures in the form of Standard Webhooks. The first vector is that of the form's own libraries.

use baton::outbox::{Secrets, signed_headers};

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OTHER: &str = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

fn signature(secret: &str) -> String {
    let secrets = Secrets::parse(secret).unwrap();
    let id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    let headers = signed_headers(&secrets, id, 1_614_265_330_999, r#"{"test": 2432232314}"#);
    assert_eq!(headers[0], ("webhook-id", id.to_owned()));
    assert_eq!(headers[1], ("webhook-timestamp", "1614265330".to_owned()));
    assert_eq!(headers[2].0, "webhook-signature");
    headers[2].1.clone()
}

#[test]
fn the_forms_own_vector() {
    assert_eq!(signature(SECRET), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

#[test]
fn while_rotating_both_sign() {
    let both = signature(&format!("{OTHER} {SECRET}"));
    let (new, old) = both.split_once(' ').unwrap();
    assert_eq!((new, old), (&*signature(OTHER), &*signature(SECRET)));
    assert_ne!(new, old);
}

#[test]
fn what_is_no_secret_is_refused_and_none_is_shown() {
    let long = format!("whsec_{}", "A".repeat(88));
    let three = format!("{SECRET} {OTHER} {SECRET}");
    for text in [
        "",
        " ",
        "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "whsec_",
        "whsec_AAAA",
        "whsec_%%%%",
        &long,
        &three,
    ] {
        assert!(Secrets::parse(text).is_err(), "{text:?}");
    }
    let half = format!("{SECRET} short");
    assert!(Secrets::parse(&half).is_err(), "one bad one spoils both");
    assert_eq!(format!("{:?}", Secrets::parse(SECRET).unwrap()), "Secrets(1)");
}
