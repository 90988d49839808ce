//! The house object: the single writer of which rooms there are beside those of the file, and who may operate beside whom the file
//! names. ONE per deployment.
//!
//! **Stores** the house's journal (one row a change), now and then a snapshot of its fold, and what blinds the operators' names in it.
//! **Answers** fronts `POST /table` (what they judge by), objects `POST /room` (one room's definition), busy rooms `POST /summary` (which is
//! kept in memory alone), the operator `POST /summaries`, `POST /look`, `POST /plan`, `POST /change`, `POST /undo`, `POST /actions` and `POST /journal`, the
//! outbox `POST /notes`, and of the pictures that pages show, in a table of their own, `POST /picture`, `/pictures`, `/keep-picture`,
//! `/drop-picture`. **Calls** the outbox after a change, and rooms: before a change those of which nobody may have a
//! place, after it each that is another, so that it knows without a visitor.
//!
//! **What makes a change atomic:** it is judged and written in one synchronous block. Where rooms had to be asked first, the house
//! must be as it was then, or the operator is told that somebody was quicker.

use super::actions_page::actions_page;
use super::front::js::describe;
use super::journal_page::journal_page;
use super::log::{self, Code, Remark};
use super::notes_page::{notes_of_house_journal, said};
use super::object::{self, broken, error};
use super::orders::{HouseOrder, HouseSteps, HouseTold, Told, Undo};
use super::peers::Address;
use super::pictures::{NotKept, Pictures};
use super::store::SqlStore;
use super::{config, dice, watchdog};
use crate::brand::image::IMAGES_MAX;
use crate::envelope;
use crate::facts::config::Mode;
use crate::facts::holder::Salt;
use crate::facts::house::HouseEvent;
use crate::house::table::{Definition, Table};
use crate::house::{House, Refusal, Stands};
use crate::journal::export;
use crate::living::LivingHouse;
use crate::log::Part;
use crate::outbox::{Asked, Mark};
use crate::room::lanes::LaneReport;
use crate::settings::{
    Grounds, HouseChange, Problem, RoomSettings, house_changes, house_operators, in_lines,
    missing_pictures, operator_changes, rooms_showing, somebody_owns,
};
use crate::token::Operator;
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
/// What becomes of rooms.
type Changes = Vec<HouseChange>;

/// How the house says that nobody would be left who may change who operates.
pub const LAST_OWNER: u16 = 422;
const LAST_OWNER_WHY: &str = "Nobody would be left with the role own for all rooms and without an end. Give it to somebody else first, or set the secret BATON_ADMIN_TOKEN.";

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
        let who = watchdog::Who::request(&request);
        object::fetch(who, "house.fetch", about, shell.answer(request)).await
    }
}

impl Shell {
    async fn answer(self: &Rc<Self>, mut request: Request) -> Result<Response> {
        let bytes = request.bytes().await?;
        object::wake(&self.state, &self.living, |_| {
            let store = SqlStore::open(&self.state, "house.write")?;
            let salt = Salt(dice::random_bytes()?);
            LivingHouse::restore(store, salt, dice::now_ms()).map_err(broken)
        })
        .await?;
        if request.path() == "/keep-picture" {
            return self.keep_picture(bytes);
        }
        let body = core::str::from_utf8(&bytes).unwrap_or_default();
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
            "/picture" => self.picture(body),
            "/pictures" => self.pictures(),
            "/drop-picture" => self.drop_picture(body),
            "/notes" => self.notes(&bytes),
            "/actions" => {
                self.read(|living| actions_page::<HouseEvent>(living.journal().store(), body))
            }
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
            let (rooms, persons) = undone.map_or_else(Default::default, |next| {
                let rooms = house_changes(&file, &grounds, house, &next);
                (rooms.unwrap_or_default(), operator_changes(house, &next))
            });
            Response::from_json(&HouseTold::of(house, &rooms, &persons))
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
            Err((status, why)) => return Response::error(why, status),
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
        if events.iter().any(of_operator) {
            log::say(&about(Code::OperatorsChanged).by(by));
        }
        self.write(by, events)?;
        self.nudge();
        for change in changes {
            log::say(&about(Code::HouseChanged).in_room(&change.room).by(by));
            self.tell(change);
        }
        self.look()
    }

    fn judge(&self, events: &[HouseEvent]) -> Result<core::result::Result<Changes, Refused>> {
        let (file, grounds) = self.file()?;
        self.read(|living| {
            let house = living.house();
            let next = house.after(events);
            let rooms = house_changes(&file, &grounds, house, &next);
            let rooms = rooms.and_then(|rooms| self.check(rooms));
            Ok(match rooms {
                Ok(rooms) => self.judge_operators(house, &next).map(|()| rooms),
                Err(problems) => Err((400, in_lines(&problems))),
            })
        })
    }

