//! The house object: the single writer of the rooms and operators that exist beside those of the file. ONE per deployment.
//!
//! **Stores** the house's journal (one row a change), now and then a snapshot of its fold, the salt that blinds operators' names in it, and
//! in a table of their own the pictures that pages show. **Answers** fronts `POST /table` (what they judge by), objects `POST /room` (one
//! room's definition), busy rooms `POST /summary` (kept in memory alone), operators `POST /summaries`, `POST /actions` and what the table of
//! endpoints asks of the house, the outbox `POST /notes`, and for pictures `POST /picture`, `/own-picture` and `/keep-picture`. **Calls** the outbox after a change; before a change each room in which nobody
//! may have a place; after it each room that changed, so that the room knows without a visitor. A second object of this class, in every deployment,
//! answers `POST /end-sessions` and `POST /ask-sessions` and stores nothing else.
//!
//! **What makes a change atomic:** it is judged and written in one synchronous block. If rooms had to be asked first, the house must still be as it
//! was then; if it is not, the operator is told that somebody was quicker.
//!
//! | file | what |
//! |---|---|
//! | `mod` | the object: what it answers and whom it calls |
//! | `change` | a change, from the order to the row |
//! | `pictures` | the pictures of pages |
//! | `sessions` | which sessions of the desk were signed out |
//! | `wishes` | what an operator's order wishes |

mod change;
mod pictures;
mod sessions;
mod wishes;

use super::actions_page::actions_page;
use super::front::js::describe;
use super::journal_page::journal_page;
use super::log::{self, Code, Remark};
use super::notes_page::{notes_of_house_journal, said};
use super::object::{self, broken, error};
use super::orders::{HouseTold, JournalPage, RoomTold};
use super::peers::{Address, BOUND_HEADER, BY_HEADER};
use super::store::SqlStore;
use super::{config, dice, watchdog};
use facts::envelope;
use facts::holder::Salt;
use facts::house::HouseEvent;
use facts::log::Part;
use house::Stands;
use house::table::{Definition, Table};
use journal::export;
use living::LivingHouse;
use outbox::{Asked, Mark};
use settings::{Grounds, RoomSettings, house_changes, operator_changes};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use worker::{DurableObject, Env, Request, Response, Result, State, durable_object};

/// How long a room or the outbox may take to answer, ms.
const PATIENCE_MS: u64 = 5_000;

/// See the file's documentation.
#[durable_object(fetch)]
pub struct HouseObject {
    shell: Rc<Shell>,
}

struct Shell {
    state: State,
    env: Env,
    /// `None` before the first event and after an error. Never borrowed across an await.
    living: RefCell<Option<LivingHouse<SqlStore>>>,
    /// What each busy room last said of itself, as JSON, by name. It is lost with this memory.
    summaries: RefCell<BTreeMap<String, String>>,
}

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
        let body = core::str::from_utf8(&bytes).unwrap_or_default();
        match request.path().as_str() {
            "/end-sessions" => return self.end_sessions(body),
            "/ask-sessions" => return self.ask_sessions(body),
            _ => {}
        }
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
            "/undo" => self.undo(body).await,
            "/journal" => self.journal(body),
            "/picture" => self.picture(body),
            "/own-picture" => self.own_picture(body),
            "/pictures" => self.pictures(body),
            "/keep-picture" => {
                let by = request.headers().get(BY_HEADER)?;
                let is_bound = request.headers().has(BOUND_HEADER)?;
                self.keep_picture(&by.unwrap_or_default(), is_bound, &bytes)
            }
            "/drop-picture" => self.drop_picture(body),
            "/notes" => self.notes(&bytes),
            "/actions" => self.read(|living| actions_page::<HouseEvent>(living.journal().store(), body)),
            path => self.change(path, body).await,
        }
    }

    /// Answers fronts with the table that they judge by.
    fn table(&self) -> Result<Response> {
        self.read(|living| {
            let house = living.house();
            let response = Response::from_json(&Table::of(house))?;
            let version = house.version().to_string();
            response.headers().set("Baton-Version", &version)?;
            Ok(response)
        })
    }

    /// Answers an object with one room's definition. A released room has none.
    fn room(&self, name: &str) -> Result<Response> {
        self.read(|living| match living.house().rooms().get(name) {
            Some(kept) if kept.stands != Stands::Freed => Response::from_json(&Definition::of(kept)),
            _ => Response::error("the house has no such room", 404),
        })
    }

    /// Keeps what a room says of itself: its name, a line break, and a summary.
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

    /// Answers with the summaries: for each room a line with its name and a line with its summary.
    fn summaries(&self) -> Result<Response> {
        let summaries = self.summaries.borrow();
        let lines = summaries.iter().flat_map(|(name, said)| [name, "\n", said, "\n"]);
        Response::ok(lines.collect::<String>())
    }

    fn look(&self) -> Result<Response> {
        let deployment = config::load(&self.env).map_err(|_| error("the configuration is not valid"))?;
        let (file, grounds) = self.file()?;
        self.read(|living| {
            let house = living.house();
            let undone = house.undo().ok().map(|events| house.after(&events));
            let (rooms, persons) = undone.map_or_else(Default::default, |next| {
                let rooms = house_changes(&file, &grounds, house, &next);
                (rooms.unwrap_or_default(), operator_changes(house, &next))
            });
            let of_file = &deployment.operators;
            Response::from_json(&HouseTold::of(house, &rooms, &persons, of_file))
        })
    }

    async fn report(&self, room: &RoomSettings) -> Option<RoomTold> {
        let caller = (&self.state, &self.env);
        let room = Address::of_room(room);
        let answer = room.call(caller, "report", &[], PATIENCE_MS).await;
        let answer = answer.ok().filter(|answer| answer.status == 200)?;
        serde_json::from_str(&answer.text()?).ok()
    }

    /// Answers the outbox with the notes since its mark.
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
            let mark = Mark { row, ..Mark::default() };
            said(&notes_of_house_journal(store, mark)?)
        })
    }

    /// Nudges the outbox, if there are webhooks. If the nudge is lost, the outbox looks by itself.
    fn nudge(self: &Rc<Self>) {
        let Ok(deployment) = config::load(&self.env) else {
            return;
        };
        let settings = &deployment.settings;
        let Some(grounds) = settings.grounds.as_ref().filter(|_| !settings.webhooks.is_empty()) else {
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

    fn journal(&self, body: &str) -> Result<Response> {
        let Ok(JournalPage { after }) = serde_json::from_str(body) else {
            return object::unreadable();
        };
        self.read(|living| {
            let store = living.journal().store();
            journal_page::<HouseEvent>(store, export::HOUSE, after)
        })
    }

    fn read<T>(&self, look: impl FnOnce(&LivingHouse<SqlStore>) -> Result<T>) -> Result<T> {
        let slot = self.living.borrow();
        look(slot.as_ref().ok_or_else(asleep)?)
    }

    /// Returns the rooms of the file, and the grounds within which the house may put others.
    fn file(&self) -> Result<(Vec<RoomSettings>, Grounds)> {
        let deployment = config::load(&self.env).map_err(|_| error("the configuration is not valid"))?;
        let grounds = deployment.settings.grounds.clone();
        let grounds = grounds.ok_or_else(|| error("wrangler.toml has no [vars.GROUNDS]"))?;
        Ok((deployment.settings.rooms.clone(), grounds))
    }
}

fn about(code: Code) -> Remark {
    Remark::of(Part::House, code)
}

fn asleep() -> worker::Error {
    error("the house is not awake")
}
