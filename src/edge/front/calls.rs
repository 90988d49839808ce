//! The visitor's own calls: join, status, claim, leave, and which file answers the others. The gate has looked at method and
//! origin already.

use std::rc::Rc;

use wasm_bindgen::JsValue;
use worker::web_sys::Response;

use super::answers::Draft;
use super::entry::is_elsewhere;
use super::identity::{Identity, home_lobby};
use super::lease::pass_of;
use super::lobby::{self, Asked, Silence};
use super::waiting::{Waiting, unknown};
use super::{Front, memory};
use crate::edge::dice;
use crate::facts::units::VisitorId;
use crate::gate::{Barred, CookieName, ErrorCode, LANGUAGE_AGE_S, Language, Visit, VisitorCall};
use crate::settings::RoomSettings;
use crate::wire::{AccountAsk, Ask, Limited, Reason, State, Status, Wish};

impl Front {
    /// Answers a visitor's call.
    pub async fn visitor_call(
        self: &Rc<Self>,
        room: &RoomSettings,
        call: VisitorCall,
    ) -> Result<Response, JsValue> {
        let now_ms = dice::now_ms();
        let identity = self.identity(room, now_ms);
        if identity.is_ahead_of_us {
            self.note_unknown_key(now_ms);
            return self.finish(Draft::error(ErrorCode::RoomUnavailable));
        }
        match call {
            VisitorCall::Enter => {
                return self.enter_call(room, &identity.by_name(), now_ms).await;
            }
            VisitorCall::Code => {
                let draft = self.code(room, &identity).await?;
                return self.finish(draft);
            }
            _ => {}
        }
        if let Some(barred) = identity.barred()
            && identity.by_name().shown().is_none()
            && takes_number(call, self.resumes())
        {
            return self.finish(self.entry_refused(room, barred));
        }
        let Some(visitor) = identity.visitor else {
            return self.stranger(room, &identity, call);
        };
        if identity.bad_ticket {
            let cookies = vec![self.cookies_of(room).clear(CookieName::Ticket(&room.name))];
            return self.finish(Draft::error(ErrorCode::BadTicket).cookies(cookies));
        }
        let draft = match call {
            VisitorCall::Knock if self.incoming.credentials().is_none() => {
                Draft::error(ErrorCode::CredentialsRequired)
            }
            VisitorCall::Knock => self.knock(room, &identity, visitor),
            VisitorCall::Take => self.take(room, &identity, visitor).await?,
            VisitorCall::Offer => return self.offer(room, &identity, visitor).await,
            VisitorCall::Verify => self.verify(room, visitor).await,
            _ => return self.place_call(room, &identity, visitor, call).await,
        };
        self.finish(draft)
    }

    /// A call about the place in line, or for one: what the lobby is asked, and what follows from its answer.
    async fn place_call(
        self: &Rc<Self>,
        room: &RoomSettings,
        identity: &Identity,
        visitor: VisitorId,
        call: VisitorCall,
    ) -> Result<Response, JsValue> {
        let unproven = Self::is_unproven(room, identity);
        if unproven && identity.ticket.is_none() && takes_number(call, self.resumes()) {
            return self.finish(Draft::error(ErrorCode::VerificationRequired));
        }
        let wish = match call {
            VisitorCall::Socket => return self.socket(room, identity, visitor).await,
            VisitorCall::Status { wait_s } => Wish::Status {
                wait_ms: wait_s.saturating_mul(1_000),
            },
            VisitorCall::Claim => Wish::Claim,
            VisitorCall::Leave => Wish::Leave,
            // A visitor who has a ticket is told of it, and gets no other.
            _ if unproven || identity.barred().is_some() => Wish::Status { wait_ms: 0 },
            _ => Wish::Join,
        };
        if call == VisitorCall::Join
            && identity.ticket.is_none()
            && let Err(limited) = self.may_ask(room, identity.account()).await
        {
            return self.finish(self.refused(room, limited).await);
        }
        let asked = match self.ask(room, identity, visitor, wish).await {
            Ok(asked) => asked,
            Err(Silence::Unreachable | Silence::Full) => {
                return self.finish(Draft::error(ErrorCode::RoomUnavailable));
            }
        };
        let draft = match call {
            VisitorCall::Status { .. } => self.looked(room, identity, visitor, &asked)?,
            VisitorCall::Claim => self.claimed(room, identity, visitor, &asked)?,
            VisitorCall::Leave => self.left(room, identity, &asked).await,
            _ => self.joined(room, identity, visitor, &asked).await?,
        };
        self.finish(draft)
    }

