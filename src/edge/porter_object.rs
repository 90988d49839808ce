//! The porter object: brings the room the batches of several lobbies in one turn. It drives one [`Porter`] and
//! decides nothing. A room of up to four lobbies has none.
//!
//! **Stores** its home, and the room's definition if the house made the room, so that it can find the room. **Answers**
//! lobbies `POST /batch` (`facts::message`): each with what the room said of its batch, or with 503, and then the lobby
//! goes past this porter. **Calls** the room's `POST /room`.
//!
//! **What makes it atomic:** each event is one synchronous block, from what happened to the last of its effects. A lobby that
//! stops waiting is forgotten; a bundle that is out stays out.

use super::call::Call;
use super::definition::{Known, Learner, settle};
use super::log::{self, Code, Remark};
use super::object::{self, error};
use super::peers::{Address, DEFINED_HEADER, HOME_HEADER, ROOM_HEADER};
use super::store::Name;
use super::watchdog;
use facts::envelope;
use facts::log::Part;
use facts::message::{FromRoom, Taken, ToRoom};
use futures_channel::oneshot;
use lobby::porter::{BUNDLE_TIMEOUT_MS, BundleId, Effect, Porter, Sender};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use worker::{DurableObject, Env, Request, Response, Result, State, durable_object, web_sys};

/// See the file's documentation.
#[durable_object(fetch)]
pub struct PorterObject {
    shell: Rc<Shell>,
}

/// What handlers and background calls share.
struct Shell {
    state: State,
    env: Env,
    /// Never borrowed across an await.
    living: RefCell<Living>,
    /// The room's address, and the row of the house that made the room what it is.
    room: RefCell<Option<(Address, Option<u64>)>>,
    came: Cell<u64>,
    /// Whether the last bundle got no answer. The log says so once.
    room_is_silent: Cell<bool>,
    learner: Learner,
}

/// A porter in memory, and the lobbies that wait for it.
#[derive(Default)]
struct Living {
    porter: Porter,
    senders: BTreeMap<Sender, oneshot::Sender<Option<Taken>>>,
}

/// A lobby that waits for an answer. It is dropped with the future that waits.
struct Waits<'a> {
    shell: &'a Shell,
    sender: Sender,
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        let mut living = self.shell.living.borrow_mut();
        if living.senders.remove(&self.sender).is_some() {
            living.porter.handle_gone(self.sender);
        }
    }
}

#[wasm_bindgen]
impl PorterObject {
    /// Answers a call, as `object::hear` does.
    ///
    /// # Errors
    /// When the platform refuses even an error's answer.
    pub fn hear(&self, request: web_sys::Request, url: String, lines: String) -> std::result::Result<JsValue, JsValue> {
        let shell = Rc::clone(&self.shell);
        let answer = move |call: Call| async move { shell.answer(&call).await };
        object::hear((request, url, lines), "porter.fetch", about, answer)
    }
}

impl DurableObject for PorterObject {
    fn new(state: State, env: Env) -> Self {
        Self {
            shell: Rc::new(Shell {
                state,
                env,
                living: RefCell::default(),
                room: RefCell::default(),
                room_is_silent: Cell::new(false),
                came: Cell::default(),
                learner: Learner::default(),
            }),
        }
    }

    async fn fetch(&self, _: Request) -> Result<Response> {
        object::unheard()
    }
}

impl Shell {
    async fn answer(self: &Rc<Self>, call: &Call) -> Result<web_sys::Response> {
        let name = call.header(ROOM_HEADER).unwrap_or_default();
        let defined = call.header(DEFINED_HEADER);
        let defined = defined.and_then(|row| row.parse().ok());
        let room = self.room(name, call.header(HOME_HEADER), defined).await?;
        let batch = match envelope::of_bytes::<ToRoom>(&call.body) {
            Ok(ToRoom::Batch(batch)) => batch,
            Ok(_) => return Ok(Response::error("a porter takes batches only", 404)?.into()),
            Err(why) => return object::unread(why, Vec::new()),
        };
        self.came.set(self.came.get() + 1);
        let sender = Sender(self.came.get());
        let (tells, told) = oneshot::channel();
        self.event(&room, |living| {
            living.senders.insert(sender, tells);
            living.porter.handle_batch(sender, batch, call.body.len());
        });
        let _waits = Waits { shell: self, sender };
        match told.await.ok().flatten() {
            Some(taken) => {
                let answer = envelope::bytes(&FromRoom::from(taken));
                call.answer(answer.map_err(|why| error(&why.to_string()))?)
            }
            None => Ok(Response::error("the way leads past this porter", 503)?.into()),
        }
    }

    /// Returns the room's address. Learns of a newer definition first, if the caller knows one.
    async fn room(&self, name: &str, home: Option<&str>, defined: Option<u64>) -> Result<Address> {
        let known = self.room.borrow().as_ref().and_then(|(_, row)| *row);
        if let Some(shown) = defined {
            let object = (&self.state, &self.env);
            if self.learner.learn(object, name, known, shown).await? {
                self.room.take();
            }
        }
        if let Some((address, _)) = &*self.room.borrow() {
            return Ok(address.clone());
        }
        settle(&self.state, home)?;
        let Known { settings, .. } = Known::of(&self.env, &Name::open(&self.state)?, name)?;
        let address = Address::of_room(&settings);
        self.room.replace(Some((address.clone(), settings.defined)));
        Ok(address)
    }

    /// Makes something happen to the porter, and carries out what follows.
    fn event(self: &Rc<Self>, room: &Address, happens: impl FnOnce(&mut Living)) {
        let mut living = self.living.borrow_mut();
        happens(&mut living);
        while let Some(effect) = living.porter.poll_effect() {
            match effect {
                Effect::Bring(bundle, said) => self.bring(room.clone(), bundle, said),
                Effect::Hand(sender, taken) => {
                    if let Some(waits) = living.senders.remove(&sender) {
                        // The lobby that waited may be gone.
                        let _ = waits.send(taken);
                    }
                }
            }
        }
    }

    /// Brings the room a bundle in the background, and hands the porter the answer.
    fn bring(self: &Rc<Self>, room: Address, bundle: BundleId, said: Box<ToRoom>) {
        let shell = Rc::clone(self);
        watchdog::spawn(&self.state, "porter.call", async move {
            let answer = shell.asked(&room, &said).await;
            let was_silent = shell.room_is_silent.replace(answer.is_err());
            let answer = answer.map_err(|error| {
                if !was_silent {
                    log::say(&about(Code::RoomSilent).because(error));
                }
            });
            shell.event(&room, |living| {
                living.porter.handle_answer(bundle, answer.ok());
            });
        });
    }

    async fn asked(&self, room: &Address, said: &ToRoom) -> Result<FromRoom> {
        let unsaid = |why: envelope::Unreadable| error(&why.to_string());
        let body = envelope::bytes(said).map_err(unsaid)?;
        let caller = (&self.state, &self.env);
        let answer = room.call(caller, "room", &body, BUNDLE_TIMEOUT_MS).await?;
        if answer.status != 200 {
            return Err(error(&format!("the room answered {}", answer.status)));
        }
        envelope::of_bytes(&answer.body).map_err(unsaid)
    }
}

fn about(code: Code) -> Remark {
    Remark::of(Part::Porter, code)
}
