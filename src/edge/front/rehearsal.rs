//! Rehearsals on the live deployment. An operator begins one (`POST /__baton/admin/rooms/{room}/rehearsal`) and gets a token that is good for
//! minutes. Requests that show it (`Baton-Rehearsal`) belong to visitors of another room, the rehearsal's (`settings/rehearsal.rs`), which has the
//! same settings. The room itself stays closed and knows nothing of it.
//!
//! A request to a gated path, or for one of a room's calls, that shows a token belongs to a rehearsal or is refused. It must never count as the
//! public's: a crowd that goes on rehearsing after the doors have opened would fill the line. Where no room is asked (paths outside and exceptions,
//! preflights, Baton's files, the operator's calls) nobody looks at the token.
//!
//! **What a token is good for.** Its MAC covers room and host. It names the rehearsal's edition, and only one edition goes on at a time: the next
//! rehearsal begins another, and so does the end of this one. It ends by itself within [`MINUTES_MAX`] minutes. Each isolate that is shown tokens
//! checks every [`LOOK_EVERY_MS`], by one request for all, whether that edition still goes on, and whether the room is still closed and empty. A
//! token opens pages of the shop only for looking: whoever finds one in a log cannot buy anything with it.

use futures_util::future::join;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use worker::Env;

use super::answers::{Draft, Stop};
use super::incoming::Incoming;
use super::looking::{self, Turn};
use super::operator::operation::Operation;
use super::received::Received;
use super::{memory, objects};
use crate::dice;
use crate::orders::{Confirmation, LiveChange, Reset, RoomTold};
use facts::config::Mode;
use facts::units::Edition;
use gate::{ErrorCode, Gated, Room};
use room::report::Report;
use settings::RoomSettings;
use token::{Rehearsal, Scope};

/// The header that carries the token. Like every `Baton-…` header of a client it never reaches the origin.
const HEADER: &str = "baton-rehearsal";
/// The longest time that a token may last, in minutes.
const MINUTES_MAX: u64 = 60;
/// How long a token lasts unless the operator says otherwise, in minutes.
const MINUTES: u64 = 15;
/// How long an isolate believes that a rehearsal goes on, ms.
const LOOK_EVERY_MS: u64 = 2_000;
/// Live values of the room that the rehearsal does not take over: when the public gets in, and what it is told.
const OWN_KEYS: [&str; 6] = ["mode", "opens_at", "closes_at", "hall_s", "draw", "message"];

/// The body of an operator's call for a rehearsal.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    minutes: Option<u64>,
}

/// Returns why nobody may rehearse while the room is like this, or `None` if an operator may.
fn why_not(told: &RoomTold, ends_at_ms: u64) -> Option<String> {
    let report = &told.report;
    let living = [
        (report.waiting, "wait"),
        (u64::from(report.inside), "are inside"),
        (report.in_hall, "are in the hall"),
    ];
    if report.mode != Mode::Closed {
        let mode = report.mode.name();
        return Some(format!("The room is {mode} for the public. Set its mode to closed first."));
    }
    if let Some((count, what)) = living.into_iter().find(|(count, _)| *count > 0) {
        return Some(format!("{count} real visitors {what}. Wait until they are done, or reset the room."));
    }
    let hall_s = told.settings.get("hall_s").and_then(|hall| hall.get("value"));
    let hall_ms = hall_s.and_then(Value::as_u64).unwrap_or(0).saturating_mul(1_000);
    let doors_at_ms = report.opens_at_ms.map(|at| at.saturating_sub(hall_ms));
    doors_at_ms
        .is_some_and(|at| at <= ends_at_ms)
        .then(|| "The room, or its hall, opens before the rehearsal would end. Ask for fewer minutes, or rehearse earlier.".to_owned())
}

// What a visitor of a rehearsal shows.
/// Whether the request says that it is part of a rehearsal.
pub(super) fn is_rehearsing(incoming: &Incoming) -> bool {
    incoming.header(HEADER).is_some()
}

