//! Sums over many runs, as text.

use super::faults::{Counts, Kind};
use super::run::{Figures, Outcome, Played};
use crate::sums::Sums;

/// Sums over runs.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub seeds: u64,
    pub played: Played,
    faults: Counts,
    figures: Figures,
}

impl Tally {
    /// Adds a run.
    pub fn add(&mut self, outcome: &Outcome) {
        self.seeds += 1;
        self.played.take(&outcome.played);
        self.figures.take(&outcome.figures);
        self.faults.0.iter_mut().zip(outcome.faults.0).for_each(|(sum, part)| *sum += part);
    }

    /// How often a kind of fault happened.
    #[must_use]
    pub const fn fault(&self, kind: Kind) -> u64 {
        self.faults.0[kind as usize]
    }

    /// Returns one line of progress.
    #[must_use]
    pub fn line(&self, seconds: f64) -> String {
        let rate = self.played.steps as f64 / seconds.max(1e-9);
        format!(
            "{} seeds, {} steps, {:.0} steps/s, {} faults",
            self.seeds,
            self.played.steps,
            rate,
            self.faults.0.iter().sum::<u64>()
        )
    }

    /// Returns everything that was counted, as text.
    #[must_use]
    pub fn report(&self) -> String {
        let (all, told) = (&self.played, &self.figures);
        let mut text = format!(
            "{} seeds, {} steps: {} turns of the room, {} of them recounted in full, {} changes of lobbies\n",
            self.seeds, all.steps, all.turns, all.recounts, all.changes
        );
        text += &format!(
            "{} statuses told, {} joined, {} walked in, {} called, {} leases told, {} missed, {} expired, {} carried, {} sent where their place is, ",
            told.told, told.joined, told.walked_in, told.called, told.leases, told.missed, told.expired, told.carried, told.elsewhere
        );
        text += &format!(
            "{} passes honoured unasked, {} hops, {} frames\nfaults and acts by kind:\n",
            all.passes, all.hops, all.frames
        );
        for row in Kind::ALL.chunks(5) {
            let cells = row.iter().map(|kind| format!("{:>13} {:<9}", kind.name(), self.fault(*kind)));
            text += &format!("{}\n", cells.collect::<String>().trim_end());
        }
        text
    }
}
