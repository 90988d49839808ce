//! Decides whether preflights reach a room's shop, and bounds how many. A preflight shows no pass, and a shop that does not look at the method runs the page for it.

use super::Second;
use facts::config::Mode;
use facts::units::AddressTag;
use settings::{PreflightPolicy, RoomSettings};

/// The preflights a second that one isolate lets through to any room. A browser keeps the answer for 5 s where the shop names no
/// `Access-Control-Max-Age`, so these are the calls of 500 people inside who all come by the same isolate.
const A_SECOND_MIN: u32 = 100;
/// How long a browser keeps an answer, in seconds.
const KEPT_S: u32 = 5;
/// The preflights that one permit is worth in this time.
const A_PERMIT: u32 = 2;
/// The least time between two log lines that preflights are refused, in ms.
const SAY_EVERY_MS: u64 = 10_000;

/// Returns whether the shop is asked what it says to a preflight of no app of the room's: unless the room says that Baton answers. A room that holds nobody
/// back changes nothing for the shop's pages.
#[must_use]
pub fn shop_answers_preflights(room: &RoomSettings, mode: Mode) -> bool {
    room.preflights == PreflightPolicy::Shop || matches!(mode, Mode::Bypass | Mode::Observe)
}

/// What becomes of a preflight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// The shop is asked.
    Onward,
    /// Baton refuses it.
    Refused {
        /// Whether the log has not said so lately.
        is_news: bool,
    },
}

/// The preflights of one room that an isolate has let through in this second.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Preflights {
    second: Second,
    lead: Lead,
    said_at_ms: Option<u64>,
}

/// The address that asks most in this second, and by how many asks it is ahead of all others together. Whoever makes more than half of the asks is
/// found so, without a count for each address.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Lead {
    by: AddressTag,
    asks: u32,
}

impl Lead {
    /// Returns whether an address may ask once more without being ahead of all others by more than `most`, and counts it if so.
    fn lets_pass(&mut self, address: AddressTag, most: u32) -> bool {
        let network = address.networks().last().map_or(address, |network| address.within(*network));
        if self.asks == 0 {
            self.by = network;
        }
        if self.by != network {
            self.asks -= 1;
            return true;
        }
        let may = self.asks < most;
        self.asks += u32::from(may);
        may
    }
}

impl Preflights {
    /// Counts one more, for a room of so many permits. An address (of IPv6, a /48) gets half of a second's by itself, and whatever it asks, all others
    /// together get a quarter.
    pub fn ask(&mut self, now_ms: u64, permits: u32, address: Option<AddressTag>) -> Asked {
        let most = A_SECOND_MIN.max(permits.saturating_mul(A_PERMIT) / KEPT_S);
        if self.second.begins(now_ms) {
            self.lead = Lead::default();
        }
        let has_share = address.is_none_or(|address| self.lead.lets_pass(address, most / 2));
        if has_share && self.second.lets_pass(now_ms, most) {
            return Asked::Onward;
        }
        let is_news = self.said_at_ms.is_none_or(|at_ms| now_ms.abs_diff(at_ms) >= SAY_EVERY_MS);
        if is_news {
            self.said_at_ms = Some(now_ms);
        }
        Asked::Refused { is_news }
    }
}
