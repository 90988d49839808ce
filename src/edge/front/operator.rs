//! What the operator may see, with `Authorization: Bearer <BATON_ADMIN_TOKEN>`: the rooms in numbers, their
//! journals, metrics. Without that secret none of it exists.

use futures_util::future::join_all;
use serde_json::json;
use wasm_bindgen::JsValue;
use worker::web_sys::Response;

use super::Front;
use super::answers::Draft;
use crate::edge::peers::Address;
use crate::gate::{AdminCall, ErrorCode};
use crate::metrics;
use crate::room::report::Report;
use crate::settings::RoomSettings;

/// How long a room may take.
const PATIENCE_MS: u64 = 5_000;

impl Front {
    /// Whether the operator asks; else what to answer.
    pub(super) fn refusal_of_operator(&self) -> Option<Draft> {
        let Some(operator) = &self.deployment.operator else {
            return Some(Draft::error(ErrorCode::NotFound));
        };
        let header = self.incoming.header("authorization");
        let refused = Draft::error(ErrorCode::Unauthorized).with("WWW-Authenticate", "Bearer");
        (!header.is_some_and(|header| operator.is_shown_by(&header))).then_some(refused)
    }

    /// A call of the operator.
    pub(super) async fn answer_operator(&self, call: AdminCall) -> Result<Response, JsValue> {
        if let Some(refusal) = self.refusal_of_operator() {
            return self.finish(refusal);
        }
        let draft = match call {
            AdminCall::Rooms => self.rooms().await,
            AdminCall::Room { room } => self.room(&room).await,
            AdminCall::Journal { room, after } => self.journal(&room, after).await,
            // The desk and its knobs are not built yet.
            AdminCall::Shell
            | AdminCall::Session
            | AdminCall::Change { .. }
            | AdminCall::Release { .. } => Draft::error(ErrorCode::NotFound),
        };
        self.finish(draft)
    }

    /// `GET /__baton/metrics`
    pub(super) async fn metrics(&self) -> Result<Response, JsValue> {
        if let Some(refusal) = self.refusal_of_operator() {
            return self.finish(refusal);
        }
        let reports = self.reports().await;
        let rooms: Vec<_> = reports
            .iter()
            .map(|(room, report)| (room.name.as_str(), report.as_ref()))
            .collect();
        let draft = Draft::new(200).with("Content-Type", metrics::CONTENT_TYPE);
        self.finish(draft.body(metrics::text(&rooms)))
    }

    async fn rooms(&self) -> Draft {
        let reports = self.reports().await;
        let rooms: Vec<_> = reports
            .iter()
            .map(|(room, report)| described(room, report.as_ref()))
            .collect();
        Draft::json(200, json!({ "rooms": rooms }).to_string())
    }

    async fn room(&self, name: &str) -> Draft {
        let Some(room) = self.deployment.settings.room(name) else {
            return Draft::error(ErrorCode::UnknownRoom);
        };
        match self.report(room).await {
            Some(report) => Draft::json(200, described(room, Some(&report)).to_string()),
            None => Draft::error(ErrorCode::RoomUnavailable),
        }
    }

    async fn journal(&self, name: &str, after: u64) -> Draft {
        let Some(room) = self.deployment.settings.room(name) else {
            return Draft::error(ErrorCode::UnknownRoom);
        };
        let answer = self.ask_room(room, "journal", &after.to_string()).await;
        match answer {
            Some((200, lines)) => Draft::new(200)
                .with("Content-Type", "application/x-ndjson; charset=utf-8")
                .body(lines),
            Some((404, why)) => Draft::error_saying(ErrorCode::BadRequest, &why),
            _ => Draft::error(ErrorCode::RoomUnavailable),
        }
    }

    /// Every room with what it says of itself, if it answers.
    async fn reports(&self) -> Vec<(&RoomSettings, Option<Report>)> {
        let rooms = self.deployment.settings.rooms.iter();
        join_all(rooms.map(|room| async move { (room, self.report(room).await) })).await
    }

    async fn report(&self, room: &RoomSettings) -> Option<Report> {
        let (status, text) = self.ask_room(room, "report", "").await?;
        (status == 200)
            .then(|| serde_json::from_str(&text).ok())
            .flatten()
    }

    async fn ask_room(&self, room: &RoomSettings, path: &str, body: &str) -> Option<(u16, String)> {
        let address = Address {
            room: room.name.clone(),
            lobby: None,
            location: room.location.clone(),
        };
        let answer = address
            .post(&self.env, path, body.as_bytes(), PATIENCE_MS)
            .await;
        match answer {
            Ok(mut answer) => Some((answer.status_code(), answer.text().await.ok()?)),
            Err(error) => {
                worker::console_warn!("room {}: {error}", room.name);
                None
            }
        }
    }
}

/// A room as the operator sees it; `report` is null when it does not answer.
fn described(room: &RoomSettings, report: Option<&Report>) -> serde_json::Value {
    json!({
        "room": room.name,
        "paths": room.paths,
        "hosts": room.hosts,
        "lobbies": room.lobbies(),
        "report": report,
    })
}
