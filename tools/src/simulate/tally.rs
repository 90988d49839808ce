//! Sums over many runs, as text.

use super::faults::{Counts, Kind};
use super::run::Outcome;

/// Sums over runs.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub seeds: u64,
    pub steps: u64,
    pub turns: u64,
    pub changes: u64,
    pub recounts: u64,
    others: [u64; 3],
    faults: Counts,
    told: [u64; 9],
}

impl Tally {
    /// Adds a run.
    pub fn add(&mut self, outcome: &Outcome) {
        self.seeds += 1;
        self.steps += outcome.steps;
        self.turns += outcome.turns;
        self.changes += outcome.changes;
        self.recounts += outcome.recounts;
        let f = &outcome.figures;
        let told = [
            f.told,
            f.joined,
            f.walked_in,
            f.called,
            f.leases,
            f.missed,
            f.expired,
            f.carried,
            f.elsewhere,
        ];
        let sums = self.others.iter_mut().chain(&mut self.faults.0).chain(&mut self.told);
        let parts = outcome.others.iter().chain(&outcome.faults.0).chain(&told);
        sums.zip(parts).for_each(|(sum, part)| *sum += part);
    }

    /// How often a kind of fault happened.
    #[must_use]
    pub const fn fault(&self, kind: Kind) -> u64 {
        self.faults.0[kind as usize]
    }

    /// Returns one line of progress.
    #[must_use]
    pub fn line(&self, seconds: f64) -> String {
        let rate = self.steps as f64 / seconds.max(1e-9);
        format!(
            "{} seeds, {} steps, {:.0} steps/s, {} faults",
            self.seeds,
            self.steps,
            rate,
            self.faults.0.iter().sum::<u64>()
        )
    }

    /// Returns everything that was counted, as text.
    #[must_use]
    pub fn report(&self) -> String {
        let [told, joined, walked_in, called, leases, missed, expired, carried, elsewhere] = self.told;
        let [passes, hops, frames] = self.others;
        let mut text = format!(
            "{} seeds, {} steps: {} turns of the room, {} of them recounted in full, {} changes of lobbies\n\
             {told} statuses told, {joined} joined, {walked_in} walked in, {called} called, {leases} leases told, {missed} missed, \
             {expired} expired, {carried} carried, {elsewhere} sent where their place is, {passes} passes honoured unasked, {hops} hops, {frames} frames\nfaults and acts by kind:\n",
            self.seeds, self.steps, self.turns, self.recounts, self.changes
        );
        for row in Kind::ALL.chunks(5) {
            let cells = row.iter().map(|kind| format!("{:>13} {:<9}", kind.name(), self.fault(*kind)));
            text += &format!("{}\n", cells.collect::<String>().trim_end());
        }
        text
    }
}
