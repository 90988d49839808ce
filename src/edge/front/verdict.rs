//! Drives visits to a room's paths ([`Visit`]) and calls, which decide, and shows what a visit came to: the request goes in, with a lease or without, or it
//! gets the waiting answer.

use std::cell::Cell;

use wasm_bindgen::JsValue;
use worker::web_sys::Response;

use super::identity::Identity;
use super::platform::Platform;
use super::waiting::{Waiting, unknown};
use super::way_in::{Cookie, Entry};
use super::{Front, entry, health, lease, limits, lobby, memory, mode, opening};
use crate::dice;
use crate::log::{self, Code, Remark};
use facts::overheard::Overheard;
use facts::units::LobbyId;
use facts::wire::Status;
use gate::{Facts, FrontWords, Gated, Held, Here, Language, Notes, Outcome, Step, Verdict, Visit};
use settings::{EntryPolicy, RoomSettings};
use token::Pass;

/// How a visit is answered.
pub enum Answered {
    /// The request goes in, with these cookies on the origin's answer in any case.
    In(Entry, Vec<String>),
    /// The request gets the waiting answer.
    Wait(Box<Waiting>),
}

impl Front {
    /// Carries out the steps of a visit to a room's path, or to one of its exceptions.
    ///
    /// # Errors
    /// When the platform gives no random bytes.
    pub(super) async fn visit(&self, gated: &Gated<'_>, is_exception: bool, identity: Identity, now_ms: u64) -> Result<Verdict, JsValue> {
        let room = &gated.room.settings;
        let lease = identity.lease();
        let newer = lease.and_then(|pass| memory::renewed(&room.bound_as, pass.fence, now_ms, room.pass_ttl_ms));
        let facts = Facts {
            intent: gated.intent,
            is_strict: gated.strict,
            is_exception,
            mode: mode::to_pass_by(&self.platform.env, room).await,
            is_full: memory::is_lately_full(&room.name, now_ms, room.core.tick_ms),
            newer,
            is_away: lease.is_some_and(|pass| memory::is_away(&room.name, pass.lobby, now_ms)),
        };
        let (verdict, _) = self.drive(room, now_ms, |here| Visit::begin(identity, facts, here)).await?;
        if !matches!(verdict.outcome, Outcome::In(..)) {
            mode::keep_up(&self.platform, room);
        }
        Ok(verdict)
    }

