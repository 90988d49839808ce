//! Narrows down which rooms a request can be for. With this index, judging among a thousand rooms costs hardly more than among ten.
//!
//! A pattern can match a path only if every segment that the pattern writes out occurs in some reading of the path. So each pattern is
//! filed under one of these segments: the one that the fewest patterns write out. A pattern that writes none out is a candidate for every
//! path. A room that names hosts is filed under each of them.

use std::collections::BTreeMap;

use super::{Host, HostPattern, PathReading, Pattern};

/// With fewer rooms than this, trying all of them is quicker than a look-up.
pub const ROOMS_MIN: usize = 8;

/// Where each room is filed. A room is named by its position among the rooms.
#[derive(Debug, Clone, Default)]
pub struct Index {
    /// By the host's name, without a port.
    by_host: BTreeMap<String, Shelf>,
    everywhere: Shelf,
}

#[derive(Debug, Clone, Default)]
struct Shelf {
    by_text: BTreeMap<String, Vec<usize>>,
    /// The rooms with a pattern that writes no segment out.
    every_path: Vec<usize>,
}

impl Index {
    /// Files rooms, each with its patterns and hosts. A room without hosts is filed for every host. O(bytes × log).
    pub fn new<'a>(rooms: impl Iterator<Item = (&'a [Pattern], &'a [HostPattern])> + Clone) -> Self {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for text in rooms.clone().flat_map(|(paths, _)| paths).flat_map(Pattern::written_out) {
            *counts.entry(text).or_default() += 1;
        }
        let mut index = Self::default();
        for (at, (paths, hosts)) in rooms.enumerate() {
            for pattern in paths {
                let rarest = pattern.written_out().min_by_key(|text| counts.get(text).copied().unwrap_or_default());
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

    /// Returns the rooms that a request may be for, in their order, each once. O(segments × log rooms + candidates); all rooms are candidates for a path
    /// that [is vague](PathReading::is_vague).
    pub fn candidates(&self, host: &Host, path: &PathReading) -> Vec<usize> {
        let mut found = Vec::new();
        let own = self.by_host.get(host.name());
        for shelf in own.into_iter().chain([&self.everywhere]) {
            found.extend_from_slice(&shelf.every_path);
            if path.is_vague() {
                found.extend(shelf.by_text.values().flatten());
                continue;
            }
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
