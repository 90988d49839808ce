//! Decides what to do with a request. This is the one place that decides the front's control flow.

use super::{
    Answer, EntryLink, ErrorCode, Gate, Host, Intent, Method, OwnCall, PathReading, Request, Room, Territory, VisitKind, as_sent, own, tidied,
};
use settings::Strict;

/// Why a request is answered with an error at once, without asking any object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The error code.
    pub code: ErrorCode,
    /// The value of `Allow` for a 405.
    pub allow: Option<String>,
}

impl Refusal {
    /// Makes the refusal with this code.
    #[must_use]
    pub fn new(code: ErrorCode) -> Self {
        Self { code, allow: None }
    }

    pub(super) fn method_not_allowed(allow: &[&str]) -> Self {
        Self {
            code: ErrorCode::MethodNotAllowed,
            allow: Some(allow.join(", ")),
        }
    }
}

/// A request to a path of a room.
#[derive(Debug, Clone, Copy)]
pub struct Gated<'g> {
    /// The room.
    pub room: &'g Room,
    /// What it wants.
    pub intent: Intent,
    /// Whether the room is asked before the request is forwarded, however fresh the pass is.
    pub strict: bool,
}

impl Gated<'_> {
    /// Returns the HTTP status of the answer that tells the visit to wait.
    #[must_use]
    pub fn waiting_status(&self) -> u16 {
        match self.intent {
            // A success is what some browsers show on the click.
            intent if intent.is_speculative => 503,
            Intent {
                visit: VisitKind::Submission,
                ..
            }
            | Intent { answer: Answer::Json, .. } => 429,
            _ => self.room.settings.waiting_status,
        }
    }
}

/// Pages of another origin that may read Baton's answer, by the `Access-Control-Allow-Origin` that lets them. Browsers keep from both what they were to
/// fetch with cookies: no answer says that it may be read then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader<T> {
    /// Those of an app, which keeps its credentials by itself.
    App(T),
    /// Those that embed the shop's widgets.
    Widget(T),
}

impl Reader<&str> {
    /// Keeps the origin.
    #[must_use]
    pub fn into_owned(self) -> Reader<String> {
        match self {
            Self::App(origin) => Reader::App(origin.to_owned()),
            Self::Widget(origin) => Reader::Widget(origin.to_owned()),
        }
    }
}

impl Reader<String> {
    /// Borrows the origin.
    #[must_use]
    pub fn as_deref(&self) -> Reader<&str> {
        match self {
            Self::App(origin) => Reader::App(origin),
            Self::Widget(origin) => Reader::Widget(origin),
        }
    }
}

