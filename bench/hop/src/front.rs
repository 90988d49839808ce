//! The front: `begin` reads a request and says what to do for it, `resume` takes what came of that. A step is a text:
//!
//! ```text
//! ask     k, the visit's id, the lobby's name, location hint and jurisdiction, the patience in ms, the message
//! answer  a, the status, how many lines of headers follow, name and value of each header in turn, the body
//! ```
//!
//! Each part is a line; only the body may have several.

use crate::said::{Incoming, of_header, to_header};
use baton::facts::envelope;
use baton::facts::config::Mode;
use baton::facts::units::VisitorId;
use baton::gate::{
    Away, Client, Cookies, Draft, ErrorCode, Gate, Here, Host, Identity, Issuer, Outage, OwnCall, Plan, Press, Question, Reader, TokensShown,
    VisitorCall, ask_patience_ms,
};
use baton::settings::{self, RoomSettings, Settings};
use baton::token::{EntryKeys, Keyring};
use baton::facts::wire::{Told, Wish};
use std::cell::RefCell;
use std::collections::BTreeMap;
use wasm_bindgen::prelude::*;

/// Visits that wait for an answer: many more than an isolate has requests.
const VISITS_MAX: usize = 4_096;

struct Front {
    settings: Settings,
    gate: Gate,
    keyring: Keyring,
    entry_keys: EntryKeys,
    rooms: BTreeMap<String, Known>,
    visits: BTreeMap<u32, Visit>,
    last: u32,
}

/// What the isolate remembers of a room: what a status poll changes of it.
#[derive(Default)]
struct Known {
    heard_at_ms: u64,
    heard: Option<(bool, Mode, Option<u64>, Option<bool>)>,
    outage: Outage,
    away: Away,
}

/// A poll that waits for its lobby.
struct Visit {
    room: String,
    host: Host,
    client: (Option<Reader<String>>, Option<String>, bool),
    scheme: baton::gate::Scheme,
    identity: Identity,
    visitor: VisitorId,
    question: Question,
    asked_at_ms: u64,
}

thread_local! {
    static FRONT: RefCell<Option<Front>> = const { RefCell::new(None) };
}

/// Sets the front up.
pub fn configure(vars: &str, secret: &str) -> Result<(), String> {
    let vars = serde_json::from_str(vars).map_err(|error| error.to_string())?;
    let settings = settings::parse(&vars).map_err(|problems| format!("{problems:?}"))?;
    let gate = Gate::new(&settings).map_err(|error| format!("{error:?}"))?;
    let keyring = Keyring::from_secrets(Some(secret), None).map_err(|error| error.to_string())?;
    FRONT.set(Some(Front {
        settings,
        gate,
        keyring,
        entry_keys: EntryKeys::default(),
        rooms: BTreeMap::new(),
        visits: BTreeMap::new(),
        last: 0,
    }));
    Ok(())
}

/// Begins a visit. `lines` are method, address, then name and value of each header, one a line. Returns a step.
#[wasm_bindgen]
pub fn begin(lines: &str, now_ms: f64) -> String {
    FRONT.with_borrow_mut(|front| match front {
        Some(front) => front.begin(&Incoming::new(lines), now_ms as u64),
        None => String::new(),
    })
}

/// Goes on with a visit: `told` is the lobby's message, or nothing if it gave none. Returns a step.
#[wasm_bindgen]
pub fn resume(id: u32, told: Option<String>, now_ms: f64) -> String {
    FRONT.with_borrow_mut(|front| match front {
        Some(front) => front.resume(id, told, now_ms as u64),
        None => String::new(),
    })
}

impl Front {
    fn begin(&mut self, incoming: &Incoming<'_>, now_ms: u64) -> String {
        let request = incoming.described();
        let host = request.parsed_host();
        let plan = self.gate.decide(&request);
        let reader = self.gate.reader_of(&request, &plan).map(Reader::into_owned);
        let client = (reader, incoming.credentials.clone(), incoming.is_head());
        let Plan::Own(OwnCall::Visitor {
            room,
            call: VisitorCall::Status { wait_s },
        }) = plan
        else {
            return answer(Draft::error(ErrorCode::NotFound), &client);
        };
        let (Some(host), Some(room)) = (host, self.settings.room(&room)) else {
            return answer(Draft::error(ErrorCode::UnknownRoom), &client);
        };
        let cookies = Cookies::of_room(incoming.scheme(), &host, room);
        let (cookies, text) = match &incoming.credentials {
            Some(shown) => (cookies.as_credentials(), Some(shown.clone())),
            None => (cookies, request.headers.get("cookie")),
        };
        let knock = request.socket_token();
        let shown = TokensShown {
            cookies,
            host: &host,
            text,
            knock: knock.as_deref(),
        };
        let identity = Identity::read(&shown, &self.keyring, &self.entry_keys, room, now_ms);
        let Some(visitor) = identity.visitor.filter(|_| !identity.is_ahead_of_us) else {
            return answer(Draft::error(ErrorCode::CookiesRequired), &client);
        };
        if identity.bad_ticket {
            return answer(Draft::error(ErrorCode::BadTicket), &client);
        }
        let here = Here {
            room,
            address: &|| None,
            // A poll comes with a name, so nothing is drawn.
            dice: &|| [0; 16],
            now_ms,
        };
        let wish = Wish::Status {
            wait_ms: wait_s.saturating_mul(1_000),
        };
        let question = identity.question(visitor, wish, Press::None, &here);
        let visit = Visit {
            room: room.name.clone(),
            host: host.clone(),
            client,
            scheme: incoming.scheme(),
            identity,
            visitor,
            question,
            asked_at_ms: now_ms,
        };
        self.ask(visit)
    }

