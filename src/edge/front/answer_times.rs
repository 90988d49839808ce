//! Counts how long the origin took to answer people inside, until the room is told. No request is sent for this: the counts ride along with whatever
//! is asked anyway, at most once a second. A lost report is not sent again.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::edge::dice;
use crate::facts::answer_times::AnswerTimes;
use crate::settings::RoomSettings;

/// How often one isolate tells a room, ms.
const TOLD_EVERY_MS: u64 = 1_000;

thread_local! {
    /// By room: what the room has not been told yet, and when it was last told, Unix ms.
    static COUNTED: RefCell<BTreeMap<String, (AnswerTimes, u64)>> = const { RefCell::new(BTreeMap::new()) };
}

/// Counts an answer to somebody inside.
pub fn note(room: &RoomSettings, times: AnswerTimes) {
    COUNTED.with_borrow_mut(|counted| match counted.get_mut(&room.name) {
        Some((untold, _)) => *untold = untold.plus(&times),
        None => drop(counted.insert(room.name.clone(), (times, 0))),
    });
}

/// Takes what the room is to be told now, or `None` if there is nothing or it is too early. The request that takes it must tell it.
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
