//! Gathers who did what and when from the journals of the house and the rooms, for operators who may see those rooms.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::operation::Operation;
use crate::actions_page::{ActionsOrder, ActionsTold, Done};
use crate::front::answers::{Draft, Stop};
use crate::front::objects;
use crate::peers::Address;
use facts::ordered::sort_many;
use gate::ErrorCode;
use journal::export::HOUSE;
use settings::RoomSettings;

/// How long one journal may take to be searched, ms.
const PATIENCE_MS: u64 = 10_000;

impl Operation<'_> {
    /// Returns a page of each journal, newest first, and where each goes on: of the one that is asked for, or of the house's and those of the file's
    /// rooms.
    pub(super) async fn actions(&self) -> Result<Value, Stop> {
        let journals = match self.call.text("room") {
            "" => self.journals(),
            HOUSE => self.house_address().into_iter().collect(),
            _name => vec![of_room(self.room()?)],
        };
        if journals.is_empty() && !self.call.text("room").is_empty() {
            return Err(Draft::error(ErrorCode::UnknownRoom).into());
        }
        let order = objects::text_of(&ActionsOrder {
            before: self.call.number("before"),
            since_ms: self.call.number("since").unwrap_or_default(),
        })?;
        let pages = join_all(journals.iter().map(|(name, address)| {
            let order = order.as_bytes();
            async move { (name.as_str(), self.page_of(address, order).await) }
        }));
        Ok(gathered(pages.await))
    }

    /// Returns the house and the rooms in the file. Rooms of the house are searched only by name: there may be many, and a list must not wake them.
    fn journals(&self) -> Vec<(String, Address)> {
        let rooms = self.received.deployment.settings.rooms.iter();
        let rooms = rooms.filter(|room| room.defined.is_none() && self.operator.sees(&room.name));
        self.house_address().into_iter().chain(rooms.map(of_room)).collect()
    }

    fn house_address(&self) -> Option<(String, Address)> {
        let grounds = self.received.deployment.settings.grounds.as_ref();
        grounds.map(|grounds| (HOUSE.to_owned(), Address::of_house(grounds)))
    }

    async fn page_of(&self, address: &Address, order: &[u8]) -> Option<ActionsTold> {
        let answer = address.post(self.env, "actions", &[], order, PATIENCE_MS).await;
        let answer = answer.ok().filter(|answer| answer.status == 200)?;
        serde_json::from_str(&answer.text()?).ok()
    }
}

fn of_room(room: &RoomSettings) -> (String, Address) {
    (room.name_in_file().to_owned(), Address::of_room(room))
}

fn gathered(pages: Vec<(&str, Option<ActionsTold>)>) -> Value {
    let (mut actions, mut more, mut silent) = (Vec::new(), Vec::new(), Vec::new());
    for (name, page) in pages {
        let Some(page) = page else {
            silent.push(name);
            continue;
        };
        actions.extend(page.actions.into_iter().map(|done| (name, done)));
        let next = page.before.map(|before| json!({ "room": name, "before": before }));
        more.extend(next);
    }
    sort_many(&mut actions, |(_, a), (_, b)| b.at_ms.cmp(&a.at_ms));
    let told = |(room, done): (&str, Done)| {
        json!({
            "room": room, "row": done.row, "at_ms": done.at_ms,
            "by": done.by, "does": done.does, "what": done.what,
        })
    };
    let actions: Vec<Value> = actions.into_iter().map(told).collect();
    json!({ "actions": actions, "more": more, "silent": silent })
}
