//! The room object: the single writer of one room. ONE per room.
//!
//! **Stores** the room's journal (one row a turn), now and then a snapshot of their fold, and one
//! alarm. **Answers** lobbies `POST /batch` (their batches) and `POST /look` (how things are), the
//! operator `POST /report` (the same in numbers, with the settings in force), `POST /live` (live
//! values), `POST /undo` (the last change of them), `POST /release` (ends a ticket), `POST /reset` (a new edition) and
//! `POST /journal` (its rows).
//! **Pushes** to lobbies what they must hear; no reply and no alarm ever waits for a push.
//!
//! **What makes a turn atomic:** it is one synchronous block. The row, the snapshot and the alarm
//! are written in one transaction with no await in between, and the output gate holds the answer
//! and every push until they are on disk. Any error in there undoes the writes and drops the state
//! in memory: the next request folds it anew from what is stored. Nothing is visible before it is
//! durable.

use super::log::{self, Code, Remark};
use super::orders::{
    Dismissal, DrawTold, HourTold, LiveChange, Reset, Story, StoryPage, Told, Undo,
};
use super::peers::{Address, ROOM_HEADER};
use super::store::{self, SqlStore};
use super::{config, dice, room_story, watchdog};
use crate::journal::{Damage, export};
use crate::living::{Fault, LivingRoom, RoomOptions, Turned};
use crate::log::Part;
use crate::room::command::{Batch, Refusal};
use crate::room::config::RoomConfig;
use crate::room::courier::{PUSH_TIMEOUT_MS, Push};
use crate::room::hall::Lots;
use crate::room::live::{Change, Live, LiveValue};
use crate::room::ramp::Ramps;
use crate::room::report::Report;
use crate::settings::{RAMP_KEYS, RoomSettings, begun, in_force, parse_live, per_s, ramps};
use crate::units::Fence;
use serde_json::{Map, Value};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use worker::{DurableObject, Env, Request, Response, Result, State, durable_object};

const DAY_MS: u64 = 86_400_000;
/// Most rows in one page of the journal.
const PAGE_ROWS_MAX: i32 = 2_000;
/// A page of the journal ends with the row that makes it this long.
const PAGE_BYTES: usize = 1_000_000;

/// See the file's documentation.
#[durable_object]
pub struct RoomObject {
    shell: Rc<Shell>,
}

/// What handlers and background pushes share.
struct Shell {
    state: State,
    env: Env,
    /// `None` before the first event and after an error. Never borrowed across an await.
    living: RefCell<Option<Living>>,
    /// Requests that fronts let in while this could not be reached, as far as they have told.
    opened: Cell<u64>,
}

/// A room in memory, and where it is.
struct Living {
    name: String,
    location: Option<String>,
    /// Its table in the file, over which live values are laid.
    table: Value,
    core: LivingRoom<SqlStore>,
    /// What the draws of its halls follow from.
    lots: Lots,
}

impl DurableObject for RoomObject {
    fn new(state: State, env: Env) -> Self {
        Self {
            shell: Rc::new(Shell {
                state,
                env,
                living: RefCell::new(None),
                opened: Cell::new(0),
            }),
        }
    }

    async fn fetch(&self, request: Request) -> Result<Response> {
        let shell = Rc::clone(&self.shell);
        watchdog::guard(watchdog::Who::request(&request), "room.fetch", async move {
            shell.answer(request).await.or_else(|error| {
                log::say(&shell.about(Code::ObjectFailed).because(&error));
                Response::error(error.to_string(), 503)
            })
        })
        .await
    }

    async fn alarm(&self) -> Result<Response> {
        let shell = Rc::clone(&self.shell);
        watchdog::guard(
            watchdog::Who::object(&self.shell.state),
            "room.alarm",
            async move {
                if let Err(error) = shell.ring().await {
                    log::say(&shell.about(Code::AlarmFailed).because(error));
                    shell.ring_again().await;
                }
                Response::ok("")
            },
        )
        .await
    }

    async fn websocket_message(
        &self,
        _: worker::WebSocket,
        _: worker::WebSocketIncomingMessage,
    ) -> Result<()> {
        Ok(())
    }

    async fn websocket_close(
        &self,
        _: worker::WebSocket,
        _: usize,
        _: String,
        _: bool,
    ) -> Result<()> {
        Ok(())
    }

    async fn websocket_error(&self, _: worker::WebSocket, _: worker::Error) -> Result<()> {
        Ok(())
    }
}

