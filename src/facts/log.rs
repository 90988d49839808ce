//! What Baton says in the log: one line of JSON for each notable thing, with a level and a code out of a closed list, so that lines can be
//! searched, counted and alerted on. docs/logs.md lists the codes with their meanings.
//!
//! A line never contains secrets, cookies, names of visitors, their addresses, or what they ask for. It has no field for any of these, and its one
//! free text leaves out every word that is as long as a name or a secret. One code, `release_ignored`, says the words of a path (`gate/shown.rs`).

use crate::units::LobbyId;
use core::fmt::Display;
use serde::{Serialize, Serializer};

/// How much a line matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Somebody did something that others will ask about later.
    Info,
    /// Baton tries again or does without, and visitors hardly notice. If it happens often, look into it.
    Warn,
    /// Visitors notice, or something is lost.
    Error,
}

/// The part of Baton that writes a line. `entry.js` writes the isolate's one line itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// The worker in front.
    Front,
    /// A lobby's object.
    Lobby,
    /// A room's object.
    Room,
    /// The house's object.
    House,
    /// A porter's object.
    Porter,
    /// The outbox's object.
    Outbox,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $level:ident, $message:literal;)*) => {
        /// Every notable thing. The names are part of the contract.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Code {
            $($(#[$doc])* $variant,)*
        }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The code as it stands in the line.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// How much the code matters.
            #[must_use]
            pub const fn level(self) -> Level {
                match self { $(Self::$variant => Level::$level,)* }
            }

            /// What it means, in English.
            #[must_use]
            pub const fn message(self) -> &'static str {
                match self { $(Self::$variant => $message,)* }
            }
        }
    };
}

