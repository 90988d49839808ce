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
//!
//! | file | what |
//! |---|---|
//! | `mod` | the object: who asks what, and what is told |
//! | `change` | a change, from the order to the row |
//! | `pictures` | the pictures of pages |

mod change;
mod pictures;

pub use change::LAST_OWNER;

use super::actions_page::actions_page;
use super::front::js::describe;
use super::journal_page::journal_page;
use super::log::{self, Code, Remark};
use super::notes_page::{notes_of_house_journal, said};
use super::object::{self, broken, error};
use super::orders::{HouseTold, Told};
use super::peers::Address;
use super::store::SqlStore;
use super::{config, dice, watchdog};
use crate::envelope;
use crate::facts::holder::Salt;
use crate::facts::house::HouseEvent;
use crate::house::Stands;
use crate::house::table::{Definition, Table};
use crate::journal::export;
use crate::living::LivingHouse;
use crate::log::Part;
use crate::outbox::{Asked, Mark};
use crate::settings::{Grounds, RoomSettings, house_changes, operator_changes};
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

    async fn report(&self, room: &RoomSettings) -> Option<Told> {
        let caller = (&self.state, &self.env);
        let room = Address::of_room(room);
        let answer = room.call(caller, "report", &[], PATIENCE_MS).await;
        let answer = answer.ok().filter(|answer| answer.status == 200)?;
        serde_json::from_str(&answer.text()?).ok()
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

fn about(code: Code) -> Remark {
    Remark::of(Part::House, code)
}

fn asleep() -> worker::Error {
    error("the house is not awake")
}
