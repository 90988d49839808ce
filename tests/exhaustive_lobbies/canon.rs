//! What of a world decides everything that can still happen, as one number. Two worlds with the same one differ only in the hour, in
//! how far numbers, fences, rows, batches and calls have counted, in how lives are named, and in what is only shown or measured.
//!
//! It is made from the text of the lobbies, the courier, the permits, the line, the pages and the messages: whatever one of these has is
//! in there unless it is left out by name. Names that are only compared become ranks, names that are only equal or not become the order in which they appear, instants the time until then.

use crate::world::World;
use baton::facts::units::Number;
use baton::room::line::Place;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What is only shown or measured, what follows from the rest, and what counts up to make new names.
const LEFT_OUT: [&str; 13] = [
    "awake",
    "called_at",
    "calls",
    "chance",
    "config",
    "counts",
    "dead_ms",
    "frame",
    "frame_sent_at",
    "framed_at",
    "gist",
    "greetings",
    "kept",
];
/// An instant that is past for longer than this decides nothing any more, in ms.
const PAST_MS: i64 = 70_000;

/// What a number in the text means.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Plain,
    Instant,
    /// The name of a life: equal or not.
    Life,
    /// Compared with others of its kind.
    Row,
    Number,
    Fence,
    Batch,
    Call,
    Asker,
}

impl Kind {
    const fn of(word: &[u8]) -> Self {
        match word {
            b"Instant" => Self::Instant,
            b"LobbyLife" | b"RoomMemory" => Self::Life,
            b"Version" => Self::Row,
            b"Number" => Self::Number,
            b"Fence" => Self::Fence,
            b"Sent" | b"batch" | b"batches" | b"since_batch" | b"number" => Self::Batch,
            b"CallId" => Self::Call,
            b"Asker" => Self::Asker,
            _ => Self::Plain,
        }
    }
}

/// A piece of the text: words as they are, or a number and what it means.
enum Piece<'a> {
    Text(&'a [u8]),
    Number(Kind, u64),
}

impl World {
    /// This world's number.
    pub fn key(&self) -> u128 {
        let mut text = self.text();
        let said = self.held_by(&text);
        let _ = write!(text, "{said:?}");
        let pieces = pieces(text.as_bytes());
        let mut ranks: BTreeMap<Kind, BTreeSet<u64>> = BTreeMap::new();
        for piece in &pieces {
            if let Piece::Number(kind, value) = piece {
                ranks.entry(*kind).or_default().insert(*value);
            }
        }
        let ranks: BTreeMap<(Kind, u64), usize> = ranks
            .into_iter()
            .flat_map(|(kind, values)| values.into_iter().enumerate().map(move |(at, value)| ((kind, value), at)))
            .collect();
        let mut lives: Vec<u64> = Vec::new();
        let mut hashers = [DefaultHasher::new(), DefaultHasher::new()];
        hashers[1].write_u8(1);
        for piece in pieces {
            let value = match piece {
                Piece::Text(text) => {
                    hashers.iter_mut().for_each(|hasher| text.hash(hasher));
                    continue;
                }
                Piece::Number(Kind::Plain, value) => value as i64,
                Piece::Number(Kind::Instant, at) => (at as i64 - self.now.0 as i64).max(-PAST_MS),
                Piece::Number(Kind::Life, life) => {
                    let known = lives.iter().position(|known| *known == life);
                    known.unwrap_or_else(|| {
                        lives.push(life);
                        lives.len() - 1
                    }) as i64
                }
                // Who asks is in the asker's number.
                Piece::Number(Kind::Asker, asker) => 2 * ranks[&(Kind::Asker, asker)] as i64 + asker as i64 % 2,
                Piece::Number(kind, value) => ranks[&(kind, value)] as i64,
            };
            hashers.iter_mut().for_each(|hasher| value.hash(hasher));
        }
        let [high, low] = hashers.map(|hasher| u128::from(hasher.finish()));
        high << 64 | low
    }

    /// Everything but what is left out, the messages in an order that does not depend on when they were sent.
    fn text(&self) -> String {
        let mut text = String::with_capacity(16_384);
        let mut put = |part: std::fmt::Arguments<'_>| text.write_fmt(part).expect("a string takes everything");
        let (room, line) = (&self.room, self.room.line());
        put(format_args!("{:?}{:?}", room.permits(), room.version()));
        for (number, place) in line.living() {
            let until = match place {
                Place::Away(slot) => Some(line.away_until(slot)),
                _ => None,
            };
            let place = std::mem::discriminant(&place);
            let (lobby, missed) = (line.lobby(number), line.missed(number));
            put(format_args!(
                "{number:?} {place:?} {until:?} {lobby:?} {missed} {:?}",
                line.holder(number)
            ));
        }
        put(format_args!("{:?}{:?}{:?}", self.courier, self.lobbies, self.people));
        put(format_args!("{} {:?}", self.faults, self.lie));
        let mut messages: Vec<String> = Vec::new();
        messages.extend(self.calls.iter().map(|call| format!("{call:?}")));
        messages.extend(self.answers.iter().map(|answer| format!("{answer:?}")));
        messages.extend(self.pushes.iter().map(|push| format!("{push:?}")));
        messages.sort_unstable();
        put(format_args!("{messages:?}"));
        text
    }

    /// Who held the numbers that anything still speaks of.
    fn held_by(&self, text: &str) -> Vec<String> {
        let speaks_of = |number: Number| text.contains(&format!("{number:?}"));
        let held = self.held.iter().filter(|(number, _)| speaks_of(*number));
        held.map(|held| format!("{held:?}")).collect()
    }
}

fn pieces(text: &[u8]) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut at, mut from) = (0, 0);
    let mut word: &[u8] = &[];
    while at < text.len() {
        let begins = at;
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        if text[at].is_ascii_digit() {
            at += text[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            let before = &text[begins.saturating_sub(2)..begins];
            let named = before.ends_with(b"(") || before == b": ";
            let kind = if named { Kind::of(word) } else { Kind::Plain };
            pieces.push(Piece::Text(&text[from..begins]));
            let digits = std::str::from_utf8(&text[begins..at]).expect("digits");
            pieces.push(Piece::Number(kind, digits.parse().expect("a number")));
            from = at;
        } else if is_word(&text[at]) {
            at += text[at..].iter().take_while(|byte| is_word(byte)).count();
            word = &text[begins..at];
            if text[at..].starts_with(b": ") && LEFT_OUT.iter().any(|name| name.as_bytes() == word) {
                pieces.push(Piece::Text(&text[from..begins]));
                at = end_of_value(text, at);
                from = at;
            }
        } else {
            at += 1;
        }
    }
    pieces.push(Piece::Text(&text[from..]));
    pieces
}

/// Where a field's value ends: at a comma or a bracket that is none of its own.
fn end_of_value(text: &[u8], from: usize) -> usize {
    let mut depth = 0;
    for (at, byte) in text.iter().enumerate().skip(from) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 0 => return at,
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}
