//! What operators may see and do, each within a role, with `Authorization: Bearer …` or the desk's cookie (`desk.rs`): the rooms in numbers, their
//! settings, journals, metrics. Without operators none of it exists.

use futures_util::future::{join, join_all};
use serde::Serialize;
use serde_json::{Map, Value, json};
use wasm_bindgen::JsValue;
use worker::web_sys::Response;

use super::Front;
use super::actions::Asked;
use super::answers::Draft;
use super::{js, memory};
use crate::edge::log::{self, Code, Remark};
use crate::edge::orders::{Dismissal, LeaseEnd, LiveChange, RoomTold, StoryPage, Summary, Undo};
use crate::edge::peers::Address;
use crate::facts::units::{Fence, LobbyId, Number};
use crate::gate::{AdminCall, ErrorCode};
use crate::metrics::{self, Form};
use crate::openapi;
use crate::ordered::filled;
use crate::room::live::LiveValue;
use crate::room::report::Report;
use crate::room::tale::Mark;
use crate::settings::RoomSettings;
use crate::token::{Need, Operator, Role};

/// How long a room may take, ms.
const PATIENCE_MS: u64 = 5_000;
/// The most bytes of a change of live values.
const CHANGE_BYTES_MAX: usize = 16_384;
/// The most bytes of an order that names a room, a customer (a token's `iss` and `sub`) or one of the staff.
pub(super) const ORDER_BYTES_MAX: usize = 4_096;

impl Front {
    /// Answers an operator's call.
    pub(super) async fn answer_operator(&self, call: AdminCall) -> Result<Response, JsValue> {
        let draft = match call.needs() {
            None => self.at_the_door(call).await?,
            Some(need) => match self.operator_who_may(need).await {
                Ok(operator) => self.serve(call.clone(), operator).await?,
                Err(refusal) => refusal,
            },
        };
        self.finish(draft)
    }

    async fn at_the_door(&self, call: AdminCall) -> Result<Draft, JsValue> {
        Ok(match call {
            AdminCall::Shell => self.shell().await,
            AdminCall::SignIn => self.sign_in().await?,
            AdminCall::Ways => self.ways(),
            AdminCall::ToProvider => self.go_to_provider().await?,
            AdminCall::FromProvider => self.back_from_provider().await,
            _ => self.sign_out().await,
        })
    }

    async fn serve(&self, call: AdminCall, operator: &Operator) -> Result<Draft, JsValue> {
        let by = &operator.name;
        Ok(match call {
            AdminCall::OpenApi => Draft::json(200, openapi::document().to_string()),
            AdminCall::Rooms => self.rooms(operator).await,
            AdminCall::Actions {
                room,
                before,
                since_ms,
            } => {
                let room = room.as_deref();
                let asked = Asked {
                    room,
                    before,
                    since_ms,
                };
                self.actions(asked, operator).await
            }
            AdminCall::House(call) => self.house_call(call, operator).await?,
            AdminCall::Images(call) => self.image_call(call, operator).await?,
            AdminCall::Webhooks => self.webhooks().await,
            AdminCall::TestWebhook { webhook } => self.test_webhook(webhook).await,
            AdminCall::Resend { webhook, id } => self.resend(webhook, id).await,
            AdminCall::Room { room } => self.room(&room).await,
            AdminCall::Journal { room, after } => self.journal(&room, after).await,
            AdminCall::Ticket { room, number, from } => self.ticket(&room, number, from).await,
            AdminCall::Hour { room } => self.told_by(&room, "hour").await,
            AdminCall::Outlook { room } => self.told_by(&room, "outlook").await,
            AdminCall::Probe { room } => self.probe(&room, operator).await?,
            AdminCall::Change { room } => self.change(&room, by).await?,
            AdminCall::Undo { room } => self.undo(&room, by).await,
            AdminCall::Reset { room } => self.reset(&room, by).await?,
            AdminCall::Rehearse { room } => self.begin_rehearsal(&room, by).await?,
            AdminCall::Rehearsal { room } => self.look_at_rehearsal(&room).await,
            AdminCall::RehearsalJournal { room, after } => {
                self.journal_of_rehearsal(&room, after).await
            }
            AdminCall::EndRehearsal { room } => self.end_rehearsal(&room, by).await,
            AdminCall::Leave { room } => self.leave_account(&room, by).await?,
            AdminCall::Sheets { room } => self.sheets(&room).await,
            AdminCall::MakeSheet { room } => self.make_sheet(&room, by).await?,
            AdminCall::WithdrawSheet { room, sheet } => self.withdraw_sheet(&room, sheet, by).await,
            AdminCall::Invitations { room, sheet, from } => {
                self.invitations(&room, sheet, from).await
            }
            AdminCall::StaffLink { room } => self.staff_link(&room, by).await?,
            AdminCall::Release { room, number } => self.dismiss(&room, number, by).await,
            AdminCall::ReleaseLease { room, fence } => {
                self.release_lease(&room, fence, operator).await
            }
            AdminCall::Shell
            | AdminCall::SignIn
            | AdminCall::SignOut
            | AdminCall::Ways
            | AdminCall::ToProvider
            | AdminCall::FromProvider => Draft::error(ErrorCode::NotFound),
        })
    }

