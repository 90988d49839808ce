//! Drives Baton's real objects, bound here as ROOM: sends batches as lobbies do, asks for a room's line as a lobby does, and mints the cookies
//! of visitors who return. This is not a ceiling.

use super::object;
use baton::facts::envelope;
use baton::facts::command::Command;
use baton::facts::holder::{Held, Holder, Key};
use baton::facts::message::{Answer, Batch, Change, FromRoom, Hello, LobbyLife, RoomLife, RoomMemory, ToRoom};
use baton::facts::reply::{Reply, Standing};
use baton::facts::units::{Fence, LobbyId, Version, VisitorId};
use baton::settings::Home;
use baton::token::{Keyring, Scope, Visitor};
use js_sys::Uint8Array;
use std::cell::RefCell;
use std::collections::BTreeMap;
use wasm_bindgen_futures::JsFuture;
use worker::web_sys::{Headers, Request, RequestInit, Response};
use worker::{Env, Result};

/// A lobby as the room sees it: it numbers its batches and has one in flight at a time.
struct Lobby {
    id: u16,
    life: LobbyLife,
    room: RoomLife,
    memory: RoomMemory,
    number: u64,
    since: Version,
}

/// The lobbies of one room that have no batch in flight, and the number of all its lobbies.
#[derive(Default)]
struct Lobbies {
    idle: Vec<Lobby>,
    count: u16,
}

thread_local! {
    static ROOMS: RefCell<BTreeMap<String, Lobbies>> = RefCell::default();
}

/// Serves `/feed/ROOM/COUNT`: sends one batch of COUNT joins from an idle lobby. Answers with the first number.
pub async fn batch(env: &Env, rest: &str) -> Result<Response> {
    let (room, count) = two(rest)?;
    let idle = ROOMS.with_borrow_mut(|rooms| {
        let lobbies = rooms.entry(room.to_owned()).or_default();
        lobbies.idle.pop().ok_or_else(|| {
            lobbies.count += 1;
            lobbies.count - 1
        })
    });
    let mut lobby = match idle {
        Ok(lobby) => lobby,
        Err(id) => hello(env, room, id).await?,
    };
    let holder = || Holder {
        key: Key(u64::from_be_bytes(random())),
        ..Holder::default()
    };
    let joins: Vec<_> = (0..count).map(|_| holder()).collect();
    lobby.number += 1;
    let answer = send(env, room, &lobby, vec![Command::join(joins)]).await?;
    let Some(Change::Lives(first)) = answer.message.changes.first() else {
        return Err(failed(&format!("the room answered {:?}", answer.replies)));
    };
    let first = first.number;
    lobby.since = answer.message.version;
    // A lobby whose batch failed is not used again: nobody knows what became of the batch.
    ROOMS.with_borrow_mut(|rooms| {
        if let Some(lobbies) = rooms.get_mut(room) {
            lobbies.idle.push(lobby);
        }
    });
    text(&first.to_string())
}

/// Serves `/look/ROOM`: asks the room object itself how many wait, as a lobby that the room does not know yet.
pub async fn look(env: &Env, room: &str) -> Result<Response> {
    let asked = ToRoom::Hello(hello_of(STRANGER));
    match ask(env, room, &asked).await? {
        FromRoom::Welcome(welcome) => text(&welcome.message.gist.waiting.to_string()),
        other => Err(failed(&format!("the room answered {other:?}"))),
    }
}

/// Serves `/held/ROOM`, before any `/feed` of this process: a lobby that has tickets comes back and asks where one on its list stands. Answers with the
/// number. `/feed` goes on with this lobby.
pub async fn held(env: &Env, room: &str) -> Result<Response> {
    let hello = hello_of(0);
    let FromRoom::Welcome(welcome) = ask(env, room, &ToRoom::Hello(hello)).await? else {
        return Err(failed("the room did not answer Hello"));
    };
    let last = welcome.list.iter().flat_map(|page| &page.tickets).next_back();
    let Some(listed) = last else {
        return Err(failed("the lobby has no ticket"));
    };
    let mut lobby = Lobby {
        id: 0,
        life: hello.life,
        room: welcome.message.life,
        memory: welcome.memory,
        number: 1,
        since: welcome.message.version,
    };
    let place = Held {
        number: listed.number,
        key: listed.holder.key,
    };
    // Nobody calls in this room: the answer is where the place stands.
    let claim = Command::Claim { place, fence: Fence(1) };
    let answer = send(env, room, &lobby, vec![claim]).await?;
    let Some(Reply::Stands(number, Standing::Waiting { .. })) = answer.replies.first() else {
        return Err(failed(&format!("the room answered {:?}", answer.replies)));
    };
    lobby.since = answer.message.version;
    let idle = vec![lobby];
    ROOMS.with_borrow_mut(|rooms| rooms.insert(room.to_owned(), Lobbies { idle, count: 1 }));
    text(&number.0.to_string())
}

