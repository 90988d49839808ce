//! Reads which headers go on to the shop although their names would keep them back: `PASS_HEADERS`, which clients send, and `FRONT_HEADERS`, which
//! what stands in front of Baton sets. See docs/protocol.md.

use facts::ordered::sort_few;
use serde_json::{Map, Value};

use super::Problem;
use spelling::{HeaderKind, header_kind, is_for_baton_to_say};

/// The most names in one list. It is searched for each header whose name is not ordinary, and nobody sends more than a few of those.
pub const PASSED_HEADERS_MAX: usize = 64;
/// The most bytes of a name; the longest that is registered has 42.
const NAME_BYTES_MAX: usize = 128;

const CURE: &str = "Write a list of names, such as [\"api_key\"], or leave it out";

/// The headers that go on although their names would keep them back, in lower case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PassedHeaders {
    /// Sorted.
    names: Vec<String>,
    /// Whether something else than Cloudflare stands in front, so that anybody may have written Cloudflare's headers.
    is_alone: bool,
}

impl PassedHeaders {
    /// Returns whether the header of this name, which is in lower case, goes on. O(log names).
    #[must_use]
    pub fn have(&self, name: &str) -> bool {
        let at = |known: &String| known.as_str().cmp(name);
        self.names.binary_search_by(at).is_ok()
    }

    /// Returns whether Cloudflare stands in front, and writes its own headers over a client's.
    #[must_use]
    pub const fn are_behind_cloudflare(&self) -> bool {
        !self.is_alone
    }

    /// Returns their names, sorted.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

/// Reads `PASS_HEADERS`, `FRONT_HEADERS` and `CLOUDFLARE`, which `npm run self-host` sets to `false`.
pub(super) fn parse_headers(vars: &Map<String, Value>, problems: &mut Vec<Problem>) -> PassedHeaders {
    let mut names = Vec::new();
    for list in ["PASS_HEADERS", "FRONT_HEADERS"] {
        let Some(value) = vars.get(list).filter(|value| !value.is_null()) else {
            continue;
        };
        let Some(values) = value.as_array() else {
            problems.push(Problem::new(list, Some(value), "is not a list", CURE));
            continue;
        };
        if values.len() > PASSED_HEADERS_MAX {
            let what = format!("names {}, at most {PASSED_HEADERS_MAX} are allowed", values.len());
            let cure = "Leave those that the shop reads";
            problems.push(Problem::new(list, None, what, cure));
        }
        for (at, value) in values.iter().take(PASSED_HEADERS_MAX).enumerate() {
            let name = value.as_str().unwrap_or_default().to_ascii_lowercase();
            match why_not(list, &name) {
                Some((what, cure)) => {
                    let at = format!("{list}[{at}]");
                    problems.push(Problem::new(at, Some(value), what, cure));
                }
                None => names.push(name),
            }
        }
    }
    sort_few(&mut names, Ord::cmp);
    let said = vars.get("CLOUDFLARE").filter(|value| !value.is_null());
    if said.is_some_and(|value| !value.is_boolean()) {
        let what = "is neither true nor false";
        problems.push(Problem::new("CLOUDFLARE", said, what, "Leave it out: `npm run self-host` sets it"));
    }
    let is_alone = said.and_then(Value::as_bool) == Some(false);
    PassedHeaders { names, is_alone }
}

/// Returns why a name may not stand in the list, and what to do.
fn why_not(list: &str, name: &str) -> Option<(&'static str, &'static str)> {
    let is_of_token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    if !(1..=NAME_BYTES_MAX).contains(&name.len()) || !name.bytes().all(is_of_token) {
        return Some(("is no header's name", CURE));
    }
    if is_for_baton_to_say(name) {
        return Some(("is a header that only Baton may send to a shop", "Leave it out"));
    }
    let claims = matches!(header_kind(name), HeaderKind::Address | HeaderKind::Who | HeaderKind::Platform);
    (list == "PASS_HEADERS" && claims).then_some((
        "names a client's identity or address, and any client could send it",
        "Write it in FRONT_HEADERS if what stands in front of Baton sets it on every request, or leave it out",
    ))
}