    /// Whether those who would operate are good ones beside the file's, and somebody is left who may change that. Only looked at where
    /// it changes: what a deploy has made bad meanwhile hinders no room.
    fn judge_operators(&self, now: &House, next: &House) -> core::result::Result<(), Refused> {
        if operator_changes(now, next).is_empty() {
            return Ok(());
        }
        let Ok(deployment) = config::load(&self.env) else {
            return Err((503, "the configuration is not valid".to_owned()));
        };
        let file = &deployment.settings;
        let (own, problems) = house_operators(file, &Table::of(next).operators);
        if !problems.is_empty() {
            return Err((400, in_lines(&problems)));
        }
        let has_secret = config::has_admin_token(&self.env);
        let was = house_operators(file, &Table::of(now).operators).0;
        let owned = |own: &[Operator]| somebody_owns(has_secret, &file.operators, own);
        let is_owned = owned(&own) || !owned(&was);
        is_owned
            .then_some(())
            .ok_or_else(|| (LAST_OWNER, LAST_OWNER_WHY.to_owned()))
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
        let mut problems = config::lacking(&self.env, &deployment.settings, rooms.collect());
        if let Ok(pictures) = Pictures::open(&self.state) {
            let has = |name: &str| pictures.has(name).unwrap_or(true);
            problems.extend(missing_pictures(&changes, has));
        }
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
        let listed = report.lanes.iter().filter(|lane| lane.is_listed);
        let lanes: Vec<(&str, u64)> = listed.map(LaneReport::living).collect();
        let hindered = change.hindered(report.mode == Mode::Closed, living);
        match hindered.or_else(|| change.drops_lane(&lanes)) {
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

    /// The outbox asks what is new.
    fn notes(&self, body: &[u8]) -> Result<Response> {
        let Ok(Asked { mark, since_ms }) = envelope::of_bytes(body) else {
            return Response::error("the question is not readable", 400);
        };
        self.read(|living| {
            let store = living.journal().store();
            let row = match mark {
                Some(Mark { row, .. }) => row,
                None => store.newest_before(since_ms)?,
            };
            let mark = Mark {
                row,
                ..Mark::default()
            };
            said(&notes_of_house_journal(store, mark)?)
        })
    }

    /// The outbox is nudged, if there are webhooks. One that misses it looks by itself.
    fn nudge(self: &Rc<Self>) {
        let Ok(deployment) = config::load(&self.env) else {
            return;
        };
        let settings = &deployment.settings;
        let Some(grounds) = settings
            .grounds
            .as_ref()
            .filter(|_| !settings.webhooks.is_empty())
        else {
            return;
        };
        let (_, own) = Address::of_house(grounds).object();
        let shell = Rc::clone(self);
        watchdog::spawn(&self.state, "house.nudge", async move {
            let outbox = Address::of_outbox();
            let caller = (&shell.state, &shell.env);
            let nudged = outbox.call(caller, "nudge", own.as_bytes(), PATIENCE_MS);
            if let Err(error) = nudged.await {
                log::say(&about(Code::OutboxUnreachable).because(describe(&error)));
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

    /// The bytes of a picture.
    fn picture(&self, name: &str) -> Result<Response> {
        match Pictures::open(&self.state)?.bytes(name)? {
            Some(bytes) => Response::from_bytes(bytes),
            None => Response::error("the house has no such picture", 404),
        }
    }

    /// Every picture, with the rooms whose pages show it.
    fn pictures(&self) -> Result<Response> {
        let pictures = Pictures::open(&self.state)?.list()?;
        let shown: Result<Vec<_>> = pictures
            .into_iter()
            .map(|picture| {
                let rooms = self.rooms_with(&picture.name)?;
                Ok(picture.shown_by(rooms))
            })
            .collect();
        Response::from_json(&shown?)
    }

    fn keep_picture(&self, bytes: Vec<u8>) -> Result<Response> {
        let pictures = Pictures::open(&self.state)?;
        match pictures.put(dice::now_ms(), bytes)? {
            Ok(name) => Response::ok(name),
            Err(NotKept::Bad(why)) => Response::error(why.to_string(), 400),
            Err(NotKept::Full) => Response::error(
                format!(
                    "The house keeps {IMAGES_MAX} pictures, and no more. Delete one that no page shows."
                ),
                409,
            ),
        }
    }

    fn drop_picture(&self, name: &str) -> Result<Response> {
        let pictures = Pictures::open(&self.state)?;
        let rooms = self.rooms_with(name)?;
        if !rooms.is_empty() {
            let why = format!(
                "The pages of {} show this picture. Give them another first.",
                rooms.join(", ")
            );
            return Response::error(why, 409);
        }
        if !pictures.has(name)? {
            return Response::error("The house has no such picture.", 404);
        }
        pictures.forget(name)?;
        Response::empty()
    }

    /// The rooms whose pages show a picture.
    fn rooms_with(&self, name: &str) -> Result<Vec<String>> {
        let (file, _) = self.file()?;
        self.read(|living| Ok(rooms_showing(&file, living.house(), name)))
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

/// Whether a fact says who may operate.
const fn of_operator(event: &HouseEvent) -> bool {
    matches!(
        event,
        HouseEvent::OperatorSet { .. } | HouseEvent::OperatorRemoved { .. }
    )
}

fn refused(refusal: Refusal) -> Result<Response> {
    let status = match refusal {
        Refusal::Unknown(_) | Refusal::UnknownOperator(_) => 404,
        Refusal::IsOver(_) | Refusal::IsOpen(_) => 409,
        Refusal::Full
        | Refusal::Long(_)
        | Refusal::NothingToUndo
        | Refusal::FullOfOperators
        | Refusal::LongOperator(_) => 400,
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
