//! An operator's call, made by an operator who is known and may make it. What needs an operator is a method of [`Operation`], so nobody can call it
//! without one.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use worker::Env;

use crate::front::answers::{Draft, Stop};
use crate::front::objects::{self, Asked};
use crate::front::received::Received;
use control::{Call, Gives, Seen, Takes, narrow};
use gate::ErrorCode;
use settings::RoomSettings;
use token::Operator;

/// A call, and who makes it.
pub(super) struct Operation<'a> {
    /// The bindings.
    pub env: &'a Env,
    /// The request.
    pub received: &'a Received,
    /// Who makes the call, and may.
    pub operator: &'a Operator,
    /// What the call is for.
    pub call: &'a Call,
}

impl<'a> Operation<'a> {
    /// The operator's name, for the journals.
    pub fn by(&self) -> String {
        self.operator.name.clone()
    }

    /// Returns the room that the path names.
    pub fn room(&self) -> Result<&'a RoomSettings, Draft> {
        let room = self.received.deployment.settings.room(self.call.text("room"));
        room.ok_or_else(|| Draft::error(ErrorCode::UnknownRoom))
    }

    /// What an object is asked: the values of path and query, who asks and in which rooms, what that operator has seen, and the body.
    pub async fn order(&self) -> Result<Map<String, Value>, Stop> {
        let endpoint = self.call.endpoint;
        let mut order = self.call.values.clone();
        let mut put = |name: &str, value: Value| drop(order.insert(name.to_owned(), value));
        put("by", self.by().into());
        put("within", self.operator.rooms.clone().into());
        match endpoint.seen {
            Seen::No => {}
            Seen::May => put("expected", self.expected()?.into()),
            Seen::Must => put("expected", self.seen()?.into()),
        }
        if let Takes::Json { .. } = endpoint.takes {
            put("body", Value::Object(self.body().await?));
        }
        Ok(order)
    }

    /// Reads the body as the endpoint says.
    pub async fn body(&self) -> Result<Map<String, Value>, Stop> {
        let Takes::Json { bytes_max, may_lack, .. } = self.call.endpoint.takes else {
            return Ok(Map::new());
        };
        let body = self.received.incoming.text(bytes_max).await?;
        let body = body.ok_or_else(|| Draft::error(ErrorCode::PayloadTooLarge))?;
        if body.is_empty() && may_lack {
            return Ok(Map::new());
        }
        let body = serde_json::from_str(&body);
        Ok(body.map_err(|_| self.unlike())?)
    }

    /// Reads the body as the endpoint says, as a value of its type.
    pub async fn typed_body<T: DeserializeOwned>(&self) -> Result<T, Stop> {
        let typed = serde_json::from_value(Value::Object(self.body().await?));
        Ok(typed.map_err(|_| self.unlike())?)
    }

    /// Sends a room an order.
    pub async fn send<T: Serialize>(&self, room: &RoomSettings, path: &str, order: &T) -> Asked {
        let body = serde_json::to_string(order).ok()?;
        objects::ask_room(self.env, room, path, &body).await
    }

    /// Answers with what an object told, as far as it concerns the operator.
    pub fn told(&self, text: String) -> Draft {
        match self.call.endpoint.gives {
            Gives::Nothing => Draft::new(204),
            Gives::Lines => Draft::new(200).with("Content-Type", "application/x-ndjson; charset=utf-8").body(text),
            _ => match serde_json::from_str(&text) {
                Ok(value) => self.told_value(value),
                Err(_) => Draft::error(ErrorCode::RoomUnavailable),
            },
        }
    }

    /// As [`Self::told`]. The revision that is told is the `ETag` too.
    pub fn told_value(&self, mut value: Value) -> Draft {
        let endpoint = self.call.endpoint;
        if let Value::Object(told) = &mut value {
            narrow(endpoint, told, self.operator);
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

    /// Refuses a body that is not what the endpoint takes.
    pub fn unlike(&self) -> Draft {
        match self.call.endpoint.takes {
            Takes::Json { cure, .. } => Draft::error_saying(ErrorCode::BadRequest, cure),
            Takes::Nothing | Takes::Picture => Draft::error(ErrorCode::BadRequest),
        }
    }

    /// Reads the revision in `If-Match`. Returns `None` if any revision will do, and refuses a tag that no state can have.
    fn expected(&self) -> Result<Option<u64>, Draft> {
        match self.received.incoming.header("if-match").as_deref() {
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
}

fn etag(revision: u64) -> String {
    format!("\"{revision}\"")
}

/// Reads the revision of a strong or weak tag.
fn revision(tag: &str) -> Option<u64> {
    let tag = tag.strip_prefix("W/").unwrap_or(tag);
    tag.strip_prefix('"')?.strip_suffix('"')?.parse().ok()
}
