//! Whose turn comes while they are away: what a shop may send mail about, where its operator wants that.
//!
//! It follows the room beside its turns, and the room decides nothing by it. An account is told of once when its turn is near, once when its turn comes,
//! and once for each call of its own that it missed. A notice waits in a short queue and leaves it only while it is true: its holder is still away.
//! Whatever waits too long is dropped: a message about a turn is worth nothing later.

use super::Room;
use super::lanes::Lane;
use super::line::{Line, Place};
use facts::event::{Event, How};
use facts::few::FewMap;
use facts::holder::Key;
use facts::units::{Edition, Fence, Instant, LaneId, Number};
use std::collections::{BTreeMap, VecDeque};

/// Maximum accounts of a message.
pub const ACCOUNTS_MAX: usize = 100;
/// How long the room waits between two messages, ms.
pub const MESSAGE_EVERY_MS: u64 = 1_000;
/// Maximum notices of a kind that wait: what leaves in 100 s. At 24 bytes each 240 KB. The oldest makes way for a new one.
pub const NOTICES_MAX: usize = 100 * ACCOUNTS_MAX;
/// How long a notice waits at most, ms: until a full queue has left, and as long again as a slow receiver takes to answer a few times.
pub const NOTICE_LIFE_MS: u64 = 120_000;

/// What an account is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Summons {
    /// Few people are ahead.
    Near,
    /// The turn has come: somebody behind was called, a permit is free, or a call was missed.
    Called,
}

/// One account that is away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Notice {
    number: Number,
    account: Key,
    at: Instant,
}

/// How far a lane has come: everybody in front of these numbers was told, or was there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Marks {
    near: Number,
    called: Number,
}

/// Follows a room; see the file's documentation.
#[derive(Clone, Debug)]
pub struct Absent {
    /// With how many people ahead a turn is near.
    near_ahead: u64,
    edition: Edition,
    marks: FewMap<LaneId, Marks>,
    /// The calls that nobody has answered yet.
    open: BTreeMap<Fence, Number>,
    near: VecDeque<Notice>,
    called: VecDeque<Notice>,
}

impl Absent {
    /// Begins to follow a room. `stored` is what [`stored`](Self::stored) said of it before, if it is of this edition. A turn is near with at most
    /// `near_ahead` people ahead.
    #[must_use]
    pub fn begin(room: &Room, near_ahead: u64, stored: Option<&str>) -> Self {
        let mut absent = Self {
            near_ahead,
            edition: room.edition(),
            marks: FewMap::new(),
            open: BTreeMap::new(),
            near: VecDeque::new(),
            called: VecDeque::new(),
        };
        let mut told = stored.unwrap_or_default().split(' ');
        if told.next() != Some(&room.edition().0.to_string()) {
            return absent;
        }
        let number = |text: &str| Number(text.parse().unwrap_or_default());
        for (id, told) in LaneId::all().zip(told) {
            let (near, called) = told.split_once(',').unwrap_or_default();
            let marks = absent.marks_of(id);
            (marks.near, marks.called) = (number(near), number(called));
        }
        for (fence, grant) in room.permits().out().filter(|(_, grant)| grant.is_called()) {
            absent.open.insert(fence, grant.number);
        }
        absent
    }

    /// Returns how far the room has come, as text, so that nobody is told twice after the room was out of memory. It names nobody.
    #[must_use]
    pub fn stored(&self) -> String {
        let mut stored = self.edition.0.to_string();
        for id in LaneId::all() {
            let Marks { near, called } = self.marks.get(&id).copied().unwrap_or_default();
            stored += &format!(" {},{}", near.0, called.0);
        }
        stored
    }

    /// Follows the facts of a turn, in the room as they left it. O(facts + places that the line passed + lanes · log n).
    pub fn follow(&mut self, room: &Room, events: &[Event]) {
        if events.is_empty() {
            return;
        }
        if room.edition() != self.edition {
            *self = Self::begin(room, self.near_ahead, None);
        }
        for event in events {
            self.heard(room, event);
        }
        self.free_permits(room);
        for (id, lane) in room.lanes().all() {
            let end = lane.line().nth(self.near_ahead);
            let end = end.map_or(lane.line().next(), |last| last.plus(1));
            let from = self.marks_of(id).near;
            notice(&mut self.near, room, lane.line(), from, end);
            self.marks_of(id).near = from.max(end);
        }
    }

