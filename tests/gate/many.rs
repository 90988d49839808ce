//! Many rooms: the index finds every room that trying all of them finds.

use super::asking::HOST;
use baton::gate::{Gate, Host, Method, PathReading, Pattern, Scheme};
use baton::settings;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Fewer than the index begins with: these are all tried.
const FEW: usize = 7;
const SEGMENTS: [&str; 8] = ["buy", "events", "7", "8", "checkout", "*", "tours", "pay"];
/// What origins read in many ways, among what they do not.
const PIECES: [&str; 24] = [
    "/",
    "/",
    "/",
    "/",
    "buy",
    "events",
    "7",
    "8",
    "checkout",
    "tours",
    "pay",
    "BUY",
    "%62uy",
    "..",
    ".",
    ";",
    "%2f",
    "%00",
    "//",
    "\\",
    "%3f",
    "ev%C2%ADents",
    "%",
    "x",
];

/// A seeded die (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

fn pattern(dice: &mut Dice) -> String {
    let segments: Vec<&str> = (0..=dice.below(3)).map(|_| dice.pick(&SEGMENTS)).collect();
    let tail = dice.pick(&["", "/*", "x*", ""]);
    format!("/{}{tail}", segments.join("/"))
}

fn rooms(dice: &mut Dice) -> Map<String, Value> {
    let mut taken = BTreeSet::new();
    let mut rooms = Map::new();
    for at in 0..60 {
        let path = pattern(dice);
        let shape = Pattern::parse(&path).map(|pattern| pattern.shape());
        if !shape.is_ok_and(|shape| taken.insert(shape)) {
            continue;
        }
        let hosts: &[&str] = match dice.below(4) {
            0 => &[HOST],
            1 => &["other.example.com"],
            _ => &[],
        };
        let table = json!({ "paths": [path], "permits": 1, "hosts": hosts });
        rooms.insert(format!("room-{at:02}"), table);
    }
    rooms
}

fn gate(rooms: &Map<String, Value>) -> Gate {
    let settings = settings::parse(&json!({ "ROOMS": rooms })).expect("good settings");
    Gate::new(&settings).expect("good patterns")
}

#[test]
fn the_index_finds_what_trying_every_room_finds() {
    let host = Host::parse(Scheme::Https, HOST).expect("a host");
    let mut claimed = 0;
    for seed in 1..=60 {
        let mut dice = Dice(0x9E37_79B9_7F4A_7C15 ^ seed);
        let all = rooms(&mut dice);
        let entries: Vec<(String, Value)> = all.clone().into_iter().collect();
        let few: Vec<Gate> = entries.chunks(FEW).map(|some| gate(&some.iter().cloned().collect())).collect();
        let many = gate(&all);
        for _ in 0..200 {
            let path: String = (0..=dice.below(9)).map(|_| dice.pick(&PIECES)).collect();
            let path = format!("/{path}");
            let reading = PathReading::new(&path);
            let names = |gate: &Gate| -> BTreeSet<String> {
                let claims = gate.claims_to(&host, Method::Get, &reading);
                let names = claims.iter().map(|claim| claim.room.settings.name.clone());
                names.collect()
            };
            let tried: BTreeSet<String> = few.iter().flat_map(names).collect();
            assert_eq!(names(&many), tried, "seed {seed}, path {path}");
            claimed += tried.len();
        }
    }
    assert!(claimed > 10_000, "only {claimed} claims were compared");
}