/// What to do with a request.
#[derive(Debug, Clone)]
pub enum Plan<'g> {
    /// The request belongs to no room: forward it untouched, except for Baton's cookies and headers.
    NotGated,
    /// The request is for one of Baton's own routes.
    Own(OwnCall),
    /// The request is one of this room's exceptions: forward it without a pass, or with the pass that it shows.
    Bypass(Gated<'g>),
    /// An entry token stands in an address of this room: take it out, and send the visitor on.
    Entry(&'g Room, EntryLink),
    /// An entry token stands in an address of no room, where nothing can come of it: take it out, and send the visitor on.
    StrayEntry(EntryLink),
    /// The request is a true CORS preflight to this room, which shows no pass: ask the shop for its permission and nothing else.
    Preflight {
        /// The room.
        room: &'g Room,
        /// True if the call that it announces needs a pass. The shop alone answers any other preflight.
        is_to_gated: bool,
    },
    /// The request needs a pass.
    Gated(Gated<'g>),
    /// Answer with an error.
    Refused(Refusal),
}

impl Gate {
    /// Returns the pages of other origins that may read Baton's answer to a request, as the request's room names them. A widget's page may read what
    /// Baton answers in the shop's place, and none of Baton's own routes.
    #[must_use]
    pub fn reader_of<'g>(&'g self, request: &Request<'_>, plan: &Plan<'g>) -> Option<Reader<&'g str>> {
        let (room, has_widgets) = match plan {
            Plan::Gated(gated) | Plan::Bypass(gated) => (gated.room, true),
            Plan::Preflight { room, is_to_gated: true } => (*room, true),
            Plan::Entry(room, _) => (*room, false),
            Plan::Own(_) | Plan::Refused(_) => (own::room_at(self, request.path_and_query)?, false),
            Plan::NotGated | Plan::StrayEntry(_) | Plan::Preflight { is_to_gated: false, .. } => return None,
        };
        let app = room.app_origin(request).map(Reader::App);
        let widget = || room.widget_origin(request).filter(|_| has_widgets);
        app.or_else(|| widget().map(Reader::Widget))
    }

    /// Decides what to do with a request. Pure; O(rooms × patterns × path length).
    ///
    /// The path is judged as Baton will send it, and a preflight by the method that it asks for. A request that two origins could read as
    /// two rooms', or as a room's and nobody's, is a 400: because of its spelling, or because of a header that makes a POST another method.
    /// So is a malformed percent escape that could hide a room's path. Neither is ever [`Plan::NotGated`].
    #[must_use]
    pub fn decide(&self, request: &Request<'_>) -> Plan<'_> {
        let refuse = |code| Plan::Refused(Refusal::new(code));
        let Some(host) = request.parsed_host() else {
            return refuse(ErrorCode::BadRequest);
        };
        if NEVER.iter().any(|method| request.method.eq_ignore_ascii_case(method)) {
            return Plan::Refused(Refusal::method_not_allowed(&FORWARDED));
        }
        let sent = as_sent(request.path_and_query);
        let request = &Request {
            path_and_query: &sent,
            ..*request
        };
        match own::route(self, request, &host) {
            Some(Ok(call)) if call.is_same_anywhere() || self.knows(&host) => {
                return Plan::Own(call);
            }
            Some(Err(refusal)) if self.knows(&host) => return Plan::Refused(refusal),
            _ if !self.knows(&host) => return refuse(ErrorCode::Misdirected),
            _ => {}
        }
        let path = PathReading::new(&sent);
        let named = self.room_of(&host, request.judged_method(), &path);
        let is_named = !matches!(named, Territory::Open);
        let territory = match named {
            // A handler that looks at no method serves whatever a pattern with another method gates.
            Territory::Open if request.method == "OPTIONS" => self.room_of(&host, Method::Unknown, &path),
            found => found,
        };
        let is_same = |other| self.room_of(&host, other, &path).is_same_as(&territory);
        if !request.other_methods().all(is_same) {
            return refuse(ErrorCode::BadRequest);
        }
        match territory {
            Territory::Of(room) => decide_in(room, request, is_named),
            Territory::Doubtful => refuse(ErrorCode::BadRequest),
            Territory::Open if path.is_malformed() && self.may_hide_a_room(&host, &sent) => refuse(ErrorCode::BadRequest),
            Territory::Open => stray_entry(request).unwrap_or(Plan::NotGated),
        }
    }

    /// Returns where a person goes on who sees a page in place of what was refused: to the room whose route it was, to the address that was probably
    /// meant, or to the home page.
    #[must_use]
    pub fn way_on(&self, request: &Request<'_>) -> String {
        if let Some(room) = own::room_at(self, request.path_and_query) {
            return room.first_address().to_owned();
        }
        let sent = as_sent(request.path_and_query);
        // No answer shows an entry token.
        let link = EntryLink::of(&sent).map(|link| link.path_and_query);
        let meant = tidied(link.as_deref().unwrap_or(&sent));
        let asked = Request {
            method: "GET",
            path_and_query: &meant,
            has_body: false,
            headers: &|_: &str| None,
            ..*request
        };
        match self.decide(&asked) {
            Plan::Refused(_) => "/".to_owned(),
            _ => meant,
        }
    }

    /// Returns whether a path belongs without doubt to this room, or to no room if `room` is `None`. The front asks this if the platform
    /// made another path of an address than the one that was judged.
    #[must_use]
    pub fn is_of(&self, room: Option<&str>, host: &Host, method: Method, path_and_query: &str) -> bool {
        let path = PathReading::new(&as_sent(path_and_query));
        match self.room_of(host, method, &path) {
            Territory::Of(found) => Some(found.settings.name.as_str()) == room,
            Territory::Open => room.is_none(),
            Territory::Doubtful => false,
        }
    }
}

/// Methods that no origin needs, and that expose or open what is meant for proxies.
const NEVER: [&str; 3] = ["TRACE", "TRACK", "CONNECT"];
/// The value of `Allow` in the answer to those methods.
const FORWARDED: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// Returns the plan for an address of no room with an entry token in it. A POST to such an address is the shop's own, and stays as it is.
fn stray_entry<'g>(request: &Request<'_>) -> Option<Plan<'g>> {
    let link = EntryLink::of(request.path_and_query)?;
    if request.is_read() && !link.stays_here() {
        return Some(Plan::Refused(Refusal::new(ErrorCode::BadRequest)));
    }
    may_be_sent_on(request, &link).then_some(Plan::StrayEntry(link))
}

/// Returns whether the visitor who asks may be sent to the address without the token.
fn may_be_sent_on(request: &Request<'_>, link: &EntryLink) -> bool {
    request.is_read() && request.headers.get("upgrade").is_none() && link.stays_here()
}

/// Decides for a request to a path of the room. `is_named` is whether a pattern gates the method, and not only what an origin might take it for.
fn decide_in<'g>(room: &'g Room, request: &Request<'_>, is_named: bool) -> Plan<'g> {
    // This comes before all exceptions: a token must not go on to the origin, whatever the path.
    if let Some(link) = EntryLink::of(request.path_and_query) {
        return if may_be_sent_on(request, &link) {
            Plan::Entry(room, link)
        } else {
            Plan::Refused(Refusal::new(ErrorCode::BadRequest))
        };
    }
    let bypasses = |method| room.bypasses(method, request.path_and_query);
    // A preflight is no exception by the method that it asks for: what serves the page may look at no method.
    let is_exception = bypasses(Method::of(request.method)) && request.other_methods().all(bypasses);
    if request.is_preflight() && !is_exception {
        let is_to_gated = is_named && !bypasses(request.judged_method());
        return Plan::Preflight { room, is_to_gated };
    }
    let is_apps = request.speaks_credentials() || room.app_origin(request).is_some();
    let intent = request.intent(is_apps);
    let strict = match room.settings.strict {
        Strict::Off => false,
        Strict::Unsafe => !intent.visit.only_reads(),
        Strict::All => true,
    };
    let gated = Gated { room, intent, strict };
    if is_exception { Plan::Bypass(gated) } else { Plan::Gated(gated) }
}
