//! Measures how long a front takes to find a request's room among ten rooms of a house and among a thousand. Each room has one path, and
//! every tenth room has another host.

use baton::gate::{Gate, Host, Method, PathReading, Scheme};
use baton::settings;
use serde_json::{Map, Value, json};
use std::hint::black_box;
use std::time::Instant;

const ROUNDS: usize = 31;
const REQUESTS: usize = 2_000;
const HOST: &str = "tickets.example.com";
/// Kinds of paths that visitors request: a room's, a picture, one that origins read in several ways, and one that belongs to no room.
const PATHS: [&str; 4] = ["/events/7/checkout/seats", "/static/logo.png", "/events/7;x/%2fcheckout", "/about"];

/// Prints nanoseconds a request for each number of rooms, and the ratio of the last to the first.
pub fn measure() {
    let gates = [10, 1_000].map(|rooms| (rooms, gate(rooms)));
    let host = Host::parse(Scheme::Https, HOST).expect("a host");
    let mut times = [const { Vec::new() }; 2];
    for _ in 0..ROUNDS {
        for ((_, gate), times) in gates.iter().zip(&mut times) {
            times.push(round(gate, &host));
        }
    }
    let medians = times.map(super::median);
    for ((rooms, _), ns) in gates.iter().zip(medians) {
        println!("{{\"what\":\"judge\",\"rooms\":{rooms},\"ns\":{ns:.1}}}");
    }
    let [few, many] = medians;
    println!("{{\"what\":\"judge among 1,000 against 10\",\"ratio\":{:.2}}}", many / few);
}

fn gate(rooms: usize) -> Gate {
    let room = |at: usize| {
        let hosts: &[&str] = if at % 10 == 9 { &["other.example.com"] } else { &[] };
        let table = json!({ "paths": [format!("/events/{at}/checkout/*")], "hosts": hosts, "permits": 100 });
        (format!("room-{at:04}"), table)
    };
    let mut all = Vec::new();
    for at in 0..rooms {
        let (name, table) = room(at);
        all.push(settings::parse_room(&name, &table).expect("a room"));
    }
    let file: Map<String, Value> = [room(0)].into_iter().collect();
    let mut settings = settings::parse(&json!({ "ROOMS": file })).expect("settings");
    settings.rooms = all;
    Gate::new(&settings).expect("a gate")
}

fn round(gate: &Gate, host: &Host) -> f64 {
    let started = Instant::now();
    for at in 0..REQUESTS {
        let reading = PathReading::new(PATHS[at % PATHS.len()]);
        black_box(gate.room_of(host, Method::Get, &reading));
    }
    started.elapsed().as_nanos() as f64 / REQUESTS as f64
}