    /// One question to the lobby that knows the visitor.
    pub async fn ask(
        &self,
        room: &RoomSettings,
        identity: &Identity,
        visitor: VisitorId,
        wish: Wish,
    ) -> Result<Asked, Silence> {
        let (first, ask) = question(room, identity, visitor, wish, Press::None);
        lobby::ask(&self.env, room, first, &ask).await
    }

    /// The cookies that follow from what a lobby told: the visitor's own if it was not shown, the ticket if it is
    /// another than was shown, a voucher as one that was joined with, nothing of a ticket that is over.
    pub fn cookies_after(
        &self,
        room: &RoomSettings,
        identity: &Identity,
        visitor: VisitorId,
        asked: &Asked,
    ) -> Vec<String> {
        let mut cookies = Vec::new();
        // A copied pass must not bring the name and the place of whoever has it.
        if identity.is_by_pass_alone() {
            return cookies;
        }
        if !identity.visitor_cookie {
            cookies.push(self.visitor_cookie(room, visitor));
        }
        cookies.extend(self.ticket_cookie(room, asked, visitor, identity.ticket.as_ref()));
        cookies.extend(self.tried_cookie(room, identity, asked));
        if asked.told.status.state == State::Over {
            cookies.extend(
                identity
                    .ticket
                    .map(|_| self.cookies_of(room).clear(CookieName::Ticket(&room.name))),
            );
        }
        cookies
    }

    /// Who shows no visitor's token: no object is asked.
    pub(super) fn stranger(
        self: &Rc<Self>,
        room: &RoomSettings,
        identity: &Identity,
        call: VisitorCall,
    ) -> Result<Response, JsValue> {
        let mut cookies = Vec::new();
        if identity.bad_ticket {
            cookies.push(self.cookies_of(room).clear(CookieName::Ticket(&room.name)));
        }
        if call == VisitorCall::Leave {
            cookies.extend(
                identity
                    .pass_cookie
                    .then(|| self.cookies_of(room).clear(CookieName::Pass(&room.name))),
            );
            return self.finish(Draft::new(204).cookies(cookies));
        }
        cookies.push(self.visitor_cookie(room, self.new_visitor(room)?));
        let draft = match call {
            VisitorCall::Status { .. } => Draft::status(200, &unknown(room))?,
            // Back to the page: it joins when the cookie was kept.
            VisitorCall::Join if self.is_form() => {
                Draft::new(303).with("Location", self.way_back(room))
            }
            VisitorCall::Join | VisitorCall::Enter if self.incoming.credentials().is_some() => {
                let draft = Draft::error(ErrorCode::CredentialsRequired);
                match self.spread_s(room) {
                    0 => draft,
                    spread_s => draft.with("Retry-After", spread_s.to_string()),
                }
            }
            _ if self.incoming.credentials().is_some() => {
                Draft::error(ErrorCode::CredentialsRequired)
            }
            _ => Draft::error(ErrorCode::CookiesRequired),
        };
        self.finish(draft.cookies(cookies))
    }

    /// Somebody who has had its share. A form gets the page, which says why.
    pub(super) async fn refused(&self, room: &RoomSettings, limited: Limited) -> Draft {
        if !self.is_form() {
            return Self::limited(limited);
        }
        let page = self.limited_page(room, unknown(room), limited, Vec::new());
        self.page(429, Visit::Navigation, &page)
            .await
            .with("Retry-After", limited.retry_after_s.to_string())
    }

    pub(super) async fn joined(
        self: &Rc<Self>,
        room: &RoomSettings,
        identity: &Identity,
        visitor: VisitorId,
        asked: &Asked,
    ) -> worker::Result<Draft> {
        let status = &asked.told.status;
        if let Some(limited) = asked.told.limited {
            return Ok(self.refused(room, limited).await);
        }
        if is_elsewhere(asked.told.account) {
            let cookies = self.cookies_after(room, identity, visitor, asked);
            let draft = self.place_elsewhere(room);
            return Ok(draft.cookies(cookies));
        }
        let has_place = !matches!(status.state, State::None | State::Over);
        let lacks_lane = asked.told.no_lane.then_some(Barred::NO_LANE);
        if let Some(barred) = identity.barred().or(lacks_lane)
            && !has_place
        {
            return Ok(self.entry_refused(room, barred));
        }
        if let Some((barred, cookie)) = self.unspent(room, identity, asked) {
            let draft = if has_place && !self.is_form() {
                Draft::status(200, status)?
            } else {
                self.entry_refused(room, barred)
            };
            let cookies = self.cookies_after(room, identity, visitor, asked);
            return Ok(draft.cookies(cookies).cookies(vec![cookie]));
        }
        if !has_place && Self::is_unproven(room, identity) {
            return Ok(Draft::error(ErrorCode::VerificationRequired));
        }
        // A mode that issues no numbers is an answer, not a failure.
        if !has_place && status.mode.issues() {
            return Ok(Draft::error(ErrorCode::RoomUnavailable));
        }
        let draft = if self.is_form() {
            Draft::new(303).with("Location", self.way_back(room))
        } else {
            Draft::status(if asked.told.issued { 201 } else { 200 }, status)?
        };
        Ok(draft.cookies(self.cookies_after(room, identity, visitor, asked)))
    }

