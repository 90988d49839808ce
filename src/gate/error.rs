//! What Baton answers when it does not forward: the closed list of error codes, and the JSON body for a client that waits.

use serde_json::json;

use super::Barred;
use facts::entry::EntryRefusal;

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $status:literal, $message:literal;)*) => {
        /// The errors that Baton itself answers with. Their names are part of the contract.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum ErrorCode {
            $($(#[$doc])* $variant,)*
        }

        impl ErrorCode {
            /// All codes.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the code as it stands in the answer.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns the HTTP status.
            #[must_use]
            pub const fn status(self) -> u16 {
                match self { $(Self::$variant => $status,)* }
            }

            /// Returns what the error means and what to do, in English.
            #[must_use]
            pub const fn message(self) -> &'static str {
                match self { $(Self::$variant => $message,)* }
            }
        }
    };
}

codes! {
    /// Baton cannot make sense of the request.
    BadRequest = "bad_request", 400, "The request could not be understood.";
    /// The ticket is not Baton's, or another visitor's.
    BadTicket = "bad_ticket", 401, "The ticket is not valid here. Join again.";
    /// The operator's token is missing or wrong.
    Unauthorized = "unauthorized", 401, "The operator's token is missing or wrong.";
    /// The client did not send the visitor's credentials back.
    CredentialsRequired = "credentials_required", 401, "Credentials are needed to keep a place in line. Send the Baton-Credentials of this answer with the next call.";
    /// The client did not send the visitor cookie back.
    CookiesRequired = "cookies_required", 403, "Cookies are needed to keep a place in line. Try again with this cookie, or call `enter` with `Baton-Credentials`, which needs none.";
    /// The visitor has not answered Turnstile, or not well.
    VerificationRequired = "verification_required", 403, "Complete the human check on the waiting page first.";
    /// The room requires a token of the shop's, and the visitor showed none.
    EntryRequired = "entry_required", 403, "This line is for visitors whom the shop sends. Come by the shop's link, or send its token in Baton-Entry.";
    /// The shop's token does not count.
    EntryRefused = "entry_refused", 403, "The shop's token is not valid here; the reason says why.";
    /// The call comes from another site.
    ForbiddenOrigin = "forbidden_origin", 403, "Calls from other sites are not allowed.";
    /// The operator's role does not allow this call.
    Forbidden = "forbidden", 403, "Your role does not allow this.";
    /// The rehearsal's token does not count, or no longer counts.
    NoRehearsal = "no_rehearsal", 403, "This rehearsal has ended, or the room is no longer closed.";
    /// There is nothing at this path.
    NotFound = "not_found", 404, "There is nothing here.";
    /// There is no room of this name.
    UnknownRoom = "unknown_room", 404, "There is no room with this name.";
    /// There is no operator of this name.
    UnknownOperator = "unknown_operator", 404, "The house has no operator with this name.";
    /// There is no ticket of this number.
    UnknownTicket = "unknown_ticket", 404, "This room has no ticket with this number.";
    /// There is no lease of this fence.
    UnknownLease = "unknown_lease", 404, "This room never gave a lease with this fence.";
    /// The route does not allow this method.
    MethodNotAllowed = "method_not_allowed", 405, "This method is not allowed here; see Allow.";
    /// It is not the visitor's turn.
    NotCalled = "not_called", 409, "It is not your turn yet.";
    /// The room is not closed, or somebody is in it.
    RoomInUse = "room_in_use", 409, "The room is in use.";
    /// The change would leave nobody who may decide who operates.
    LastOwner = "last_owner", 409, "This would remove the last owner.";
    /// The device has a nearer place of its own.
    CarryNearer = "carry_nearer", 409, "This device already has a nearer place, and keeps it. To take the link's place, leave that one first.";
    /// The account's place is on another device.
    PlaceElsewhere = "place_elsewhere", 409, "This account's place is on another device. POST to the room's take to move it here.";
    /// The ticket has ended.
    TicketOver = "ticket_over", 410, "This ticket has ended. Join again for a new one.";
    /// The link was used already, or is too old.
    CarryOver = "carry_over", 410, "This link was already used, or it has expired. Make a new one on the device that has the place.";
    /// Somebody else changed it first.
    PreconditionFailed = "precondition_failed", 412, "It has changed since you read it. Read it again.";
    /// The body is longer than Baton reads.
    PayloadTooLarge = "payload_too_large", 413, "The body is too large.";
    /// The request is for a host that is not ours.
    Misdirected = "misdirected", 421, "This host is not configured here.";
    /// The route needs a WebSocket.
    UpgradeRequired = "upgrade_required", 426, "Open this with a WebSocket.";
    /// A change needs `If-Match`.
    PreconditionRequired = "precondition_required", 428, "Send If-Match with the ETag that you read.";
    /// One client sent too many requests.
    TooManyRequests = "too_many_requests", 429, "Too many requests. Wait a little.";
    /// As many people wait as may.
    LineFull = "line_full", 429, "The line is full: as many people wait as may. Whoever has a place keeps it. Try again after Retry-After.";
    /// Baton itself has a bug.
    Internal = "internal", 500, "Something went wrong here. Try again.";
    /// The origin did not answer.
    OriginUnreachable = "origin_unreachable", 502, "The site behind the waiting room did not answer.";
    /// The room did not answer.
    RoomUnavailable = "room_unavailable", 503, "The waiting room cannot be reached just now. Your place is kept.";
    /// The request looks ahead of a click.
    Speculative = "speculative", 503, "This request announces a prefetch, so it gets nothing and changes nothing. Send it again without that header.";
    /// Turnstile did not answer.
    VerificationUnavailable = "verification_unavailable", 503, "The human check is unavailable right now. Try again.";
    /// The deployment's configuration is wrong.
    BadConfig = "bad_config", 503, "The waiting room is not configured correctly.";
}

impl ErrorCode {
    /// Returns the code of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == name)
    }
}

/// Returns `{"error": {"code", "message"}}`. `message` replaces the code's own message.
#[must_use]
pub fn error_body(code: ErrorCode, message: Option<&str>) -> String {
    let message = message.unwrap_or(code.message());
    json!({ "error": { "code": code.as_str(), "message": message } }).to_string()
}

/// Returns the body for a visitor who is barred: the error, its reason, and for one who came early when it is worth coming back.
#[must_use]
pub fn entry_body(barred: &Barred) -> String {
    let code = match barred.why {
        EntryRefusal::Missing => ErrorCode::EntryRequired,
        _ => ErrorCode::EntryRefused,
    };
    let error = json!({ "code": code.as_str(), "message": code.message() });
    let mut body = json!({ "error": error, "reason": barred.why.name() });
    if let (Some(at_ms), Some(body)) = (barred.from_at_ms, body.as_object_mut()) {
        body.insert("from_at_ms".to_owned(), at_ms.into());
    }
    body.to_string()
}

/// Returns the body of a 429 on a gated path, for a client that does not accept HTML.
#[must_use]
pub fn waiting_body(room: &str, retry_after_s: u64) -> String {
    json!({
        "state": "waiting",
        "room": room,
        "join": format!("/__baton/{room}/join"),
        "enter": format!("/__baton/{room}/enter"),
        "retry_after_s": retry_after_s,
    })
    .to_string()
}
