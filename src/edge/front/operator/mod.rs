//! What operators may see and do, each within a role, with `Authorization: Bearer …` or the desk's cookie (`desk`). The table of `control/endpoints/`
//! says what there is and who answers it. Where one object does, its answer is the answer; what the front makes itself is in `make`. Without operators
//! none of it exists.
//!
//! | file | what |
//! |---|---|
//! | `operation` | an operator's call, by an operator who may make it |
//! | `who`, `desk` | which operator asks, and whether that operator may; the desk's page and signing in |
//! | `vouch`, `provider` | who vouches for operators: Access, an OpenID provider; signing in at that |
//! | `rooms` | the list of rooms, and their metrics |
//! | `house_call`, `picture` | what operators ask of the house; pictures that they upload |
//! | `actions` | who did what and when, from all journals |
//! | `sheets`, `account` | sheets of vouchers and their links, links for staff; the end of a customer's place |
//! | `rehearse` | a rehearsal begins and ends |

mod account;
mod actions;
mod desk;
mod house_call;
mod operation;
mod picture;
mod provider;
mod rehearse;
mod rooms;
mod sheets;
mod vouch;
pub(super) mod who;

use serde_json::{Map, Value};
use wasm_bindgen::JsValue;
use worker::Env;
use worker::web_sys::Response;

use self::operation::Operation;
use self::who::Door;
use crate::front::answers::{Draft, Stop};
use crate::front::objects::{self, Asked};
use crate::front::received::Received;
use crate::front::{memory, refused, statics};
use crate::log::{Code, Remark};
use crate::peers::Address;
use control::{By, Call, Made};
use facts::units::LobbyId;
use gate::{ErrorCode, Refusal};

/// Where the API's document lies in the assets: no address leads there.
const DOCUMENT: &str = "../openapi.json";

/// Answers a request for something of operators'. `unknown` is what a room comes to that the deployment does not know.
pub(super) async fn answer(env: &Env, received: &Received, unknown: ErrorCode) -> Result<Response, JsValue> {
    let door = Door { env, received };
    let call = Call::of(&received.deployment.gate, &received.incoming.described());
    let call = &match call {
        Ok(call) => call,
        Err(refusal) => return received.finish(refuse(&door, &refusal, unknown).await),
    };
    let served = match call.needs() {
        None => at_the_door(&door, call.endpoint.by).await,
        Some(need) => match door.operator_who_may(need).await {
            Ok(operator) => {
                let operation = Operation {
                    env,
                    received,
                    operator,
                    call,
                };
                operation.serve().await
            }
            Err(refusal) => Ok(refusal),
        },
    };
    match served {
        Ok(draft) | Err(Stop::Refused(draft)) => received.finish(draft),
        Err(Stop::Failed(failure)) => Err(failure),
    }
}

/// Refuses what is no call. A client that is no operator gets the same answer here as on any other operator's path, so that a refusal reveals nothing.
async fn refuse(door: &Door<'_>, refusal: &Refusal, unknown: ErrorCode) -> Draft {
    refused::note(door.received, refusal);
    match door.operator().await {
        Err(hidden) => hidden,
        Ok(_) if refusal.code == ErrorCode::UnknownRoom => Draft::error(unknown),
        Ok(_) => Draft::refusal(refusal),
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
    /// Has the call answered by whom the table names.
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
    /// Measures the way to the room's first lobby and from there to the room, and says which headers of clients stayed here.
    async fn probe(&self) -> Result<Value, Stop> {
        let room = self.room()?;
        let told = Address::of_lobby(room, LobbyId(0)).probe(self.env).await?;
        let mut told: Map<String, Value> = serde_json::from_str(&told).unwrap_or_default();
        told.insert("headers_stay".to_owned(), memory::headers_said().into());
        Ok(Value::Object(told))
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
