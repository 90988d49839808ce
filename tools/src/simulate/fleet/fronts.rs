//! Isolates and their data centres' caches, as `src/edge/front/house.{rs,js}` has them.

use super::Flaw;
use super::house::{Opens, Shown};
use baton::house::fresh::{CACHED_S, Copy};

/// An isolate.
#[derive(Clone, Default)]
pub struct Front {
    pub copy: Copy<Opens>,
    pub centre: usize,
    /// How often the isolate was born. An answer on its way to an earlier life reaches nobody.
    pub life: u64,
}

/// A data centre's cache of the house's answer.
#[derive(Clone, Copy, Default)]
pub struct Cache {
    kept: Option<(News, u64)>,
}

/// An answer of the house.
#[derive(Clone, Copy)]
pub struct News {
    pub shown: Shown,
    /// When a front asked for it, ms.
    pub as_of_ms: u64,
}

impl Cache {
    /// Returns the cached answer, or `None` if it is too old or too low a version for a front that has heard of version `least`.
    pub fn find(&self, now_ms: u64, least: u64, flaw: Option<Flaw>) -> Option<News> {
        let (news, since_ms) = self.kept.as_ref()?;
        let lasts = (*since_ms..since_ms + CACHED_S * 1_000).contains(&now_ms);
        let will_do = news.shown.version >= least || flaw == Some(Flaw::CacheForgetsWhatWasHeard);
        (lasts && will_do).then_some(match flaw {
            Some(Flaw::CacheHasNoAge) => News { as_of_ms: now_ms, ..*news },
            _ => *news,
        })
    }

    pub fn keep(&mut self, now_ms: u64, news: News) {
        self.kept = Some((news, now_ms));
    }
}

impl Front {
    pub fn take(&mut self, now_ms: u64, news: &News, flaw: Option<Flaw>) {
        if flaw == Some(Flaw::TakesOlder) && !self.copy.is_news(news.shown.version) {
            self.copy = Copy::default();
        }
        self.copy.learn(news.shown.version, news.shown.opens);
        let is_late = flaw == Some(Flaw::AgesFromArrival);
        self.copy.came(if is_late { now_ms } else { news.as_of_ms });
    }
}
