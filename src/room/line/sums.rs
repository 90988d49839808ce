//! Running sums over the chunks of the line, so that a rank or a selection costs O(log n) however long the line is.
//!
//! A binary indexed tree (Fenwick, "A new data structure for cumulative frequency tables", Software: Practice and Experience 24, 1994).

/// Counts by position, with prefix sums in logarithmic time.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    /// `tree[i - 1]` holds the sum of the `lowest_bit(i)` counts that end at position `i - 1`.
    tree: Vec<u64>,
    counts: Vec<u64>,
}

const fn lowest_bit(i: usize) -> usize {
    i & i.wrapping_neg()
}

impl Sums {
    /// Builds the tree from counts. O(n).
    pub fn from_counts(counts: impl Iterator<Item = u64>) -> Self {
        let mut sums = Self::default();
        for count in counts {
            sums.push(count);
        }
        sums
    }

    /// Appends a position. O(log n).
    pub fn push(&mut self, count: u64) {
        let i = self.tree.len() + 1;
        let mut sum = count;
        let mut step = 1;
        while step < lowest_bit(i) {
            sum += self.node(i - step);
            step <<= 1;
        }
        self.tree.push(sum);
        self.counts.push(count);
    }

    fn node(&self, i: usize) -> u64 {
        i.checked_sub(1).and_then(|at| self.tree.get(at)).copied().unwrap_or(0)
    }

    /// Returns the count at one position. O(1).
    pub fn count(&self, position: usize) -> u64 {
        self.counts.get(position).copied().unwrap_or(0)
    }

    /// Adds to one position. O(log n).
    pub fn add(&mut self, position: usize, delta: u64) {
        self.change(position, |node| *node += delta);
    }

    /// Takes from one position. O(log n).
    pub fn take(&mut self, position: usize, delta: u64) {
        self.change(position, |node| *node = node.saturating_sub(delta));
    }

    fn change(&mut self, position: usize, mut each: impl FnMut(&mut u64)) {
        if let Some(count) = self.counts.get_mut(position) {
            each(count);
        }
        let mut i = position + 1;
        while let Some(node) = self.tree.get_mut(i - 1) {
            each(node);
            i += lowest_bit(i);
        }
    }

    /// Returns the sum of all counts before `position`. O(log n).
    pub fn before(&self, position: usize) -> u64 {
        let mut i = position.min(self.tree.len());
        let mut sum = 0;
        while i > 0 {
            sum += self.node(i);
            i -= lowest_bit(i);
        }
        sum
    }

    /// Returns the position that holds the `rank`-th unit (from 0) and the sum before it, or `None` if there are not that many. O(log n).
    pub fn find(&self, rank: u64) -> Option<(usize, u64)> {
        let mut at = 0;
        let mut before = 0;
        let mut step = self.tree.len().checked_next_power_of_two().unwrap_or(0);
        while step > 0 {
            let next = at + step;
            if next <= self.tree.len() && before + self.node(next) <= rank {
                at = next;
                before += self.node(next);
            }
            step >>= 1;
        }
        (at < self.tree.len()).then_some((at, before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_a_plain_sum() {
        let mut counts: Vec<u64> = vec![];
        let mut sums = Sums::default();
        let mut rng = fastrand::Rng::with_seed(7);
        for _ in 0..2_000 {
            match rng.u8(0..3) {
                0 => {
                    let count = rng.u64(0..5);
                    counts.push(count);
                    sums.push(count);
                }
                1 if !counts.is_empty() => {
                    let at = rng.usize(0..counts.len());
                    counts[at] += 3;
                    sums.add(at, 3);
                }
                _ if !counts.is_empty() => {
                    let at = rng.usize(0..counts.len());
                    let delta = rng.u64(0..=counts[at]);
                    counts[at] -= delta;
                    sums.take(at, delta);
                }
                _ => {}
            }
            let at = rng.usize(0..=counts.len());
            assert_eq!(sums.count(at), counts.get(at).copied().unwrap_or(0));
            assert_eq!(sums.before(at), counts.iter().take(at).sum::<u64>());
            let rank = rng.u64(0..20);
            let expected = (0..counts.len()).find_map(|i| {
                let before = counts.iter().take(i).sum::<u64>();
                (before <= rank && rank < before + counts[i]).then_some((i, before))
            });
            assert_eq!(sums.find(rank), expected);
        }
    }
}
