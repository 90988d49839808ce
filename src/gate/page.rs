//! What the waiting page shows, and the values that fill it. `web/shown.js` decides the same for a page that is alive;
//! `tests/fixtures/page_states.json` holds both to the same results. demo/own-page/README.md explains the values.

use core::fmt::Write as _;

use facts::config::Mode;
use facts::hall::Draw;
use facts::units::Number;
use facts::wire::{Reason, State, Status};
use settings::PageSettings;

/// With at most this many people ahead it is almost the visitor's turn, if the measured wait is at most [`NEAR_S`].
const NEAR: u64 = 5;
/// The longest measured wait that still counts as near, in seconds.
const NEAR_S: u64 = 300;
const MINUTE_MS: u64 = 60_000;

/// The state that the page shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageState {
    /// The visitor has no ticket yet.
    Arriving,
    /// The visitor is in the hall, before the opening.
    Hall,
    /// The visitor is in line.
    Waiting,
    /// It is the visitor's turn.
    Called,
    /// The visitor is in.
    Admitted,
    /// The ticket has ended.
    Over,
    /// The room gives out no new numbers.
    Closed,
    /// Nothing is left to buy.
    SoldOut,
    /// The room cannot be reached.
    Unreachable,
    /// The visitor gets no number without a token of the shop's.
    Refused,
    /// The account's place is on another device.
    Elsewhere,
    /// As many people wait as may, so the visitor gets no number yet.
    Full,
}

impl PageState {
    /// Returns the state of the page for a visitor with this status.
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

    /// Returns whether it is almost the turn of a visitor with this status.
    #[must_use]
    pub fn is_near(status: &Status) -> bool {
        status.state == State::Waiting
            && !matches!(status.mode, Mode::Paused | Mode::Closed | Mode::SoldOut)
            && !status.behind
            && status.ahead.is_some_and(|ahead| ahead <= NEAR)
            && status.eta_max_s.is_some_and(|s| s <= NEAR_S)
    }

    /// Returns whether a visitor with this status can expect a seat: yes (`to`), no (`beyond`), or perhaps nobody who waits
    /// can (`none`). Empty if that is not known.
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

    /// Returns whether the page tells a visitor with this status that another lane is called first.
    #[must_use]
    pub fn is_behind(status: &Status) -> bool {
        status.behind && Self::shown(status) == Self::Waiting
    }

    /// Returns the name of the room's mode if the operator's message is empty for a page in the language of this tag, else an empty text. Where
    /// no message says anything of the mode, the operator's text for it may stand on the page.
    #[must_use]
    pub fn unsaid(status: &Status, language: &str) -> &'static str {
        if status.message_in(language).is_empty() {
            status.mode.name()
        } else {
            ""
        }
    }

    /// Returns the state's name in the page.
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
            Self::Full => "full",
        }
    }
}

