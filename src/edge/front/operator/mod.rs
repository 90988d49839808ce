//! What operators may see and do, each within a role, with `Authorization: Bearer …` or the desk's cookie (`desk`). The table of `gate/endpoints/`
//! says what there is and who answers it. Where one object does, its answer is the answer; what the front makes itself is in `make`. Without operators
//! none of it exists.
//!
//! | file | what |
//! |---|---|
//! | `operation` | an operator's call, by an operator who may make it |
//! | `who`, `desk` | which operator asks, and whether that operator may; the desk's page and signing in |
//! | `vouch`, `provider` | who vouches for operators: Access, an OpenID provider; signing in at that |
//! | `actions` | who did what and when, from all journals |
//! | `sheets` | sheets of vouchers and their links; links for staff |

mod actions;
mod desk;
pub(super) mod operation;
mod provider;
mod sheets;
mod vouch;
pub(super) mod who;

use futures_util::future::{join, join_all};
use serde_json::{Map, Value, json};
use wasm_bindgen::JsValue;
use worker::Env;
use worker::web_sys::Response;

use self::operation::Operation;
use self::who::Door;
use crate::front::answers::{Draft, Stop};
use crate::front::objects::{self, Asked};
use crate::front::received::Received;
use crate::front::{house, memory, statics};
use crate::log::{Code, Remark};
use crate::orders::{RoomTold, Summary};
use crate::peers::Address;
use facts::units::LobbyId;
use gate::{AdminCall, By, ErrorCode, Made};
use metrics::Form;
use room::report::Report;
use settings::RoomSettings;
use token::Operator;

/// Where the API's document lies in the assets: no address leads there.
const DOCUMENT: &str = "../openapi.json";

/// Answers an operator's call.
pub(super) async fn answer_operator(env: &Env, received: &Received, call: AdminCall) -> Result<Response, JsValue> {
    let served = match call.needs() {
        None => at_the_door(&Door { env, received }, call.endpoint.by).await,
        Some(need) => match (Door { env, received }).operator_who_may(need).await {
            Ok(operator) => {
                let call = &call;
                (Operation {
                    env,
                    received,
                    operator,
                    call,
                })
                .serve()
                .await
            }
            Err(refusal) => Ok(refusal),
        },
    };
    match served {
        Ok(draft) | Err(Stop::Refused(draft)) => received.finish(draft),
        Err(Stop::Failed(failure)) => Err(failure),
    }
}

async fn at_the_door(door: &Door<'_>, by: By) -> Result<Draft, Stop> {
    Ok(match by {
        By::Front(Made::Desk) => door.shell().await,
        By::Front(Made::SignIn) => door.sign_in().await?,
        By::Front(Made::SignOut) => door.sign_out().await,
        By::Front(Made::Ways) => door.ways(),
        By::Front(Made::ToProvider) => door.go_to_provider().await?,
        By::Front(Made::FromProvider) => door.back_from_provider().await,
        _ => Draft::error(ErrorCode::NotFound),
    })
}

impl Operation<'_> {
    async fn serve(&self) -> Result<Draft, Stop> {
        let asked = match self.call.endpoint.by {
            By::Front(made) => return self.make(made).await,
            By::House(path) => return self.house_call(path).await,
            By::Outbox(path) => self.ask_outbox(path).await?,
            By::Room(path) => {
                let order = self.order().await?;
                self.send(self.room()?, path, &order).await
            }
            By::Stage(path) => {
                let order = self.order().await?;
                self.send(self.room_and_stage()?.1, path, &order).await
            }
        };
        Ok(self.told(objects::passed(asked)?))
    }

    /// Makes what no object can answer: what is gathered from several, and what only the front knows.
    async fn make(&self, made: Made) -> Result<Draft, Stop> {
        let value = match made {
            Made::Document => return Ok(document(self.env).await),
            Made::Metrics => return Ok(self.metrics().await),
            Made::Rooms => self.rooms().await,
            Made::Actions => self.actions().await?,
            Made::Probe => self.probe().await?,
            Made::EndRehearsal => {
                self.end_rehearsal().await?;
                Value::Null
            }
            Made::BeginRehearsal => self.begin_rehearsal().await?,
            Made::LeaveFor => self.leave_account().await?,
            Made::MakeSheet => self.make_sheet().await?,
            Made::Invitations => self.invitations().await?,
            Made::StaffLink => self.staff_link().await?,
            Made::PutImage => self.put_image().await?,
            Made::Desk | Made::Ways | Made::SignIn | Made::SignOut | Made::ToProvider | Made::FromProvider => {
                return Ok(Draft::error(ErrorCode::NotFound));
            }
        };
        Ok(self.told_value(value))
    }
}

async fn document(env: &Env) -> Draft {
    match statics::read(env, DOCUMENT).await {
        Some(document) => Draft::json(200, document),
        None => Draft::error(ErrorCode::Internal),
    }
}

impl Operation<'_> {
    /// Answers with the metrics of the rooms that the operator sees.
    async fn metrics(&self) -> Draft {
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
    async fn rooms(&self) -> Value {
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

    /// Measures the way to the room's first lobby and from there to the room, and says which headers of clients stayed here.
    async fn probe(&self) -> Result<Value, Stop> {
        let room = self.room()?;
        let told = Address::of_lobby(room, LobbyId(0)).probe(self.env).await?;
        let mut told: Map<String, Value> = serde_json::from_str(&told).unwrap_or_default();
        told.insert("headers_stay".to_owned(), memory::headers_said().into());
        Ok(Value::Object(told))
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
        let (mut reports, mut summaries) = join(join_all(asked), house::summaries(self.env, self.received)).await;
        reports.extend(of_house.into_iter().map(|room| {
            let summary = summaries.remove(&room.name);
            (room, summary.map(|summary| Said::Then(Box::new(summary))))
        }));
        reports.sort_unstable_by(|(a, _), (b, _)| a.name.cmp(&b.name));
        reports
    }

    /// Asks the outbox. Where there are no webhooks, nobody wakes it.
    async fn ask_outbox(&self, path: &str) -> Result<Asked, Stop> {
        let hooks = &self.received.deployment.settings.webhooks;
        let webhook = self.call.text("webhook");
        if webhook.is_empty() && hooks.is_empty() {
            return Ok(Some((200, "[]".to_owned())));
        }
        if !webhook.is_empty() && !hooks.iter().any(|own| own.name == webhook) {
            let why = "wrangler.toml has no [[vars.WEBHOOKS]] of this name.";
            return Err(Draft::error_saying(ErrorCode::NotFound, why).into());
        }
        let order = objects::text_of(&self.order().await?)?;
        let remark = Remark::front(Code::OutboxUnreachable);
        let outbox = Address::of_outbox();
        let asked = objects::ask_object(self.env, &outbox, path, &order, objects::PATIENCE_MS, remark);
        let Some(answer) = asked.await else {
            let why = "The outbox does not answer.";
            return Err(Draft::error_saying(ErrorCode::RoomUnavailable, why).into());
        };
        Ok(Some(answer))
    }
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