    /// `GET /__baton/metrics`: answers with the metrics of the rooms that the operator sees.
    pub(super) async fn metrics(&self) -> Result<Response, JsValue> {
        let operator = match self.operator_who_may(Need::in_own_rooms(Role::View)).await {
            Ok(operator) => operator,
            Err(refusal) => return self.finish(refusal),
        };
        let reports = self.reports(operator).await;
        let rooms: Vec<_> = reports
            .iter()
            .map(|(room, said)| (room.name.as_str(), said.as_ref().map(Said::report)))
            .collect();
        let form = Form::asked_by(self.incoming.described().accept().as_deref());
        let draft = Draft::new(200).with("Content-Type", form.media_type());
        self.finish(draft.body(form.of(metrics::text(&rooms))))
    }

    /// Answers with every room that the operator sees, and with who asks, so that a page need not offer what would be refused.
    async fn rooms(&self, operator: &Operator) -> Draft {
        let reports = self.reports(operator).await;
        let rooms: Vec<_> = reports
            .iter()
            .map(|(room, said)| match said {
                Some(Said::Now(told)) => described(room, Some(told)),
                Some(Said::Then(summary)) => summarised(room, summary),
                None => described(room, None),
            })
            .collect();
        let Operator {
            name,
            role,
            rooms: own,
            ..
        } = operator;
        let operator = json!({ "name": name, "role": role.name(), "rooms": own });
        Draft::json(
            200,
            json!({ "operator": operator, "rooms": rooms }).to_string(),
        )
    }

    async fn room(&self, name: &str) -> Draft {
        let Some(room) = self.deployment.settings.room(name) else {
            return Draft::error(ErrorCode::UnknownRoom);
        };
        let answer = self.ask_room(room, "report", "").await;
        self.room_told(room, answer)
    }

    /// Answers with the room as it describes itself, or with why it refused.
    pub(super) fn room_told(&self, room: &RoomSettings, answer: Option<(u16, String)>) -> Draft {
        let told = match answer {
            Some((200, text)) => serde_json::from_str::<RoomTold>(&text).ok(),
            Some((400, why)) => return Draft::error_saying(ErrorCode::BadRequest, &why),
            Some((409, why)) => return Draft::error_saying(ErrorCode::RoomInUse, &why),
            Some((412, why)) => return Draft::error_saying(ErrorCode::PreconditionFailed, &why),
            _ => None,
        };
        match told {
            Some(told) => Draft::json(200, described(room, Some(&told)).to_string())
                .with("ETag", etag(told.revision)),
            None => Draft::error(ErrorCode::RoomUnavailable),
        }
    }

    /// Measures the way to the room's first lobby and from there to the room. An operator of all rooms is also told which headers of clients stayed here:
    /// they may have been any room's.
    async fn probe(&self, name: &str, operator: &Operator) -> Result<Draft, JsValue> {
        let Some(room) = self.deployment.settings.room(name) else {
            return Ok(Draft::error(ErrorCode::UnknownRoom));
        };
        let told = Address::of_lobby(room, LobbyId(0)).probe(&self.env).await?;
        let mut told: Map<String, Value> = serde_json::from_str(&told).unwrap_or_default();
        if operator.rooms.is_empty() {
            told.insert("headers_stay".to_owned(), memory::headers_said().into());
        }
        Ok(Draft::json(200, Value::from(told).to_string()))
    }

