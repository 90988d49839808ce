//! Makes inputs near those of a corpus. The same seed always makes the same input of the same corpus.

/// Pieces of text that mean something to some parser.
const WORDS: &[&str] = &[
    "%2f",
    "%25",
    "%00",
    "%c0%af",
    "..",
    "/",
    "\\",
    ";",
    "//",
    "?",
    "#",
    ":",
    "=",
    ",",
    "\"",
    "'",
    "\n",
    "\r\n",
    "\0",
    "{{",
    "}}",
    "{",
    "}",
    "[",
    "]",
    "null",
    "true",
    "-1",
    "0",
    "1e9",
    "0.001",
    "18446744073709551615",
    "18446744073709551616",
    "4294967296",
    "\u{feff}",
    "\u{2028}",
    "ü",
    "ｂ",
    "/buy",
    "/__baton/",
    "__Host-baton-",
    "__Secure-baton-",
    "baton-",
    "Baton_",
    "tick",
    "arrive",
    "*",
    "::$DATA",
    "<script>",
    "</script>",
    "&amp;",
    "number",
    "visitor",
    "wish",
    "permits",
    "paths",
    "--permits",
];
const BYTES_MAX: usize = 4_096;

/// Returns an input: one of the corpus, changed one to eight times.
pub fn mutated(seed: u64, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut bytes = rng.choice(corpus).cloned().unwrap_or_default();
    for _ in 0..rng.usize(1..9) {
        mutate(&mut rng, &mut bytes, corpus);
    }
    bytes.truncate(BYTES_MAX);
    bytes
}

fn mutate(rng: &mut fastrand::Rng, bytes: &mut Vec<u8>, corpus: &[Vec<u8>]) {
    let at = rng.usize(0..bytes.len() + 1);
    let end = (at + rng.usize(0..17)).min(bytes.len());
    match rng.u8(0..12) {
        0 | 1 if at < bytes.len() => bytes[at] ^= 1 << rng.u8(0..8),
        2 if at < bytes.len() => bytes[at] = *rng.choice(&[0, 1, 0x7f, 0x80, 0xff]).expect("one"),
        3 if at < bytes.len() => bytes[at] = bytes[at].wrapping_add(rng.u8(..)),
        4 => bytes.insert(at, rng.u8(..)),
        5 => drop(bytes.drain(at..end)),
        6 => {
            let again = bytes[at..end].to_vec();
            bytes.splice(at..at, again);
        }
        7 => bytes.truncate(at),
        8 | 9 => {
            let word = rng.choice(WORDS).expect("a word").bytes();
            let to = if rng.bool() { at } else { end };
            bytes.splice(at..to, word);
        }
        10 => {
            let other = rng.choice(corpus).cloned().unwrap_or_default();
            let from = rng.usize(0..other.len() + 1);
            bytes.truncate(at);
            bytes.extend_from_slice(&other[from..]);
        }
        _ => {
            let number = rng.u64(..) >> rng.u32(0..64);
            bytes.splice(at..end, number.to_string().into_bytes());
        }
    }
}
