//! The house object: the single writer of which rooms there are beside those of the file. ONE per deployment.
//!
//! **Stores** the house's journal (one row a change), now and then a snapshot of its fold, and what blinds the operators' names in it.
//! **Answers** fronts `POST /table` (what they judge by), objects `POST /room` (one room's definition), busy rooms `POST /summary` (which is
//! kept in memory alone), and the operator `POST /summaries`, `POST /look`,
//! `POST /plan`, `POST /change`, `POST /undo` and `POST /journal`. **Calls** rooms: before a change those of which nobody may have a
//! place, after it each that is another, so that it knows without a visitor.
//!
//! **What makes a change atomic:** it is judged and written in one synchronous block. Where rooms had to be asked first, the house
//! must be as it was then, or the operator is told that somebody was quicker.

use super::journal_page::journal_page;
use super::log::{self, Code, Remark};
use super::object::{self, broken, error};
use super::orders::{HouseOrder, HouseSteps, HouseTold, Told, Undo};
use super::peers::Address;
use super::store::SqlStore;
use super::{config, dice, watchdog};
use crate::facts::config::Mode;
use crate::facts::holder::Salt;
use crate::facts::house::HouseEvent;
use crate::house::table::{Definition, Table};
use crate::house::{Refusal, Stands};
use crate::journal::export;
use crate::living::LivingHouse;
use crate::log::Part;
use crate::settings::{Grounds, HouseChange, Problem, RoomSettings, house_changes, in_lines};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use worker::{DurableObject, Env, Request, Response, Result, State, durable_object};

/// How long a room may take to say whether anybody has a place.
const PATIENCE_MS: u64 = 5_000;

/// See the file's documentation.
#[durable_object]
pub struct HouseObject {
    shell: Rc<Shell>,
}

struct Shell {
    state: State,
    env: Env,
    /// `None` before the first event and after an error. Never borrowed across an await.
    living: RefCell<Option<LivingHouse<SqlStore>>>,
    /// What busy rooms last said of themselves, by name, as JSON. A rumour: it goes with this memory.
    summaries: RefCell<BTreeMap<String, String>>,
}

/// An answer that is not the house: status and reason.
type Refused = (u16, String);

impl DurableObject for HouseObject {
    fn new(state: State, env: Env) -> Self {
        Self {
            shell: Rc::new(Shell {
                state,
                env,
                living: RefCell::new(None),
                summaries: RefCell::default(),
            }),
        }
    }

    async fn fetch(&self, request: Request) -> Result<Response> {
        let shell = Rc::clone(&self.shell);
        watchdog::guard(
            watchdog::Who::request(&request),
            "house.fetch",
            async move {
                let answer = shell.answer(request).await;
                answer.or_else(|error| object::failed(about(Code::ObjectFailed), &error))
            },
        )
        .await
    }
}

impl Shell {
    async fn answer(self: &Rc<Self>, mut request: Request) -> Result<Response> {
        let body = request.bytes().await?;
        let body = core::str::from_utf8(&body).unwrap_or_default();
        object::wake(&self.state, &self.living, |_| {
            let store = SqlStore::open(&self.state, "house.write")?;
            let salt = Salt(dice::random_bytes()?);
            LivingHouse::restore(store, salt, dice::now_ms()).map_err(broken)
        })
        .await?;
        match request.path().as_str() {
            "/table" => self.table(),
            "/room" => self.room(body),
            "/summary" => self.hear(body),
            "/summaries" => self.summaries(),
            "/look" => self.look(),
            "/plan" => self.plan(body),
            "/change" => self.change(body).await,
            "/undo" => self.undo(body).await,
            "/journal" => self.journal(body),
            path => Response::error(format!("the house has no {path}"), 404),
        }
    }

    /// What fronts judge by.
    fn table(&self) -> Result<Response> {
        self.read(|living| {
            let house = living.house();
            let response = Response::from_json(&Table::of(house))?;
            let version = house.version().to_string();
            response.headers().set("Baton-Version", &version)?;
            Ok(response)
        })
    }

    /// What one room is.
    fn room(&self, name: &str) -> Result<Response> {
        self.read(|living| match living.house().rooms().get(name) {
            Some(kept) => Response::from_json(&Definition::of(kept)),
            None => Response::error("the house has no such room", 404),
        })
    }