    /// Keeps a visit until its lobby answers.
    fn ask(&mut self, visit: Visit) -> String {
        let Some(room) = self.settings.room(&visit.room) else {
            return String::new();
        };
        let (lobby, wish) = (visit.question.lobby(), visit.question.wish());
        let Ok(text) = envelope::text(&visit.question.ask()) else {
            return answer(Draft::error(ErrorCode::Internal), &visit.client);
        };
        let message = format!("{}\n{}\n{lobby}\n\n{text}", room.name, room.home.text());
        let (hint, at) = (room.home.hint(), room.home.jurisdiction.as_deref());
        self.last = self.last.wrapping_add(1);
        let step = format!(
            "k\n{}\n{}/{lobby}\n{} {}\n{}\n{}",
            self.last,
            room.home.name_of(&room.name),
            hint.unwrap_or_default(),
            at.unwrap_or_default(),
            ask_patience_ms(wish),
            to_header(&message),
        );
        if self.visits.len() >= VISITS_MAX {
            self.visits.pop_first();
        }
        self.visits.insert(self.last, visit);
        step
    }

    fn resume(&mut self, id: u32, told: Option<String>, now_ms: u64) -> String {
        let Some(mut visit) = self.visits.remove(&id) else {
            return answer(Draft::error(ErrorCode::Internal), &(None, None, false));
        };
        let lobby = visit.question.lobby();
        let known = self.rooms.entry(visit.room.clone()).or_default();
        let told = told.and_then(|told| envelope::of_text::<Told>(&of_header(&told)?).ok());
        let Some(told) = told else {
            let _ = known.away.failed(lobby, visit.asked_at_ms, now_ms);
            return answer(Draft::error(ErrorCode::RoomUnavailable), &visit.client);
        };
        let _ = known.away.answered(lobby, now_ms);
        let asked = match visit.question.hear(told, visit.asked_at_ms) {
            Ok(Some(asked)) => asked,
            Ok(None) => {
                visit.asked_at_ms = now_ms;
                return self.ask(visit);
            }
            Err(_) => return answer(Draft::error(ErrorCode::RoomUnavailable), &visit.client),
        };
        known.hear(visit.asked_at_ms, &asked.told);
        let Some(room) = self.settings.room(&visit.room) else {
            return String::new();
        };
        let cookies = self.issuer(room, &visit, now_ms).after(&visit.identity, visit.visitor, &asked);
        let draft = Draft::status(200, &asked.told.status);
        answer(draft.cookies(cookies), &visit.client)
    }

    fn issuer<'a>(&'a self, room: &'a RoomSettings, visit: &'a Visit, now_ms: u64) -> Issuer<'a> {
        let cookies = Cookies::of_room(visit.scheme, &visit.host, room);
        Issuer {
            keyring: &self.keyring,
            cookies: match visit.client.1 {
                Some(_) => cookies.as_credentials(),
                None => cookies,
            },
            host: &visit.host,
            room,
            now_ms,
        }
    }
}

impl Known {
    fn hear(&mut self, at_ms: u64, told: &Told) {
        self.outage.heal();
        if self.heard_at_ms <= at_ms {
            self.heard_at_ms = at_ms;
            let status = &told.status;
            self.heard = Some((told.no_walk_in, status.mode, status.opens_at_ms, told.wants_health));
        }
    }
}

/// Writes an answer as a step.
fn answer(draft: Draft, (reader, credentials, is_head): &(Option<Reader<String>>, Option<String>, bool)) -> String {
    let finished = draft.finished(&Client {
        reader: reader.as_ref().map(Reader::as_deref),
        credentials: credentials.as_deref(),
        is_head: *is_head,
    });
    let mut step = format!("a\n{}\n{}", finished.status, finished.headers.len() * 2);
    for (name, value) in &finished.headers {
        for part in ["\n", name, "\n", value] {
            step.push_str(part);
        }
    }
    step.push('\n');
    step.push_str(finished.body.as_deref().unwrap_or_default());
    step
}
