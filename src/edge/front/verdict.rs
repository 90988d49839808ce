//! Decides what becomes of a request to a gated path: it goes in, with a lease or without, or it gets the waiting answer. It asks no more
//! than it must, and forwards nothing itself.

use std::rc::Rc;

use futures_channel::oneshot;
use wasm_bindgen::JsValue;

use super::Front;
use super::identity::Identity;
use super::lobby;
use super::memory::{self, Failed};
use super::waiting::{Waiting, unknown};
use crate::edge::dice;
use crate::edge::log::{self, Code, Remark};
use crate::facts::config::Mode;
use crate::facts::overheard::Overheard;
use crate::facts::units::{LobbyId, VisitorId};
use crate::gate::{
    Arrival, Asked, Barred, ByPass, Ended, First, FrontWords, Gated, Other, Outcome, PassShown,
    Pledge, Question, Silence, Unheard, Wanted, home_lobby,
};
use crate::settings::RoomSettings;
use crate::token::{Farewell, Pass, StaffName};
use crate::wire::{AccountTold, Ask, Wish};

/// What becomes of a request to a gated path.
pub enum Verdict {
    /// The request goes in, with these cookies on the origin's answer in any case.
    In(Entry, Vec<String>),
    /// The request gets the waiting answer.
    Wait(Box<Waiting>),
}

impl Verdict {
    fn wait(waiting: Waiting) -> Self {
        Self::Wait(Box::new(waiting))
    }
}

/// What entitles a request to go in.
pub enum Entry {
    /// A lease, and whether the client has its pass.
    Lease(Pass, Cookie),
    /// A lease that was given back; the thank-you page still loads.
    Farewell(Farewell),
    /// One of the staff, who has no place.
    Staff(StaffName),
    /// No lease is needed.
    Free,
}

/// Whether the client has this pass.
pub enum Cookie {
    /// The client showed it.
    Shown,
    /// The client showed an older one.
    Renewed,
    /// The client showed it, and a newer one may come in time for the answer.
    Coming(oneshot::Receiver<Pass>),
    /// The client has none yet.
    New,
}

impl Front {
    /// Judges a request by its pass, if that is not fresh or the room is strict, with at most one question.
    /// Returns `None` if the pass decides nothing. A request that looks ahead never slides the lease.
    pub async fn judge_by_pass(
        self: &Rc<Self>,
        gated: &Gated<'_>,
        identity: &Identity,
        now_ms: u64,
    ) -> Option<Verdict> {
        let room = &gated.room.settings;
        let enter = |pass, cookie| Some(Verdict::In(Entry::Lease(pass, cookie), Vec::new()));
        let loads = |farewell: &Farewell| farewell.loads(now_ms, room.pass_ttl_ms);
        if let Some(farewell) = identity.farewell().filter(loads) {
            let judged = self.judge_by_farewell(gated, identity, farewell, now_ms);
            return judged.await;
        }
        let pass = identity.lease()?;
        let newer = memory::renewed(&room.bound_as, pass.fence, now_ms, room.pass_ttl_ms);
        let shown = PassShown {
            standing: pass.freshness(now_ms, room.pass_ttl_ms),
            is_strict: gated.strict,
            is_bypass: self.mode(room, now_ms) == Mode::Bypass,
            has_newer: newer.is_some(),
            is_speculative: gated.intent.is_speculative,
        };
        if shown.is_checked() {
            match self.check(room, &pass).await {
                Ok(None) => {}
                Ok(Some(asked)) => {
                    memory::forget(&room.bound_as, pass.fence);
                    return self.judge_ended(gated, identity, pass.visitor, *asked);
                }
                Err(_) if shown.is_speculative => return None,
                Err(_) => {
                    let entry = Entry::Lease(pass, Cookie::Shown);
                    return Some(self.out_of_reach(room, identity, entry));
                }
            }
        }
        match (shown.goes_on(), newer) {
            (ByPass::Newer, Some(newer)) => enter(newer, Cookie::Renewed),
            (ByPass::Newer, None) | (ByPass::Nothing, _) => None,
            (ByPass::AsItIs, _) => enter(pass, Cookie::Shown),
            (ByPass::RenewedBeside, _) => {
                let coming = self.renew_beside(room, pass);
                enter(pass, coming.map_or(Cookie::Shown, Cookie::Coming))
            }
            (ByPass::RenewedFirst, _) => {
                let renewed = self.judge_by_renewal(gated, identity, (pass, shown), now_ms);
                renewed.await
            }
        }
    }

