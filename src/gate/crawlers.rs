//! Search engines' crawlers. One is known by the addresses that its engine publishes, and never by its name alone, which anybody may say.
//! `crawlers.txt` has the addresses; `npm run crawlers` fetches them anew.
//!
//! A crawler holds no place and keeps no cookie. Its search engine should keep the address of the shop's page, and never take the waiting page for it.

use core::net::IpAddr;

use super::{Intent, PageState, Request};
use facts::config::Mode;
use facts::wire::Status;
use settings::{Crawlers, RoomSettings};
use spelling::Network;

/// The requests of crawlers that one isolate sends to a room's shop in a second. Polite crawlers send a few at once; and all of them together weigh on
/// the shop no more than a person or two who load a page.
pub const CRAWLS_A_SECOND_MAX: u32 = 5;

/// How far off an opening is, at least, of a room that is closed for long, ms. Search engines keep an address that says "come again" for some days.
const LONG_MS: u64 = 24 * 60 * 60 * 1_000;

/// The crawlers' names, as their `User-Agent` says them in some case.
const NAMES: [&str; 3] = ["applebot", "bingbot", "googlebot"];
/// Behind each name its addresses, one prefix a line.
const PUBLISHED: &str = include_str!("crawlers.txt");

impl Request<'_> {
    /// Returns whether a search engine's crawler asks, from the address `from`, for what stands at the address: by GET or HEAD, and without a cookie,
    /// which makes a visitor of whoever shows it. O(length of the list) for requests that say a crawler's name, O(1) for all others.
    #[must_use]
    pub fn is_crawl(&self, intent: Intent, from: impl FnOnce() -> Option<IpAddr>) -> bool {
        let reads = intent.visit.only_reads() && intent.router.is_none() && !intent.takes_nothing();
        reads && self.headers.get("cookie").is_none() && (self.headers.get("user-agent")).is_some_and(|said| is_crawler(&said, from))
    }
}

/// Returns whether the crawler whose name `user_agent` says crawls from this address.
#[must_use]
pub fn is_crawler(user_agent: &str, from: impl FnOnce() -> Option<IpAddr>) -> bool {
    let said = user_agent.to_ascii_lowercase();
    let Some(name) = NAMES.into_iter().find(|name| said.contains(name)) else {
        return false;
    };
    let after_name = PUBLISHED.lines().skip_while(|line| *line != name).skip(1);
    let mut networks = after_name.map_while(Network::parse);
    from().is_some_and(|from| networks.any(|network| network.contains(from)))
}

/// Returns whether a room sends crawlers to its shop: if it says so, and neither holds everybody back nor is over.
#[must_use]
pub fn sends_crawlers_on(room: &RoomSettings, mode: Mode) -> bool {
    room.crawlers == Crawlers::Origin && mode != Mode::Paused && !room.is_over
}

/// Returns the state of the page that a crawler may take into its index in place of the shop's: what the operator says of a room that is closed for long.
/// `None` means that it should come again, because the shop's page may be back soon.
#[must_use]
pub fn state_to_index(status: &Status, now_ms: u64) -> Option<PageState> {
    let opens_late = (status.opens_at_ms).map(|at_ms| at_ms.saturating_sub(now_ms) >= LONG_MS);
    match (PageState::shown(status), opens_late) {
        (PageState::SoldOut, _) => Some(PageState::SoldOut),
        (PageState::Closed, None | Some(true)) => Some(PageState::Closed),
        // Whoever comes now waits in the hall.
        (PageState::Arriving, Some(true)) => Some(PageState::Hall),
        _ => None,
    }
}