    /// `PATCH`: changes live values, all of them or none. With `If-Match` only if nobody has changed any since.
    async fn change(&self, name: &str, by: &str) -> Result<Draft, JsValue> {
        let Some(room) = self.deployment.settings.room(name) else {
            return Ok(Draft::error(ErrorCode::UnknownRoom));
        };
        let expected = match self.expected() {
            Ok(expected) => expected,
            Err(refusal) => return Ok(refusal),
        };
        let Some(body) = self.incoming.text(CHANGE_BYTES_MAX).await? else {
            return Ok(Draft::error(ErrorCode::PayloadTooLarge));
        };
        let values = match serde_json::from_str::<Map<String, Value>>(&body) {
            Ok(values) => values,
            Err(_) => {
                let cure = "Send a JSON object of live settings, such as {\"permits\": 300}; null goes back to the file's";
                return Ok(Draft::error_saying(ErrorCode::BadRequest, cure));
            }
        };
        let change = LiveChange {
            by: by.to_owned(),
            expected,
            values,
        };
        let answer = self.order(room, "live", &change).await;
        Ok(self.room_told(room, answer))
    }

    /// Takes the last change back. It must be the one that the operator saw, so `If-Match` is required.
    async fn undo(&self, name: &str, by: &str) -> Draft {
        let Some(room) = self.deployment.settings.room(name) else {
            return Draft::error(ErrorCode::UnknownRoom);
        };
        let expected = match self.seen() {
            Ok(expected) => expected,
            Err(refusal) => return refusal,
        };
        let undo = Undo {
            by: by.to_owned(),
            expected,
        };
        let answer = self.order(room, "undo", &undo).await;
        self.room_told(room, answer)
    }

    /// Reads the revision in `If-Match`. Returns `None` if any revision will do, and refuses a tag that no state can have.
    pub(super) fn expected(&self) -> Result<Option<u64>, Draft> {
        match self.incoming.header("if-match").as_deref() {
            None | Some("*") => Ok(None),
            Some(tag) => {
                let revision = revision(tag).map(Some);
                revision.ok_or_else(|| Draft::error(ErrorCode::PreconditionFailed))
            }
        }
    }

    /// Reads the revision that the operator has seen, for what must never be done to a state that nobody has looked at.
    pub(super) fn seen(&self) -> Result<u64, Draft> {
        let seen = self.expected()?;
        seen.ok_or_else(|| Draft::error(ErrorCode::PreconditionRequired))
    }

    /// Ends a ticket: its permit passes on, and its visitor is told.
    async fn dismiss(&self, name: &str, number: Number, by: &str) -> Draft {
        let Some(room) = self.deployment.settings.room(name) else {
            return Draft::error(ErrorCode::UnknownRoom);
        };
        let dismissal = Dismissal {
            by: by.to_owned(),
            number,
        };
        match self.order(room, "release", &dismissal).await {
            Some((200 | 204, _)) => Draft::new(204),
            Some((410, why)) => Draft::error_saying(ErrorCode::TicketOver, &why),
            _ => Draft::error(ErrorCode::RoomUnavailable),
        }
    }

    /// Gives a lease back by its fence. A lease that has ended is no error: the call may come twice, or late.
    async fn release_lease(&self, name: &str, fence: Fence, operator: &Operator) -> Draft {
        let Some(room) = self.deployment.settings.room(name) else {
            return Draft::error(ErrorCode::UnknownRoom);
        };
        let by = operator.name.clone();
        match self
            .order(room, "release-lease", &LeaseEnd { by, fence })
            .await
        {
            Some((200 | 204, _)) => Draft::new(204),
            Some((404, _)) => Draft::error(ErrorCode::UnknownLease),
            _ => Draft::error(ErrorCode::RoomUnavailable),
        }
    }

    /// Answers with what the journal says of a ticket, a page of rows at a time.
    async fn ticket(&self, name: &str, number: Number, from: Mark) -> Draft {
        let Some(room) = self.deployment.settings.room(name) else {
            return Draft::error(ErrorCode::UnknownRoom);
        };
        let page = StoryPage {
            number,
            from: from.to_string(),
        };
        match self.order(room, "story", &page).await {
            Some((200, story)) => Draft::json(200, story),
            _ => Draft::error(ErrorCode::RoomUnavailable),
        }
    }

    /// Answers with JSON of the room's, unchanged: the last hour, or what a forecast needs to know.
    async fn told_by(&self, name: &str, what: &str) -> Draft {
        let Some(room) = self.deployment.settings.room(name) else {
            return Draft::error(ErrorCode::UnknownRoom);
        };
        match self.ask_room(room, what, "").await {
            Some((200, told)) => Draft::json(200, told),
            _ => Draft::error(ErrorCode::RoomUnavailable),
        }
    }