/// Returns the rehearsal's room if the request is part of a rehearsal of this room, `None` if it is the public's.
///
/// # Errors
/// The answer, if the request shows a token that is not good now.
pub(super) async fn stage<'r>(env: &Env, received: &'r Received, name: &str) -> Result<Option<&'r Room>, Draft> {
    let Some(text) = received.incoming.header(HEADER) else {
        return Ok(None);
    };
    let refused = || Draft::error(ErrorCode::NoRehearsal);
    let gate = &received.deployment.gate;
    let (Some(room), Some(stage)) = (gate.room(name), received.deployment.rehearsal(name)) else {
        return Err(refused());
    };
    let now_ms = dice::now_ms();
    let scope = scope_of_rehearsal(received, &room.settings);
    let verified = received.deployment.keyring.verify(&text, scope, now_ms);
    let token: Rehearsal = verified.map_err(|_| refused())?.token;
    let going = goes_on(env, &room.settings, &stage.settings).await?;
    match going == Some(token.edition) {
        true => Ok(Some(stage)),
        false => Err(refused()),
    }
}

/// Moves a request that is part of a rehearsal to the rehearsal's room. Such a request may look at the shop and do no more.
pub(super) async fn gated_on_stage<'r>(env: &Env, received: &'r Received, gated: Gated<'r>) -> Result<Gated<'r>, Draft> {
    match stage(env, received, &gated.room.settings.name).await? {
        None => Ok(gated),
        Some(_) if !gated.intent.visit.only_reads() => Err(Draft::error_saying(
            ErrorCode::NoRehearsal,
            "A rehearsal only looks at the shop: GET and HEAD.",
        )),
        Some(room) => Ok(Gated { room, ..gated }),
    }
}

/// Returns the room that a call to this name means: the room itself, or its rehearsal's.
pub(super) async fn settings_on_stage<'r>(env: &Env, received: &'r Received, name: &str) -> Result<&'r RoomSettings, Draft> {
    let room = received.deployment.settings.room(name);
    let room = room.ok_or_else(|| Draft::error(ErrorCode::UnknownRoom))?;
    let stage = stage(env, received, name).await?;
    Ok(stage.map_or(room, |stage| &stage.settings))
}

/// The scope of the token: bound to the host, even where the room's hosts share their cookies.
fn scope_of_rehearsal<'a>(received: &'a Received, room: &'a RoomSettings) -> Scope<'a> {
    Scope {
        room: &room.bound_as,
        host: received.host.as_str(),
    }
}

/// Returns which edition of the rehearsal is going on, as of at most [`LOOK_EVERY_MS`] ago.
async fn goes_on(env: &Env, room: &RoomSettings, stage: &RoomSettings) -> Result<Option<Edition>, Draft> {
    let look = |now_ms| memory::rehearsal(&room.name, |looks| looks.turn(now_ms, LOOK_EVERY_MS));
    match looking::turn(LOOK_EVERY_MS, look).await? {
        Turn::Known(going) => Ok(going),
        Turn::Asks(now_ms) => look_whether_on(env, room, stage, now_ms).await,
    }
}

async fn look_whether_on(env: &Env, room: &RoomSettings, stage: &RoomSettings, now_ms: u64) -> Result<Option<Edition>, Draft> {
    let (public, rehearsed) = join(objects::report(env, room), objects::report(env, stage)).await;
    let (Some(public), Some(rehearsed)) = (public, rehearsed) else {
        memory::rehearsal(&room.name, |looks| looks.fail(now_ms));
        return Err(Draft::error(ErrorCode::RoomUnavailable));
    };
    let may = why_not(&public, now_ms).is_none();
    let going = may && rehearsed.report.mode == Mode::Open;
    let going = going.then_some(Edition(rehearsed.report.edition));
    memory::rehearsal(&room.name, |looks| looks.learn(now_ms, going));
    Ok(going)
}

// What the operator asks for.
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
