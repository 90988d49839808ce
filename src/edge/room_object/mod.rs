//! The room object: the single writer of one room. ONE per room.
//!
//! **Stores** the room's journal (one row a turn), now and then a snapshot of its fold, the salts with which its lobbies make keys (one an
//! edition, outside the journal), its name and home, in a room of the house its definition, and one alarm. **Answers** lobbies `POST /room`
//! (`facts::message`), the outbox `POST /notes` (what its journal says to other software), fronts `POST /opened` (how many requests they let in
//! while it could not be reached), `POST /draw` and `POST /chain` (what everybody may know), and operators `POST /report` (the room in numbers,
//! with the settings in force), `POST /hour` and `POST /outlook` (its last hour, what a forecast needs), `POST /live` (live values), `POST /undo`
//! (the last change of them), `POST /release`, `POST /leave` and `POST /release-lease` (end a ticket by its number, its account, its fence),
//! `POST /reset` (a new edition), `POST /sheets`, `POST /sheet-make` and `POST /sheet-withdraw` (vouchers), `POST /journal` (its rows),
//! `POST /story` (what they say of a ticket) and `POST /actions` (who did what). **Pushes** to lobbies what they must hear, and tells the house
//! and the outbox its news; no reply and no alarm ever waits for that.
//!
//! **What makes a turn atomic:** it is one synchronous block. It writes the row, the snapshot and the alarm at its end, in one transaction and with
//! no await in between, and the output gate holds the answer and every push until they are on disk. An error in the block undoes the writes and drops
//! the state in memory; the next request folds it anew from what is stored. Nothing is visible before it is durable.
//!
//! | file | what |
//! |---|---|
//! | `mod` | the object: what it answers; a turn, and the pushes after it |
//! | `living` | the room in memory: brought back, and changes judged by its settings |
//! | `operate`, `vouchers` | what operators do; sheets of vouchers |
//! | `story` | looks a ticket up |
//! | `house`, `outbox` | what the room tells the house, and other software |
//! | `summon` | tells the outbox whose turn comes while they are away |

mod house;
mod living;
mod operate;
mod outbox;
mod story;
mod summon;
mod vouchers;

use self::living::Living;
use super::call::Call;
use super::definition::{self, Learner};
use super::log::{self, Code, Remark};
use super::object::{self, Pauses, broken, error};
use super::orders::{DrawTold, HourTold, JournalPage, Story, StoryPage};
use super::peers::{DEFINED_HEADER, HOME_HEADER, ROOM_HEADER, deepest};
use super::store::{Name, SqlStore};
use super::{dice, watchdog};
use ::living::clock::COARSE_MS;
use ::living::{LivingRoom, Turned};
use ::outbox::is_notable;
use facts::envelope::{self, Unreadable};
use facts::event::{Event, Row};
use facts::log::Part;
use facts::message::{FromRoom, Heard, Refusal, ToRoom};
use facts::schedule::StepEnd;
use futures_channel::oneshot;
use futures_util::future::{Either, select};
use room::courier::{PUSH_TIMEOUT_MS, Push};
use room::report::Report;
use settings::name_in_file;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;
use wasm_bindgen::prelude::*;
use worker::{Delay, DurableObject, Env, Request, Response, Result, State, durable_object, web_sys};

/// See the file's documentation.
#[durable_object(alarm)]
pub struct RoomObject {
    shell: Rc<Shell>,
}

/// What handlers and background pushes share.
struct Shell {
    state: State,
    env: Env,
    /// `None` before the first event and after an error. Never borrowed across an await.
    living: RefCell<Option<Living>>,
    /// The requests that fronts let in while this room could not be reached, as far as they have told.
    opened: Cell<u64>,
    /// Whether a summary for the house is about to leave.
    tells: Cell<bool>,
    /// Whether a nudge for the outbox is about to leave.
    nudges: Cell<bool>,
    /// Whether messages about people who are away are being sent.
    summons: Cell<bool>,
    learner: Learner,
    pauses: Pauses,
}

