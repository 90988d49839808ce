//! What operators may see and do, each within a role, with `Authorization: Bearer …` or the desk's cookie (`desk.rs`). The table of `gate/endpoints/`
//! says what there is and who answers it. Where one object does, its answer is the answer; what the front makes itself is in `make`. Without operators
//! none of it exists.

use futures_util::future::{join, join_all};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use wasm_bindgen::JsValue;
use worker::web_sys::Response;

use super::Front;
use super::answers::{Draft, Stop};
use super::{js, memory, statics};
use crate::log::{self, Code, Remark};
use crate::orders::{RoomTold, Summary};
use crate::peers::Address;
use facts::units::LobbyId;
use gate::{AdminCall, By, Endpoint, ErrorCode, Gives, Made, Seen, Takes, narrow};
use metrics::Form;
use room::report::Report;
use settings::RoomSettings;
use token::Operator;

/// How long a room or the outbox may take, ms.
const PATIENCE_MS: u64 = 5_000;
/// Where the API's document lies in the assets: no address leads there.
const DOCUMENT: &str = "../openapi.json";

/// An object's answer: its status and its body. `None`: there is none.
pub(super) type Asked = Option<(u16, String)>;

impl Front {
    /// Answers an operator's call.
    pub(super) async fn answer_operator(&self, call: AdminCall) -> Result<Response, JsValue> {
        let served = match call.needs() {
            None => self.at_the_door(call.endpoint.by).await,
            Some(need) => match self.operator_who_may(need).await {
                Ok(operator) => self.serve(&call, operator).await,
                Err(refusal) => Ok(refusal),
            },
        };
        match served {
            Ok(draft) | Err(Stop::Refused(draft)) => self.finish(draft),
            Err(Stop::Failed(failure)) => Err(failure),
        }
    }

    async fn at_the_door(&self, by: By) -> Result<Draft, Stop> {
        Ok(match by {
            By::Front(Made::Desk) => self.shell().await,
            By::Front(Made::SignIn) => self.sign_in().await?,
            By::Front(Made::SignOut) => self.sign_out().await,
            By::Front(Made::Ways) => self.ways(),
            By::Front(Made::ToProvider) => self.go_to_provider().await?,
            By::Front(Made::FromProvider) => self.back_from_provider().await,
            _ => Draft::error(ErrorCode::NotFound),
        })
    }

    async fn serve(&self, call: &AdminCall, operator: &Operator) -> Result<Draft, Stop> {
        let room = call.text("room");
        let asked = match call.endpoint.by {
            By::Front(made) => return self.make(made, call, operator).await,
            By::House(path) => return self.house_call(path, call, operator).await,
            By::Outbox(path) => self.ask_outbox(path, call, operator).await?,
            By::Room(path) => {
                let order = self.order(call, operator).await?;
                self.send(self.room_named(room)?, path, &order).await
            }
            By::Stage(path) => {
                let order = self.order(call, operator).await?;
                self.send(self.room_and_stage(room)?.1, path, &order).await
            }
        };
        Ok(told(call.endpoint, operator, passed(asked)?))
    }

    /// Makes what no object can answer: what is gathered from several, and what only the front knows.
    async fn make(&self, made: Made, call: &AdminCall, operator: &Operator) -> Result<Draft, Stop> {
        let (room, by) = (call.text("room"), operator.name.as_str());
        let value = match made {
            Made::Document => return Ok(self.document().await),
            Made::Metrics => return Ok(self.metrics(operator).await),
            Made::Rooms => self.rooms(operator).await,
            Made::Actions => self.actions(call, operator).await?,
            Made::Probe => self.probe(room).await?,
            Made::EndRehearsal => {
                self.end_rehearsal(room, by).await?;
                Value::Null
            }
            Made::BeginRehearsal => self.begin_rehearsal(call, by).await?,
            Made::LeaveFor => self.leave_account(call, by).await?,
            Made::MakeSheet => self.make_sheet(call, by).await?,
            Made::Invitations => self.invitations(call).await?,
            Made::StaffLink => self.staff_link(call, by).await?,
            Made::PutImage => self.put_image(operator).await?,
            Made::Desk | Made::Ways | Made::SignIn | Made::SignOut | Made::ToProvider | Made::FromProvider => {
                return Ok(Draft::error(ErrorCode::NotFound));
            }
        };
        Ok(told_value(call.endpoint, operator, value))
    }