    /// Carries out the steps of a visit or a call. Returns what it came to, and the lobby's own answer if that opened a socket.
    ///
    /// # Errors
    /// When the platform gives no random bytes.
    pub(super) async fn drive(
        &self,
        room: &RoomSettings,
        now_ms: u64,
        begin: impl FnOnce(&Here<'_>) -> Step,
    ) -> Result<(Verdict, Option<Response>), JsValue> {
        let address = || self.received.address_tag(room);
        let failed = Cell::new(None);
        let dice = || {
            dice::random_bytes().unwrap_or_else(|error| {
                failed.set(Some(error));
                [0; 16]
            })
        };
        let here = || Here {
            room,
            address: &address,
            dice: &dice,
            now_ms: dice::now_ms(),
        };
        let (mut step, mut socket) = (begin(&here()), None);
        let verdict = loop {
            // A name that is not made of chance is nobody's.
            if let Some(error) = failed.take() {
                return Err(error.into());
            }
            step = match step {
                Step::Ask(question, asking) => asking.heard(lobby::ask(&self.platform.env, room, question).await, &here()),
                Step::Connect(question, connecting) => {
                    let answer = lobby::connect(&self.platform.env, room, question).await;
                    let answer = answer.map(|(response, asked)| {
                        let is_open = response.status() == 101;
                        socket = is_open.then_some(response);
                        (asked, is_open)
                    });
                    connecting.heard(answer, &here())
                }
                Step::Limit(counting) => {
                    let may = limits::check_limit(&self.platform.env, &self.received, room, counting.account()).await;
                    counting.counted(may, &here())
                }
                Step::Probe(probing) => probing.probed(memory::take_probe(&room.name, now_ms), &here()),
                Step::FailOpen(failed, out) => out.opened(opening::fails_open(room, failed), &here()),
                Step::End(verdict) => break *verdict,
            };
        };
        note(&self.platform, room, verdict.notes, now_ms);
        opening::tell_opened(&self.platform, room);
        Ok((verdict, socket))
    }
}

fn note(platform: &Platform, room: &RoomSettings, notes: Notes, now_ms: u64) {
    if let Some(fence) = notes.over {
        memory::forget(&room.bound_as, fence);
    }
    if notes.is_only_observed {
        note_observed_only(platform, room, now_ms);
    }
    if let Some(why) = notes.refused {
        entry::note_refusal(platform, room, why);
    }
}

impl Front {
    /// Shows what a visit came to, to whoever asked for a page of the shop's.
    pub(super) fn answered(&self, room: &RoomSettings, verdict: Verdict) -> Answered {
        let cookies = self.received.issuer(room).kept(&verdict);
        let Verdict {
            outcome,
            identity,
            visitor,
            asked,
            ..
        } = verdict;
        let ticket = || identity.by_name().ticket;
        let status = asked.map_or_else(|| unknown(room), |asked| asked.told.status);
        let waiting = match outcome {
            Outcome::In(pass, held) => {
                let entry = Entry::Lease(pass, cookie(&self.platform, room, pass, held));
                return Answered::In(entry, cookies);
            }
            Outcome::Farewell(farewell) => {
                return Answered::In(Entry::Farewell(farewell), cookies);
            }
            Outcome::Free => return Answered::In(Entry::Free, cookies),
            Outcome::Limited(limited) => limits::limited_page(self.received.language(), room, status, limited, cookies),
            Outcome::Elsewhere => Waiting::elsewhere(room, status, cookies),
            // Where nobody needs a voucher the next visit comes without the one that gave no place.
            Outcome::Unspent(_) if room.entry != EntryPolicy::Required => Waiting::arriving(room, cookies),
            Outcome::Barred(barred) | Outcome::Unspent(barred) => {
                entry::note_refusal(&self.platform, room, barred.why);
                entry::turned_away(room, barred, cookies)
            }
            Outcome::OfAnother => Waiting::told(room, with_word_of_another(self.received.language(), status), cookies),
            Outcome::Placed | Outcome::Over | Outcome::Nothing => Waiting::told(room, status, cookies),
            Outcome::Challenged => Waiting::challenged(room, cookies),
            Outcome::Arriving => Waiting::arriving(room, cookies),
            // The rest are calls' alone.
            _ => Waiting::unreachable(room, visitor, ticket().as_ref(), cookies),
        };
        Answered::Wait(Box::new(waiting))
    }
}

/// Returns whether the client has the pass, and sets out to renew it if need be.
pub(super) fn cookie(platform: &Platform, room: &RoomSettings, pass: Pass, held: Held) -> Cookie {
    match held {
        Held::Shown => Cookie::Shown,
        Held::Older => Cookie::Renewed,
        Held::New => Cookie::New,
        Held::RenewedBeside => {
            let coming = lease::renew_beside(platform, room, pass);
            coming.map_or(Cookie::Shown, Cookie::Coming)
        }
    }
}

/// Says in the operator's place that the visitor's place is another account's.
fn with_word_of_another(language: Language, mut status: Status) -> Status {
    let words = FrontWords::of(language);
    status.message = Some(words.place_of_another_account.to_owned());
    status.messages.clear();
    status
}

/// Counts a request that could not have come in by itself if the room did more than observe, so that the log and the desk say so before it opens.
fn note_observed_only(platform: &Platform, room: &RoomSettings, now_ms: u64) {
    let heard = Overheard {
        observed_only: 1,
        ..Overheard::default()
    };
    health::overhear(platform, room, LobbyId(0), heard);
    if let Some(count) = memory::say_observed_only(&room.name, now_ms) {
        let remark = Remark::front(Code::ObservedOnly).in_room(&room.name);
        log::say(&remark.counting(count));
    }
}