#[wasm_bindgen]
impl RoomObject {
    /// Answers a call, as `object::hear` does.
    ///
    /// # Errors
    /// When the platform refuses even an error's answer.
    pub fn hear(&self, request: web_sys::Request, url: String, lines: String) -> std::result::Result<JsValue, JsValue> {
        let (shell, named) = (Rc::clone(&self.shell), Rc::clone(&self.shell));
        let answer = move |call: Call| async move { shell.answer(&call).await };
        object::hear((request, url, lines), "room.fetch", move |code| named.about(code), answer)
    }
}

impl DurableObject for RoomObject {
    fn new(state: State, env: Env) -> Self {
        Self {
            shell: Rc::new(Shell {
                state,
                env,
                living: RefCell::new(None),
                opened: Cell::new(0),
                tells: Cell::new(false),
                nudges: Cell::new(false),
                summons: Cell::new(false),
                learner: Learner::default(),
                pauses: Pauses::default(),
            }),
        }
    }

    async fn fetch(&self, _: Request) -> Result<Response> {
        object::unheard()
    }

    async fn alarm(&self) -> Result<Response> {
        let shell = Rc::clone(&self.shell);
        object::alarm((&shell.state, &shell.pauses), "room.alarm", |code| shell.about(code), shell.ring()).await
    }
}

impl Shell {
    async fn answer(self: &Rc<Self>, call: &Call) -> Result<web_sys::Response> {
        let name = call.header(ROOM_HEADER).unwrap_or_default();
        let defined = call.header(DEFINED_HEADER);
        if let Some(row) = defined.and_then(|row| row.parse().ok()) {
            self.learn(name, row).await?;
        }
        let (path, body) = (call.path.as_str(), &*call.body);
        if path == "/notes" {
            return Ok(self.notes(name, body).await?.into());
        }
        if self.living.borrow().is_none() {
            definition::settle(&self.state, call.header(HOME_HEADER))?;
        }
        self.wake(name).await?;
        if path == "/room" {
            return self.hear(call);
        }
        let answer = match path {
            "/report" => self.report(),
            "/opened" => self.opened(body),
            "/live" => self.live(body),
            "/undo" => self.undo(body),
            "/release" => self.release(body),
            "/leave" => self.leave(body),
            "/release-lease" => self.release_lease(body),
            "/draw" => self.read(|living| Response::from_json(&DrawTold::of(name_in_file(&living.name), living.core.room()))),
            "/chain" => self.read(|living| Response::from_json(&living.chain())),
            "/reset" => self.reset(body),
            "/journal" => self.journal(body),
            "/story" => self.story(body),
            "/sheets" => self.sheets(),
            "/sheet-make" => self.make_sheet(body),
            "/sheet-withdraw" => self.withdraw_sheet(body),
            "/actions" => self.read(|living| living.actions(body)),
            "/hour" => self.hour(),
            "/outlook" => Response::from_json(&self.turn(LivingRoom::outlook)?),
            path => Response::error(format!("the room has no {path}"), 404),
        };
        Ok(answer?.into())
    }

    /// Takes in what a lobby says, and answers it.
    fn hear(self: &Rc<Self>, call: &Call) -> Result<web_sys::Response> {
        match envelope::of_bytes::<ToRoom>(&call.body) {
            Ok(said) => {
                let answer = self.turn(|core, wall_ms| core.hear(wall_ms, &said))?;
                call.answer(said_back(&answer)?)
            }
            Err(why) => {
                let refusal = match why {
                    Unreadable::Version => Refusal::Version,
                    Unreadable::Malformed => Refusal::Malformed,
                };
                object::unread(why, said_back(&FromRoom::Refused(refusal))?)
            }
        }
    }

    /// Counts the requests that a front let in while this room could not be reached.
    fn opened(&self, body: &[u8]) -> Result<Response> {
        let count = core::str::from_utf8(body).ok();
        let count: u64 = count.and_then(|text| text.parse().ok()).unwrap_or(0);
        self.opened.set(self.opened.get().saturating_add(count));
        log::say(&self.about(Code::FailOpenOver).counting(count));
        Response::ok("")
    }

