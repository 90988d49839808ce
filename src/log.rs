//! What Baton says in the log: one line of JSON for each notable thing, with a level and a code out of a closed list, so that
//! it can be searched, counted and alerted on. The list with its meanings is docs/logs.md.
//!
//! Never in it: secrets, cookies, names of visitors, their addresses, what they ask for. A line has no field for any of
//! these, and the one free text leaves out any word that is as long as a name or a secret.

use crate::facts::units::LobbyId;
use core::fmt::Display;
use serde::{Serialize, Serializer};

/// How much it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Somebody did something that will be asked about later.
    Info,
    /// Baton tries again or does without, and visitors hardly notice. If it happens often, look.
    Warn,
    /// Visitors notice, or something is lost.
    Error,
}

/// Whose line it is. `entry.js` says the one line of the isolate itself.
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

            /// How much it matters.
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
    InstanceDied = "instance_died", Error, "Baton's code panicked. That call got a 500. The count says how many other calls are repeated or get a 503.";
    /// The configuration is refused.
    ConfigBad = "config_bad", Error, "The configuration is not valid: gated paths answer 503.";
    /// The configuration is taken, with a doubt.
    ConfigDoubtful = "config_doubtful", Warn, "The configuration is taken, but look at this.";
    /// A live value is passed over.
    LiveValueUnusable = "live_value_unusable", Error, "The room ignores a live value that is not valid any more. Clear or change it at the desk.";
    /// A request that Baton could not answer.
    RequestFailed = "request_failed", Error, "A request failed within Baton and got a 500.";
    /// Somebody was let in while the room was away.
    FailOpen = "fail_open", Error, "The room cannot be reached, and somebody is let in without a lease.";
    /// How many that were, once the room is back.
    FailOpenOver = "fail_open_over", Error, "The room is back. The count says how many requests were let in.";
    /// A cookie of a key that is not known here.
    KeyUnknown = "key_unknown", Warn, "A visitor waits whose cookie has a key not known here: a deploy is under way, or a roll-back took a new BATON_SECRET back.";
    /// The origin gave no answer.
    OriginUnreachable = "origin_unreachable", Error, "The origin did not answer.";
    /// The static files cannot be read.
    AssetsFailed = "assets_failed", Error, "The page's files cannot be read: visitors get a plain page.";
    /// A lobby does not answer the front.
    LobbyUnreachable = "lobby_unreachable", Warn, "A lobby did not answer a front.";
    /// The house does not answer.
    HouseUnreachable = "house_unreachable", Error, "The house did not answer: fronts and rooms go on with what they know.";
    /// A room of the house that cannot be one here.
    HouseRoomBad = "house_room_bad", Error, "A room of the house contradicts wrangler.toml: its paths are shut.";
    /// An operator made a sheet of vouchers.
    SheetMade = "sheet_made", Info, "An operator made a sheet of invitations or codes.";
    /// An operator took one back.
    SheetWithdrawn = "sheet_withdrawn", Info, "An operator withdrew a sheet.";
    /// An operator made a staff link.
    StaffLinkMade = "staff_link_made", Info, "An operator made a staff link.";
    /// Somebody opened one.
    StaffLinkOpened = "staff_link_opened", Info, "Somebody opened a staff link.";
    /// A bypass secret that is wrong.
    BypassRefused = "bypass_refused", Warn, "A request showed a wrong BYPASS_SECRET.";
    /// An operator changed a room of the house.
    HouseChanged = "house_changed", Info, "An operator changed a room of the house.";
    /// An operator of the house that cannot be one here.
    HouseOperatorBad = "house_operator_bad", Error, "An operator of the house contradicts wrangler.toml, and may do nothing.";
    /// An operator changed who may operate.
    OperatorsChanged = "operators_changed", Warn, "An operator changed who may operate.";
    /// The issuer that vouches for operators cannot be asked.
    IdentityUnreachable = "identity_unreachable", Error, "The identity provider, or Access, did not answer: nobody can sign in by it.";
    /// The identity provider sent somebody back who is not believed.
    IdentityRefused = "identity_refused", Warn, "Baton does not believe a sign-in by the identity provider or Access.";
    /// The room does not answer the operator's front.
    RoomUnreachable = "room_unreachable", Warn, "A room did not answer an operator's question.";
    /// A release or a leave was given up.
    NotDelivered = "not_delivered", Error, "A release or leave did not reach its lobby: the permit comes back when the lease ends.";
    /// An extension was given up.
    NotExtended = "not_extended", Warn, "A lease was not extended.";
    /// The lobby did not hear of errors or seats.
    OriginUntold = "origin_untold", Warn, "The origin's errors or seats left did not reach the lobby. The next word replaces them.";
    /// The shop's word without its proof.
    StockRefused = "stock_refused", Warn, "Baton does not believe a Baton-Stock header: compare ORIGIN_SECRET, the room and the clocks.";
    /// The rate limiter failed.
    LimiterFailed = "limiter_failed", Warn, "The rate limiter did not answer: the request is let through.";
    /// Turnstile cannot be asked.
    TurnstileUnreachable = "turnstile_unreachable", Error, "Turnstile did not answer: nobody new gets a number in rooms that ask for it.";
    /// Turnstile said no.
    TurnstileRefused = "turnstile_refused", Info, "Turnstile refused somebody's answer.";
    /// An object could not answer.
    ObjectFailed = "object_failed", Error, "A request to an object failed and got a 503.";
    /// An alarm could not do its work.
    AlarmFailed = "alarm_failed", Error, "An object's alarm failed; it comes again after a second.";
    /// Something in the background failed.
    BackgroundFailed = "background_failed", Error, "Background work of an object failed.";
    /// The room does not answer a lobby.
    RoomSilent = "room_silent", Warn, "The room did not answer a lobby, which asks again.";
    /// Questions about leases were not answered.
    ChecksFailed = "checks_failed", Warn, "A strict room did not answer: so many requests as the count says wait.";
    /// A room was built from its journal.
    RoomWoke = "room_woke", Info, "A room was loaded from its journal. The count is its rows.";
    /// An operator changed live values.
    LiveChanged = "live_changed", Info, "An operator changed live values.";
    /// A step of the schedule was carried out.
    StepDone = "step_done", Info, "The room carried out a step of its schedule.";
    /// A step of the schedule was not carried out.
    StepRefused = "step_refused", Error, "The room could not carry out a step of its schedule, and does not try again.";
    /// A step was over before it was known.
    StepPassed = "step_passed", Warn, "A step of the schedule was over before the room knew of it.";
    /// The outbox does not answer a room.
    OutboxUnreachable = "outbox_unreachable", Warn, "The outbox did not answer; it looks by itself within a minute.";
    /// A journal did not answer the outbox.
    JournalUnread = "journal_unread", Warn, "The outbox could not read a journal; it tries again within a minute.";
    /// The outbox reads a journal no more.
    JournalGone = "journal_gone", Info, "The outbox stops reading the journal of a room that is gone.";
    /// A webhook was not taken.
    WebhookFailed = "webhook_failed", Warn, "A webhook did not take a message. Baton repeats it for a day; then it waits at the desk.";
    /// An operator ended a ticket.
    TicketEnded = "ticket_ended", Info, "An operator ended a ticket.";
    /// An operator began a room anew.
    RoomReset = "room_reset", Warn, "An operator reset a room: all earlier tickets are over. The count is the new edition.";
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Most characters of [`Remark::because`].
pub const WHY_CHARS_MAX: usize = 400;
/// A word of this many letters and digits may be a visitor's name (32), a token or a secret.
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
    why: Option<String>,
    message: &'static str,
}