    fn heard(&mut self, room: &Room, event: &Event) {
        match event {
            Event::Called { number, fence } => self.call(room, *number, *fence),
            Event::Handed { from, number, fence, .. } => {
                self.open.remove(from);
                self.call(room, *number, *fence);
            }
            Event::Claimed { fence } => {
                self.open.remove(fence);
            }
            Event::Ended { fence, how, .. } => {
                let number = self.open.remove(fence);
                if let (Some(number), How::Missed) = (number, how) {
                    let line = room.tickets().line_of(number);
                    notice(&mut self.called, room, line, number, number.plus(1));
                }
            }
            Event::Carried {
                number,
                fences: Some((old, new)),
                ..
            } if self.open.remove(old).is_some() => {
                self.open.insert(*new, *number);
            }
            _ => {}
        }
    }

    /// Somebody was called, so the turn of all who are in front has come.
    fn call(&mut self, room: &Room, number: Number, fence: Fence) {
        self.open.insert(fence, number);
        self.passes(room, number.lane(), number.plus(1));
    }

    /// While permits are free and nobody present waits, it is the turn of the first who are away.
    fn free_permits(&mut self, room: &Room) {
        let permits = room.permits();
        let mut free = u64::from(permits.hand()) + u64::from(permits.tray());
        if room.lanes().callable(room.config().mode) > 0 {
            return;
        }
        let ends: Vec<(LaneId, Number)> = room
            .lanes()
            .order()
            .filter(|(_, lane)| lane.calls(room.config().mode))
            .filter_map(|(id, lane): (LaneId, &Lane)| {
                let last = free.min(lane.line().alive()).checked_sub(1)?;
                free -= last + 1;
                Some((id, lane.line().nth(last)?.plus(1)))
            })
            .collect();
        for (id, end) in ends {
            self.passes(room, id, end);
        }
    }

    fn passes(&mut self, room: &Room, id: LaneId, end: Number) {
        let from = self.marks_of(id).called;
        notice(&mut self.called, room, room.lanes().lane(id).line(), from, end);
        self.marks_of(id).called = from.max(end);
    }

    fn marks_of(&mut self, id: LaneId) -> &mut Marks {
        self.marks.or_default(id)
    }

    /// Whether any notice waits.
    #[must_use]
    pub fn has_any(&self) -> bool {
        !self.near.is_empty() || !self.called.is_empty()
    }

    /// Takes the accounts of the next message, those whose turn has come first; `None` if nothing waits that is still true. O(notices).
    pub fn take(&mut self, room: &Room, now: Instant) -> Option<(Summons, Vec<Key>)> {
        let queues = [(Summons::Called, &mut self.called), (Summons::Near, &mut self.near)];
        queues.into_iter().find_map(|(summons, queue)| {
            let mut accounts = Vec::new();
            while accounts.len() < ACCOUNTS_MAX
                && let Some(notice) = queue.pop_front()
            {
                let is_new = now.since_ms(notice.at) <= NOTICE_LIFE_MS;
                if is_new && is_away(room, &notice) {
                    accounts.push(notice.account);
                }
            }
            (!accounts.is_empty()).then_some((summons, accounts))
        })
    }
}

/// Puts a notice into the queue for each account that is away and has a number of a line from `from` to below `end`.
fn notice(queue: &mut VecDeque<Notice>, room: &Room, line: &Line, from: Number, end: Number) {
    let at = room.now();
    line.living_bits(from, end, |first, words| {
        for (offset, word) in words.iter().enumerate() {
            let mut left = *word;
            while left != 0 {
                let number = first.plus(offset as u64 * 64 + u64::from(left.trailing_zeros()));
                left &= left - 1;
                let account = line.account(number);
                let away = matches!(line.place(number), Place::Away(_));
                if let (true, Some(account)) = (away, account) {
                    queue.push_back(Notice { number, account, at });
                }
            }
        }
    });
    while queue.len() > NOTICES_MAX {
        queue.pop_front();
    }
}

fn is_away(room: &Room, notice: &Notice) -> bool {
    let is_there = matches!(room.tickets().line_of(notice.number).place(notice.number), Place::Away(_));
    is_there && room.tickets().account_of(notice.number) == Some(notice.account)
}