    fn report(self: &Rc<Self>) -> Result<Response> {
        let report = self.turn(LivingRoom::report)?;
        self.told(report)
    }

    /// Answers with the room as the operator sees it, with these numbers.
    fn told(&self, report: Report) -> Result<Response> {
        let report = self.completed(report);
        self.read(|living| Response::from_json(&living.told(report)))
    }

    fn reported(self: &Rc<Self>) -> Result<Report> {
        let report = self.turn(LivingRoom::report)?;
        Ok(self.completed(report))
    }

    /// Adds to a report what only the object knows.
    fn completed(&self, report: Report) -> Report {
        Report {
            opened: self.opened.get(),
            call_depth: deepest(&self.state),
            ..report
        }
    }

    fn read<T>(&self, look: impl FnOnce(&Living) -> Result<T>) -> Result<T> {
        let slot = self.living.borrow();
        look(slot.as_ref().ok_or_else(asleep)?)
    }

    /// Answers with a page of the journal as JSON lines.
    fn journal(&self, body: &[u8]) -> Result<Response> {
        let Some(page) = read::<JournalPage>(body) else {
            return object::unreadable();
        };
        self.read(|living| living.journal(page.after))
    }

    /// Answers with a page of what the journal says of a ticket.
    fn story(self: &Rc<Self>, body: &[u8]) -> Result<Response> {
        let page = read::<StoryPage>(body);
        let Some((number, from)) = page.and_then(|page| Some((page.number, page.from.parse().ok()?))) else {
            return object::unreadable();
        };
        let (state, ahead) = self.turn(|core, wall_ms| core.look_up(wall_ms, number))?;
        let story = self.read(|living| story::page(&living.core, number, from))?;
        Response::from_json(&Story { state, ahead, ..story })
    }

    fn hour(self: &Rc<Self>) -> Result<Response> {
        let (now_ms, samples) = self.turn(LivingRoom::hour)?;
        Response::from_json(&HourTold { now_ms, samples })
    }

    /// Begins a line of the log about this room. The name is read from storage, since the memory may be what fails.
    fn about(&self, code: Code) -> Remark {
        let remark = Remark::of(Part::Room, code);
        let name = Name::open(&self.state).ok();
        match name.and_then(|name| name.get("room").ok()?) {
            Some(name) => remark.in_room(name),
            None => remark,
        }
    }

    async fn ring(self: &Rc<Self>) -> Result<()> {
        self.wake("").await?;
        self.turn(LivingRoom::ring)
    }

    /// Learns of a newer definition, if the caller knows the room by a later row of the house, and then drops the room from memory.
    async fn learn(&self, name: &str, row: u64) -> Result<()> {
        let known = self.living.borrow().as_ref().and_then(|it| it.defined);
        let object = (&self.state, &self.env);
        if self.learner.learn(object, name, known, row).await? {
            self.living.take();
        }
        Ok(())
    }

    /// Brings the room into memory if it is not there.
    fn wake(&self, name: &str) -> impl Future<Output = Result<()>> {
        object::wake(&self.state, &self.living, move |alarm_ms| {
            Living::restore(&self.state, &self.env, name, alarm_ms)
        })
    }

    /// Runs one turn, synchronous from here to its end. It is written with the alarm that it makes necessary, or not at all.
    fn turn<T>(self: &Rc<Self>, act: impl FnOnce(&mut LivingRoom<SqlStore>, u64) -> Turned<T>) -> Result<T> {
        // An error leaves nothing in memory: the next request folds the state anew from what is stored.
        let mut living = self.living.take().ok_or_else(asleep)?;
        let (result, pushes) = act(&mut living.core, dice::now_ms()).map_err(broken)?;
        living.core.journal().store().commit()?;
        let events = &living.core.last_row().events;
        let mut summons = false;
        if let Some(absent) = &mut living.absent {
            absent.follow(living.core.room(), events);
            summons = absent.has_any();
        }
        let has_news = living.house.is_some() && !events.is_empty();
        let outbox = living.outbox.clone().filter(|_| events.iter().any(is_notable));
        self.tell_steps(living.core.last_row());
        self.tell_roll_back(&living.core);
        self.resume(living, pushes);
        if has_news {
            self.tell_house();
        }
        if let Some(outbox) = outbox {
            self.nudge(outbox);
        }
        if summons {
            self.summon();
        }
        Ok(result)
    }

