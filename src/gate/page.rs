//! What the waiting page is filled with, and what it shows: the same as `web/shown.js` decides for a page that is
//! alive; both are held to `tests/fixtures/page_states.json`. The values are those of demo/own-page/README.md.

use crate::facts::config::Mode;
use crate::facts::hall::Draw;
use crate::facts::units::Number;
use crate::settings::PageSettings;
use crate::wire::{Reason, State, Status};

/// From here on it is almost the visitor's turn, unless the wait was measured as longer than [`NEAR_S`].
const NEAR: u64 = 5;
/// A measured wait that is not near, in seconds.
const NEAR_S: u64 = 300;
const MINUTE_MS: u64 = 60_000;

/// The page's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageState {
    /// No ticket yet.
    Arriving,
    /// Before the opening.
    Hall,
    /// In line.
    Waiting,
    /// It is the visitor's turn.
    Called,
    /// In.
    Admitted,
    /// The ticket has ended.
    Over,
    /// No new numbers are given out.
    Closed,
    /// There is nothing left.
    SoldOut,
    /// The room cannot be reached.
    Unreachable,
    /// No number without a token of the shop's.
    Refused,
    /// The account's place is on another device.
    Elsewhere,
}

impl PageState {
    /// What is shown to a visitor with this status.
    #[must_use]
    pub const fn shown(status: &Status) -> Self {
        match (status.state, status.mode) {
            (State::Over, _) if matches!(status.reason, Some(Reason::SoldOut)) => Self::SoldOut,
            (State::Over, _) => Self::Over,
            (State::Called, _) => Self::Called,
            (State::Admitted, _) => Self::Admitted,
            (State::None | State::Hall | State::Waiting, Mode::SoldOut) => Self::SoldOut,
            (State::Hall, _) => Self::Hall,
            (State::None, Mode::Closed | Mode::Drain) => Self::Closed,
            (State::None, _) => Self::Arriving,
            (State::Waiting, _) => Self::Waiting,
        }
    }

    /// Whether it is almost the turn of a visitor with this status.
    #[must_use]
    pub fn is_near(status: &Status) -> bool {
        status.state == State::Waiting
            && !matches!(status.mode, Mode::Paused | Mode::Closed | Mode::SoldOut)
            && !status.behind
            && status.ahead.is_some_and(|ahead| ahead <= NEAR)
            && status.eta_max_s.is_none_or(|s| s <= NEAR_S)
    }

    /// Whether a visitor with this status can expect a seat, as the page knows it: up to there (`to`), not
    /// (`beyond`), perhaps nobody who waits (`none`); empty where that is not known.
    #[must_use]
    pub fn seats(status: &Status) -> &'static str {
        let waits = Self::shown(status) == Self::Waiting;
        match status.number.zip(status.seats_to).filter(|_| waits) {
            None => "",
            Some((_, Number(0))) => "none",
            Some((number, seats_to)) if number <= seats_to => "to",
            Some(_) => "beyond",
        }
    }

    /// Whether a visitor with this status is told that another lane is called first.
    #[must_use]
    pub fn is_behind(status: &Status) -> bool {
        status.behind && Self::shown(status) == Self::Waiting
    }

    /// As the page knows it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Arriving => "arriving",
            Self::Hall => "hall",
            Self::Waiting => "waiting",
            Self::Called => "called",
            Self::Admitted => "admitted",
            Self::Over => "over",
            Self::Closed => "closed",
            Self::SoldOut => "sold_out",
            Self::Unreachable => "unreachable",
            Self::Refused => "refused",
            Self::Elsewhere => "elsewhere",
        }
    }
}