    /// What an object is asked: the values of path and query, who asks and in which rooms, what that operator has seen, and the body.
    pub(super) async fn order(&self, call: &AdminCall, operator: &Operator) -> Result<Map<String, Value>, Stop> {
        let mut order = call.values.clone();
        let mut put = |name: &str, value: Value| drop(order.insert(name.to_owned(), value));
        put("by", operator.name.as_str().into());
        put("within", operator.rooms.clone().into());
        match call.endpoint.seen {
            Seen::No => {}
            Seen::May => put("expected", self.expected()?.into()),
            Seen::Must => put("expected", self.seen()?.into()),
        }
        if let Takes::Json { .. } = call.endpoint.takes {
            put("body", Value::Object(self.body_of(call.endpoint).await?));
        }
        Ok(order)
    }

    /// Reads a body as the endpoint says.
    pub(super) async fn body_of(&self, endpoint: &Endpoint) -> Result<Map<String, Value>, Stop> {
        let Takes::Json { bytes_max, may_lack, .. } = endpoint.takes else {
            return Ok(Map::new());
        };
        let body = self.incoming.text(bytes_max).await?;
        let body = body.ok_or_else(|| Draft::error(ErrorCode::PayloadTooLarge))?;
        if body.is_empty() && may_lack {
            return Ok(Map::new());
        }
        let body = serde_json::from_str(&body);
        Ok(body.map_err(|_| unlike(endpoint))?)
    }

    /// Reads a body as the endpoint says, as a value of its type.
    pub(super) async fn typed_body<T: DeserializeOwned>(&self, endpoint: &Endpoint) -> Result<T, Stop> {
        let body = self.body_of(endpoint).await?;
        let typed = serde_json::from_value(Value::Object(body));
        Ok(typed.map_err(|_| unlike(endpoint))?)
    }

    async fn document(&self) -> Draft {
        match statics::read(&self.env, DOCUMENT).await {
            Some(document) => Draft::json(200, document),
            None => Draft::error(ErrorCode::Internal),
        }
    }

    /// Answers with the metrics of the rooms that the operator sees.
    async fn metrics(&self, operator: &Operator) -> Draft {
        let reports = self.reports(operator).await;
        let rooms: Vec<_> = reports
            .iter()
            .map(|(room, said)| (room.name.as_str(), said.as_ref().map(Said::report)))
            .collect();
        let form = Form::asked_by(self.incoming.described().accept().as_deref());
        let draft = Draft::new(200).with("Content-Type", form.media_type());
        draft.body(form.of(metrics::text(&rooms)))
    }

    /// Returns every room that the operator sees, and who asks, so that a page need not offer what would be refused.
    async fn rooms(&self, operator: &Operator) -> Value {
        let reports = self.reports(operator).await;
        let rooms: Vec<_> = reports
            .iter()
            .map(|(room, said)| match said {
                Some(Said::Now(told)) => json!(told),
                Some(Said::Then(summary)) => summarised(room, summary),
                None => silent(room),
            })
            .collect();
        let Operator { name, role, rooms: own, .. } = operator;
        let operator = json!({ "name": name, "role": role.name(), "rooms": own });
        json!({ "operator": operator, "rooms": rooms })
    }

    /// Measures the way to the room's first lobby and from there to the room, and says which headers of clients stayed here.
    async fn probe(&self, name: &str) -> Result<Value, Stop> {
        let room = self.room_named(name)?;
        let told = Address::of_lobby(room, LobbyId(0)).probe(&self.env).await?;
        let mut told: Map<String, Value> = serde_json::from_str(&told).unwrap_or_default();
        told.insert("headers_stay".to_owned(), memory::headers_said().into());
        Ok(Value::Object(told))
    }

    /// Reads the revision in `If-Match`. Returns `None` if any revision will do, and refuses a tag that no state can have.
    fn expected(&self) -> Result<Option<u64>, Draft> {
        match self.incoming.header("if-match").as_deref() {
            None | Some("*") => Ok(None),
            Some(tag) => {
                let revision = revision(tag).map(Some);
                revision.ok_or_else(|| Draft::error(ErrorCode::PreconditionFailed))
            }
        }
    }

    /// Reads the revision that the operator has seen, for what must never be done to a state that nobody has looked at.
    fn seen(&self) -> Result<u64, Draft> {
        let seen = self.expected()?;
        seen.ok_or_else(|| Draft::error(ErrorCode::PreconditionRequired))
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
        (status == 200).then(|| serde_json::from_str(&text).ok()).flatten()
    }

    /// Returns the room of this name.
    pub(super) fn room_named(&self, name: &str) -> Result<&RoomSettings, Draft> {
        let room = self.deployment.settings.room(name);
        room.ok_or_else(|| Draft::error(ErrorCode::UnknownRoom))
    }

    /// Sends a room an operator's order.
    pub(super) async fn send<T: Serialize>(&self, room: &RoomSettings, path: &str, order: &T) -> Asked {
        let body = serde_json::to_string(order).ok()?;
        self.ask_room(room, path, &body).await
    }

