//! The target for paths: no spelling of a guarded path gets through, however the origin reads it.

use super::worlds::gate;
use super::{Read, text};
use baton::gate::{Method, PathReading, Pattern, Plan, Request, Scheme, as_sent, without_query};

const HOST: &str = "tickets.example";

fn plan(host: &str, path: &str) -> Plan<'static> {
    let nothing = |_: &str| None;
    gate().decide(&Request {
        method: "GET",
        scheme: Scheme::Https,
        host,
        path_and_query: path,
        has_body: false,
        headers: &nothing,
    })
}

/// One way in which an origin may read paths. Baton cannot know which one its origin has.
#[derive(Clone, Copy, Debug)]
struct Origin {
    decodes: u8,
    dots_first: bool,
    folds_case: bool,
    backslash_separates: bool,
    drops_parameters: bool,
    stops_at_nul: bool,
    takes_host: bool,
}

impl Origin {
    fn all() -> impl Iterator<Item = Self> {
        (0_u8..192).map(|bits| Self {
            decodes: bits % 3,
            dots_first: (bits / 3) & 1 == 1,
            folds_case: (bits / 3) & 2 == 2,
            backslash_separates: (bits / 3) & 4 == 4,
            drops_parameters: (bits / 3) & 8 == 8,
            stops_at_nul: (bits / 3) & 16 == 16,
            takes_host: (bits / 3) & 32 == 32,
        })
    }

    /// Returns the segments of a path as this origin reads it.
    fn segments(self, path: &str) -> Vec<Vec<u8>> {
        let mut bytes = without_query(path).as_bytes().to_vec();
        if self.dots_first {
            bytes = resolve(&bytes).iter().flat_map(|s| [b"/", s.as_slice()].concat()).collect();
        }
        for _ in 0..self.decodes {
            bytes = decode(&bytes);
        }
        if self.stops_at_nul {
            bytes = bytes.split(|b| *b == 0).next().unwrap_or_default().to_vec();
        }
        if self.backslash_separates {
            bytes.iter_mut().filter(|b| **b == b'\\').for_each(|b| *b = b'/');
        }
        if self.folds_case {
            bytes.make_ascii_lowercase();
        }
        if self.drops_parameters {
            let cut = |s: &[u8]| s.split(|b| *b == b';').next().unwrap_or_default().to_vec();
            bytes = bytes.split(|b| *b == b'/').map(cut).collect::<Vec<_>>().join(&b'/');
        }
        if self.takes_host && bytes.starts_with(b"//") {
            let begins = bytes.iter().position(|b| *b != b'/').unwrap_or(bytes.len());
            let target = &bytes[begins..];
            let host = target.iter().position(|b| *b == b'/');
            bytes = target[host.unwrap_or(target.len())..].to_vec();
        }
        resolve(&bytes)
    }
}

/// Returns the segments of a path after it resolves `.` and `..` and drops empty segments.
fn resolve(path: &[u8]) -> Vec<Vec<u8>> {
    let mut kept: Vec<Vec<u8>> = Vec::new();
    for segment in path.split(|b| *b == b'/') {
        match segment {
            b"" | b"." => {}
            b".." => drop(kept.pop()),
            other => kept.push(other.to_vec()),
        }
    }
    kept
}

/// Decodes each escape once and leaves everything else as it is.
fn decode(bytes: &[u8]) -> Vec<u8> {
    let hex = |b: u8| char::from(b).to_digit(16).map(|digit| digit as u8);
    let mut out = Vec::new();
    let mut rest = bytes;
    while let Some((first, after)) = rest.split_first() {
        if let (b'%', [high, low, behind @ ..]) = (first, after)
            && let (Some(high), Some(low)) = (hex(*high), hex(*low))
        {
            out.push(high << 4 | low);
            rest = behind;
        } else {
            out.push(*first);
            rest = after;
        }
    }
    out
}

/// Returns whether a room for every host gates this path. Exceptions are not gated.
fn is_guarded(segments: &[Vec<u8>]) -> bool {
    let words: Vec<&[u8]> = segments.iter().map(Vec::as_slice).collect();
    match words.as_slice() {
        [b"buy", b"static", ..] | [b"buy", b"ok"] => false,
        [b"buy", image, ..] if image.starts_with(b"img") => false,
        [b"buy", ..] | [b"seat"] | [b"shop", b"now", ..] | [b"events", _, b"pay"] => true,
        [first, ..] => first.starts_with(b"vip"),
        [] => false,
    }
}