/// The id of a lobby that has no tickets.
const STRANGER: u16 = 255;

fn hello_of(id: u16) -> Hello {
    Hello {
        lobby: LobbyId(id),
        life: LobbyLife(u64::from_be_bytes(random())),
        number: 1,
        knows: None,
    }
}

/// Begins a life of a lobby with a Hello, and returns the lobby.
async fn hello(env: &Env, room: &str, id: u16) -> Result<Lobby> {
    let hello = hello_of(id);
    match ask(env, room, &ToRoom::Hello(hello)).await? {
        FromRoom::Welcome(welcome) => Ok(Lobby {
            id,
            life: hello.life,
            room: welcome.message.life,
            memory: welcome.memory,
            number: 0,
            since: welcome.message.version,
        }),
        other => Err(failed(&format!("the room answered {other:?}"))),
    }
}

async fn send(env: &Env, room: &str, lobby: &Lobby, commands: Vec<Command>) -> Result<Answer> {
    let batch = Batch {
        lobby: LobbyId(lobby.id),
        life: lobby.life,
        room: lobby.room,
        memory: lobby.memory,
        number: lobby.number,
        since: lobby.since,
        attempts: 1,
        commands,
    };
    match ask(env, room, &ToRoom::Batch(batch)).await? {
        FromRoom::Answer(answer) => Ok(*answer),
        other => Err(failed(&format!("the room answered {other:?}"))),
    }
}

async fn ask(env: &Env, room: &str, said: &ToRoom) -> Result<FromRoom> {
    let body = envelope::bytes(said).map_err(|_| failed("a message can't be encoded"))?;
    let bytes = post(env, room, "room", &body).await?;
    envelope::of_bytes(&bytes).map_err(|_| failed("the room's answer can't be read"))
}

/// The home of a benchmark's rooms: any location, first generation.
fn home() -> Home {
    Home {
        location: "auto".to_owned(),
        generation: 1,
        jurisdiction: None,
    }
}

fn random<const N: usize>() -> [u8; N] {
    core::array::from_fn(|_| (js_sys::Math::random() * 256.0) as u8)
}

/// Serves `/mint/HOST/COUNT`: COUNT visitor tokens for that host, one a line, signed with BATON_SECRET.
pub fn mint(env: &Env, rest: &str) -> Result<Response> {
    let (host, count) = two(rest)?;
    let secret = env.var("BATON_SECRET")?.to_string();
    let keyring = Keyring::from_secrets(Some(&secret), None);
    let keyring = keyring.map_err(|error| failed(&error.to_string()))?;
    let issued_at_ms = worker::Date::now().as_millis();
    let mut lines = String::new();
    for _ in 0..count {
        let id = VisitorId(random());
        let scope = Scope { room: "", host };
        lines += &keyring.sign(&Visitor { id, issued_at_ms }, scope);
        lines.push('\n');
    }
    text(&lines)
}

/// Posts to the room and reads the answer in one piece, as a lobby does.
async fn post(env: &Env, room: &str, path: &str, body: &[u8]) -> Result<Vec<u8>> {
    let headers = Headers::new()?;
    headers.set("Baton-Room", room)?;
    let init = RequestInit::new();
    init.set_method("POST");
    init.set_headers(headers.as_ref());
    init.set_body(Uint8Array::from(body).as_ref());
    let request = Request::new_with_str_and_init(&format!("https://baton/{path}"), &init)?;
    let answer = object(env, "ROOM", &home().name_of(room), &request).await?;
    let bytes = Uint8Array::new(&JsFuture::from(answer.array_buffer()?).await?).to_vec();
    if answer.status() != 200 {
        return Err(failed(&String::from_utf8_lossy(&bytes)));
    }
    Ok(bytes)
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