    pub(super) async fn ask_room(&self, room: &RoomSettings, path: &str, body: &str) -> Asked {
        let remark = Remark::front(Code::RoomUnreachable).in_room(&room.name);
        self.ask_object(&Address::of_room(room), path, body, PATIENCE_MS, remark).await
    }

    /// Asks an object. If it does not answer, `remark` goes to the log.
    pub(super) async fn ask_object(&self, object: &Address, path: &str, body: &str, patience_ms: u64, remark: Remark) -> Asked {
        let body = body.as_bytes();
        match object.post(&self.env, path, &[], body, patience_ms).await {
            Ok(answer) => Some((answer.status, String::from_utf8(answer.body).ok()?)),
            Err(error) => {
                log::say(&remark.because(js::describe(&error)));
                None
            }
        }
    }

    /// Asks the outbox. Where there are no webhooks, nobody wakes it.
    async fn ask_outbox(&self, path: &str, call: &AdminCall, operator: &Operator) -> Result<Asked, Stop> {
        let hooks = &self.deployment.settings.webhooks;
        let webhook = call.text("webhook");
        if webhook.is_empty() && hooks.is_empty() {
            return Ok(Some((200, "[]".to_owned())));
        }
        if !webhook.is_empty() && !hooks.iter().any(|own| own.name == webhook) {
            let why = "wrangler.toml has no [[vars.WEBHOOKS]] of this name.";
            return Err(Draft::error_saying(ErrorCode::NotFound, why).into());
        }
        let order = text_of(&self.order(call, operator).await?)?;
        let remark = Remark::front(Code::OutboxUnreachable);
        let outbox = Address::of_outbox();
        let asked = self.ask_object(&outbox, path, &order, PATIENCE_MS, remark);
        let Some(answer) = asked.await else {
            let why = "The outbox does not answer.";
            return Err(Draft::error_saying(ErrorCode::RoomUnavailable, why).into());
        };
        Ok(Some(answer))
    }
}

/// Returns what an object answered. Its refusal is the answer as it stands; if it does not answer, the room is unavailable.
///
/// # Errors
/// The refusal.
pub(super) fn passed(asked: Asked) -> Result<String, Draft> {
    match asked {
        Some((200..=299, text)) => Ok(text),
        Some((status, text)) if text.starts_with("{\"error\":") => Err(Draft::passed(status, text)),
        _ => Err(Draft::error(ErrorCode::RoomUnavailable)),
    }
}

/// Returns what an object answered as a value.
///
/// # Errors
/// Its refusal.
pub(super) fn value_of(asked: Asked) -> Result<Value, Stop> {
    let value = serde_json::from_str(&passed(asked)?);
    Ok(value.map_err(|_| Draft::error(ErrorCode::RoomUnavailable))?)
}

/// Refuses a body that is not what the endpoint takes.
pub(super) fn unlike(endpoint: &Endpoint) -> Draft {
    match endpoint.takes {
        Takes::Json { cure, .. } => Draft::error_saying(ErrorCode::BadRequest, cure),
        Takes::Nothing | Takes::Picture => Draft::error(ErrorCode::BadRequest),
    }
}

/// Answers with what an object told, as far as it concerns the operator.
pub(super) fn told(endpoint: &Endpoint, operator: &Operator, text: String) -> Draft {
    match endpoint.gives {
        Gives::Nothing => Draft::new(204),
        Gives::Lines => Draft::new(200).with("Content-Type", "application/x-ndjson; charset=utf-8").body(text),
        _ => match serde_json::from_str(&text) {
            Ok(value) => told_value(endpoint, operator, value),
            Err(_) => Draft::error(ErrorCode::RoomUnavailable),
        },
    }
}

/// As [`told`]. The revision that is told is the `ETag` too.
fn told_value(endpoint: &Endpoint, operator: &Operator, mut value: Value) -> Draft {
    if let Value::Object(told) = &mut value {
        narrow(endpoint, told, operator);
    }
    let status = endpoint.gives.status();
    match endpoint.gives {
        Gives::Nothing => Draft::new(status),
        Gives::Tagged(_) => {
            let revision = value.get("revision").and_then(Value::as_u64);
            let tag = etag(revision.unwrap_or_default());
            Draft::json(status, value.to_string()).with("ETag", tag)
        }
        _ => Draft::json(status, value.to_string()),
    }
}

pub(super) fn text_of(order: &impl Serialize) -> Result<String, Draft> {
    serde_json::to_string(order).map_err(|_| Draft::error(ErrorCode::Internal))
}

fn etag(revision: u64) -> String {
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
