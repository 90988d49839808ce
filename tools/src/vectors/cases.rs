//! The requests of the table: what Baton sent, what somebody made of it on the way, and what a kit must say.

use super::{NOW_MS, SECRET};
use serde::Serialize;

/// What a kit says of a request: `ok`, or why it refuses, from a closed list. The words are those of `Baton-Checked` and of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Says {
    /// It came through Baton.
    Ok,
    /// There is no proof, or no target.
    Missing,
    /// The proof has another form.
    Malformed,
    /// The visitor's host is none of the shop's public hosts.
    Host,
    /// The proof is for another request, or signed by nobody.
    Mac,
    /// The proof is more than a minute off.
    Time,
    /// The proof is for another path or query than the one that arrived.
    Target,
    /// The proof was accepted before.
    Replay,
    /// The path belongs to another room, by the shop's settings.
    Room,
}

impl Says {
    /// Returns what a kit with a replay store says to the same request again.
    #[must_use]
    pub const fn again(self) -> Self {
        match self {
            // The kit checks the room last, so it has accepted the proof.
            Self::Ok | Self::Room => Self::Replay,
            other => other,
        }
    }
}

/// One request of the table.
#[derive(Debug, Clone)]
pub struct Case {
    /// What it shows.
    pub name: &'static str,
    /// The secret that signed it.
    pub secret: &'static str,
    /// When it was signed, Unix ms.
    pub at_ms: u64,
    /// The nonce that was signed.
    pub nonce: u64,
    /// The method that was signed.
    pub method: &'static str,
    /// The host that was signed.
    pub host: &'static str,
    /// Path and query that were signed.
    pub target: &'static str,
    /// The room that was signed, if any.
    pub room: Option<&'static str>,
    /// The fence that was signed, if any.
    pub fence: Option<u64>,
    /// The method that arrives, if it is another.
    pub arrives_by: Option<&'static str>,
    /// Path and query that arrive, if they are others.
    pub arrives_at: Option<&'static str>,
    /// Headers that were changed on the way, by lower-case names; `None` for one that was removed.
    pub changed: Vec<(&'static str, Option<&'static str>)>,
    /// The rooms that the shop expects, by the beginning of the path.
    pub rooms: Vec<(&'static str, Vec<&'static str>)>,
    /// Whether the shop answers preflights before its pages run.
    pub answers_preflights: bool,
    /// What a kit says.
    pub says: Says,
}

/// Makes an ordinary read inside a room.
fn look(name: &'static str, target: &'static str) -> Case {
    Case {
        name,
        secret: SECRET,
        at_ms: NOW_MS,
        nonce: 0x0123_4567_89ab_cdef,
        method: "GET",
        host: "tickets.example.com",
        target,
        room: Some("onsale"),
        fence: Some(907),
        arrives_by: None,
        arrives_at: None,
        changed: Vec::new(),
        rooms: Vec::new(),
        answers_preflights: false,
        says: Says::Ok,
    }
}

/// Makes a read that arrives with one header changed or removed, and is refused for it.
fn changed(name: &'static str, header: &'static str, value: Option<&'static str>, says: Says) -> Case {
    Case {
        changed: vec![(header, value)],
        says,
        ..look(name, "/buy/")
    }
}

/// Makes a read that was signed for `signed` and arrives at `arrives`.
fn elsewhere(name: &'static str, signed: &'static str, arrives: &'static str) -> Case {
    Case {
        arrives_at: Some(arrives),
        says: Says::Target,
        ..look(name, signed)
    }
}

/// Returns every case, in the order of the table.
#[must_use]
pub fn all() -> Vec<Case> {
    [
        ordinary(),
        paths(),
        hosts(),
        absent_or_odd(),
        forged(),
        times(),
        targets(),
        rooms(),
        readings(),
        preflights(),
    ]
    .concat()
}

fn ordinary() -> Vec<Case> {
    vec![
        look("a look", "/buy/"),
        Case {
            method: "POST",
            ..look("a change", "/buy/seat?row=4&x=%2F")
        },
        Case {
            fence: None,
            ..look("a farewell has a room and no fence", "/buy/done")
        },
        Case {
            room: None,
            fence: None,
            ..look("a path of no room", "/about")
        },
    ]
}

