//! Gathers who did what and when from the journals of the house and the rooms, for operators who may see those rooms.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::Front;
use super::answers::Draft;
use crate::edge::actions_page::{ActionsOrder, ActionsTold, Done};
use crate::edge::peers::Address;
use crate::gate::ErrorCode;
use crate::journal::export::HOUSE;
use crate::settings::RoomSettings;
use crate::token::Operator;

/// How long one journal may take to be searched, ms.
const PATIENCE_MS: u64 = 10_000;

/// Which actions an operator asks for.
pub struct Asked<'a> {
    /// The journal to search; `None`: the house's and those of the rooms in the file.
    pub room: Option<&'a str>,
    /// Only rows before this one.
    pub before: Option<u64>,
    /// Nothing older than this, Unix ms.
    pub since_ms: u64,
}

impl Front {
    /// `GET /__baton/admin/actions`: answers with a page of each journal, newest first, and says where each goes on.
    pub(super) async fn actions(&self, asked: Asked<'_>, operator: &Operator) -> Draft {
        let journals = match asked.room {
            Some(HOUSE) => self.house_address().into_iter().collect(),
            Some(name) => match self.deployment.settings.room(name) {
                Some(room) => vec![of_room(room)],
                None => return Draft::error(ErrorCode::UnknownRoom),
            },
            None => self.journals(operator),
        };
        if journals.is_empty() && asked.room.is_some() {
            return Draft::error(ErrorCode::UnknownRoom);
        }
        let order = ActionsOrder {
            before: asked.before,
            since_ms: asked.since_ms,
        };
        let Ok(order) = serde_json::to_string(&order) else {
            return Draft::error(ErrorCode::Internal);
        };
        let pages = join_all(journals.iter().map(|(name, address)| {
            let order = order.as_bytes();
            async move { (name.as_str(), self.page_of(address, order).await) }
        }));
        self.gathered(pages.await, operator)
    }

    fn gathered(&self, pages: Vec<(&str, Option<ActionsTold>)>, operator: &Operator) -> Draft {
        let (mut actions, mut more, mut silent) = (Vec::new(), Vec::new(), Vec::new());
        for (name, page) in pages {
            let Some(page) = page else {
                silent.push(name);
                continue;
            };
            let seen = page.actions.into_iter();
            let seen = seen.filter(|done| name != HOUSE || concerns(done, operator));
            actions.extend(seen.map(|done| (name, done)));
            let next = page
                .before
                .map(|before| json!({ "room": name, "before": before }));
            more.extend(next);
        }
        actions.sort_by_key(|(_, done)| core::cmp::Reverse(done.at_ms));
        let told = |(room, done): (&str, Done)| {
            json!({
                "room": room, "row": done.row, "at_ms": done.at_ms,
                "by": done.by, "does": done.does, "what": done.what,
            })
        };
        let actions: Vec<Value> = actions.into_iter().map(told).collect();
        let told = json!({ "actions": actions, "more": more, "silent": silent });
        Draft::json(200, told.to_string())
    }

    /// Returns the house and the rooms in the file. Rooms of the house are searched only by name: there may be many, and a list must not wake them.
    fn journals(&self, operator: &Operator) -> Vec<(String, Address)> {
        let rooms = self.deployment.settings.rooms.iter();
        let rooms = rooms.filter(|room| room.defined.is_none() && operator.sees(&room.name));
        self.house_address()
            .into_iter()
            .chain(rooms.map(of_room))
            .collect()
    }

    fn house_address(&self) -> Option<(String, Address)> {
        let grounds = self.deployment.settings.grounds.as_ref();
        grounds.map(|grounds| (HOUSE.to_owned(), Address::of_house(grounds)))
    }

    async fn page_of(&self, address: &Address, order: &[u8]) -> Option<ActionsTold> {
        let answer = address
            .post(&self.env, "actions", &[], order, PATIENCE_MS)
            .await;
        let answer = answer.ok().filter(|answer| answer.status == 200)?;
        serde_json::from_str(&answer.text()?).ok()
    }
}

fn of_room(room: &RoomSettings) -> (String, Address) {
    (room.name_in_file().to_owned(), Address::of_room(room))
}

/// Whether this operator may see an action in the house: one on a room that the operator sees; a change of
/// operators only if the operator is an owner.
fn concerns(done: &Done, operator: &Operator) -> bool {
    match done.what.get("room").and_then(Value::as_str) {
        Some(room) => operator.sees(room),
        None => operator.owns(),
    }
}