impl Shell {
    async fn answer(self: &Rc<Self>, mut request: Request) -> Result<Response> {
        let name = request.headers().get(ROOM_HEADER)?.unwrap_or_default();
        let body = request.bytes().await?;
        self.wake(&name).await?;
        match request.path().as_str() {
            "/batch" => self.batch(&body),
            "/look" => self.look(),
            "/check" => self.check(&body),
            "/report" => self.report(),
            "/opened" => self.opened(&body),
            "/live" => self.live(&body),
            "/undo" => self.undo(&body),
            "/release" => self.release(&body),
            "/draw" => self.read(|living| {
                Response::from_json(&DrawTold::of(&living.name, living.core.room()))
            }),
            "/reset" => self.reset(&body),
            "/journal" => self.journal(&body),
            "/story" => self.story(&body),
            "/hour" => self.hour(),
            path => Response::error(format!("the room has no {path}"), 404),
        }
    }

    fn batch(self: &Rc<Self>, body: &[u8]) -> Result<Response> {
        match postcard::from_bytes::<Batch>(body) {
            Err(_) => encoded(&Err::<(), _>(Refusal::Malformed)),
            Ok(batch) => encoded(&self.turn(|core, wall_ms| core.receive(wall_ms, &batch))?),
        }
    }

    /// Of many leases at once, whether they live.
    fn check(self: &Rc<Self>, body: &[u8]) -> Result<Response> {
        match postcard::from_bytes::<Vec<Fence>>(body) {
            Err(_) => Response::error("not a list of fences", 400),
            Ok(fences) => encoded(&self.turn(|core, wall_ms| core.standings(wall_ms, &fences))?),
        }
    }

    /// A front let so many in while this could not be reached.
    fn opened(&self, body: &[u8]) -> Result<Response> {
        let count = core::str::from_utf8(body).ok();
        let count: u64 = count.and_then(|text| text.parse().ok()).unwrap_or(0);
        self.opened.set(self.opened.get().saturating_add(count));
        log::say(&self.about(Code::FailOpenOver).counting(count));
        Response::ok("")
    }

    fn look(self: &Rc<Self>) -> Result<Response> {
        encoded(&self.turn(LivingRoom::look)?)
    }

    fn report(self: &Rc<Self>) -> Result<Response> {
        let opened = self.opened.get();
        let report = Report {
            opened,
            ..self.turn(LivingRoom::report)?
        };
        self.read(|living| Response::from_json(&living.told(report)))
    }

    /// The operator changes live values: all of them or none.
    fn live(self: &Rc<Self>, body: &[u8]) -> Result<Response> {
        let Some(wanted) = read::<LiveChange>(body) else {
            return Response::error("the change is not readable", 400);
        };
        // So that what is in force, and from when a ramp runs, is as of now.
        self.turn(LivingRoom::look)?;
        let judged = self.read(|living| Ok(living.judge(&wanted)))?;
        self.settle(&wanted.by, judged)
    }

    /// The operator takes the last change back.
    fn undo(self: &Rc<Self>, body: &[u8]) -> Result<Response> {
        let Some(wanted) = read::<Undo>(body) else {
            return Response::error("the order is not readable", 400);
        };
        let judged = self.read(|living| Ok(living.judge_undo(&wanted)))?;
        self.settle(&wanted.by, judged)
    }

    /// What was found good is done; the answer is the room as it is then.
    fn settle(self: &Rc<Self>, by: &str, judged: Judged) -> Result<Response> {
        let (changes, options) = match judged {
            Ok(judged) => judged,
            Err((status, why)) => return Response::error(why, status),
        };
        if !changes.is_empty() {
            let keys: Vec<String> = changes.iter().map(|(key, _)| key.clone()).collect();
            self.turn(|core, wall_ms| core.adjust(wall_ms, by, changes, options))?;
            log::say(
                &self
                    .about(Code::LiveChanged)
                    .by(by)
                    .because(keys.join(", ")),
            );
        }
        self.report()
    }

    /// The operator ends a ticket; 410 when it is not living.
    fn release(self: &Rc<Self>, body: &[u8]) -> Result<Response> {
        let Some(wanted) = read::<Dismissal>(body) else {
            return Response::error("the number is not readable", 400);
        };
        let found = self.turn(|core, wall_ms| core.dismiss(wall_ms, wanted.number, &wanted.by))?;
        if found {
            log::say(&self.about(Code::TicketEnded).by(&wanted.by));
            Response::empty()
        } else {
            Response::error("no such ticket is living", 410)
        }
    }