codes! {
    /// A panic.
    InstanceDied = "instance_died", Error, "Baton's code panicked. That call got a 500, unless it sent something to the origin; `count` others are repeated, wait for the origin, or get a 503.";
    /// Baton refuses the configuration.
    ConfigBad = "config_bad", Error, "The configuration is not valid: gated paths answer 503.";
    /// Baton takes the configuration, with a doubt.
    ConfigDoubtful = "config_doubtful", Warn, "The configuration is accepted, but look at this.";
    /// A room passes over a live value.
    LiveValueUnusable = "live_value_unusable", Error, "The room ignores a live value that is not valid any more. Clear or change it at the desk.";
    /// Baton could not answer a request.
    RequestFailed = "request_failed", Error, "A request failed within Baton and got a 500.";
    /// The front let somebody in while the room was away.
    FailOpen = "fail_open", Error, "The room cannot be reached: a visitor was let in without a lease.";
    /// The room is back. The line counts those who were let in.
    FailOpenOver = "fail_open_over", Error, "The room is back. `count` requests were let in without a lease.";
    /// No lobby of a room has answered a front for some seconds.
    RoomAway = "room_away", Error, "The room has not answered for five seconds: without a pass nobody can enter, unless its mode lets everybody pass. Those inside go on until their leases end. Logged once.";
    /// The room answers again.
    RoomBack = "room_back", Error, "The room answers again, after `count` seconds.";
    /// Somebody showed a place that the room's data does not have.
    RolledBack = "rolled_back", Error, "The room's data is older than what visitors were told: a backup was restored. No other visitor gets their numbers. `count` proofs so far.";
    /// A cookie names a key that is not known here.
    KeyUnknown = "key_unknown", Warn, "A cookie was signed with an unknown key (deploy in progress, or a rolled-back BATON_SECRET). The visitor waits.";
    /// The origin gave no answer.
    OriginUnreachable = "origin_unreachable", Error, "The origin did not answer.";
    /// The static files cannot be read.
    AssetsFailed = "assets_failed", Error, "The page's files cannot be read: visitors get a plain page.";
    /// A lobby does not answer the front.
    LobbyUnreachable = "lobby_unreachable", Warn, "A lobby did not answer a front. Logged once, until it answers.";
    /// The house does not answer.
    HouseUnreachable = "house_unreachable", Error, "The house did not answer: fronts and rooms go on with what they know.";
    /// A room of the house contradicts the file.
    HouseRoomBad = "house_room_bad", Error, "A room of the house contradicts wrangler.toml: its paths are shut.";
    /// An operator made a sheet of vouchers.
    SheetMade = "sheet_made", Info, "An operator made a sheet of invitations or codes.";
    /// An operator took a sheet back.
    SheetWithdrawn = "sheet_withdrawn", Info, "An operator withdrew a sheet.";
    /// An operator made a staff link.
    StaffLinkMade = "staff_link_made", Info, "An operator made a staff link.";
    /// Somebody opened a staff link.
    StaffLinkOpened = "staff_link_opened", Info, "A staff link was opened.";
    /// A request showed a wrong bypass secret.
    BypassRefused = "bypass_refused", Warn, "A request showed a wrong BYPASS_SECRET.";
    /// An operator changed a room of the house.
    HouseChanged = "house_changed", Info, "An operator changed a room of the house.";
    /// An operator of the house contradicts the file.
    HouseOperatorBad = "house_operator_bad", Error, "An operator of the house contradicts wrangler.toml, and has no rights.";
    /// An operator changed who may operate.
    OperatorsChanged = "operators_changed", Warn, "An operator changed who may operate.";
    /// Baton cannot ask the issuer that vouches for operators.
    IdentityUnreachable = "identity_unreachable", Error, "The identity provider, or Access, did not answer: operators cannot sign in by it.";
    /// Baton does not believe a sign-in that the identity provider or Access vouches for.
    IdentityRefused = "identity_refused", Warn, "Baton rejected a sign-in by the identity provider or Access.";
    /// A room does not answer the operator's front.
    RoomUnreachable = "room_unreachable", Warn, "A room did not answer an operator's question.";
    /// The front gave up a release or a leave.
    NotDelivered = "not_delivered", Error, "A release or leave did not reach its lobby: the permit comes back when the lease ends.";
    /// The front gave up an extension.
    NotExtended = "not_extended", Warn, "A lease was not extended.";
    /// A lobby did not hear of errors or seats.
    OriginUntold = "origin_untold", Warn, "The origin's errors, or its seats left, did not reach the lobby. The next report replaces them.";
    /// The shop reported its stock without a valid proof.
    StockRefused = "stock_refused", Warn, "Baton rejected a Baton-Stock header: compare ORIGIN_SECRET, the room and the clocks.";
    /// A room that observes let in what could not come in by itself.
    ObservedOnly = "observed_only", Warn, "A room in observe mode got `count` requests that could not walk in if it were open: from a program, a script's GET, or a form of another host.";
    /// More preflights come to a room than its shop is asked.
    PreflightsRefused = "preflights_refused", Warn, "More preflights came to gated paths than Baton lets through without a pass: let the shop send Access-Control-Max-Age.";
    /// What stands in front gives no address that can be read.
    AddressUnreadable = "address_unreadable", Warn, "CF-Connecting-IP is not one address: the proxy in front must write one, without a port. Until then all such visitors share one address's limits.";
    /// The shop's answer says two things in one header of Baton's.
    ShopContradicts = "shop_contradicts", Warn, "An answer of the shop has a Baton- header twice, with different values: Baton ignores both.";
    /// A page of this host came by https, and its call by http.
    SchemeDiffers = "scheme_differs", Warn, "A page's call is forbidden_origin because only the scheme differs: the proxy in front ends TLS and must write https in X-Forwarded-Proto. By npm start: --behind-proxy. Logged once.";
    /// The shop gives a permit back, or asks for more time, where Baton cannot tell whose.
    ReleaseIgnored = "release_ignored", Warn, "Baton ignores a Baton-Release or Baton-Extend in the shop's answer. Logged once for each path and reason.";
    /// An entry link leads to a path of no room.
    EntryLinkStrays = "entry_link_strays", Warn, "A link with baton_entry leads to a path of no room: Baton took the token out, and nothing came of it. Let links lead to a gated path. Logged once for each path.";
    /// A client's header does not go on to the shop.
    HeaderStays = "header_stays", Info, "Baton withheld a client's header from the shop because of its name. If the shop needs it: PASS_HEADERS or FRONT_HEADERS. Logged once for each name.";
    /// The shop's answer clears cookies by `Clear-Site-Data`.
    ShopClearsCookies = "shop_clears_cookies", Info, "The shop clears cookies by Clear-Site-Data while a visitor has a place. Baton expires the request's cookies instead, and keeps its own.";
    /// The rate limiter failed.
    LimiterFailed = "limiter_failed", Warn, "The rate limiter did not answer: the request is let through.";
    /// Baton cannot ask Turnstile.
    TurnstileUnreachable = "turnstile_unreachable", Error, "Turnstile did not answer: no new visitor gets a number in rooms that use it.";
    /// Turnstile refused somebody.
    TurnstileRefused = "turnstile_refused", Info, "Turnstile refused a visitor's answer.";
    /// An object could not answer.
    ObjectFailed = "object_failed", Error, "A request to an object failed and got a 503.";
    /// An object's alarm could not do its work.
    AlarmFailed = "alarm_failed", Error, "An object's alarm failed; it runs again within an hour.";
    /// Work of an object in the background failed.
    BackgroundFailed = "background_failed", Error, "Background work of an object failed.";
    /// The room does not answer a lobby.
    RoomSilent = "room_silent", Warn, "The room did not answer a lobby, which asks again. Logged once, until it answers.";
    /// A strict room did not answer questions about leases.
    ChecksFailed = "checks_failed", Warn, "A strict room did not answer; `count` requests are waiting.";
    /// A room came into memory from its journal.
    RoomWoke = "room_woke", Info, "A room was loaded from its journal of `count` rows.";
    /// An operator changed live values.
    LiveChanged = "live_changed", Info, "An operator changed live values.";
    /// The room carried out a step of its schedule.
    StepDone = "step_done", Info, "The room carried out a step of its schedule.";
    /// The room could not carry out a step of its schedule.
    StepRefused = "step_refused", Error, "The room could not carry out a step of its schedule, and will not retry it.";
    /// A step was over before the room knew of it.
    StepPassed = "step_passed", Warn, "A step of the schedule was over before the room knew of it.";
    /// The outbox does not answer a room.
    OutboxUnreachable = "outbox_unreachable", Warn, "The outbox did not answer; it checks by itself within a minute.";
    /// A journal did not answer the outbox.
    JournalUnread = "journal_unread", Warn, "The outbox could not read a journal; it tries again within a minute.";
    /// The outbox reads a journal no longer.
    JournalGone = "journal_gone", Info, "The outbox stops reading the journal of a room that is gone.";
    /// A webhook did not take a message.
    WebhookFailed = "webhook_failed", Warn, "A webhook did not take a message. Baton repeats it for a day, then it waits at the desk; `tickets.near` and `tickets.called` are sent once.";
    /// An operator ended a ticket.
    TicketEnded = "ticket_ended", Info, "An operator ended a ticket.";
    /// An operator began a room anew.
    RoomReset = "room_reset", Warn, "An operator reset a room: all earlier tickets have ended. `count` is the new edition.";
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Maximum characters of [`Remark::about_header`]; no name that a proxy writes is longer.
pub const HEADER_CHARS_MAX: usize = 64;
/// Maximum characters of [`Remark::because`].
pub const WHY_CHARS_MAX: usize = 400;
/// A word of at least this many letters and digits may be a visitor's name (32), a token or a secret.
const VEILED_CHARS_MIN: usize = 32;

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Remark {
    level: Level,
    code: Code,
    part: Part,
    #[serde(skip_serializing_if = "Option::is_none")]
    room: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lobby: Option<LobbyId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    message: &'static str,
}

impl Remark {
    /// Makes a line with this code.
    #[must_use]
    pub const fn of(part: Part, code: Code) -> Self {
        Self {
            level: code.level(),
            code,
            part,
            room: None,
            lobby: None,
            count: None,
            by: None,
            header: None,
            why: None,
            message: code.message(),
        }
    }

    /// Makes a line of the front's.
    #[must_use]
    pub const fn front(code: Code) -> Self {
        Self::of(Part::Front, code)
    }

    /// Says which room the line is about.
    #[must_use]
    pub fn in_room(mut self, name: impl Into<String>) -> Self {
        self.room = Some(name.into());
        self
    }

    /// Says which lobby of the room the line is about.
    #[must_use]
    pub const fn at_lobby(mut self, lobby: LobbyId) -> Self {
        self.lobby = Some(lobby);
        self
    }

    /// Adds a count.
    #[must_use]
    pub const fn counting(mut self, count: u64) -> Self {
        self.count = Some(count);
        self
    }

    /// Says which operator did it.
    #[must_use]
    pub fn by(mut self, operator: impl Into<String>) -> Self {
        self.by = Some(operator.into());
        self
    }

    /// Says which header the line is about, by the first [`HEADER_CHARS_MAX`] characters of its name.
    #[must_use]
    pub fn about_header(mut self, name: &str) -> Self {
        self.header = Some(name.chars().take(HEADER_CHARS_MAX).collect());
        self
    }

    /// Adds what else is known, in Baton's or the platform's words: at most [`WHY_CHARS_MAX`] characters, without any word as long as a secret.
    #[must_use]
    pub fn because(mut self, why: impl Display) -> Self {
        self.why = Some(veiled(&why.to_string()));
        self
    }

    /// How much the line matters.
    #[must_use]
    pub const fn level(&self) -> Level {
        self.level
    }

    /// The line as it is written.
    #[must_use]
    pub fn to_json(&self) -> String {
        // A line has text, numbers and no maps, so it has a JSON form.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Replaces every long run of characters that names and secrets are made of with an ellipsis.
fn veiled(text: &str) -> String {
    let mut out = String::new();
    let is_of_names = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '+' | '=');
    for run in text.split_inclusive(|c| !is_of_names(c)) {
        let word = run.trim_end_matches(|c| !is_of_names(c));
        if word.len() < VEILED_CHARS_MIN {
            out += run;
        } else {
            out.push('…');
            out.extend(run.chars().skip_while(|c| is_of_names(*c)));
        }
    }
    out.chars().take(WHY_CHARS_MAX).collect()
}
