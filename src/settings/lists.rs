//! The keys that are lists of texts: patterns, hosts, networks, origins.

use std::fmt::Display;

use super::reader::Reader;
use super::rooms::ANY_ORIGIN;
use super::schema::{PATTERN_BYTES_MAX, PATTERNS_MAX};
use spelling::{HostPattern, Network, PatternError, check_app_origin};

/// The words for what is wrong with a list.
struct List {
    /// A text that would be valid.
    example: &'static str,
    /// What else helps if the list is too long, to follow "Use fewer and shorter ones".
    shorter: &'static str,
    /// The cure for a text that cannot be read.
    cure: &'static str,
}

impl Reader<'_> {
    /// Reads a list of texts within the limits. `shorter` is what else helps if it is too long.
    fn list(&mut self, name: &str, example: &str, shorter: &str) -> Vec<String> {
        let Some((_, value)) = self.value(name) else {
            return Vec::new();
        };
        let cure = format!("Write e.g. {name} = [{example:?}]");
        let texts = value
            .as_array()
            .and_then(|list| list.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>());
        let Some(texts) = texts else {
            self.problem(name, "is not a list of texts".to_owned(), cure);
            return Vec::new();
        };
        if texts.is_empty() && name == "paths" {
            self.problem(name, "gates nothing".to_owned(), cure);
        }
        if texts.len() > PATTERNS_MAX || texts.iter().any(|text| text.len() > PATTERN_BYTES_MAX) {
            let what = format!("has more than {PATTERNS_MAX} entries, or one above {PATTERN_BYTES_MAX} bytes");
            self.problem(name, what, format!("Use fewer and shorter ones{shorter}"));
            return Vec::new();
        }
        texts
    }

    /// Reads a list of texts with `read`. A text that `read` refuses is a problem with the list's cure, and is left out.
    fn read_list<T, E: Display>(&mut self, name: &str, list: List, read: impl Fn(&str) -> Result<T, E>) -> Vec<T> {
        let mut found = Vec::new();
        for text in self.list(name, list.example, list.shorter) {
            match read(&text) {
                Ok(one) => found.push(one),
                Err(why) => {
                    let what = format!("contains {text:?}, which {why}");
                    self.problem(name, what, list.cure.to_owned());
                }
            }
        }
        found
    }

    /// Reads a list of path patterns, each with `read`.
    pub(super) fn patterns<T>(&mut self, name: &str, read: impl Fn(&str) -> Result<T, PatternError>) -> Vec<String> {
        let list = List {
            example: "/buy/*",
            shorter: ", with * at their end",
            cure: "Write it as browsers send it, such as \"/buy\", \"/buy/*\", \"/buy*\", \"/events/*/checkout\" or \"POST /api/orders\"",
        };
        self.read_list(name, list, |text| read(text).map(|_| text.to_owned()))
    }

    pub(super) fn app_origins(&mut self, name: &str) -> Vec<String> {
        let list = List {
            example: "https://app.example.com",
            shorter: "",
            cure: "Write scheme and host as browsers send them in Origin, such as \"https://app.example.com\" or \"capacitor://localhost\"",
        };
        self.read_list(name, list, |text| check_app_origin(text).map(|_| text.to_owned()))
    }

    pub(super) fn widget_origins(&mut self, name: &str) -> Vec<String> {
        let list = List {
            example: "https://band.example",
            shorter: ", or write [\"*\"]",
            cure: "Write scheme and host as browsers send them in Origin, such as \"https://band.example\", or \"*\" for every site",
        };
        self.read_list(name, list, |text| match text {
            ANY_ORIGIN => Ok(text.to_owned()),
            _ => check_app_origin(text).map(|()| text.to_owned()),
        })
    }

    pub(super) fn hosts(&mut self, name: &str) -> Vec<String> {
        let list = List {
            example: "tickets.example.com",
            shorter: "",
            cure: "Write the bare name, such as \"tickets.example.com\"; international names in xn-- form",
        };
        self.read_list(name, list, |text| {
            let host = HostPattern::parse(text).map(|host| host.to_string());
            host.ok_or("is not a host")
        })
    }

    pub(super) fn networks(&mut self, name: &str) -> Vec<Network> {
        let list = List {
            example: "203.0.113.0/24",
            shorter: "",
            cure: "Write an address or a network of your own, such as \"203.0.113.7\", \"203.0.113.0/24\" or \"2001:db8:7::/48\"",
        };
        self.read_list(name, list, |text| match Network::parse(text) {
            None => Err("is neither an address nor a network"),
            Some(network) if is_wide(network) => Err("is wider than anybody's own network"),
            Some(network) => Ok(network),
        })
    }
}

/// Whether a network is wider than one organisation's usually is: a slip of the pen would let the public past the line. IPv4 /16, IPv6 /32.
fn is_wide(network: Network) -> bool {
    let (bits, of) = network.bits();
    bits < if of == u32::BITS { 16 } else { 32 }
}
