//! The outbox object: tells other software what happens in the rooms and the house. ONE per deployment. It drives one [`Outbox`] and decides nothing.
//!
//! **Stores** where it stands in each journal, and the messages that nobody has taken yet, or ever. **Answers** objects `POST /nudge`
//! (something was written) and `POST /summon` (whose turn comes while they are away; nothing of it is stored), and operators `POST /look`, `POST /again` (dead letters) and `POST /test`. **Calls** `POST /notes` of rooms and the
//! house, `POST /table` of the house, and the webhooks outside.
//!
//! **What makes a step atomic:** the changes of one step of the core are stored in one transaction before anything else is
//! done. A message is stored before it is sent; that it was taken is stored afterwards. Nobody waits for any of it: a room
//! nudges beside its turn, and a lost nudge costs a minute.

mod beside;

use super::front::js::describe;
use super::log::{self, Code, Remark};
use super::object::{self, Pauses, error};
use super::orders::{Resend, WebhookTest};
use super::outbox_store::OutboxStore;
use super::peers::Address;
use super::store::set_alarm;
use super::{config, dice, watchdog};
use facts::envelope;
use facts::log::Part;
use futures_util::future::join_all;
use gate::ErrorCode;
use house::table::Table;
use js_sys::Promise;
use outbox::{Asked, Job, LOOK_EVERY_MS, Look, Outbox, Page, Secrets, Webhook, signed_headers, test_letter};
use settings::webhook_secrets;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use worker::{DurableObject, Env, Request, Response, Result, State, durable_object};

#[wasm_bindgen(module = "/outbox.js")]
extern "C" {
    type Outside;
    #[wasm_bindgen(thread_local_v2, js_name = outside)]
    static OUTSIDE: Outside;

    #[allow(clippy::too_many_arguments, reason = "a call into JavaScript")]
    #[wasm_bindgen(method)]
    fn post(this: &Outside, env: &JsValue, is_stand_in: bool, url: &str, lines: &str, body: &str, timeout_ms: u32) -> Promise;
}

/// How long a room or the house may take to answer, ms.
const PATIENCE_MS: u64 = 5_000;
/// How long a webhook may take to answer, ms.
const ANSWER_MS_MAX: u32 = 15_000;
/// The most journals that are read at once.
const LOOKS_MAX: usize = 8;
/// The alarm rings no sooner than after this, ms: what is due right now is done without it.
const SOONEST_MS: u64 = 500;

/// See the file's documentation.
#[durable_object(alarm)]
pub struct OutboxObject {
    shell: Rc<Shell>,
}

struct Shell {
    state: State,
    env: Env,
    /// `None` before the first event and after an error. Never borrowed across an await.
    living: RefCell<Option<Living>>,
    /// Whether journals are being read.
    reads: Cell<bool>,
    /// The webhooks to which messages are being sent.
    sends: RefCell<BTreeSet<String>>,
    /// When the alarm rings, Unix ms; 0 if it is not set.
    rings_at_ms: Cell<u64>,
    /// When the list of journals must be made anew, Unix ms.
    list_until_ms: Cell<u64>,
    pauses: Pauses,
}

/// The outbox in memory.
struct Living {
    core: Outbox,
    store: OutboxStore,
    /// The address of each object whose journal is read, by the object's name.
    addresses: BTreeMap<String, Address>,
    /// The hosts at which Baton stands, those of the house's rooms included.
    own_hosts: BTreeSet<String>,
}

impl DurableObject for OutboxObject {
    fn new(state: State, env: Env) -> Self {
        Self {
            shell: Rc::new(Shell {
                state,
                env,
                living: RefCell::new(None),
                reads: Cell::new(false),
                sends: RefCell::default(),
                rings_at_ms: Cell::new(0),
                list_until_ms: Cell::new(0),
                pauses: Pauses::default(),
            }),
        }
    }

    async fn fetch(&self, request: Request) -> Result<Response> {
        let shell = Rc::clone(&self.shell);
        let who = watchdog::Who::request(&request);
        object::fetch(who, "outbox.fetch", about, shell.answer(request)).await
    }

    async fn alarm(&self) -> Result<Response> {
        let shell = Rc::clone(&self.shell);
        let alarms = (&shell.state, &shell.pauses);
        object::alarm(alarms, "outbox.alarm", about, shell.ring()).await
    }
}