    /// The operator begins the room anew, if nobody has changed it since the look.
    fn reset(self: &Rc<Self>, body: &[u8]) -> Result<Response> {
        let Some(wanted) = read::<Reset>(body) else {
            return Response::error("the reset is not readable", 400);
        };
        let seen = Some(wanted.expected);
        if let Err((code, why)) = self.read(|living| Ok(living.is_unchanged_since(seen)))? {
            return Response::error(why, code);
        }
        let edition = self.turn(|core, wall_ms| core.reset(wall_ms, &wanted.by))?;
        let edition = u64::from(edition.0);
        log::say(&self.about(Code::RoomReset).by(&wanted.by).counting(edition));
        self.report()
    }

    fn read<T>(&self, look: impl FnOnce(&Living) -> Result<T>) -> Result<T> {
        let slot = self.living.borrow();
        look(slot.as_ref().ok_or_else(asleep)?)
    }

    /// A page of the journal as JSON lines: the rows after the one whose number the body is.
    fn journal(&self, body: &[u8]) -> Result<Response> {
        let after = core::str::from_utf8(body).ok();
        let after: u64 = after.and_then(|text| text.parse().ok()).unwrap_or(0);
        self.read(|living| living.journal(after))
    }

    /// A page of what the journal says of a ticket.
    fn story(self: &Rc<Self>, body: &[u8]) -> Result<Response> {
        let page = read::<StoryPage>(body);
        let Some((number, from)) =
            page.and_then(|page| Some((page.number, page.from.parse().ok()?)))
        else {
            return Response::error("the number is not readable", 400);
        };
        let (state, ahead) = self.turn(|core, wall_ms| core.look_up(wall_ms, number))?;
        let story = self.read(|living| room_story::page(&living.core, number, from))?;
        Response::from_json(&Story {
            state,
            ahead,
            ..story
        })
    }

    fn hour(self: &Rc<Self>) -> Result<Response> {
        let (now_ms, samples) = self.turn(LivingRoom::hour)?;
        Response::from_json(&HourTold { now_ms, samples })
    }

    /// A line of the log about this room, whose name is stored: what fails may be its memory.
    fn about(&self, code: Code) -> Remark {
        let remark = Remark::of(Part::Room, code);
        let store = SqlStore::open(&self.state, "room.write").ok();
        match store.and_then(|store| store.name("room").ok()?) {
            Some(name) => remark.in_room(name),
            None => remark,
        }
    }

    async fn ring(self: &Rc<Self>) -> Result<()> {
        self.wake("").await?;
        self.turn(LivingRoom::ring)
    }

    /// The platform gives up an alarm that fails again and again; one that is set anew never ends.
    async fn ring_again(&self) {
        if let Err(error) = self.state.storage().set_alarm(1_000).await {
            log::say(&self.about(Code::AlarmFailed).because(error));
        }
    }

    /// Brings the room into memory if it is not there.
    async fn wake(&self, name: &str) -> Result<()> {
        if self.living.borrow().is_some() {
            return Ok(());
        }
        let alarm_ms = store::alarm_wall_ms(&self.state).await?;
        // The await let others in: look again.
        if self.living.borrow().is_none() {
            let living = Living::restore(&self.state, &self.env, name, alarm_ms)?;
            *self.living.borrow_mut() = Some(living);
        }
        Ok(())
    }

    /// One turn, synchronous from here to its end: written with the alarm that it makes necessary,
    /// or not at all.
    fn turn<T>(
        self: &Rc<Self>,
        act: impl FnOnce(&mut LivingRoom<SqlStore>, u64) -> Turned<T>,
    ) -> Result<T> {
        let mut living = self.living.take().ok_or_else(asleep)?;
        let turned = watchdog::atomically(&self.state, || {
            act(&mut living.core, dice::now_ms()).map_err(broken)
        });
        // An error has left nothing in memory: the state is folded anew from what is stored.
        let (result, pushes) = turned?;
        self.resume(living, pushes);
        Ok(result)
    }

    /// A turn went well.
    fn resume(self: &Rc<Self>, living: Living, pushes: Vec<Push>) {
        self.living.replace(Some(living));
        for push in pushes {
            self.send(push);
        }
    }

    fn send(self: &Rc<Self>, push: Push) {
        let shell = Rc::clone(self);
        watchdog::spawn(&self.state, "room.push", async move {
            let watchers = shell.deliver(&push).await;
            let after = shell.turn(|core, wall_ms| core.pushed(wall_ms, &push, watchers));
            if let Err(error) = after {
                log::say(&shell.about(Code::BackgroundFailed).because(error));
            }
        });
    }