    /// Judges a request by what becomes of its pass, which has ended, when it is renewed. The room's mode is not `bypass`.
    async fn judge_by_renewal(
        self: &Rc<Self>,
        gated: &Gated<'_>,
        identity: &Identity,
        (pass, shown): (Pass, PassShown),
        now_ms: u64,
    ) -> Option<Verdict> {
        let room = &gated.room.settings;
        let enter = |pass, cookie| Some(Verdict::In(Entry::Lease(pass, cookie), Vec::new()));
        if shown.may_stay() && memory::is_away(&room.name, pass.lobby, now_ms) {
            // An earlier request has waited in vain. This one asks beside, and the first answer ends it.
            let coming = self.renew_beside(room, pass);
            return enter(pass, coming.map_or(Cookie::Shown, Cookie::Coming));
        }
        match self.renew(room, &pass).await {
            Ok(Ok(renewed)) => return enter(renewed, Cookie::Renewed),
            Ok(Err(asked)) => return self.judge_ended(gated, identity, pass.visitor, *asked),
            Err(_) => {}
        }
        let lease = Entry::Lease(pass, Cookie::Shown);
        Some(match shown.unheard(self.mode(room, now_ms).passes()) {
            Unheard::Stays => Verdict::In(lease, Vec::new()),
            Unheard::Free => Verdict::In(Entry::Free, Vec::new()),
            Unheard::Waits { has_lease: true } => self.out_of_reach(room, identity, lease),
            Unheard::Waits { has_lease: false } => self.out_of_reach(room, identity, Entry::Free),
        })
    }

    /// Lets a request in if the room cannot be reached and fails open; otherwise returns the waiting answer.
    fn out_of_reach(&self, room: &RoomSettings, identity: &Identity, entry: Entry) -> Verdict {
        if self.fails_open(room, Failed::Now) {
            return Verdict::In(entry, Vec::new());
        }
        self.unreachable(room, identity)
    }

    /// Returns the waiting answer while nobody can say what became of the visitor's place. Only the visitor's own name shows its number.
    fn unreachable(&self, room: &RoomSettings, identity: &Identity) -> Verdict {
        let (visitor, own) = (identity.visitor, identity.by_name());
        let cookies = self.issuer(room).dead(identity);
        Verdict::wait(Waiting::unreachable(
            room,
            visitor,
            own.ticket.as_ref(),
            cookies,
        ))
    }

    /// Decides what follows when the pass's lease is over. Returns `None` for a navigation that may arrive anew because
    /// there is nothing to tell the visitor first.
    fn judge_ended(
        &self,
        gated: &Gated<'_>,
        identity: &Identity,
        visitor: VisitorId,
        asked: Asked,
    ) -> Option<Verdict> {
        match Ended::of(&asked.told.status, gated.intent.visit) {
            Ended::Free => Some(Verdict::In(Entry::Free, Vec::new())),
            Ended::ArrivesAnew => None,
            Ended::Told => Some(self.told_to_wait(&gated.room.settings, identity, visitor, asked)),
        }
    }

    /// Judges a visit that may walk in, without a pass: the visitor claims, resumes, walks in or joins, whichever is possible.
    pub async fn judge_arrival(
        self: &Rc<Self>,
        gated: &Gated<'_>,
        identity: &Identity,
        now_ms: u64,
    ) -> Result<Verdict, JsValue> {
        let room = &gated.room.settings;
        let identity = &identity.by_name();
        let arrival = self.arrival(gated, identity, now_ms);
        let is_stranger = identity.visitor.is_none();
        let visitor = match identity.visitor {
            Some(visitor) => visitor,
            None => self.new_visitor(room)?,
        };
        let kept_out = || match is_stranger {
            true => self.issuer(room).stranger(identity, visitor),
            false => self.issuer(room).dead(identity),
        };
        let first = arrival.first(|| memory::is_lately_full(&room.name, now_ms, room.core.tick_ms));
        let asking = match first {
            First::Free => return Ok(Verdict::In(Entry::Free, Vec::new())),
            First::TurnedAway(barred) => {
                let cookies = self.issuer(room).dead(identity);
                return Ok(Verdict::wait(self.turned_away(room, barred, cookies)));
            }
            First::Challenged => return Ok(Verdict::wait(Self::challenge(room, kept_out()))),
            First::Ask(asking) if !asking.is_probe || memory::take_probe(&room.name, now_ms) => {
                asking
            }
            First::Named | First::Ask(_) => {
                return Ok(Verdict::wait(Waiting::arriving(room, kept_out())));
            }
        };
        if asking.counts
            && let Err(limited) = self.check_limit(room, identity.account()).await
        {
            let waiting = self.limited_page(room, unknown(room), limited, kept_out());
            return Ok(Verdict::wait(waiting));
        }
        let silence = match self.ask(room, identity, visitor, asking.wish).await {
            Ok(asked) => {
                return Ok(self.judge_told(room, identity, visitor, asking.barred, asked));
            }
            Err(silence) => silence,
        };
        if self.lets_in_unheard(room, arrival.mode, silence) {
            return Ok(Verdict::In(Entry::Free, Vec::new()));
        }
        let cookies = is_stranger.then(kept_out).unwrap_or_default();
        let ticket = identity.ticket.as_ref();
        let waiting = Waiting::unreachable(room, Some(visitor), ticket, cookies);
        Ok(Verdict::wait(waiting))
    }

