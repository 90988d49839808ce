//! How long the origin took to answer people inside, until the room is told. Nobody sets out to tell it: it rides along with what is
//! asked anyway, at most once a second. A report that gets lost is not sent again.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::edge::dice;
use crate::facts::answer_times::AnswerTimes;
use crate::settings::RoomSettings;

/// How often one isolate tells a room, in ms.
const TOLD_EVERY_MS: u64 = 1_000;

thread_local! {
    /// By room: what it has not been told, and when it was last told, Unix ms.
    static COUNTED: RefCell<BTreeMap<String, (AnswerTimes, u64)>> = const { RefCell::new(BTreeMap::new()) };
}

/// Somebody inside was answered so.
pub fn note(room: &RoomSettings, times: AnswerTimes) {
    COUNTED.with_borrow_mut(|counted| match counted.get_mut(&room.name) {
        Some((untold, _)) => *untold = untold.plus(&times),
        None => drop(counted.insert(room.name.clone(), (times, 0))),
    });
}

/// What the room is to be told now. The request that takes it tells it.
pub fn take(room: &str) -> Option<AnswerTimes> {
    let now_ms = dice::now_ms();
    COUNTED.with_borrow_mut(|counted| {
        let (untold, told_at_ms) = counted.get_mut(room)?;
        if untold.is_none() || now_ms.abs_diff(*told_at_ms) < TOLD_EVERY_MS {
            return None;
        }
        *told_at_ms = now_ms;
        Some(core::mem::take(untold))
    })
}