/// The values that fill a page. A value that does not apply is `None` or empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageValues<'a> {
    /// The state.
    pub state: PageState,
    /// Why the ticket is over, as in a status, or why the visitor is barred. Empty otherwise.
    pub reason: &'a str,
    /// The room's mode.
    pub mode: Mode,
    /// The mode, while no message says anything of it: [`PageState::unsaid`].
    pub unsaid: &'a str,
    /// Whether the visitor missed a first call.
    pub missed: bool,
    /// Whether it is almost the visitor's turn.
    pub near: bool,
    /// Whether the visitor tried to submit something that was not forwarded.
    pub not_submitted: bool,
    /// The room's name.
    pub room: &'a str,
    /// The visitor's number, as people are shown it: within the lane, where the room has lanes.
    pub number: Option<u64>,
    /// The title of the visitor's lane; empty if there is none.
    pub lane: &'a str,
    /// Whether another lane is called first: [`PageState::is_behind`].
    pub behind: bool,
    /// Whether joining moves the place to the end of an earlier lane.
    pub better: bool,
    /// What the form for codes says: `asked`, or why the last code gave no place. Empty if there is no form.
    pub code: &'a str,
    /// The number of people in front.
    pub ahead: Option<u64>,
    /// The number of people in line.
    pub waiting: Option<u64>,
    /// The shortest expected wait, in seconds.
    pub eta_min_s: Option<u64>,
    /// The longest expected wait, in seconds.
    pub eta_max_s: Option<u64>,
    /// Whether the visitor can expect a seat: [`PageState::seats`].
    pub seats: &'a str,
    /// The last number that can expect a seat.
    pub seats_to: Option<u64>,
    /// When the line opens, Unix ms.
    pub opens_at_ms: Option<u64>,
    /// How the visitors in the hall get their numbers.
    pub draw: Option<Draw>,
    /// The visitor's entry in the hall.
    pub entry: Option<u64>,
    /// Now, Unix ms: pages count down by this clock.
    pub now_ms: u64,
    /// Seconds between refreshes without JavaScript. 0 on a page that never refreshes.
    pub refresh_s: u64,
    /// The operator's message, plain text.
    pub message: &'a str,
    /// The operator's own page settings for this room.
    pub page: &'a PageSettings,
    /// The tag of the page's language.
    pub language: &'a str,
    /// The gated page to load in place of the page's own address, which was sent something and may be no page. Empty on a page that was only asked for.
    pub back: &'a str,
    /// The page to go to once the visitor has claimed, where it is not gated, so that loading it claims nothing. Empty if it is `back`.
    pub start: &'a str,
    /// The status object as JSON text; empty if there is none.
    pub status: &'a str,
}

impl PageValues<'_> {
    /// Returns the value of a placeholder, not yet escaped. Empty for an unknown name. O(length).
    pub(super) fn value(&self, name: &str) -> String {
        let decimal = |number: Option<u64>| number.map(|n| n.to_string()).unwrap_or_default();
        let flag = |set: bool, word: &str| if set { word.to_owned() } else { String::new() };
        // The shorter wait is rounded down to minutes and the longer one up, and they always differ. Both are shown or neither is.
        let eta = self.eta_min_s.zip(self.eta_max_s).map(|(min_s, max_s)| {
            let min = min_s / 60;
            (min, max_s.div_ceil(60).max(min.saturating_add(1)))
        });
        let opens_in_ms = self.opens_at_ms.map(|at| at.saturating_sub(self.now_ms));
        match name {
            "state" => self.state.as_str().to_owned(),
            "refused" => flag(self.state == PageState::Refused, "true"),
            "full" => flag(self.state == PageState::Full, "true"),
            "reason" => self.reason.to_owned(),
            "mode" => self.mode.name().to_owned(),
            "unsaid" => self.unsaid.to_owned(),
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
            "refresh_s" => decimal(Some(self.refresh_s).filter(|s| *s > 0)),
            "message" => self.message.to_owned(),
            "title" => self.page.text(self.language, "title").to_owned(),
            "logo" => self.page.logo.clone(),
            "page_message" => self.page.text(self.language, "message").to_owned(),
            "help_url" => self.page.help_url.clone(),
            "style" => self.page.style.css.clone(),
            "text_hall" => self.page.text(self.language, "hall").to_owned(),
            "text_waiting" => self.page.text(self.language, "waiting").to_owned(),
            "text_paused" => self.page.text(self.language, "paused").to_owned(),
            "text_closed" => self.page.text(self.language, "closed").to_owned(),
            "text_sold_out" => self.page.text(self.language, "sold_out").to_owned(),
            "back" => self.back.to_owned(),
            "to" => to(self.back),
            "refresh_to" if self.back.is_empty() => String::new(),
            "refresh_to" => format!(";url={}", self.back),
            "start" => self.start.to_owned(),
            "status" => self.status.to_owned(),
            _ => String::new(),
        }
    }
}

/// Returns the query by which a form of the page says where it leads back to: no character of the path means anything in it. Empty for no path.
fn to(path: &str) -> String {
    if path.is_empty() {
        return String::new();
    }
    let mut query = "?to=".to_owned();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            query.push(char::from(byte));
        } else {
            // Writing to a String does not fail.
            let _ = write!(query, "%{byte:02X}");
        }
    }
    query
}