fn paths() -> Vec<Case> {
    vec![
        look("the site's root", "/"),
        look("an encoded slash", "/buy/a%2Fb?next=%2Fbuy%2F"),
        look("UTF-8", "/buy/%E3%81%82?name=%E3%81%82"),
        look("UTF-8 in lower-case escapes", "/buy/%e3%81%82"),
        look("a byte that is no UTF-8", "/buy/%FF?x=%FF"),
        look("a plus is a plus in a path", "/buy/a+b?q=a+b"),
        look("an encoded plus", "/buy/a%2Bb?q=a%2Bb"),
        look("a blank", "/buy/a%20b?q=a%20b"),
        look("an escape of an escape", "/buy/%2541"),
        look("an escape that is none", "/buy/100%?rate=%zz"),
        look("an empty query", "/buy/?"),
        look("a query of signs", "/buy/?&&=&?a=/?;b"),
        look("doubled slashes", "/buy//a"),
        look("a semicolon", "/buy/a;v=1"),
        Case {
            arrives_at: Some("/buy/a"),
            ..look("a proxy wrote the same path otherwise", "/buy/%61")
        },
    ]
}

fn hosts() -> Vec<Case> {
    let named = |name, changed| Case {
        changed,
        ..look(name, "/buy/")
    };
    vec![
        Case {
            host: "Tickets.Example.COM",
            ..look("a host in mixed case", "/buy/")
        },
        Case {
            host: "tickets.example.com:8443",
            ..look("a host with a port", "/buy/")
        },
        named(
            "a proxy that keeps Host",
            vec![("host", Some("tickets.example.com")), ("x-forwarded-host", None)],
        ),
        named(
            "a proxy that adds its own host",
            vec![("x-forwarded-host", Some("tickets.example.com, shop.internal"))],
        ),
        Case {
            host: "evil.example",
            says: Says::Host,
            ..look("a host that is not the shop's", "/buy/")
        },
        changed("no public host at all", "x-forwarded-host", None, Says::Host),
        changed(
            "signed for another of the shop's hosts",
            "x-forwarded-host",
            Some("tickets.example.com:8443"),
            Says::Mac,
        ),
    ]
}

/// Writes a proof with the MAC of the table's first request.
macro_rules! with_mac {
    ($signed:literal) => {
        concat!($signed, ";mac=0928ac0145daa494dfd9517c4aecc59a78b6311b7b2c82cc860f3b8bb7c597dd")
    };
}

fn absent_or_odd() -> Vec<Case> {
    let odd = |name, proof| changed(name, "baton-proof", Some(proof), Says::Malformed);
    vec![
        changed("no proof", "baton-proof", None, Says::Missing),
        changed("an empty proof", "baton-proof", Some(""), Says::Missing),
        changed("no target", "baton-target", None, Says::Missing),
        odd("a proof of nothing", "yes"),
        odd("a MAC that is too short", "v1;t=1800000000000;n=0123456789abcdef;mac=0928ac"),
        odd(
            "a MAC in capitals",
            "v1;t=1800000000000;n=0123456789abcdef;mac=0928AC0145DAA494DFD9517C4AECC59A78B6311B7B2C82CC860F3B8BB7C597DD",
        ),
        odd("a nonce that is too short", with_mac!("v1;t=1800000000000;n=0123")),
        odd("a time with a zero in front", with_mac!("v1;t=01800000000000;n=0123456789abcdef")),
        odd("a time below zero", with_mac!("v1;t=-1;n=0123456789abcdef")),
        odd("digits that are not ASCII", with_mac!("v1;t=\u{664};n=0123456789abcdef")),
        odd("another version", with_mac!("v2;t=1800000000000;n=0123456789abcdef")),
        odd("something behind it", concat!(with_mac!("v1;t=1800000000000;n=0123456789abcdef"), ";x=1")),
    ]
}

fn forged() -> Vec<Case> {
    vec![
        Case {
            secret: "another secret",
            says: Says::Mac,
            ..look("another secret", "/buy/")
        },
        Case {
            arrives_by: Some("POST"),
            says: Says::Mac,
            ..look("another method", "/buy/")
        },
        changed("another fence", "baton-fence", Some("908"), Says::Mac),
        changed("the fence spelt otherwise", "baton-fence", Some("0907"), Says::Mac),
        changed("the fence taken away", "baton-fence", None, Says::Mac),
        changed("another room", "baton-room", Some("parking"), Says::Mac),
        changed("the room taken away", "baton-room", None, Says::Mac),
        Case {
            room: None,
            fence: None,
            says: Says::Mac,
            changed: vec![("baton-room", Some("onsale"))],
            ..look("a room put there", "/buy/")
        },
        Case {
            changed: vec![("baton-target", Some("/buy/vip"))],
            arrives_at: Some("/buy/vip"),
            says: Says::Mac,
            ..look("another target", "/buy/")
        },
    ]
}