impl Remark {
    /// A line with this code.
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
            why: None,
            message: code.message(),
        }
    }

    /// One of the front's.
    #[must_use]
    pub const fn front(code: Code) -> Self {
        Self::of(Part::Front, code)
    }

    /// About this room.
    #[must_use]
    pub fn in_room(mut self, name: impl Into<String>) -> Self {
        self.room = Some(name.into());
        self
    }

    /// About this lobby of it.
    #[must_use]
    pub const fn at_lobby(mut self, lobby: LobbyId) -> Self {
        self.lobby = Some(lobby);
        self
    }

    /// So many.
    #[must_use]
    pub const fn counting(mut self, count: u64) -> Self {
        self.count = Some(count);
        self
    }

    /// An operator's doing.
    #[must_use]
    pub fn by(mut self, operator: impl Into<String>) -> Self {
        self.by = Some(operator.into());
        self
    }

    /// What is known besides, of ours or of the platform's: at most [`WHY_CHARS_MAX`] characters, and without what
    /// is as long as a secret.
    #[must_use]
    pub fn because(mut self, why: impl Display) -> Self {
        self.why = Some(veiled(&why.to_string()));
        self
    }

    /// How much it matters.
    #[must_use]
    pub const fn level(&self) -> Level {
        self.level
    }

    /// As it is written.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Text, numbers and no maps: it has a JSON form.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The text with every long run of what names and secrets are made of as an ellipsis.
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
