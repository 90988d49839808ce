//! The visitor's own calls: answers join, status, claim, leave and the choice of a language, and passes the others to their files. The
//! gate has already checked method and origin.

use std::rc::Rc;

use wasm_bindgen::JsValue;
use worker::web_sys::Response;

use super::Front;
use super::answers::Draft;
use super::identity::Identity;
use super::lobby;
use super::waiting::unknown;
use crate::edge::dice;
use crate::facts::units::VisitorId;
use crate::gate::{Asked, CookieName, ErrorCode, Here, LANGUAGE_AGE_S, Language, Outcome, Press, Question, Silence, VisitorCall, Wanted};
use crate::settings::RoomSettings;
use crate::wire::Wish;

impl Front {
    /// Answers a visitor's call.
    pub async fn visitor_call(self: &Rc<Self>, room: &RoomSettings, call: VisitorCall) -> Result<Response, JsValue> {
        let now_ms = dice::now_ms();
        let identity = self.identity(room, now_ms);
        if identity.is_ahead_of_us {
            self.note_unknown_key(now_ms);
            return self.finish_call(room, Draft::error(ErrorCode::RoomUnavailable));
        }
        match call {
            VisitorCall::Enter => {
                return self.enter_call(room, &identity.by_name(), now_ms).await;
            }
            VisitorCall::Code => {
                let draft = self.code(room, &identity).await?;
                return self.finish_call(room, draft);
            }
            _ => {}
        }
        if let Some(barred) = identity.barred()
            && identity.by_name().shown().is_none()
            && takes_number(call, self.resumes())
        {
            return self.finish_call(room, self.entry_refused(room, barred));
        }
        let Some(visitor) = identity.visitor else {
            return self.stranger(room, &identity, call);
        };
        if identity.bad_ticket {
            let cookies = vec![self.issuer(room).clear_ticket()];
            return self.finish_call(room, Draft::error(ErrorCode::BadTicket).cookies(cookies));
        }
        let draft = match call {
            VisitorCall::Knock if self.incoming.credentials().is_none() => Draft::error(ErrorCode::CredentialsRequired),
            VisitorCall::Knock => self.knock(room, &identity, visitor),
            VisitorCall::Take => self.take(room, &identity, visitor).await?,
            VisitorCall::Offer => return self.offer(room, &identity, visitor).await,
            VisitorCall::Verify => self.verify(room, visitor).await,
            _ => return self.place_call(room, &identity, visitor, call).await,
        };
        self.finish_call(room, draft)
    }

    /// Answers a call about a place in the line, or for one: asks the lobby, then answers with what it told.
    async fn place_call(
        self: &Rc<Self>,
        room: &RoomSettings,
        identity: &Identity,
        visitor: VisitorId,
        call: VisitorCall,
    ) -> Result<Response, JsValue> {
        let unproven = identity.is_unproven(room);
        if unproven && identity.ticket.is_none() && takes_number(call, self.resumes()) {
            return self.finish_call(room, Draft::error(ErrorCode::VerificationRequired));
        }
        let wish = match call {
            VisitorCall::Socket => return self.socket(room, identity, visitor).await,
            VisitorCall::Status { wait_s } => Wish::Status {
                wait_ms: wait_s.saturating_mul(1_000),
            },
            VisitorCall::Claim => Wish::Claim,
            VisitorCall::Leave => Wish::Leave,
            // A visitor who has a ticket is told about it and gets no other.
            _ if unproven || identity.barred().is_some() => Wish::Status { wait_ms: 0 },
            _ => Wish::Join,
        };
        if call == VisitorCall::Join
            && identity.ticket.is_none()
            && let Err(limited) = self.check_limit(room, identity.account()).await
        {
            return self.finish_call(room, Self::limited(limited));
        }
        let asked = match self.ask(room, identity, visitor, wish).await {
            Ok(asked) => asked,
            Err(Silence::Unreachable | Silence::Full) => {
                return self.finish_call(room, Draft::error(ErrorCode::RoomUnavailable));
            }
        };
        let draft = match call {
            VisitorCall::Status { .. } => self.looked(room, identity, visitor, &asked),
            VisitorCall::Claim => self.claimed(room, identity, visitor, &asked),
            VisitorCall::Leave => self.left(room, identity),
            _ => self.joined(room, identity, visitor, &asked),
        };
        self.finish_call(room, draft)
    }

    /// Asks the lobby that knows the visitor one question.
    pub async fn ask(&self, room: &RoomSettings, identity: &Identity, visitor: VisitorId, wish: Wish) -> Result<Asked, Silence> {
        let question = self.question(room, identity, visitor, wish, Press::None);
        lobby::ask(&self.env, room, question).await
    }

