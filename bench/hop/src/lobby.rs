//! Lobby objects: each export makes one thing happen to a lobby and returns what follows from it. `=` and a message is the answer to the ask that came, and
//! nothing else follows. Anything else is JSON: `{ asker, effects: [...], timer_ms, alarm_ms }`.

use crate::said::{bytes_of_header, bytes_to_header, of_header, to_header};
use baton::facts::envelope;
use baton::facts::message::FromRoom;
use baton::facts::units::LobbyId;
use baton::living::{LivingLobby, Stay};
use baton::lobby::{Asker, CALL_TIMEOUT_MS, CallId, Effect, Lobby, LobbyConfig, Moment, TICKETS_MAX};
use baton::settings::{self, Settings};
use baton::facts::wire::Ask;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::BTreeMap;
use wasm_bindgen::prelude::*;

/// As in src/edge/lobby_object/driver.rs.
const SPREAD_MS: u64 = 40_000;

#[derive(Default)]
struct Lobbies {
    settings: Option<Settings>,
    awake: BTreeMap<u32, Awake>,
}

struct Awake {
    core: LivingLobby,
    asked: u64,
}

thread_local! {
    static LOBBIES: RefCell<Lobbies> = RefCell::default();
}

/// Sets the objects of this isolate up.
pub fn configure(vars: &str) -> Result<(), String> {
    let vars = serde_json::from_str(vars).map_err(|error| error.to_string())?;
    let settings = settings::parse(&vars).map_err(|problems| format!("{problems:?}"))?;
    LOBBIES.with_borrow_mut(|lobbies| lobbies.settings = Some(settings));
    Ok(())
}

/// Takes an ask: `said` is the front's message. A lobby that is not awake wakes.
#[wasm_bindgen]
pub fn ask(object: u32, said: &str, chance: u64, wall_ms: f64) -> Option<String> {
    let said = of_header(said)?;
    let (head, ask) = said.split_once("\n\n")?;
    let mut head = head.split('\n');
    let (room, _home, index) = (head.next()?, head.next()?, head.next()?);
    let ask = envelope::of_text::<Ask>(ask).ok()?;
    LOBBIES.with_borrow_mut(|lobbies| {
        let lobby = match lobbies.awake.get_mut(&object) {
            Some(lobby) => lobby,
            None => {
                let lobby = Awake::new(lobbies.settings.as_ref()?, room, index, chance, wall_ms as u64)?;
                lobbies.awake.entry(object).or_insert(lobby)
            }
        };
        let m = lobby.core.moment(wall_ms as u64);
        lobby.asked += 1;
        let asker = Asker(lobby.asked);
        lobby.core.lobby.handle_ask(m, asker, ask);
        Some(lobby.followed(Some(asker)))
    })
}

/// Takes the room's answer to a call; nothing if it gave none.
#[wasm_bindgen]
pub fn answered(object: u32, call: f64, said: Option<String>, wall_ms: f64) -> Option<String> {
    let said = said.and_then(|said| envelope::of_bytes::<FromRoom>(&bytes_of_header(&said)?).ok());
    happens(object, |lobby| {
        let m = lobby.core.moment(wall_ms as u64);
        lobby.core.lobby.handle_answer(m, CallId(call as u64), said);
    })
}

/// The timer has rung.
#[wasm_bindgen]
pub fn timer_rang(object: u32, wall_ms: f64) -> Option<String> {
    happens(object, |lobby| {
        let m = lobby.core.timer_rang(wall_ms as u64);
        lobby.core.lobby.handle_timeout(m);
    })
}

/// The alarm has rung.
#[wasm_bindgen]
pub fn alarm_rang(object: u32, wall_ms: f64) -> Option<String> {
    happens(object, |lobby| {
        lobby.core.rang();
        let m: Moment = lobby.core.moment(wall_ms as u64);
        lobby.core.lobby.handle_timeout(m);
    })
}

fn happens(object: u32, what: impl FnOnce(&mut Awake)) -> Option<String> {
    LOBBIES.with_borrow_mut(|lobbies| {
        let lobby = lobbies.awake.get_mut(&object)?;
        what(lobby);
        Some(lobby.followed(None))
    })
}

impl Awake {
    fn new(settings: &Settings, room: &str, index: &str, chance: u64, wall_ms: u64) -> Option<Self> {
        let settings = settings.room(room)?;
        let config = LobbyConfig {
            room: settings.name_in_file().to_owned(),
            linger_ms: settings.linger_ms,
            spread_ms: SPREAD_MS,
            tickets_max: TICKETS_MAX,
            limits: settings.limits,
            porter: settings.porters() > 0,
        };
        let lobby = Lobby::new(LobbyId(index.parse().ok()?), config, chance);
        let core = LivingLobby::new(lobby, Stay::Stays, wall_ms, None);
        Some(Self { core, asked: 0 })
    }

    /// Returns everything that follows from what happened.
    fn followed(&mut self, asker: Option<Asker>) -> String {
        let mut answer = None;
        let mut effects: Vec<Value> = Vec::new();
        while let Some(effect) = self.core.lobby.poll_effect() {
            match effect {
                Effect::Answer(to, told) => {
                    let told = told.and_then(|told| envelope::text(&*told).ok());
                    let told = told.map(|told| to_header(&told));
                    match told {
                        Some(told) if Some(to) == asker => answer = Some(told),
                        told => effects.push(json!({ "answer": to.0, "said": told })),
                    }
                }
                Effect::Call(call, said, _) => {
                    let said = envelope::bytes(&*said).unwrap_or_default();
                    let said = bytes_to_header(&said);
                    effects.push(json!({ "call": call.0, "said": said, "patience_ms": CALL_TIMEOUT_MS }));
                }
                // Nobody has a socket here.
                Effect::Tell { .. } | Effect::Frame(..) | Effect::CloseSilent => {}
            }
        }
        let (timer, alarm) = (self.core.timer_in_ms(), self.core.alarm_in_ms());
        match answer {
            Some(told) if effects.is_empty() && timer.is_none() && alarm.is_none() => {
                format!("={told}")
            }
            answer => {
                if let (Some(told), Some(asker)) = (answer, asker) {
                    effects.push(json!({ "answer": asker.0, "said": told }));
                }
                let asker = asker.map(|asker| asker.0);
                json!({ "asker": asker, "effects": effects, "timer_ms": timer, "alarm_ms": alarm }).to_string()
            }
        }
    }
}