fn times() -> Vec<Case> {
    let at = |name, at_ms, says| Case {
        at_ms,
        says,
        ..look(name, "/buy/")
    };
    vec![
        at("a minute old", NOW_MS - 60_000, Says::Ok),
        at("a minute ahead", NOW_MS + 60_000, Says::Ok),
        at("older than a minute", NOW_MS - 60_001, Says::Time),
        at("more than a minute ahead", NOW_MS + 60_001, Says::Time),
    ]
}

fn targets() -> Vec<Case> {
    vec![
        elsewhere("another path", "/buy/", "/buy/vip"),
        elsewhere("another case", "/buy/a", "/buy/A"),
        elsewhere("a slash less", "/buy/", "/buy"),
        elsewhere("decoded once too often", "/buy/%2541", "/buy/%41"),
        elsewhere("a path out of an escape of an escape", "/%2562uy/", "/%62uy/"),
        elsewhere("another query", "/buy/?seat=1", "/buy/?seat=2"),
        elsewhere("a query put there", "/buy/", "/buy/?seat=2"),
        elsewhere("the query taken away", "/buy/?seat=1", "/buy/"),
        elsewhere("a query spelt otherwise", "/buy/?seat=%41", "/buy/?seat=A"),
        elsewhere("a plus is no blank", "/buy/?q=a+b", "/buy/?q=a%20b"),
    ]
}

/// Makes a case of a shop that expects two rooms.
fn expects(case: Case, says: Says) -> Case {
    Case {
        rooms: vec![
            ("/buy/", vec!["onsale", "presale"]),
            ("/buy/vip/", vec!["vip"]),
            ("/größe/", vec!["sizes"]),
        ],
        says,
        ..case
    }
}

/// Makes a case of no room.
fn nobodys(case: Case) -> Case {
    Case {
        room: None,
        fence: None,
        ..case
    }
}

fn rooms() -> Vec<Case> {
    vec![
        expects(look("the room that the path expects", "/buy/"), Says::Ok),
        expects(nobodys(look("a path that expects no room", "/about")), Says::Ok),
        expects(nobodys(look("no room where one is expected", "/buy/")), Says::Room),
        expects(look("another room than is expected", "/buy/vip/1"), Says::Room),
        expects(look("an escape does not hide the path", "/buy/%76ip/1"), Says::Room),
        expects(look("upper case does not hide the path", "/Buy/VIP/1"), Says::Room),
        expects(look("upper case of the room that the path expects", "/BUY/"), Says::Ok),
        expects(look("letters beyond ASCII", "/gr%C3%B6%C3%9Fe/1"), Says::Room),
        expects(look("an i in upper case with its dot", "/Buy/V%C4%B0P/1"), Says::Room),
        expects(look("upper case of letters beyond ASCII", "/GR%C3%96SSE/1"), Says::Room),
        expects(nobodys(look("bytes that are no UTF-8 expect no room", "/gr%F6%DFe/1")), Says::Ok),
    ]
}

fn readings() -> Vec<Case> {
    vec![
        expects(nobodys(look("a path behind what some read as a host", "//cdn.example/buy/")), Says::Room),
        expects(nobodys(look("two slashes that some read as one", "//buy/seat")), Says::Room),
        expects(nobodys(look("a host of one letter", "//x/buy/seat")), Says::Room),
        expects(nobodys(look("a host behind three slashes", "///x/buy/seat")), Says::Room),
        expects(nobodys(look("a host with user and port", "//u@x:80/buy/seat")), Says::Room),
        expects(look("another room behind what some read as a host", "//buy/buy/vip/1"), Says::Room),
        expects(look("the room after two slashes", "//buy/"), Says::Ok),
        expects(nobodys(look("no room after two slashes", "//cdn.example/about")), Says::Ok),
        nobodys(look("a path behind the front controller", "/index.php/buy/")),
    ]
}

fn preflights() -> Vec<Case> {
    vec![
        preflight(expects(nobodys(look("a preflight to a page that may run for it", "/buy/")), Says::Room)),
        preflight(expects(nobodys(look("a preflight to a path that expects no room", "/about")), Says::Ok)),
        Case {
            answers_preflights: true,
            ..preflight(expects(nobodys(look("a preflight that the shop answers", "/buy/")), Says::Ok))
        },
        Case {
            answers_preflights: true,
            ..preflight(expects(look("OPTIONS from another room", "/buy/vip/1"), Says::Room))
        },
    ]
}

fn preflight(case: Case) -> Case {
    Case { method: "OPTIONS", ..case }
}
