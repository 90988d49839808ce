//! What is to be done with a request. The one place where the front's control flow is decided.

use super::{ErrorCode, Gate, OwnCall, PathReading, Request, Room, own};
use crate::settings::Strict;

/// Why a request is answered with an error at once, nobody asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The error.
    pub code: ErrorCode,
    /// The value of `Allow` with a 405.
    pub allow: Option<String>,
}

impl Refusal {
    pub(super) fn new(code: ErrorCode) -> Self {
        Self { code, allow: None }
    }

    pub(super) fn method_not_allowed(allow: &[&str]) -> Self {
        Self {
            code: ErrorCode::MethodNotAllowed,
            allow: Some(allow.join(", ")),
        }
    }
}

/// What a visit to a gated path is, and so what it may get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visit {
    /// Somebody goes to a page: may walk in, may claim, joins when the page reloads itself.
    Navigation,
    /// Fetched ahead: with a pass forwarded; no ticket, no permit.
    Prefetch,
    /// GET or HEAD of something that is no page: forwarded with a pass only.
    Resource,
    /// Any other method: forwarded with a pass only, else the body is not read.
    Submission,
}

/// How to say "wait".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The page: `waiting_status` for GET and HEAD, 429 for what was to be submitted.
    Page,
    /// 429 and [`super::waiting_body`].
    Json,
}

/// A request to a gated path.
#[derive(Debug, Clone, Copy)]
pub struct Gated<'g> {
    /// Its room.
    pub room: &'g Room,
    /// What may come of it.
    pub visit: Visit,
    /// The answer if nothing comes of it.
    pub answer: Answer,
    /// Whether the room is asked before the request is forwarded, however fresh its pass is.
    pub strict: bool,
}

impl Gated<'_> {
    /// The status of the waiting answer.
    #[must_use]
    pub fn waiting_status(&self) -> u16 {
        match (self.visit, self.answer) {
            (Visit::Submission, _) | (_, Answer::Json) => 429,
            (_, Answer::Page) => self.room.settings.waiting_status,
        }
    }
}

/// What is to be done with a request.
#[derive(Debug, Clone)]
pub enum Plan<'g> {
    /// No room's: forward untouched, less Baton's cookies and headers.
    NotGated,
    /// One of Baton's own routes.
    Own(OwnCall),
    /// An exception of this room: forward without a pass.
    Bypass(&'g Room),
    /// A true CORS preflight to this room: forward without a pass.
    Preflight(&'g Room),
    /// Needs a pass.
    Gated(Gated<'g>),
    /// Answer with an error.
    Refused(Refusal),
}

impl Gate {
    /// Decides what is to be done with a request. Pure; O(rooms × patterns × path length).
    ///
    /// A malformed percent escape that might be meant for a room is gated; elsewhere on a host with rooms it
    /// is a 400, so that it is never open.
    #[must_use]
    pub fn decide(&self, request: &Request<'_>) -> Plan<'_> {
        let Some(host) = request.parsed_host() else {
            return Plan::Refused(Refusal::new(ErrorCode::BadRequest));
        };
        match own::route(self, request, &host) {
            Some(Ok(call)) => return Plan::Own(call),
            Some(Err(refusal)) => return Plan::Refused(refusal),
            None => {}
        }
        let path = PathReading::new(request.path_and_query);
        let Some(room) = self.room_of(&host, &path) else {
            return if path.is_malformed() && self.guards(&host) {
                Plan::Refused(Refusal::new(ErrorCode::BadRequest))
            } else {
                Plan::NotGated
            };
        };
        if room.bypasses(request.path_and_query) {
            return Plan::Bypass(room);
        }
        if request.is_preflight() {
            return Plan::Preflight(room);
        }
        let visit = if !request.is_read() {
            Visit::Submission
        } else if request.is_prefetch() {
            Visit::Prefetch
        } else if request.is_navigation() {
            Visit::Navigation
        } else {
            Visit::Resource
        };
        let answer = if request.accepts_html() {
            Answer::Page
        } else {
            Answer::Json
        };
        let strict = match room.settings.strict {
            Strict::Off => false,
            Strict::Unsafe => {
                visit == Visit::Submission || request.headers.get("upgrade").is_some()
            }
            Strict::All => true,
        };
        Plan::Gated(Gated {
            room,
            visit,
            answer,
            strict,
        })
    }
}