    /// A room says how it is doing: its name, a line break, the rest.
    fn hear(&self, body: &str) -> Result<Response> {
        let is_open = |name: &str| {
            self.read(|living| {
                let kept = living.house().rooms().get(name);
                Ok(kept.is_some_and(|kept| kept.stands != Stands::Freed))
            })
        };
        if let Some((name, summary)) = body.split_once('\n')
            && is_open(name)?
        {
            let mut summaries = self.summaries.borrow_mut();
            summaries.insert(name.to_owned(), summary.to_owned());
        }
        Response::empty()
    }

    /// What rooms said of themselves: of each a line with its name and one with the rest.
    fn summaries(&self) -> Result<Response> {
        let summaries = self.summaries.borrow();
        let lines = summaries
            .iter()
            .flat_map(|(name, said)| [name, "\n", said, "\n"]);
        Response::ok(lines.collect::<String>())
    }

    fn look(&self) -> Result<Response> {
        let (file, grounds) = self.file()?;
        self.read(|living| {
            let house = living.house();
            let undone = house.undo().ok().map(|events| house.after(&events));
            let undo = undone.and_then(|next| house_changes(&file, &grounds, house, &next).ok());
            Response::from_json(&HouseTold::of(house, &undo.unwrap_or_default()))
        })
    }

    /// What a change would come to.
    fn plan(&self, body: &str) -> Result<Response> {
        let Ok(order) = serde_json::from_str::<HouseOrder>(body) else {
            return Response::error("the change is not readable", 400);
        };
        let (file, grounds) = self.file()?;
        self.read(|living| {
            let house = living.house();
            let next = match house.decide(&order.wishes) {
                Ok(events) => house.after(&events),
                Err(refusal) => return refused(refusal),
            };
            let changes = house_changes(&file, &grounds, house, &next);
            let steps = match changes.and_then(|changes| self.check(changes)) {
                Ok(changes) => HouseSteps::good(house.version(), &changes),
                Err(problems) => HouseSteps::bad(house.version(), &problems),
            };
            Response::from_json(&steps)
        })
    }

    /// The operator changes rooms: all of them or none.
    async fn change(self: &Rc<Self>, body: &str) -> Result<Response> {
        let Ok(order) = serde_json::from_str::<HouseOrder>(body) else {
            return Response::error("the change is not readable", 400);
        };
        let events = self.read(|living| Ok(living.house().decide(&order.wishes)))?;
        self.settle(&order.by, order.expected, events).await
    }

    async fn undo(self: &Rc<Self>, body: &str) -> Result<Response> {
        let Ok(order) = serde_json::from_str::<Undo>(body) else {
            return Response::error("the order is not readable", 400);
        };
        let events = self.read(|living| Ok(living.house().undo()))?;
        self.settle(&order.by, Some(order.expected), events).await
    }

    /// What was decided is done, if the house is what the operator saw, every room is good, and nobody has a place where none may.
    async fn settle(
        self: &Rc<Self>,
        by: &str,
        expected: Option<u64>,
        events: core::result::Result<Vec<HouseEvent>, Refusal>,
    ) -> Result<Response> {
        let events = match events {
            Ok(events) => events,
            Err(refusal) => return refused(refusal),
        };
        if events.is_empty() {
            return self.look();
        }
        let seen = self.read(|living| Ok(living.house().version()))?;
        if expected.is_some_and(|expected| expected != seen) {
            return changed_meanwhile(seen);
        }
        let changes = match self.judge(&events)? {
            Ok(changes) => changes,
            Err(why) => return Response::error(why, 400),
        };
        for change in &changes {
            if let Err((status, why)) = self.may(change).await {
                return Response::error(why, status);
            }
        }
        // The rooms' answers took a while.
        let now = self.read(|living| Ok(living.house().version()))?;
        if now != seen {
            return changed_meanwhile(now);
        }
        self.write(by, events)?;
        for change in changes {
            log::say(&about(Code::HouseChanged).in_room(&change.room).by(by));
            self.tell(change);
        }
        self.look()
    }

    fn judge(
        &self,
        events: &[HouseEvent],
    ) -> Result<core::result::Result<Vec<HouseChange>, String>> {
        let (file, grounds) = self.file()?;
        self.read(|living| {
            let house = living.house();
            let changes = house_changes(&file, &grounds, house, &house.after(events));
            let changes = changes.and_then(|changes| self.check(changes));
            Ok(changes.map_err(|problems| in_lines(&problems)))
        })
    }