impl Shell {
    async fn answer(self: &Rc<Self>, mut request: Request) -> Result<Response> {
        let body = request.bytes().await?;
        let body = core::str::from_utf8(&body).unwrap_or_default();
        self.wake()?;
        let answer = match request.path().as_str() {
            "/nudge" => self.nudged(body),
            "/look" => self.look(),
            "/again" => self.again(body),
            "/test" => self.test(body),
            "/summon" => self.summon(body).await,
            path => Response::error(format!("the outbox has no {path}"), 404),
        };
        self.go_on()?;
        answer
    }

    async fn ring(self: &Rc<Self>) -> Result<()> {
        self.rings_at_ms.set(0);
        self.wake()?;
        self.go_on()
    }

    /// Brings the outbox into memory if it is not there.
    fn wake(&self) -> Result<()> {
        if self.living.borrow().is_some() {
            return Ok(());
        }
        let deployment = config::load(&self.env).map_err(|_| error("the configuration is not valid"))?;
        let hooks = &deployment.settings.webhooks;
        for hook in hooks {
            if let Err(problem) = webhook_secrets(hook, |name| config::secret(&self.env, name)) {
                log::say(&about(Code::ConfigDoubtful).because(problem));
            }
        }
        let store = OutboxStore::open(&self.state)?;
        let seed = u64::from_be_bytes(dice::random_bytes()?);
        let core = Outbox::restore(store.read()?, hooks, seed);
        self.living.replace(Some(Living {
            core,
            store,
            addresses: BTreeMap::new(),
            own_hosts: BTreeSet::new(),
        }));
        Ok(())
    }

    /// Runs one step of the core, and stores its changes before anybody hears of it. After an error nothing is left in memory.
    fn step<T>(&self, act: impl FnOnce(&mut Living, u64) -> T) -> Result<T> {
        let mut living = self.living.take().ok_or_else(asleep)?;
        let result = act(&mut living, dice::now_ms());
        let changes = living.core.take_changes();
        living.store.commit(&changes)?;
        self.living.replace(Some(living));
        Ok(result)
    }

    fn nudged(&self, source: &str) -> Result<Response> {
        self.step(|living, now_ms| {
            if !living.addresses.contains_key(source) {
                self.list_until_ms.set(0);
            }
            living.core.nudged(now_ms, source);
        })?;
        Response::empty()
    }

    fn look(&self) -> Result<Response> {
        let told = self.step(|living, _| living.core.told())?;
        Response::from_json(&told)
    }

    /// Sends dead letters again, for the operator.
    fn again(&self, body: &str) -> Result<Response> {
        let Ok(Resend { webhook, id }) = serde_json::from_str(body) else {
            return object::unreadable();
        };
        let count = self.step(|living, now_ms| living.core.again(now_ms, &webhook, id.as_deref()))?;
        Response::from_json(&serde_json::json!({ "messages": count }))
    }

    /// Sends a webhook a test message, for the operator.
    fn test(&self, body: &str) -> Result<Response> {
        let Ok(WebhookTest { webhook }) = serde_json::from_str(body) else {
            return object::unreadable();
        };
        let nonce = dice::nonce()?;
        let is_known = self.step(|living, now_ms| {
            let letter = test_letter(&webhook, now_ms, nonce);
            living.core.test(now_ms, &webhook, letter)
        })?;
        match is_known {
            true => Response::from_json(&serde_json::json!({ "messages": 1 })),
            false => object::refuse(ErrorCode::NotFound, "there is no webhook of this name"),
        }
    }

    /// Begins whatever is due, all of it in the background, and sets the alarm for the rest.
    fn go_on(self: &Rc<Self>) -> Result<()> {
        let hooks: Vec<String> = self.step(|living, _| living.core.hooks().map(|hook| hook.name.clone()).collect())?;
        if hooks.is_empty() {
            return Ok(());
        }
        if !self.reads.replace(true) {
            let shell = Rc::clone(self);
            watchdog::spawn(&self.state, "outbox.read", async move {
                let read = shell.read_all().await;
                shell.reads.set(false);
                shell.note(read.and_then(|()| shell.arm()));
            });
        }
        for hook in hooks {
            self.send_beside(hook);
        }
        self.arm()
    }

