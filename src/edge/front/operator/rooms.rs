//! The rooms that an operator sees, as a list and as metrics.

use std::collections::BTreeMap;

use futures_util::future::{join, join_all};
use serde_json::{Value, json};
use worker::Env;

use super::operation::Operation;
use crate::front::answers::Draft;
use crate::front::objects;
use crate::front::received::Received;
use crate::orders::{RoomTold, Summary};
use crate::peers::{Address, Answer};
use control::metrics::{self, Form};
use facts::ordered::sort_many;
use room::report::Report;
use settings::RoomSettings;
use token::Operator;

/// How long the house may take to say what its rooms last told it, ms.
const SUMMARIES_PATIENCE_MS: u64 = 15_000;

impl Operation<'_> {
    /// Answers with the metrics of the rooms that the operator sees.
    pub(super) async fn metrics(&self) -> Draft {
        let reports = self.reports().await;
        let rooms: Vec<_> = reports
            .iter()
            .map(|(room, said)| (room.name.as_str(), said.as_ref().map(Said::report)))
            .collect();
        let form = Form::asked_by(self.received.incoming.described().accept().as_deref());
        let draft = Draft::new(200).with("Content-Type", form.media_type());
        draft.body(form.of(metrics::text(&rooms)))
    }

    /// Returns every room that the operator sees, and who asks, so that a page need not offer what would be refused.
    pub(super) async fn rooms(&self) -> Value {
        let reports = self.reports().await;
        let rooms: Vec<_> = reports
            .iter()
            .map(|(room, said)| match said {
                Some(Said::Now(told)) => json!(told),
                Some(Said::Then(summary)) => summarised(room, summary),
                None => silent(room),
            })
            .collect();
        let Operator { name, role, rooms: own, .. } = self.operator;
        let operator = json!({ "name": name, "role": role.name(), "rooms": own });
        json!({ "operator": operator, "rooms": rooms })
    }

    /// Returns every room that the operator sees, with what it says of itself, if it answers. Rooms of the house are not asked, for there may be
    /// many: what they last said to the house stands for them. A room in which nothing happened lately has said nothing.
    async fn reports(&self) -> Vec<(&RoomSettings, Option<Said>)> {
        let rooms = self.received.deployment.settings.rooms.iter();
        let rooms = rooms.filter(|room| self.operator.sees(&room.name));
        let (of_house, of_file): (Vec<_>, Vec<_>) = rooms.partition(|room| room.defined.is_some());
        let asked = of_file.into_iter().map(|room| async move {
            let told = objects::report(self.env, room).await;
            (room, told.map(|told| Said::Now(Box::new(told))))
        });
        let (mut reports, mut summaries) = join(join_all(asked), summaries(self.env, self.received)).await;
        reports.extend(of_house.into_iter().map(|room| {
            let summary = summaries.remove(&room.name);
            (room, summary.map(|summary| Said::Then(Box::new(summary))))
        }));
        sort_many(&mut reports, |(a, _), (b, _)| a.name.cmp(&b.name));
        reports
    }
}

/// Returns what each room of the house last said of itself to the house. A room in which nothing happened lately has no summary.
async fn summaries(env: &Env, received: &Received) -> BTreeMap<String, Summary> {
    let Some(grounds) = &received.deployment.settings.grounds else {
        return BTreeMap::new();
    };
    let house = Address::of_house(grounds);
    let answer = house.post(env, "summaries", &[], &[], SUMMARIES_PATIENCE_MS).await;
    let text = answer.ok().and_then(Answer::text).unwrap_or_default();
    let mut lines = text.lines();
    let mut summaries = BTreeMap::new();
    while let (Some(name), Some(said)) = (lines.next(), lines.next()) {
        if let Ok(summary) = serde_json::from_str(said) {
            summaries.insert(name.to_owned(), summary);
        }
    }
    summaries
}

/// What a room says of itself in a list.
enum Said {
    Now(Box<RoomTold>),
    /// What it told the house some seconds ago.
    Then(Box<Summary>),
}

impl Said {
    fn report(&self) -> &Report {
        match self {
            Self::Now(told) => &told.report,
            Self::Then(summary) => &summary.report,
        }
    }
}

/// Describes a room of the house for a list.
fn summarised(room: &RoomSettings, summary: &Summary) -> Value {
    let mut described = silent(room);
    if let Some(fields) = described.as_object_mut() {
        fields.insert("as_of_ms".to_owned(), json!(summary.at_ms));
        fields.insert("report".to_owned(), json!(summary.report));
        fields.insert("revision".to_owned(), json!(summary.revision));
    }
    described
}

/// Describes a room that does not answer, or in a list one of the house in which nothing happened lately.
fn silent(room: &RoomSettings) -> Value {
    json!({
        "room": room.name_in_file(),
        "paths": room.paths,
        "hosts": room.hosts,
        "of_house": room.defined.is_some(),
        "lobbies": room.lobbies(),
        "report": null,
        "revision": null,
        "settings": null,
        "changed": null,
        "undo": null,
    })
}
