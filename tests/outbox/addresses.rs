//! Where webhooks may go.

use baton::outbox::{Address, Wrong};

#[test]
fn public_names_by_https_are_taken() {
    for (text, host) in [
        ("https://hooks.example.com/baton", "hooks.example.com"),
        ("https://Hooks.Example.COM", "hooks.example.com"),
        ("https://a.b.example.co.jp:8443/x/y?key=1&b=%20", "a.b.example.co.jp"),
        ("https://xn--tickets-9za.example.xn--p1ai/", "xn--tickets-9za.example.xn--p1ai"),
        ("https://10.example.net/", "10.example.net"),
    ] {
        let address = Address::parse(text).unwrap_or_else(|why| panic!("{text}: {why}"));
        assert_eq!((address.as_str(), address.host()), (text, host));
    }
}

#[test]
fn c183_everything_that_could_lead_inside_is_refused() {
    use Wrong::{Form, Name, Private, Scheme};
    let table = [
        (Scheme, "http://hooks.example.com/"),
        (Scheme, "HTTPS://hooks.example.com/"),
        (Scheme, "ftp://hooks.example.com/"),
        (Scheme, "//hooks.example.com/"),
        (Scheme, "file:///etc/passwd"),
        (Scheme, ""),
        (Form, "https://user:secret@hooks.example.com/"),
        (Form, "https://hooks.example.com@127.0.0.1/"),
        (Form, "https://hooks.example.com#@127.0.0.1/"),
        (Form, "https://hooks.example.com\\@127.0.0.1/"),
        (Form, "https://hooks.example.com/a b"),
        (Form, "https://hooks.example.com/\r\nHost: x"),
        (Form, "https://hööks.example.com/"),
        (Form, "https://hooks.example.com:0/"),
        (Form, "https://hooks.example.com:99999/"),
        (Form, "https://hooks.example.com:/"),
        (Form, "https://hooks.example.com?x"),
        (Name, "https://127.0.0.1/"),
        (Name, "https://127.1/"),
        (Name, "https://2130706433/"),
        (Name, "https://0x7f000001/"),
        (Name, "https://0x7f.1/"),
        (Name, "https://0177.0.0.1/"),
        (Name, "https://017700000001/"),
        (Name, "https://127.0.0.0x1/"),
        (Name, "https://169.254.169.254/latest/meta-data/"),
        (Name, "https://[::1]/"),
        (Name, "https://[::1]:443/"),
        (Name, "https://[::ffff:127.0.0.1]/"),
        (Name, "https://[fd00::1%25eth0]/"),
        (Name, "https://hooks.example.com./"),
        (Name, "https://.example.com/"),
        (Name, "https://hooks..com/"),
        (Name, "https://-x.example.com/"),
        (Name, "https://hooks_1.example.com/"),
        (Name, "https://ho%6fks.example.com/"),
        (Name, "https://hooks.example.c/"),
        (Name, "https://localhost/"),
        (Name, "https://intranet/"),
        (Name, "https:///path"),
        (Private, "https://hooks.localhost/"),
        (Private, "https://metadata.google.internal/"),
        (Private, "https://printer.local/"),
        (Private, "https://router.LAN/"),
        (Private, "https://nas.home.arpa/"),
        (Private, "https://shop.corp/"),
        (Private, "https://a.test/"),
        (Private, "https://1.0.0.127.in-addr.arpa/"),
    ];
    for (wrong, text) in table {
        assert_eq!(Address::parse(text), Err(wrong), "{text}");
    }
    let long = format!("https://hooks.example.com/{}", "a".repeat(1_024));
    assert_eq!(Address::parse(&long), Err(Form));
}
