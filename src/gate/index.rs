//! Which rooms a request can be for at all: so that judging among a thousand rooms costs hardly more than among ten.
//!
//! A pattern can only match a path in which each segment that it writes out occurs, in some reading. So each is filed under one of
//! those, the one that the fewest patterns write out; what writes none out is a candidate for every path. Rooms that name hosts are
//! filed a host.

use std::collections::BTreeMap;

use super::{Host, HostPattern, PathReading, Pattern};

/// Fewer rooms than this are simply tried: that is quicker than looking them up.
pub const ROOMS_MIN: usize = 8;

/// Where each room is filed, by its place among the rooms.
#[derive(Debug, Clone, Default)]
pub struct Index {
    /// By the host's name, without a port.
    by_host: BTreeMap<String, Shelf>,
    everywhere: Shelf,
}

#[derive(Debug, Clone, Default)]
struct Shelf {
    by_text: BTreeMap<String, Vec<usize>>,
    /// For patterns that write no segment out.
    every_path: Vec<usize>,
}

impl Index {
    /// Files rooms, each with its patterns and hosts; no hosts: every one. O(bytes × log).
    pub fn new<'a>(
        rooms: impl Iterator<Item = (&'a [Pattern], &'a [HostPattern])> + Clone,
    ) -> Self {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for text in rooms
            .clone()
            .flat_map(|(paths, _)| paths)
            .flat_map(Pattern::written_out)
        {
            *counts.entry(text).or_default() += 1;
        }
        let mut index = Self::default();
        for (at, (paths, hosts)) in rooms.enumerate() {
            for pattern in paths {
                let rarest = pattern
                    .written_out()
                    .min_by_key(|text| counts.get(text).copied().unwrap_or_default());
                if hosts.is_empty() {
                    index.everywhere.file(rarest, at);
                }
                for host in hosts {
                    let shelf = index.by_host.entry(host.name().to_owned()).or_default();
                    shelf.file(rarest, at);
                }
            }
        }
        index
    }

    /// The rooms that this may be for, in their order, each once. O(segments × log rooms + candidates).
    pub fn candidates(&self, host: &Host, path: &PathReading) -> Vec<usize> {
        let mut found = Vec::new();
        let own = self.by_host.get(host.name());
        for shelf in own.into_iter().chain([&self.everywhere]) {
            found.extend_from_slice(&shelf.every_path);
            for text in path.texts() {
                found.extend(shelf.by_text.get(text).into_iter().flatten());
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl Shelf {
    fn file(&mut self, text: Option<&str>, at: usize) {
        match text {
            Some(text) => self.by_text.entry(text.to_owned()).or_default().push(at),
            None => self.every_path.push(at),
        }
    }
}
