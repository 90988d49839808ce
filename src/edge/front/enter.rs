//! `POST /__baton/{room}/enter`: everything in one call, for clients without cookies. A visitor who may go in is in; any other gets a place and is
//! told about it. The call sets no cookie and reads none, so a page of another site cannot use it in a visitor's name.

use std::rc::Rc;

use wasm_bindgen::JsValue;
use worker::web_sys::Response;

use super::Front;
use super::answers::Draft;
use super::identity::Identity;
use super::waiting::unknown;
use crate::facts::config::Mode;
use crate::facts::units::VisitorId;
use crate::gate::{Asked, Barred, ErrorCode, Failed, Outcome, Silence, VisitorCall, Wanted, better_entrant, judge_entry, lane_of};
use crate::settings::{EntryPolicy, RoomSettings};
use crate::token::Entrant;
use crate::wire::{Status, Wish};

impl Front {
    /// Answers with a status object and `in`. `identity` must not hold a visitor whom only a pass names.
    pub async fn enter_call(self: &Rc<Self>, room: &RoomSettings, identity: &Identity, now_ms: u64) -> Result<Response, JsValue> {
        let shown = self.shown_in_header(room, now_ms).await;
        let (identity, vouched) = &self.vouched_for(room, identity, shown, now_ms)?;
        let mode = self.mode(room, now_ms);
        if mode == Mode::Bypass {
            return self.finish(entered(&unknown(room), true));
        }
        let barred = identity.barred().filter(|_| !mode.passes());
        if let Some(barred) = barred
            && identity.shown().is_none()
        {
            return self.finish(self.entry_refused(room, barred));
        }
        let Some(visitor) = identity.visitor else {
            return self.stranger(room, identity, VisitorCall::Enter);
        };
        let is_new = identity.ticket.is_none() && !mode.passes();
        let unproven = !mode.passes() && identity.is_unproven(room);
        if unproven && is_new {
            return self.finish(Draft::error(ErrorCode::VerificationRequired));
        }
        if is_new && let Err(limited) = self.check_limit(room, identity.account()).await {
            return self.finish(Self::limited(limited));
        }
        let wish = Wish::Arrive {
            walk_in: barred.is_none(),
            join: !unproven && !mode.passes() && barred.is_none(),
        };
        let mut asked = self.ask(room, identity, visitor, wish).await;
        // A visitor with a page moves when the page joins; an app has no other call than this one.
        if asked.as_ref().is_ok_and(|asked| asked.told.status.has_better_lane()) {
            asked = self.ask(room, identity, visitor, Wish::Join).await;
        }
        let asked = match asked {
            Ok(asked) => asked,
            Err(why) => {
                let opens = why == Silence::Unreachable && self.fails_open(room, Failed::Now);
                let draft = if mode.passes() || opens {
                    entered(&unknown(room), true)
                } else {
                    Draft::error(ErrorCode::RoomUnavailable)
                };
                return self.finish(draft);
            }
        };
        self.tell_opened(room);
        let mut changes = self.issuer(room).after(identity, visitor, &asked);
        changes.extend(vouched.iter().cloned());
        self.finish(self.told_in_or_not(room, identity, visitor, barred, &asked, changes))
    }

    /// Turns a lobby's answer into the answer to the call. `barred` says why the visitor may take no number, as far as the front can tell;
    /// `changes` are the tokens to set and clear.
    fn told_in_or_not(
        self: &Rc<Self>,
        room: &RoomSettings,
        identity: &Identity,
        visitor: VisitorId,
        barred: Option<Barred>,
        asked: &Asked,
        mut changes: Vec<String>,
    ) -> Draft {
        let status = &asked.told.status;
        changes.extend(self.issuer(room).unspent(identity, asked));
        let draft = match asked.outcome(Wanted::Entry, barred, visitor, room) {
            Outcome::In(pass, _) => {
                changes.push(self.issuer(room).pass(&pass));
                entered(status, true)
            }
            Outcome::Free => entered(status, true),
            Outcome::Limited(limited) => Self::limited(limited),
            Outcome::Elsewhere => self.place_elsewhere(room),
            Outcome::Barred(barred) | Outcome::Unspent(barred) => self.entry_refused(room, barred),
            _ => {
                if identity.pass_cookie {
                    changes.push(self.issuer(room).clear_pass());
                }
                entered(status, false)
            }
        };
        draft.cookies(changes)
    }
}

impl Front {
    /// Returns who calls, including what the token in the header says, and the tokens to keep. A visitor for whom the shop vouches needs no name from
    /// an earlier call: an account is counted by itself, and an invitation gives one place.
    fn vouched_for(&self, room: &RoomSettings, identity: &Identity, shown: Option<Entrant>, now_ms: u64) -> Result<(Identity, Vec<String>), JsValue> {
        let mut identity = identity.clone();
        let mut kept = Vec::new();
        if let Some(entrant) = shown {
            let known = identity.entrant;
            // Whoever shows a token means it to count, even in a room that needs none.
            let keys = &self.deployment.entry_keys;
            identity.entry = judge_entry(EntryPolicy::Required, Some(&entrant), keys, now_ms);
            identity.entrant = Some(entrant);
            identity.lane = lane_of(identity.entry, identity.entrant.as_ref());
            identity.needs_lane = true;
            let is_vouched_for = identity.has_account() || identity.voucher().is_some();
            if identity.visitor.is_none() && is_vouched_for {
                let visitor = self.new_visitor(room)?;
                identity.visitor = Some(visitor);
                identity.visitor_cookie = true;
                kept.push(self.issuer(room).visitor(visitor));
            }
            let entrant = better_entrant(entrant, known, keys, now_ms);
            kept.extend(entrant.map(|entrant| self.issuer(room).entry(&entrant)));
        }
        Ok((identity, kept))
    }
}

/// Answers with a status object, and whether the visitor may go on to the gated paths now.
fn entered(status: &Status, is_in: bool) -> Draft {
    let mut told = serde_json::to_value(status).unwrap_or_default();
    if let Some(told) = told.as_object_mut() {
        told.insert("in".to_owned(), is_in.into());
    }
    let draft = Draft::json(200, told.to_string());
    if is_in {
        draft
    } else {
        draft.with("Retry-After", status.poll_after_s.to_string())
    }
}