    fn send_beside(self: &Rc<Self>, hook: String) {
        if !self.sends.borrow_mut().insert(hook.clone()) {
            return;
        }
        let shell = Rc::clone(self);
        watchdog::spawn(&self.state, "outbox.send", async move {
            let sent = shell.send_all(&hook).await;
            shell.sends.borrow_mut().remove(&hook);
            shell.note(sent.and_then(|()| shell.arm()));
        });
    }

    /// Logs a failure. The next alarm begins the work anew from what is stored.
    fn note(&self, done: Result<()>) {
        if let Err(error) = done {
            log::say(&about(Code::BackgroundFailed).because(error));
            if let Err(error) = set_alarm(&self.state.storage(), LOOK_EVERY_MS) {
                log::say(&about(Code::AlarmFailed).because(error));
            }
        }
    }

    fn arm(&self) -> Result<()> {
        let now_ms = dice::now_ms();
        let due = self.step(|living, _| living.core.due_at_ms())?;
        let Some(due_ms) = due else { return Ok(()) };
        let due_ms = due_ms.clamp(now_ms + SOONEST_MS, now_ms + LOOK_EVERY_MS);
        let armed_ms = self.rings_at_ms.get();
        if armed_ms > now_ms && armed_ms <= due_ms {
            return Ok(());
        }
        self.rings_at_ms.set(due_ms);
        set_alarm(&self.state.storage(), due_ms - now_ms)
    }

    /// Reads journals until none is due.
    async fn read_all(self: &Rc<Self>) -> Result<()> {
        self.list().await?;
        loop {
            let looks: Vec<Look> = self.step(|living, now_ms| {
                let next = core::iter::from_fn(|| living.core.poll_look(now_ms));
                next.take(LOOKS_MAX).collect()
            })?;
            if looks.is_empty() {
                return Ok(());
            }
            join_all(looks.into_iter().map(|look| self.read(look)))
                .await
                .into_iter()
                .collect::<Result<()>>()?;
            let hooks: Vec<String> = self.step(|living, _| living.core.hooks().map(|hook| hook.name.clone()).collect())?;
            for hook in hooks {
                self.send_beside(hook);
            }
        }
    }

    async fn read(&self, look: Look) -> Result<()> {
        let page = self.page_of(&look).await;
        self.step(|living, now_ms| match &page {
            Ok(page) => living.core.read(now_ms, &look.source, page),
            Err(why) => {
                log::say(&about(Code::JournalUnread).in_room(&look.source).because(why));
                living.core.unread(&look.source);
            }
        })
    }

    async fn page_of(&self, look: &Look) -> core::result::Result<Page, String> {
        let address = {
            let slot = self.living.borrow();
            let living = slot.as_ref().ok_or("the outbox is not awake")?;
            living.addresses.get(&look.source).cloned()
        };
        let address = address.ok_or("nobody knows where it is")?;
        let asked = Asked {
            mark: look.mark,
            since_ms: look.since_ms,
        };
        let body = envelope::bytes(&asked).map_err(|why| why.to_string())?;
        let caller = (&self.state, &self.env);
        let answer = address.call(caller, "notes", &body, PATIENCE_MS).await;
        let answer = answer.map_err(|error| describe(&error))?;
        match answer.status {
            200 => envelope::of_bytes(&answer.body).map_err(|why| format!("{why:?}")),
            status => Err(format!("answered {status}: {}", answer.text().unwrap_or_default())),
        }
    }

    /// Lists the journals that exist: those of the file's rooms, of the house, and of the house's rooms.
    async fn list(&self) -> Result<()> {
        let now_ms = dice::now_ms();
        if now_ms < self.list_until_ms.get() {
            return Ok(());
        }
        let file = config::load(&self.env).map_err(|_| error("the configuration is not valid"))?;
        let mut deployment = Rc::clone(&file);
        let mut journals = Vec::new();
        if let Some(grounds) = &file.settings.grounds {
            let house = Address::of_house(grounds);
            let caller = (&self.state, &self.env);
            let answer = house.call(caller, "table", &[], PATIENCE_MS).await;
            let table = answer.ok().filter(|answer| answer.status == 200);
            let table = table.and_then(|answer| serde_json::from_str::<Table>(&answer.text()?).ok());
            let Some(table) = table else {
                // The house is away: that is no reason to forget a journal.
                log::say(&about(Code::HouseUnreachable));
                return Ok(());
            };
            deployment = config::with_house(&self.env, &table).unwrap_or(deployment);
            journals.push((None, house));
        }
        let settings = &deployment.settings;
        // A room of the house that contradicts this file has no object; the `!` at the end of its name says so.
        let rooms = settings.rooms.iter().filter(|room| !room.name.ends_with('!'));
        journals.extend(rooms.map(|room| (Some(room.name.clone()), Address::of_room(room))));
        let hosts = settings.rooms.iter().flat_map(|room| &room.hosts);
        let own_hosts: BTreeSet<String> = facts::ordered::filled(hosts.cloned());
        let gone = self.step(|living, now_ms| {
            let mut there = BTreeMap::new();
            living.addresses.clear();
            for (room, address) in journals {
                let (_, object) = address.object();
                there.insert(object.clone(), room);
                living.addresses.insert(object, address);
            }
            living.own_hosts = own_hosts;
            living.core.minds(now_ms, &there)
        })?;
        for name in gone {
            log::say(&about(Code::JournalGone).in_room(name));
        }
        self.list_until_ms.set(now_ms + LOOK_EVERY_MS);
        Ok(())
    }

