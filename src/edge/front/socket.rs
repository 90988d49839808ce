//! Opens the visitor's socket, with the lobby's answer and the cookies on it.

use std::rc::Rc;

use wasm_bindgen::JsValue;
use worker::web_sys::Response;

use super::answers::{Draft, put_tokens};
use super::identity::Identity;
use super::{Front, js, lobby};
use crate::edge::peers::{LOAD_HEADER, TOLD_HEADER};
use crate::facts::units::VisitorId;
use crate::gate::{Asked, ErrorCode, Outcome, Press, SOCKET_PROTOCOL, Wanted};
use crate::settings::RoomSettings;
use crate::wire::Wish;

impl Front {
    /// Opens the room's socket. With `?resume=1` it takes no number: the page or the shop only wants to go on hearing.
    pub(super) async fn socket(self: &Rc<Self>, room: &RoomSettings, identity: &Identity, visitor: VisitorId) -> Result<Response, JsValue> {
        let by_token = self.incoming.described().socket_token().is_some();
        // A page that opens the socket by token cannot read this answer, so a new ticket on it would be lost.
        let may_not_join = identity.is_unproven(room) || identity.barred().is_some();
        let resumes = by_token || self.resumes() || may_not_join;
        let wish = if resumes { Wish::Status { wait_ms: 0 } } else { Wish::Attend };
        if !resumes
            && identity.ticket.is_none()
            && let Err(limited) = self.check_limit(room, identity.account()).await
        {
            return self.finish(Self::limited(limited));
        }
        let question = self.question(room, identity, visitor, wish, Press::None);
        let Ok((response, asked)) = lobby::connect(&self.env, room, question).await else {
            return self.finish(Draft::error(ErrorCode::RoomUnavailable));
        };
        if response.status() != 101 {
            return self.finish(self.no_socket(room, identity, visitor, &asked));
        }
        let response = js::changeable(&response)?;
        let headers = response.headers();
        headers.delete(TOLD_HEADER)?;
        headers.delete(LOAD_HEADER)?;
        if by_token {
            headers.set("Sec-WebSocket-Protocol", SOCKET_PROTOCOL)?;
        }
        let changes = self.issuer(room).follows(identity, visitor, &asked);
        if !changes.is_empty() {
            put_tokens(&headers, &self.incoming, &changes)?;
        }
        Ok(response)
    }

    /// Answers a visitor to whom the lobby gave no socket.
    fn no_socket(self: &Rc<Self>, room: &RoomSettings, identity: &Identity, visitor: VisitorId, asked: &Asked) -> Draft {
        match asked.outcome(Wanted::Number, None, visitor, room) {
            Outcome::Limited(limited) => Self::limited(limited),
            Outcome::Elsewhere => Draft::error(ErrorCode::PlaceElsewhere),
            Outcome::Barred(barred) => self.entry_refused(room, barred),
            Outcome::Unspent(barred) => {
                let cookie = self.issuer(room).unspent(identity, asked);
                self.entry_refused(room, barred).cookies(cookie.into_iter().collect())
            }
            _ => Draft::error(ErrorCode::RoomUnavailable),
        }
    }

    /// Whether the call says `?resume=1`.
    pub(super) fn resumes(&self) -> bool {
        let query = self.incoming.path_and_query().split_once('?');
        let (_, query) = query.unwrap_or_default();
        query.split('&').any(|pair| pair == "resume=1")
    }
}
