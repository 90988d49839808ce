//! Drives Baton's real objects, bound here as ROOM: batches as lobbies send them, a look as lobbies take it, and the
//! cookies of visitors who come for the second time. No ceiling.

use super::object;
use baton::room::command::{Batch, Command, Message, Refusal, Reply};
use baton::token::{Keyring, Scope, Visitor};
use baton::units::{Edition, LobbyId, Version, VisitorId};
use js_sys::Uint8Array;
use serde::de::DeserializeOwned;
use std::cell::RefCell;
use std::collections::BTreeMap;
use wasm_bindgen_futures::JsFuture;
use worker::web_sys::{Headers, Request, RequestInit, Response};
use worker::{Env, Result};

/// A lobby as the room sees it: one batch in flight, numbered.
struct Lobby {
    id: u16,
    epoch: u64,
    sequence: u64,
}

/// The lobbies of one room that wait for nothing, and how many there are in all.
#[derive(Default)]
struct Lobbies {
    idle: Vec<Lobby>,
    count: u16,
}

thread_local! {
    static ROOMS: RefCell<BTreeMap<String, Lobbies>> = RefCell::default();
}

/// `/feed/ROOM/COUNT`: one batch of so many joins from a lobby that waits for nothing. Answers the first number.
pub async fn batch(env: &Env, rest: &str) -> Result<Response> {
    let (room, count) = two(rest)?;
    let mut lobby = ROOMS.with_borrow_mut(|rooms| {
        let lobbies = rooms.entry(room.to_owned()).or_default();
        lobbies.idle.pop().unwrap_or_else(|| {
            lobbies.count += 1;
            Lobby {
                id: lobbies.count - 1,
                epoch: worker::Date::now().as_millis(),
                sequence: 0,
            }
        })
    });
    lobby.sequence += 1;
    let batch = Batch {
        lobby: LobbyId(lobby.id),
        epoch: lobby.epoch,
        sequence: lobby.sequence,
        attempts: count,
        edition: Edition::FIRST,
        acknowledged: Version(0),
        roster: vec![],
        commands: vec![Command::Join { count }],
    };
    let body = postcard::to_allocvec(&batch).map_err(|_| failed("a batch can't be encoded"))?;
    let answer: std::result::Result<Message, Refusal> = post(env, room, "batch", &body).await?;
    let message = answer.map_err(|refusal| failed(&format!("the room refused: {refusal:?}")))?;
    let [Reply::Joined { first, .. }] = message.replies.as_slice() else {
        return Err(failed(&format!("the room answered {:?}", message.replies)));
    };
    // A lobby whose batch failed does not come back: what became of it is not known.
    ROOMS.with_borrow_mut(|rooms| {
        if let Some(lobbies) = rooms.get_mut(room) {
            lobbies.idle.push(lobby);
        }
    });
    text(&first.to_string())
}

/// `/look/ROOM`: how many wait, asked of the room object itself.
pub async fn look(env: &Env, room: &str) -> Result<Response> {
    let message: Message = post(env, room, "look", &[]).await?;
    text(&message.gist.waiting.to_string())
}

/// `/mint/HOST/COUNT`: visitors' tokens for that host, one a line, signed with BATON_SECRET.
pub fn mint(env: &Env, rest: &str) -> Result<Response> {
    let (host, count) = two(rest)?;
    let secret = env.var("BATON_SECRET")?.to_string();
    let keyring = Keyring::from_secrets(Some(&secret), None);
    let keyring = keyring.map_err(|error| failed(&error.to_string()))?;
    let issued_at_ms = worker::Date::now().as_millis();
    let mut lines = String::new();
    for _ in 0..count {
        let id = VisitorId(core::array::from_fn(|_| {
            (js_sys::Math::random() * 256.0) as u8
        }));
        let scope = Scope { room: "", host };
        lines += &keyring.sign(&Visitor { id, issued_at_ms }, scope);
        lines.push('\n');
    }
    text(&lines)
}

/// As a lobby posts and reads: the answer in one piece.
async fn post<T: DeserializeOwned>(env: &Env, room: &str, path: &str, body: &[u8]) -> Result<T> {
    let headers = Headers::new()?;
    headers.set("Baton-Room", room)?;
    let init = RequestInit::new();
    init.set_method("POST");
    init.set_headers(headers.as_ref());
    init.set_body(Uint8Array::from(body).as_ref());
    let request = Request::new_with_str_and_init(&format!("https://baton/{path}"), &init)?;
    let answer = object(env, "ROOM", room, &request).await?;
    let bytes = Uint8Array::new(&JsFuture::from(answer.array_buffer()?).await?).to_vec();
    if answer.status() != 200 {
        return Err(failed(&String::from_utf8_lossy(&bytes)));
    }
    postcard::from_bytes(&bytes).map_err(|_| failed("the room's answer can't be read"))
}

fn two(rest: &str) -> Result<(&str, u32)> {
    let (name, count) = rest.split_once('/').unwrap_or((rest, ""));
    let count = count.parse().map_err(|_| failed("no count in the path"))?;
    Ok((name, count))
}

fn text(text: &str) -> Result<Response> {
    Ok(Response::new_with_opt_str(Some(text))?)
}

fn failed(what: &str) -> worker::Error {
    worker::Error::RustError(what.to_owned())
}
