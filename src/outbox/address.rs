//! Which addresses a webhook may go to: public names by HTTPS, and nothing that could lead into somebody's own network.
//!
//! The grammar is narrower than a URL's on purpose. An IP address in disguise, as browsers read one (decimal, octal,
//! hexadecimal, shortened), ends in a label that is not letters, and no top-level domain does.

use core::fmt;

/// Maximum bytes of an address.
const BYTES_MAX: usize = 1_024;
/// Top-level names that lead to this machine or this network wherever they are looked up.
const PRIVATE: [&str; 17] = [
    "localhost",
    "local",
    "localdomain",
    "internal",
    "intranet",
    "private",
    "lan",
    "home",
    "corp",
    "arpa",
    "test",
    "invalid",
    "example",
    "onion",
    "alt",
    "workgroup",
    "mail",
];

/// An address that a webhook may go to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    text: String,
    host: String,
}

/// Why an address is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// It does not begin with `https://`.
    Scheme,
    /// It is too long, or contains what no address contains.
    Form,
    /// It names an IP address, in whatever spelling, or no public host at all.
    Name,
    /// It names a host of somebody's own network.
    Private,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scheme => "does not begin with https://",
            Self::Form => "is no plain address: a name, a port if need be, a path",
            Self::Name => "does not name a public host: addresses in numbers and names of one word are not taken",
            Self::Private => "names a host of a private network",
        })
    }
}

impl Address {
    /// Reads `https://hooks.example.com/baton`. O(length).
    ///
    /// # Errors
    /// Why the address is refused.
    pub fn parse(text: &str) -> Result<Self, Wrong> {
        let rest = text.strip_prefix("https://").ok_or(Wrong::Scheme)?;
        let plain = |b: u8| b.is_ascii_graphic() && !b"\\\"<>^`{|}#@".contains(&b);
        if text.len() > BYTES_MAX || !rest.bytes().all(plain) {
            return Err(Wrong::Form);
        }
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (place, path) = rest.split_at(end);
        if path.starts_with('?') {
            return Err(Wrong::Form);
        }
        let host = match place.split_once(':') {
            Some((host, port)) if is_port(port) => host,
            Some(_) => {
                return Err(if place.starts_with('[') { Wrong::Name } else { Wrong::Form });
            }
            None => place,
        };
        let host = host.to_ascii_lowercase();
        if !is_public_name(&host) {
            return Err(Wrong::Name);
        }
        if is_private(&host) {
            return Err(Wrong::Private);
        }
        let text = text.to_owned();
        Ok(Self { text, host })
    }

    /// The whole address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The host, without the port.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }
}

fn is_port(text: &str) -> bool {
    (1..=5).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit()) && text.parse::<u16>().is_ok_and(|port| port > 0)
}

/// Returns whether the host has two labels or more, and a top-level one of letters (or `xn--…`).
fn is_public_name(host: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let Some((_, top)) = host.rsplit_once('.') else {
        return false;
    };
    let is_top = top.starts_with("xn--") || top.bytes().all(|b| b.is_ascii_lowercase());
    host.len() <= 253 && top.len() >= 2 && is_top && host.split('.').all(is_label)
}

/// Returns whether a host in lower case belongs to a private network.
#[must_use]
pub fn is_private(host: &str) -> bool {
    let last = host.rsplit('.').next().unwrap_or_default();
    host == last || PRIVATE.contains(&last)
}