    fn looked(
        &self,
        room: &RoomSettings,
        identity: &Identity,
        visitor: VisitorId,
        asked: &Asked,
    ) -> worker::Result<Draft> {
        let draft = Draft::status(200, &asked.told.status)?;
        Ok(draft.cookies(self.cookies_after(room, identity, visitor, asked)))
    }

    fn claimed(
        &self,
        room: &RoomSettings,
        identity: &Identity,
        visitor: VisitorId,
        asked: &Asked,
    ) -> worker::Result<Draft> {
        let mut cookies = self.cookies_after(room, identity, visitor, asked);
        let status = &asked.told.status;
        let draft = match asked.told.lease {
            Some(lease) => {
                let pass = pass_of(asked, &lease, visitor, room.pass_ttl_ms);
                cookies.push(self.pass_cookie(room, &pass));
                Draft::status(200, status)?
            }
            None if status.state == State::Over => Draft::error(ErrorCode::TicketOver),
            None => Draft::error(ErrorCode::NotCalled),
        };
        Ok(draft.cookies(cookies))
    }

    /// Gone. The page itself tells so a visitor who sent its form: going back to the gated path would join anew.
    async fn left(&self, room: &RoomSettings, identity: &Identity, asked: &Asked) -> Draft {
        if let Some(pass) = identity.lease() {
            memory::forget(&room.name, pass.fence);
        }
        let cookies = [CookieName::Pass(&room.name), CookieName::Ticket(&room.name)];
        let cookies: Vec<String> = cookies
            .into_iter()
            .map(|name| self.cookies_of(room).clear(name))
            .collect();
        if !self.is_form() {
            return Draft::new(204).cookies(cookies);
        }
        let status = Status {
            state: State::Over,
            reason: Some(Reason::Left),
            ..asked.told.status.clone()
        };
        let waiting = Waiting::told(room, status, Vec::new());
        self.page(200, Visit::Navigation, &waiting)
            .await
            .cookies(cookies)
    }

    /// The page in another language from now on, in every room.
    pub fn speak(&self, room: &RoomSettings, language: Language) -> Result<Response, JsValue> {
        let cookie = self
            .cookies()
            .set(CookieName::Language, language.tag(), LANGUAGE_AGE_S);
        let draft = if self.is_form() {
            Draft::new(303).with("Location", self.way_back(room))
        } else {
            Draft::new(204)
        };
        self.finish(draft.cookies(vec![cookie]))
    }
}

/// Whether a call of somebody without a ticket leads to one.
const fn takes_number(call: VisitorCall, resumes: bool) -> bool {
    match call {
        VisitorCall::Join | VisitorCall::Take | VisitorCall::Enter => true,
        VisitorCall::Socket => !resumes,
        VisitorCall::Status { .. }
        | VisitorCall::Claim
        | VisitorCall::Leave
        | VisitorCall::Offer
        | VisitorCall::Knock
        | VisitorCall::Code
        | VisitorCall::Verify => false,
    }
}

/// Whether the visitor has pressed the button that takes over a place that is called or inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Press {
    /// No.
    None,
    /// Yes.
    Take,
}

/// What a lobby is asked, and which one first.
pub fn question(
    room: &RoomSettings,
    identity: &Identity,
    visitor: VisitorId,
    wish: Wish,
    press: Press,
) -> (crate::facts::units::LobbyId, Ask) {
    let first = identity
        .lobby()
        .unwrap_or_else(|| home_lobby(visitor, room.lobbies()));
    (
        first,
        Ask {
            visitor,
            shown: identity.shown(),
            wish,
            account: identity.account().map(|id| AccountAsk {
                id,
                take: press == Press::Take,
            }),
            spend: identity.spend(),
            lane: identity.lane,
            needs_lane: identity.needs_lane,
            tried: identity.has_tried(),
        },
    )
}