/// What a page is filled with. A value that does not apply is none, or empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageValues<'a> {
    /// The state.
    pub state: PageState,
    /// Why the ticket is over, as in a status, or why there is no entry; else empty.
    pub reason: &'a str,
    /// The room's mode.
    pub mode: Mode,
    /// Whether a first call was missed.
    pub missed: bool,
    /// Whether it is almost the visitor's turn.
    pub near: bool,
    /// Whether something was to be submitted and was not.
    pub not_submitted: bool,
    /// The room's name.
    pub room: &'a str,
    /// The visitor's number, as people are shown it.
    pub number: Option<u64>,
    /// The title of the visitor's lane, or empty.
    pub lane: &'a str,
    /// Whether another lane is called first: [`PageState::is_behind`].
    pub behind: bool,
    /// Whether joining moves the place to the end of an earlier lane.
    pub better: bool,
    /// What the form for codes says: `asked`, or why the code before gave no place; empty: there is no form.
    pub code: &'a str,
    /// People in front.
    pub ahead: Option<u64>,
    /// People in line.
    pub waiting: Option<u64>,
    /// The wait at least, in seconds.
    pub eta_min_s: Option<u64>,
    /// The wait at most, in seconds.
    pub eta_max_s: Option<u64>,
    /// Whether the visitor can expect a seat: [`PageState::seats`].
    pub seats: &'a str,
    /// Up to which number one can.
    pub seats_to: Option<u64>,
    /// When the line opens, Unix ms.
    pub opens_at_ms: Option<u64>,
    /// How those in the hall get their numbers.
    pub draw: Option<Draw>,
    /// The visitor's entry, in the hall.
    pub entry: Option<u64>,
    /// Now, Unix ms: pages count down by this clock.
    pub now_ms: u64,
    /// Seconds between refreshes without JavaScript.
    pub refresh_s: u64,
    /// The operator's message, plain text.
    pub message: &'a str,
    /// The operator's own words for this room.
    pub page: &'a PageSettings,
    /// The tag of the page's language.
    pub language: &'a str,
    /// The status object as JSON text, or empty.
    pub status: &'a str,
}

impl PageValues<'_> {
    /// The value of a placeholder, not yet escaped; nothing for a name that is none. O(length).
    pub(super) fn value(&self, name: &str) -> String {
        let decimal = |number: Option<u64>| number.map(|n| n.to_string()).unwrap_or_default();
        let flag = |set: bool, word: &str| if set { word.to_owned() } else { String::new() };
        // Down and up, and a range even then; both or neither.
        let eta = self.eta_min_s.zip(self.eta_max_s).map(|(min_s, max_s)| {
            let min = min_s / 60;
            (min, max_s.div_ceil(60).max(min.saturating_add(1)))
        });
        let opens_in_ms = self.opens_at_ms.map(|at| at.saturating_sub(self.now_ms));
        match name {
            "state" => self.state.as_str().to_owned(),
            "refused" => flag(self.state == PageState::Refused, "true"),
            "reason" => self.reason.to_owned(),
            "mode" => self.mode.name().to_owned(),
            "missed" => flag(self.missed, "true"),
            "near" => flag(self.near, "true"),
            "notice" => flag(self.not_submitted, "not_submitted"),
            "room" => self.room.to_owned(),
            "number" => decimal(self.number),
            "lane" => self.lane.to_owned(),
            "behind" => flag(self.behind, "true"),
            "better" => flag(self.better, "true"),
            "code" => self.code.to_owned(),
            "ahead" => decimal(self.ahead),
            "waiting" => decimal(self.waiting),
            "eta_min" => decimal(eta.map(|(min, _)| min)),
            "eta_max" => decimal(eta.map(|(_, max)| max)),
            "opens_min" => decimal(opens_in_ms.map(|ms| ms.div_ceil(MINUTE_MS))),
            "seats" => self.seats.to_owned(),
            "seats_to" => decimal(self.seats_to),
            "draw" => self.draw.map_or("", Draw::name).to_owned(),
            "entry" => decimal(self.entry),
            "now_ms" => self.now_ms.to_string(),
            "refresh_s" => self.refresh_s.to_string(),
            "message" => self.message.to_owned(),
            "title" => self.page.text(self.language, "title").to_owned(),
            "logo" => self.page.logo.clone(),
            "page_message" => self.page.text(self.language, "message").to_owned(),
            "help_url" => self.page.help_url.clone(),
            "style" => self.page.style.css.clone(),
            "text_hall" => self.page.text(self.language, "hall").to_owned(),
            "text_waiting" => self.page.text(self.language, "waiting").to_owned(),
            "text_closed" => self.page.text(self.language, "closed").to_owned(),
            "text_sold_out" => self.page.text(self.language, "sold_out").to_owned(),
            "status" => self.status.to_owned(),
            _ => String::new(),
        }
    }
}