    /// Answers a call that shows no visitor's token. Asks no object.
    pub(super) fn stranger(self: &Rc<Self>, room: &RoomSettings, identity: &Identity, call: VisitorCall) -> Result<Response, JsValue> {
        let mut cookies = Vec::new();
        if identity.bad_ticket {
            cookies.push(self.issuer(room).clear_ticket());
        }
        if call == VisitorCall::Leave {
            cookies.extend(identity.pass_cookie.then(|| self.issuer(room).clear_pass()));
            return self.finish(self.gone(room).cookies(cookies));
        }
        cookies.push(self.issuer(room).visitor(self.new_visitor(room)?));
        let draft = match call {
            VisitorCall::Status { .. } => Draft::status(200, &unknown(room)),
            VisitorCall::Join | VisitorCall::Enter if self.incoming.credentials().is_some() => {
                let draft = Draft::error(ErrorCode::CredentialsRequired);
                match self.spread_s(room) {
                    0 => draft,
                    spread_s => draft.with("Retry-After", spread_s.to_string()),
                }
            }
            _ if self.incoming.credentials().is_some() => Draft::error(ErrorCode::CredentialsRequired),
            // A form leads back to the page, which joins if the browser kept the cookie.
            _ => Draft::error(ErrorCode::CookiesRequired),
        };
        self.finish_call(room, draft.cookies(cookies))
    }

    /// Answers a visitor who asked for a number.
    pub(super) fn joined(self: &Rc<Self>, room: &RoomSettings, identity: &Identity, visitor: VisitorId, asked: &Asked) -> Draft {
        let status = &asked.told.status;
        let draft = match asked.outcome(Wanted::Number, identity.barred(), visitor, room) {
            // These say nothing of a place, so they touch no ticket.
            // A form leads back to the page, which says why and looks again.
            Outcome::Limited(_) if self.is_form() => {
                return Draft::new(303).with("Location", self.way_back(room));
            }
            Outcome::Limited(limited) => return Self::limited(limited),
            Outcome::Barred(barred) => return self.entry_refused(room, barred),
            Outcome::Nothing | Outcome::Over if identity.is_unproven(room) => {
                return Draft::error(ErrorCode::VerificationRequired);
            }
            // A mode that issues no numbers is an answer, not a failure.
            Outcome::Nothing | Outcome::Over if status.mode.issues() => {
                return Draft::error(ErrorCode::RoomUnavailable);
            }
            Outcome::Elsewhere => self.place_elsewhere(room),
            Outcome::Unspent(barred) => self.entry_refused(room, barred),
            _ if self.is_form() => Draft::new(303).with("Location", self.way_back(room)),
            _ => Draft::status(if asked.told.issued { 201 } else { 200 }, status),
        };
        draft.cookies(self.issuer(room).follows(identity, visitor, asked))
    }

    fn looked(&self, room: &RoomSettings, identity: &Identity, visitor: VisitorId, asked: &Asked) -> Draft {
        let draft = Draft::status(200, &asked.told.status);
        draft.cookies(self.issuer(room).after(identity, visitor, asked))
    }

    fn claimed(&self, room: &RoomSettings, identity: &Identity, visitor: VisitorId, asked: &Asked) -> Draft {
        let mut cookies = self.issuer(room).after(identity, visitor, asked);
        let draft = match asked.outcome(Wanted::Permit, None, visitor, room) {
            Outcome::In(pass, _) => {
                cookies.push(self.issuer(room).pass(&pass));
                Draft::status(200, &asked.told.status)
            }
            Outcome::Over => Draft::error(ErrorCode::TicketOver),
            _ => Draft::error(ErrorCode::NotCalled),
        };
        draft.cookies(cookies)
    }

    /// Sets the language of the page in every room.
    pub fn speak(&self, room: &RoomSettings, language: Language) -> Result<Response, JsValue> {
        let cookie = self.cookies().set(CookieName::Language, language.tag(), LANGUAGE_AGE_S);
        let draft = if self.is_form() {
            Draft::new(303).with("Location", self.way_back_here(room))
        } else {
            Draft::new(204)
        };
        self.finish(draft.cookies(vec![cookie]))
    }
}

/// Whether a call gives a number to a visitor without a ticket.
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

impl Front {
    /// Builds the question to a lobby, and chooses the lobby to ask first.
    pub fn question(&self, room: &RoomSettings, identity: &Identity, visitor: VisitorId, wish: Wish, press: Press) -> Question {
        let here = Here {
            room,
            address: &|| self.address_tag(room),
            now_ms: dice::now_ms(),
        };
        identity.question(visitor, wish, press, &here)
    }
}