    /// Logs the steps of the schedule that a turn has dealt with.
    fn tell_steps(&self, row: &Row) {
        for event in &row.events {
            let Event::Scheduled { at_ms, end } = event else {
                continue;
            };
            let said = |code| self.about(code).counting(*at_ms);
            log::say(&match end {
                StepEnd::Done => said(Code::StepDone),
                StepEnd::Refused(why) => said(Code::StepRefused).because(why),
                StepEnd::Passed => said(Code::StepPassed),
            });
        }
    }

    /// Logs that somebody has shown in a turn that the room's data is older than what people were told.
    fn tell_roll_back(&self, core: &LivingRoom<SqlStore>) {
        let proves = |event: &Event| matches!(event, Event::RolledBack { .. });
        if core.last_row().events.iter().any(proves) {
            let proofs = core.room().rolled_back();
            log::say(&self.about(Code::RolledBack).counting(proofs));
        }
    }

    /// Puts the room back after a turn that went well, sets its timer and sends the pushes.
    fn resume(self: &Rc<Self>, mut living: Living, pushes: Vec<Push>) {
        if let Some(in_ms) = living.core.timer_in_ms() {
            living.timer = Some(self.set_timer(in_ms));
        }
        self.living.replace(Some(living));
        for push in pushes {
            self.send(push);
        }
    }

    /// Sets a timer for the room's next turn. Dropping what this returns cancels it. A turn that fails leaves nothing in memory and no timer, but the
    /// alarm rings.
    fn set_timer(self: &Rc<Self>, in_ms: u64) -> oneshot::Sender<()> {
        let (kept, taken_back) = oneshot::channel();
        let shell = Rc::clone(self);
        watchdog::spawn(&self.state, "room.timer", async move {
            let rings = Delay::from(Duration::from_millis(in_ms + COARSE_MS));
            if let Either::Right(_) = select(taken_back, rings).await
                && let Err(error) = shell.turn(LivingRoom::timer_rang)
            {
                log::say(&shell.about(Code::BackgroundFailed).because(error));
            }
        });
        kept
    }

    fn send(self: &Rc<Self>, push: Push) {
        let shell = Rc::clone(self);
        watchdog::spawn(&self.state, "room.push", async move {
            let heard = shell.deliver(&push).await;
            let after = shell.turn(|core, wall_ms| core.pushed(wall_ms, &push, heard));
            if let Err(error) = after {
                log::say(&shell.about(Code::BackgroundFailed).because(error));
            }
        });
    }

    /// Sends a push, and returns what the lobby answers; `None` if the lobby did not take it.
    async fn deliver(&self, push: &Push) -> Option<Heard> {
        let room = self.living.borrow().as_ref()?.address.clone();
        let body = envelope::bytes(&push.said).ok()?;
        let caller = (&self.state, &self.env);
        let lobby = room.at(push.lobby);
        let answer = lobby.call(caller, "push", &body, PUSH_TIMEOUT_MS).await;
        let answer = answer.ok().filter(|answer| answer.status == 200)?;
        envelope::of_bytes(&answer.body).ok()
    }
}

/// Reads what the front has written as JSON.
fn read<T: serde::de::DeserializeOwned>(body: &[u8]) -> Option<T> {
    serde_json::from_str(core::str::from_utf8(body).ok()?).ok()
}

fn said_back(answer: &FromRoom) -> Result<Vec<u8>> {
    envelope::bytes(answer).map_err(|why| error(&why.to_string()))
}

fn asleep() -> worker::Error {
    error("the room is not awake")
}