    /// How many sockets the lobby holds; `None` when it did not take the push.
    async fn deliver(&self, push: &Push) -> Option<u64> {
        let address = self.living.borrow().as_ref().map(|living| Address {
            room: living.name.clone(),
            lobby: Some(push.lobby),
            location: living.location.clone(),
        })?;
        let body = postcard::to_allocvec(&push.message).ok()?;
        let answer = address
            .post(&self.env, "push", &body, PUSH_TIMEOUT_MS)
            .await;
        let mut answer = answer.ok().filter(|answer| answer.status_code() == 200)?;
        answer.text().await.ok()?.parse().ok()
    }
}

impl Living {
    /// A page of the journal: the rows after `after`.
    fn journal(&self, after: u64) -> Result<Response> {
        let store = self.core.journal().store();
        let Some(mut previous) = store.hash_of(after)? else {
            return Response::error(format!("row {after} is not kept"), 404);
        };
        let failed = |damage: Damage| error(&damage.to_string());
        let mut page = export::header(&self.name, after, &previous).map_err(failed)?;
        for row in store.page_after(after, PAGE_ROWS_MAX)? {
            page += &export::line(&previous, &row).map_err(failed)?;
            previous = row.hash;
            if page.len() > PAGE_BYTES {
                break;
            }
        }
        Response::ok(page)
    }

    /// The room as the operator sees it.
    fn told(&self, report: Report) -> Told {
        let live = self.core.room().live();
        let values = values_of(live);
        let (now, tick_ms) = (self.core.clock().now(), self.core.room().config().tick_ms);
        let mut undone = values.clone();
        for (key, value) in &live.before {
            put(&mut undone, key, value.as_deref());
        }
        let mut undo = in_force(&self.table, &undone, now, tick_ms);
        undo.retain(|key, _| live.before.contains_key(key));
        Told {
            report,
            revision: live.revision,
            settings: in_force(&self.table, &values, now, tick_ms),
            changed: live.values.clone(),
            undo,
        }
    }

    /// What the operator's change comes to, or status and reason why it is refused.
    fn judge(&self, wanted: &LiveChange) -> Judged {
        let live = self.core.room().live();
        self.is_unchanged_since(wanted.expected)?;
        let mut values = values_of(live);
        let mut changes = Vec::new();
        for (key, value) in &wanted.values {
            let value = self.begun(key, value).map_err(|why| (400, why))?;
            let text = (!value.is_null()).then(|| value.to_string());
            let known = live.values.get(key).map(|value| value.json.as_str());
            if known != text.as_deref() {
                changes.push((key.clone(), text));
            }
            values.insert(key.clone(), value);
        }
        self.judge_changes(&wanted.by, changes, values)
    }

    /// What taking the last change back comes to.
    fn judge_undo(&self, wanted: &Undo) -> Judged {
        self.is_unchanged_since(Some(wanted.expected))?;
        let before = &self.core.room().live().before;
        if before.is_empty() {
            return Err((
                400,
                "nothing was changed yet that could be undone".to_owned(),
            ));
        }
        let mut values = values_of(self.core.room().live());
        for (key, value) in before {
            put(&mut values, key, value.as_deref());
        }
        let changes = before.clone().into_iter().collect();
        self.judge_changes(&wanted.by, changes, values)
    }

    fn is_unchanged_since(&self, seen: Option<u64>) -> std::result::Result<(), (u16, String)> {
        let now = self.core.room().live().revision;
        match seen {
            Some(seen) if seen != now => {
                let why = format!("the room was changed meanwhile: revision {now}");
                Err((412, why))
            }
            _ => Ok(()),
        }
    }

    /// A ramp begins now, from what is in force unless it says otherwise.
    fn begun(&self, key: &str, value: &Value) -> std::result::Result<Value, String> {
        if !RAMP_KEYS.contains(&key) {
            return Ok(value.clone());
        }
        let config = self.core.room().config();
        let in_force = match key {
            "permits" => Value::from(config.permits),
            _ => per_s(config.admissions_milli_per_s),
        };
        let now = self.core.clock().now();
        begun(&self.name, key, value, &in_force, now).map_err(|problem| problem.to_string())
    }

    /// What these changes come to, which make `values` the live ones.
    fn judge_changes(&self, by: &str, changes: Vec<Change>, values: Map<String, Value>) -> Judged {
        if let Some(why) = self.core.room().live().refuses(by, &changes) {
            return Err((400, why.to_owned()));
        }
        let ramps = ramps(&values);
        match parse_live(&self.name, &self.table, &Value::Object(values)) {
            Ok(settings) => Ok((changes, options(&settings, ramps, self.lots.clone()))),
            Err(problems) => {
                let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
                Err((400, lines.join("\n")))
            }
        }
    }

