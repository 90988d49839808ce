//! Rehearsals on the live deployment. An operator begins one (`POST /__baton/admin/rooms/{room}/rehearsal`) and gets a token that is good for
//! minutes (`operator/rehearse.rs`). Requests that show it (`Baton-Rehearsal`) belong to visitors of another room, the rehearsal's (`settings/rehearsal.rs`), which has the
//! same settings. The room itself stays closed and knows nothing of it.
//!
//! A request to a gated path, or for one of a room's calls, that shows a token belongs to a rehearsal or is refused. It must never count as the
//! public's: a crowd that goes on rehearsing after the doors have opened would fill the line. Where no room is asked (paths outside and exceptions,
//! preflights, Baton's files, the operator's calls) nobody looks at the token.
//!
//! **What a token is good for.** Its MAC covers room and host. It names the rehearsal's edition, and only one edition goes on at a time: the next
//! rehearsal begins another, and so does the end of this one. It ends by itself within an hour. Each isolate that is shown tokens
//! checks every [`LOOK_EVERY_MS`], by one request for all, whether that edition still goes on, and whether the room is still closed and empty. A
//! token opens pages of the shop only for looking: whoever finds one in a log cannot buy anything with it.

use futures_util::future::join;
use serde_json::Value;
use worker::Env;

use super::answers::Draft;
use super::incoming::Incoming;
use super::looking::{self, Turn};
use super::received::Received;
use super::{memory, objects};
use crate::dice;
use crate::orders::RoomTold;
use facts::config::Mode;
use facts::units::Edition;
use gate::{ErrorCode, Gated, Room};
use settings::RoomSettings;
use token::{Rehearsal, Scope};

/// The header that carries the token. Like every `Baton-…` header of a client it never reaches the origin.
const HEADER: &str = "baton-rehearsal";
/// How long an isolate believes that a rehearsal goes on, ms.
const LOOK_EVERY_MS: u64 = 2_000;

/// Returns why nobody may rehearse while the room is like this, or `None` if an operator may.
pub(super) fn why_not(told: &RoomTold, ends_at_ms: u64) -> Option<String> {
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
pub(super) fn scope_of_rehearsal<'a>(received: &'a Received, room: &'a RoomSettings) -> Scope<'a> {
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