    /// Sends the messages that are due to one webhook, one after the other.
    async fn send_all(&self, hook: &str) -> Result<()> {
        while let Some((job, ready)) = self.next_job(hook)? {
            let failed = match ready {
                Ok(ready) => self.send(&job.id, ready, ANSWER_MS_MAX).await.err(),
                Err(why) => Some(why),
            };
            if let Some(why) = &failed {
                log::say(&about(Code::WebhookFailed).because(format!("{hook}: {why}")));
            }
            self.step(|living, now_ms| living.core.sent(now_ms, hook, job.seq, failed))?;
        }
        Ok(())
    }

    /// Returns the next message that is due, ready to be sent or with the reason why it cannot be; `None` if none is due.
    fn next_job(&self, hook: &str) -> Result<Option<(Job, core::result::Result<Ready, String>)>> {
        self.step(|living, now_ms| {
            let Some(job) = living.core.poll_job(now_ms, hook) else {
                return Ok(None);
            };
            let body = living.store.body(job.seq)?;
            let wants = living.core.hooks().find(|own| own.name == hook);
            let (Some(body), Some(wants)) = (body, wants) else {
                return Ok(Some((job, Err("its body is gone".to_owned()))));
            };
            let ready = living.ready(wants, body, |name| config::secret(&self.env, name));
            Ok(Some((job, ready)))
        })?
    }

    async fn send(&self, id: &str, ready: Ready, timeout_ms: u32) -> core::result::Result<(), String> {
        let mut lines = String::new();
        let signed = signed_headers(&ready.secrets, id, dice::now_ms(), &ready.body);
        let plain = [
            ("content-type", "application/json".to_owned()),
            ("user-agent", "Baton-Webhook/1".to_owned()),
        ];
        for (name, value) in signed.into_iter().chain(plain) {
            for part in [name, "\n", &value, "\n"] {
                lines.push_str(part);
            }
        }
        let stand_in = config::webhook_stand_in(&self.env, &ready.url);
        let url = stand_in.as_ref().unwrap_or(&ready.url);
        let sent = OUTSIDE.with(|outside| {
            let is_stand_in = stand_in.is_some();
            outside.post(&self.env, is_stand_in, url, &lines, &ready.body, timeout_ms)
        });
        match JsFuture::from(sent).await {
            Ok(status) => match status.as_f64().unwrap_or_default() as u16 {
                200..=299 => Ok(()),
                status => Err(format!("answered {status}")),
            },
            Err(error) => Err(describe(&error)),
        }
    }
}

impl Living {
    /// Returns a message to a webhook, ready to be sent, or why it cannot be.
    fn ready(&self, hook: &Webhook, body: String, secret: impl Fn(&str) -> Option<String>) -> core::result::Result<Ready, String> {
        if self.own_hosts.contains(hook.address.host()) {
            return Err("its host is one of this site: Baton would call itself".to_owned());
        }
        let secrets = webhook_secrets(hook, secret).map_err(|problem| problem.what)?;
        Ok(Ready {
            url: hook.address.as_str().to_owned(),
            secrets,
            body,
        })
    }
}

/// A message that is ready to be sent.
struct Ready {
    url: String,
    secrets: Secrets,
    body: String,
}

fn about(code: Code) -> Remark {
    Remark::of(Part::Outbox, code)
}

fn asleep() -> worker::Error {
    error("the outbox is not awake")
}