    /// Whether this deployment has what the rooms need.
    fn check(
        &self,
        changes: Vec<HouseChange>,
    ) -> core::result::Result<Vec<HouseChange>, Vec<Problem>> {
        let Ok(deployment) = config::load(&self.env) else {
            return Ok(changes);
        };
        let rooms = changes.iter().filter_map(|change| change.to.clone());
        let problems = config::lacking(&self.env, &deployment.settings, rooms.collect());
        if problems.is_empty() {
            Ok(changes)
        } else {
            Err(problems)
        }
    }

    /// Whether nobody has a place where none may.
    async fn may(&self, change: &HouseChange) -> core::result::Result<(), Refused> {
        let Some(room) = change.asks() else {
            return Ok(());
        };
        let told = self.report(room).await.ok_or_else(|| {
            let why = format!("The room {} does not answer. Try again.", room.name);
            (503, why)
        })?;
        let report = &told.report;
        let living = report.waiting + report.in_hall + u64::from(report.inside);
        match change.hindered(report.mode == Mode::Closed, living) {
            Some(why) => Err((409, why)),
            None => Ok(()),
        }
    }

    async fn report(&self, room: &RoomSettings) -> Option<Told> {
        let caller = (&self.state, &self.env);
        let room = Address::of_room(room);
        let answer = room.call(caller, "report", &[], PATIENCE_MS).await;
        let answer = answer.ok().filter(|answer| answer.status == 200)?;
        serde_json::from_str(&answer.text()?).ok()
    }

    fn write(&self, by: &str, events: Vec<HouseEvent>) -> Result<()> {
        // An error leaves nothing in memory: the state is folded anew from what is stored.
        let mut living = self.living.take().ok_or_else(asleep)?;
        living.change(dice::now_ms(), by, events).map_err(broken)?;
        living.journal().store().commit()?;
        let gone = |name: &String| {
            let kept = living.house().rooms().get(name);
            kept.is_none_or(|kept| kept.stands == Stands::Freed)
        };
        self.summaries.borrow_mut().retain(|name, _| !gone(name));
        self.living.replace(Some(living));
        Ok(())
    }

    /// A room that is another learns it now, if it answers; else with its next visitor.
    fn tell(self: &Rc<Self>, change: HouseChange) {
        let Some(room) = change.to else { return };
        let shell = Rc::clone(self);
        watchdog::spawn(&self.state, "house.tell", async move {
            if shell.report(&room).await.is_none() {
                log::say(&about(Code::RoomUnreachable).in_room(&room.name));
            }
        });
    }

    fn journal(&self, after: &str) -> Result<Response> {
        let after: u64 = after.parse().unwrap_or_default();
        self.read(|living| {
            let store = living.journal().store();
            journal_page::<HouseEvent>(store, export::HOUSE, after)
        })
    }

    fn read<T>(&self, look: impl FnOnce(&LivingHouse<SqlStore>) -> Result<T>) -> Result<T> {
        let slot = self.living.borrow();
        look(slot.as_ref().ok_or_else(asleep)?)
    }

    /// The rooms of the file, and where the house may put others.
    fn file(&self) -> Result<(Vec<RoomSettings>, Grounds)> {
        let deployment =
            config::load(&self.env).map_err(|_| error("the configuration is not valid"))?;
        let grounds = deployment.settings.grounds.clone();
        let grounds = grounds.ok_or_else(|| error("wrangler.toml has no [vars.GROUNDS]"))?;
        Ok((deployment.settings.rooms.clone(), grounds))
    }
}

fn refused(refusal: Refusal) -> Result<Response> {
    let status = match refusal {
        Refusal::Unknown(_) => 404,
        Refusal::IsOver(_) | Refusal::IsOpen(_) => 409,
        Refusal::Full | Refusal::Long(_) | Refusal::NothingToUndo => 400,
    };
    Response::error(refusal.to_string(), status)
}

fn changed_meanwhile(now: u64) -> Result<Response> {
    Response::error(
        format!("the house was changed meanwhile: revision {now}"),
        412,
    )
}

fn about(code: Code) -> Remark {
    Remark::of(Part::House, code)
}

fn asleep() -> worker::Error {
    error("the house is not awake")
}