    fn restore(state: &State, env: &Env, name: &str, alarm_ms: Option<u64>) -> Result<Self> {
        let store = SqlStore::open(state, "room.write")?;
        let name = match store.name("room")? {
            Some(stored) => stored,
            None if name.is_empty() => return Err(error("a room without a name was woken")),
            None => {
                store.set_name("room", name)?;
                name.to_owned()
            }
        };
        let deployment = config::load(env).map_err(|_| error("the configuration is not valid"))?;
        let settings = deployment.settings.room(&name);
        let settings = settings.ok_or_else(|| error(&format!("there is no room {name:?}")))?;
        let location = settings.location.clone();
        let said = |code| Remark::of(Part::Room, code).in_room(&name);
        let lots = Lots::new(deployment.keyring.draw_keys(&name));
        let options = |settings: &RoomSettings, ramps| options(settings, ramps, lots.clone());
        let from_file = options(settings, Ramps::default());
        let mut core =
            LivingRoom::restore(store, from_file, dice::now_ms(), alarm_ms).map_err(broken)?;
        let table = deployment.tables.get(&name).cloned().unwrap_or_default();
        let values = values_of(core.room().live());
        let ramps = ramps(&values);
        match parse_live(&name, &table, &Value::Object(values)) {
            Ok(in_force) => core.set_options(options(&in_force, ramps)),
            // A deploy may leave no room for a live value that was good: the file's are in force, and it is said.
            Err(problems) => {
                for problem in &problems {
                    log::say(&said(Code::LiveValueUnusable).because(problem));
                }
            }
        }
        let rows = core.room().version().0;
        log::say(&said(Code::RoomWoke).counting(rows));
        Ok(Self {
            name,
            location,
            table,
            core,
            lots,
        })
    }
}

/// What changes and what follows, or status and reason why nothing does.
type Judged = std::result::Result<(Vec<Change>, RoomOptions), (u16, String)>;

/// Lays one live value over others; `None`: the file's.
fn put(values: &mut Map<String, Value>, key: &str, json: Option<&str>) {
    match json.and_then(|json| serde_json::from_str(json).ok()) {
        Some(value) => drop(values.insert(key.to_owned(), value)),
        None => drop(values.remove(key)),
    }
}

fn values_of(live: &Live) -> Map<String, Value> {
    let parsed = |(key, value): (&String, &LiveValue)| {
        Some((key.clone(), serde_json::from_str(&value.json).ok()?))
    };
    live.values.iter().filter_map(parsed).collect()
}

fn options(settings: &RoomSettings, ramps: Ramps, lots: Lots) -> RoomOptions {
    RoomOptions {
        config: room_config(settings),
        ramps,
        journal_keep_ms: u64::from(settings.journal_keep_days) * DAY_MS,
        lots,
    }
}

fn room_config(settings: &RoomSettings) -> RoomConfig {
    RoomConfig {
        permits: settings.permits,
        mode: settings.mode,
        walk_in: settings.walk_in,
        tick_ms: settings.tick_ms,
        claim_within_ms: settings.claim_within_ms,
        grace_ms: settings.grace_ms,
        lease_idle_ms: settings.lease_idle_ms,
        lease_max_ms: settings.lease_max_ms,
        lease_extend_max_ms: settings.lease_extend_max_ms,
        admissions_milli_per_s: settings.admissions_milli_per_s,
        origin_errors_max_percent: settings.origin_errors_max_percent,
        origin_errors_window_ms: settings.origin_errors_window_ms,
        stock_line: settings.stock_line,
        message: settings.message.clone(),
        periods: settings.periods.clone(),
        hall_ms: settings.hall_ms,
        draw: settings.draw,
    }
}

/// What the front has written as JSON.
fn read<T: serde::de::DeserializeOwned>(body: &[u8]) -> Option<T> {
    serde_json::from_str(core::str::from_utf8(body).ok()?).ok()
}

fn encoded<T: serde::Serialize>(value: &T) -> Result<Response> {
    let bytes =
        postcard::to_allocvec(value).map_err(|_| error("an answer could not be encoded"))?;
    Response::from_bytes(bytes)
}

fn asleep() -> worker::Error {
    error("the room is not awake")
}

fn broken(fault: Fault) -> worker::Error {
    error(&fault.to_string())
}

fn error(what: &str) -> worker::Error {
    worker::Error::RustError(what.to_owned())
}
