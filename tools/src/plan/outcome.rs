//! How people's runs end, and how many end so.

use serde::Serialize;

/// How a person's run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Got in and bought.
    Bought,
    /// Got in and wanted nothing, or closed the tab.
    Empty,
    /// Got in, and no seat was left.
    NoneLeft,
    /// Was put out: the lease ended first.
    PutOut,
    /// Closed the page for good.
    GaveUp,
    /// Missed two calls.
    Missed,
    /// Waited until all was sold.
    InVain,
    /// Came when all was sold.
    TurnedAway,
}

/// People by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Outcomes {
    /// [`Outcome::Bought`].
    pub bought: u64,
    /// [`Outcome::Empty`].
    #[serde(skip)]
    pub empty: u64,
    /// [`Outcome::NoneLeft`].
    pub none_left: u64,
    /// [`Outcome::PutOut`].
    pub put_out: u64,
    /// [`Outcome::GaveUp`].
    pub gave_up: u64,
    /// [`Outcome::Missed`].
    #[serde(rename = "lost_calls")]
    pub missed: u64,
    /// [`Outcome::InVain`].
    pub in_vain: u64,
    /// [`Outcome::TurnedAway`].
    pub turned_away: u64,
    /// The number whose outcome was not seen.
    pub unseen: u64,
}

impl Outcomes {
    /// Counts one outcome; `None` means that it was not seen.
    pub(super) fn note(&mut self, outcome: Option<Outcome>) {
        let count = match outcome {
            Some(Outcome::Bought) => &mut self.bought,
            Some(Outcome::Empty) => &mut self.empty,
            Some(Outcome::NoneLeft) => &mut self.none_left,
            Some(Outcome::PutOut) => &mut self.put_out,
            Some(Outcome::GaveUp) => &mut self.gave_up,
            Some(Outcome::Missed) => &mut self.missed,
            Some(Outcome::InVain) => &mut self.in_vain,
            Some(Outcome::TurnedAway) => &mut self.turned_away,
            None => &mut self.unseen,
        };
        *count += 1;
    }
}