    async fn journal(&self, name: &str, after: u64) -> Draft {
        let Some(room) = self.deployment.settings.room(name) else {
            return Draft::error(ErrorCode::UnknownRoom);
        };
        self.journal_told(room, after).await
    }

    pub(super) async fn journal_told(&self, room: &RoomSettings, after: u64) -> Draft {
        let answer = self.ask_room(room, "journal", &after.to_string()).await;
        match answer {
            Some((200, lines)) => Draft::new(200)
                .with("Content-Type", "application/x-ndjson; charset=utf-8")
                .body(lines),
            Some((404, why)) => Draft::error_saying(ErrorCode::BadRequest, &why),
            _ => Draft::error(ErrorCode::RoomUnavailable),
        }
    }

    /// Returns every room that the operator sees, with what it says of itself, if it answers. Rooms of the house are not asked, for there may be
    /// many: what they last said to the house stands for them. A room in which nothing happened lately has said nothing.
    async fn reports(&self, operator: &Operator) -> Vec<(&RoomSettings, Option<Said>)> {
        let rooms = self.deployment.settings.rooms.iter();
        let rooms = rooms.filter(|room| operator.sees(&room.name));
        let (of_house, of_file): (Vec<_>, Vec<_>) = rooms.partition(|room| room.defined.is_some());
        let asked = of_file.into_iter().map(|room| async move {
            let told = self.report(room).await;
            (room, told.map(|told| Said::Now(Box::new(told))))
        });
        let (mut reports, mut summaries) = join(join_all(asked), self.summaries()).await;
        reports.extend(of_house.into_iter().map(|room| {
            let summary = summaries.remove(&room.name);
            (room, summary.map(|summary| Said::Then(Box::new(summary))))
        }));
        reports.sort_unstable_by(|(a, _), (b, _)| a.name.cmp(&b.name));
        reports
    }

    pub(super) async fn report(&self, room: &RoomSettings) -> Option<RoomTold> {
        let (status, text) = self.ask_room(room, "report", "").await?;
        (status == 200)
            .then(|| serde_json::from_str(&text).ok())
            .flatten()
    }

    /// Sends a room an operator's order.
    pub(super) async fn order<T: Serialize>(
        &self,
        room: &RoomSettings,
        path: &str,
        order: &T,
    ) -> Option<(u16, String)> {
        let body = serde_json::to_string(order).ok()?;
        self.ask_room(room, path, &body).await
    }

    pub(super) async fn ask_room(
        &self,
        room: &RoomSettings,
        path: &str,
        body: &str,
    ) -> Option<(u16, String)> {
        let answer = Address::of_room(room)
            .post(&self.env, path, &[], body.as_bytes(), PATIENCE_MS)
            .await;
        match answer {
            Ok(answer) => Some((answer.status, String::from_utf8(answer.body).ok()?)),
            Err(error) => {
                let remark = Remark::front(Code::RoomUnreachable).in_room(&room.name);
                log::say(&remark.because(js::describe(&error)));
                None
            }
        }
    }
}

pub(super) fn etag(revision: u64) -> String {
    format!("\"{revision}\"")
}

/// Reads the revision of a strong or weak tag.
fn revision(tag: &str) -> Option<u64> {
    let tag = tag.strip_prefix("W/").unwrap_or(tag);
    tag.strip_prefix('"')?.strip_suffix('"')?.parse().ok()
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
    let mut described = described(room, None);
    if let Some(fields) = described.as_object_mut() {
        fields.insert("as_of_ms".to_owned(), json!(summary.at_ms));
        fields.insert("report".to_owned(), json!(summary.report));
        fields.insert("revision".to_owned(), json!(summary.revision));
    }
    described
}

/// Describes a room as the operator sees it. What the room says is null if it does not answer, and in a list for a room of
/// the house in which nothing happened lately.
fn described(room: &RoomSettings, told: Option<&RoomTold>) -> Value {
    let changed = |told: &RoomTold| -> Map<String, Value> {
        let changed = told.changed.iter();
        let entry = |(key, value): (&String, &LiveValue)| {
            (key.clone(), json!({ "by": value.by, "at_ms": value.at }))
        };
        filled(changed.map(entry))
    };
    json!({
        "room": room.name_in_file(),
        "paths": room.paths,
        "hosts": room.hosts,
        "of_house": room.defined.is_some(),
        "lobbies": room.lobbies(),
        "report": told.map(|told| &told.report),
        "revision": told.map(|told| told.revision),
        "settings": told.map(|told| &told.settings),
        "changed": told.map(changed),
        "undo": told.map(|told| &told.undo),
    })
}