    fn arrival<'a>(
        self: &Rc<Self>,
        gated: &Gated<'a>,
        identity: &'a Identity,
        now_ms: u64,
    ) -> Arrival<'a> {
        let room = &gated.room.settings;
        Arrival {
            identity,
            room,
            mode: self.mode(room, now_ms),
            intent: gated.intent,
        }
    }

    /// Whether a visitor goes in although no lobby answered. A room that only observes must keep nobody out when it fails.
    fn lets_in_unheard(&self, room: &RoomSettings, mode: Mode, why: Silence) -> bool {
        mode.passes() || (why == Silence::Unreachable && self.fails_open(room, Failed::Now))
    }

    /// Decides what follows from a lobby's answer to an arrival. `barred` says why the visitor may take no number, as far as the front can tell.
    fn judge_told(
        self: &Rc<Self>,
        room: &RoomSettings,
        identity: &Identity,
        visitor: VisitorId,
        barred: Option<Barred>,
        asked: Asked,
    ) -> Verdict {
        let outcome = Outcome::of(&asked.told, Wanted::Entry, barred);
        let cookies = || self.issuer(room).follows(identity, visitor, &asked);
        match outcome {
            Outcome::In(lease) => {
                let pass = asked.pass(&lease, visitor, room.pass_ttl_ms);
                Verdict::In(Entry::Lease(pass, Cookie::New), cookies())
            }
            // The origin's answer stays one that caches may keep.
            Outcome::Free => Verdict::In(Entry::Free, Vec::new()),
            Outcome::Limited(limited) => {
                let cookies = cookies();
                Verdict::wait(self.limited_page(room, asked.told.status, limited, cookies))
            }
            Outcome::Elsewhere => {
                let cookies = cookies();
                Verdict::wait(Waiting::elsewhere(room, asked.told.status, cookies))
            }
            Outcome::Barred(barred) => Verdict::wait(self.turned_away(room, barred, cookies())),
            Outcome::Unspent(barred) => {
                Verdict::wait(self.turned_away_unspent(room, barred, cookies()))
            }
            Outcome::Placed | Outcome::Over | Outcome::Nothing => {
                self.told_to_wait(room, identity, visitor, asked)
            }
        }
    }

    /// Judges a request that walks nobody in: without a pass it gets nothing. A visitor in the line who gets a page sees the place on it.
    pub async fn judge_other(
        self: &Rc<Self>,
        gated: &Gated<'_>,
        identity: &Identity,
        now_ms: u64,
    ) -> Result<Verdict, JsValue> {
        let room = &gated.room.settings;
        let identity = &identity.by_name();
        let arrival = self.arrival(gated, identity, now_ms);
        let ticket = match arrival.other() {
            Other::Free => {
                if arrival.mode == Mode::Observe && !gated.intent.takes_nothing() {
                    self.note_observed_only(room, now_ms);
                }
                return Ok(Verdict::In(Entry::Free, Vec::new()));
            }
            Other::Bare => return Ok(Verdict::wait(Waiting::arriving(room, Vec::new()))),
            Other::TurnedAway(barred) => {
                let cookies = self.issuer(room).dead(identity);
                return Ok(Verdict::wait(self.turned_away(room, barred, cookies)));
            }
            Other::Waits(ticket) => ticket,
        };
        if self.fails_open(room, Failed::Before) {
            return Ok(Verdict::In(Entry::Free, Vec::new()));
        }
        if let Some(ticket) = ticket {
            let look = Wish::Status { wait_ms: 0 };
            return Ok(match self.ask(room, identity, ticket.visitor, look).await {
                Ok(asked) => self.told_to_wait(room, identity, ticket.visitor, asked),
                Err(_) => self.unreachable(room, identity),
            });
        }
        let cookies = match arrival.needs_name() {
            true => self
                .issuer(room)
                .stranger(identity, self.new_visitor(room)?),
            false => self.issuer(room).dead(identity),
        };
        Ok(Verdict::wait(Waiting::arriving(room, cookies)))
    }

    /// Counts a request that could not have come in by itself if the room did more than observe, so that the log and the desk say so before it opens.
    fn note_observed_only(self: &Rc<Self>, room: &RoomSettings, now_ms: u64) {
        let heard = Overheard {
            observed_only: 1,
            ..Overheard::default()
        };
        self.overhear(room, LobbyId(0), heard);
        if let Some(count) = memory::say_observed_only(&room.name, now_ms) {
            let remark = Remark::front(Code::ObservedOnly).in_room(&room.name);
            log::say(&remark.counting(count));
        }
    }

    fn told_to_wait(
        &self,
        room: &RoomSettings,
        identity: &Identity,
        visitor: VisitorId,
        asked: Asked,
    ) -> Verdict {
        let mut cookies = self.issuer(room).follows(identity, visitor, &asked);
        if identity.pass_cookie {
            cookies.push(self.issuer(room).clear_pass());
        }
        let mut status = asked.told.status;
        if asked.told.account == Some(AccountTold::Another) {
            let words = FrontWords::of(self.language());
            status.message = Some(words.place_of_another_account.to_owned());
            status.messages.clear();
        }
        Verdict::wait(Waiting::told(room, status, cookies))
    }

    /// The room's mode as last heard, else the file's. While it is `bypass` nothing else asks the room, so now and then a request
    /// asks beside its answer whether it still is.
    pub(super) fn mode(self: &Rc<Self>, room: &RoomSettings, now_ms: u64) -> Mode {
        self.mode_or_ask(room, now_ms, |mode| mode == Mode::Bypass)
    }

    /// The same for a crawler, which asks the room nothing, whatever the mode is.
    pub(super) fn mode_for_crawler(self: &Rc<Self>, room: &RoomSettings, now_ms: u64) -> Mode {
        self.mode_or_ask(room, now_ms, |_| true)
    }

    fn mode_or_ask(
        self: &Rc<Self>,
        room: &RoomSettings,
        now_ms: u64,
        asks_in: impl FnOnce(Mode) -> bool,
    ) -> Mode {
        let (heard, is_old) = memory::mode(&room.name, now_ms);
        let mode = heard.unwrap_or(room.core.mode);
        if asks_in(mode) && is_old {
            let (front, room) = (Rc::clone(self), room.clone());
            self.spawn("front.mode", async move {
                let Ok(bytes) = dice::random_bytes() else {
                    return;
                };
                let visitor = VisitorId(bytes);
                let ask = Ask::plain(visitor, None, Wish::Status { wait_ms: 0 });
                // The answer is remembered on the way.
                let home = home_lobby(ask.address(), room.lobbies());
                let _ = lobby::ask(&front.env, &room, Question::new(home, ask)).await;
            });
        }
        mode
    }

    /// Whether nobody comes to the shop without a pass, by the room's mode as last heard, else the file's.
    pub(super) fn needs_pass(room: &RoomSettings) -> bool {
        let mode = memory::heard_mode(&room.name).unwrap_or(room.core.mode);
        !mode.passes()
    }
}

impl Entry {
    /// What the origin is told of the request.
    pub fn pledge<'r>(&'r self, room: &'r RoomSettings) -> Pledge<'r> {
        let (name, is_rehearsal) = (room.name_in_file(), room.is_rehearsal());
        match self {
            Self::Lease(pass, _) => Pledge {
                room: name,
                is_rehearsal,
                number: Some(pass.number),
                edition: pass.edition,
                fence: Some(pass.fence),
                ends_at_ms: pass.lease_ends_at_ms,
                staff: None,
            },
            Self::Farewell(farewell) => Pledge {
                room: name,
                is_rehearsal,
                number: Some(farewell.number),
                edition: farewell.edition,
                fence: None,
                ends_at_ms: farewell.ends_at_ms,
                staff: None,
            },
            Self::Staff(staff) => Pledge::of_staff(name, staff.as_str()),
            Self::Free => Pledge::of_room(name),
        }
    }
}
