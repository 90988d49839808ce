//! An operator begins a rehearsal, and ends it (`front/rehearsal.rs` says what one is).

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::operation::Operation;
use crate::dice;
use crate::front::answers::{Draft, Stop};
use crate::front::rehearsal::{scope_of_rehearsal, why_not};
use crate::front::{memory, objects};
use crate::orders::{Confirmation, LiveChange, Reset, RoomTold};
use facts::config::Mode;
use facts::units::Edition;
use gate::ErrorCode;
use room::report::Report;
use settings::RoomSettings;
use token::Rehearsal;

/// The longest time that a token may last, in minutes.
const MINUTES_MAX: u64 = 60;
/// How long a token lasts unless the operator says otherwise, in minutes.
const MINUTES: u64 = 15;
/// Live values of the room that the rehearsal does not take over: when the public gets in, and what it is told.
const OWN_KEYS: [&str; 10] = [
    "mode",
    "opens_at",
    "closes_at",
    "hall_s",
    "draw",
    "message",
    "schedule",
    "lanes",
    "lanes_rule",
    "line_max",
];

/// The body of an operator's call for a rehearsal.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    minutes: Option<u64>,
}

impl Operation<'_> {
    /// Begins a rehearsal. An earlier one is over.
    pub(super) async fn begin_rehearsal(&self) -> Result<Value, Stop> {
        let wanted: Wanted = self.typed_body().await?;
        let minutes = wanted.minutes.unwrap_or(MINUTES);
        if !(1..=MINUTES_MAX).contains(&minutes) {
            return Err(self.unlike().into());
        }
        let ends_at_ms = dice::now_ms().saturating_add(minutes * 60_000);
        Ok(self.begin(ends_at_ms).await?)
    }

    async fn begin(&self, ends_at_ms: u64) -> Result<Value, Draft> {
        let (room, stage) = self.room_and_stage()?;
        let away = || Draft::error(ErrorCode::RoomUnavailable);
        let public = objects::report(self.env, room).await.ok_or_else(away)?;
        if let Some(why) = why_not(&public, ends_at_ms) {
            return Err(Draft::error_saying(ErrorCode::RoomInUse, &why));
        }
        let before = objects::report(self.env, stage).await.ok_or_else(away)?;
        self.reset_stage(stage, before.revision).await?;
        let change = LiveChange {
            by: self.by(),
            expected: None,
            body: values_of_stage(&public, &before),
        };
        let text = objects::passed(self.send(stage, "live", &change).await)?;
        let told = serde_json::from_str::<RoomTold>(&text).map_err(|_| away())?;
        let edition = Edition(told.report.edition);
        memory::rehearsal(&room.name, |looks| looks.learn(dice::now_ms(), Some(edition)));
        let token = Rehearsal { edition, ends_at_ms };
        let scope = scope_of_rehearsal(self.received, room);
        let token = self.received.deployment.keyring.sign(&token, scope);
        Ok(json!({
            "room": room.name,
            "edition": edition,
            "token": token,
            "ends_at_ms": ends_at_ms,
            "permits": told.report.permits,
        }))
    }

    /// Ends the rehearsal and its token. Ending one that is over changes nothing.
    pub(super) async fn end_rehearsal(&self) -> Result<(), Draft> {
        let (room, stage) = self.room_and_stage()?;
        let away = || Draft::error(ErrorCode::RoomUnavailable);
        let before = objects::report(self.env, stage).await.ok_or_else(away)?;
        memory::rehearsal(&room.name, |looks| looks.learn(dice::now_ms(), None));
        if before.report.mode == Mode::Closed && living(&before.report) == 0 {
            return Ok(());
        }
        let values = before.changed.keys().map(|key| (key.clone(), Value::Null));
        let change = LiveChange {
            by: self.by(),
            expected: Some(before.revision),
            body: facts::ordered::filled(values),
        };
        let text = objects::passed(self.send(stage, "live", &change).await)?;
        let told = serde_json::from_str::<RoomTold>(&text).map_err(|_| away())?;
        self.reset_stage(stage, told.revision).await
    }

    async fn reset_stage(&self, stage: &RoomSettings, seen: u64) -> Result<(), Draft> {
        let reset = Reset {
            by: self.by(),
            expected: seen,
            body: Confirmation {
                room: stage.name_in_file().to_owned(),
            },
        };
        objects::passed(self.send(stage, "reset", &reset).await).map(drop)
    }

    pub(super) fn room_and_stage(&self) -> Result<(&RoomSettings, &RoomSettings), Draft> {
        let name = self.call.text("room");
        let room = self.received.deployment.settings.room(name);
        let stage = self.received.deployment.rehearsal(name);
        let both = room.zip(stage.map(|stage| &stage.settings));
        both.ok_or_else(|| Draft::error(ErrorCode::UnknownRoom))
    }
}

/// The number of people who have a place or a permit.
fn living(report: &Report) -> u64 {
    report.waiting.saturating_add(u64::from(report.inside)).saturating_add(report.in_hall)
}

/// Returns the live values for a rehearsal that begins: its room is open and otherwise as the room is now. Values that
/// an earlier rehearsal left are taken back.
fn values_of_stage(public: &RoomTold, before: &RoomTold) -> Map<String, Value> {
    let mut values = Map::new();
    for key in before.changed.keys() {
        values.insert(key.clone(), Value::Null);
    }
    for key in public.changed.keys() {
        let setting = public.settings.get(key);
        let value = setting.and_then(|setting| setting.get("value"));
        if let Some(value) = value.filter(|_| !OWN_KEYS.contains(&key.as_str())) {
            values.insert(key.clone(), value.clone());
        }
    }
    values.insert("mode".to_owned(), Value::from(Mode::Open.name()));
    values
}