/// Reads a path: no origin reads a path as guarded that the gate lets through, no disguise of a guarded path gets through, and one more layer of
/// escapes hides nothing.
pub fn path(bytes: &[u8]) -> Read {
    // There are 192 origins to try, and a longer path finds nothing new.
    let bytes = &bytes[..bytes.len().min(300)];
    let path = text(bytes);
    let open = |plan: &Plan<'_>| matches!(plan, Plan::NotGated | Plan::Bypass(_));
    let decided = plan(HOST, &path);
    let sent = as_sent(&path);
    assert_eq!(as_sent(&sent), sent, "written twice, {path:?} changes");
    if open(&decided) {
        reaches_nothing(&path);
    }
    if matches!(decided, Plan::Bypass(_)) {
        let spelt = without_query(&sent);
        let odd = ["%2", "%5", "%3", ";", "\\", "//", "/./", "/../"];
        assert!(odd.iter().all(|odd| !spelt.contains(odd)), "{spelt:?} is an exception");
    }
    // One more layer of escapes must not hide a path from a pattern.
    let spelt = without_query(&path);
    let layer: String = spelt.bytes().map(|b| format!("%{b:02x}")).collect();
    let (plain, layered) = (PathReading::new(spelt), PathReading::new(&layer));
    for pattern in ["/buy/*", "/seat", "/vip*", "/shop/now/*", "/", "/events/*/pay"].map(Pattern::parse) {
        let pattern = pattern.expect("a pattern");
        assert!(
            !pattern.may_match(&plain) || pattern.may_match(&layered) || layered.is_malformed(),
            "{spelt:?} matches and {layer:?} does not"
        );
        if pattern.matches_strictly(Method::Get, spelt) {
            assert!(pattern.may_match(&plain), "{spelt:?} matches strictly, and loosely not");
        }
    }
    disguises(bytes);
    if let Ok(pattern) = Pattern::parse(&path) {
        assert!(pattern.same_as(&pattern) && !pattern.rank().0.is_empty());
        let own = path.split_once(' ').map_or(&*path, |(_, own)| own);
        let own = if path.starts_with('/') { &path } else { own };
        let address = own.trim_end_matches('*');
        assert!(pattern.may_match(&PathReading::new(address)), "{path:?} misses itself");
    }
    (!open(&decided)).into()
}

/// Asserts that no origin reads as guarded what Baton sends for this path.
fn reaches_nothing(path: &str) {
    let sent = as_sent(path);
    for origin in Origin::all() {
        let segments = origin.segments(&sent);
        assert!(!is_guarded(&segments), "{path:?} is let through and reaches {segments:?} at {origin:?}");
    }
}

/// Disguises a guarded path step by step as the bytes say, and asserts after each step that it does not get through.
fn disguises(bytes: &[u8]) {
    let [base, steps @ ..] = bytes else { return };
    let bases = ["/buy", "/buy/x", "/seat", "/vip", "/vipers/x", "/shop/now/y", "/events/7/pay"];
    let mut path = bases[usize::from(*base) % bases.len()].to_owned();
    for pair in steps.as_chunks::<2>().0.iter().take(12) {
        disguise(&mut path, pair[0], usize::from(pair[1]));
        let decided = plan(HOST, &path);
        // A path that the platform resolves may lead elsewhere: `/shop%2fzz/../now` is sent as `/now`.
        if matches!(decided, Plan::NotGated | Plan::Bypass(_)) {
            reaches_nothing(&path);
        }
    }
}

fn disguise(path: &mut String, how: u8, at: usize) {
    let chars: Vec<(usize, char)> = path.char_indices().collect();
    let (at, c) = chars[at % chars.len()];
    let slashes: Vec<usize> = path.match_indices('/').map(|(at, _)| at).collect();
    let slash = slashes.get(at % slashes.len().max(1)).copied();
    let end = at + c.len_utf8();
    // A letter of an escape must stay.
    let is_letter = c.is_ascii_lowercase() && !path[..at].contains('%');
    let mut put = |range: core::ops::Range<usize>, text: &str| path.replace_range(range, text);
    let escaped = |c: char| -> String {
        let mut buffer = [0; 4];
        c.encode_utf8(&mut buffer).bytes().map(|b| format!("%{b:02X}")).collect()
    };
    match (how % 15, slash) {
        (0, _) => put(at..end, &escaped(c)),
        (1, _) => put(at..end, &c.to_ascii_uppercase().to_string()),
        (2, Some(slash)) => put(slash..slash, "/"),
        (3, Some(slash)) => put(slash..slash + 1, "\\"),
        (4, Some(slash)) => put(slash..slash, "/."),
        (5, Some(slash)) => put(slash..slash, "/zz/.."),
        (6, Some(slash)) if slash > 0 => put(slash..slash, ";p=1"),
        (7, _) => path.push_str("%00"),
        (8, _) => *path = path.replace('%', "%25"),
        (9, _) if is_letter => put(at..at, "%C2%AD"),
        (10, Some(slash)) => put(slash..slash, "/;x"),
        (11, _) => path.push_str("%20"),
        (12, _) if is_letter => {
            let wide = char::from_u32(c as u32 - 0x61 + 0xff41).expect("a wide letter");
            put(at..end, &wide.to_string());
        }
        (13, Some(slash)) => put(slash..slash + 1, "%2f"),
        (14, _) => put(0..0, "//zz"),
        _ => path.push_str("?q=/x"),
    }
}
