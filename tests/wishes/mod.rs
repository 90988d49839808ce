//! Commands as tests say them: of whoever holds a number right now, and of people who were never there before.

#![allow(
    dead_code,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "each test says some of them, and asks for at least one newcomer"
)]

use baton::facts::command::Command;
use baton::facts::event::Row;
use baton::facts::holder::{Held, Holder, Key, Tag};
use baton::facts::lane_name::LaneName;
use baton::facts::lanes::Lane;
use baton::facts::origin::OriginAnswers;
use baton::facts::overheard::{Overheard, StockReport};
use baton::facts::reply::{Reply, Standing};
use baton::facts::units::{Fence, Instant, LobbyId, Number};
use baton::journal::{self, Fold as _, Image as _, Late, LatePage, PageId, PageKind};
use baton::room::Room;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Pages of holders by their first numbers, in order, as they come back: each is read when somebody first asks.
pub fn late(pages: impl Iterator<Item = (Number, Vec<u8>)>) -> Vec<Arc<LatePage>> {
    let id = |first| PageId {
        kind: PageKind::Holders,
        since: 0,
        first,
    };
    let pages = pages.map(|(first, content)| (id(first.0), journal::page(id(first.0), &content).bytes));
    let pages: BTreeMap<PageId, Vec<u8>> = pages.collect();
    let ids: Vec<PageId> = pages.keys().copied().collect();
    let late = Late::on(Arc::new(pages));
    ids.into_iter().map(|id| late.page(id)).collect()
}

/// Brings a room back from its snapshot and its pages.
pub fn come_back(room: &Room) -> Room {
    let bytes = postcard::to_allocvec(room).expect("encodes");
    let mut back: Room = postcard::from_bytes(&bytes).expect("decodes");
    let tickets = room.tickets();
    for (first, _) in tickets.places_pages() {
        let id = PageId {
            kind: PageKind::Places,
            since: 0,
            first: first.0,
        };
        assert!(back.put_page(id, &tickets.places(first).bytes()), "a page of places");
    }
    back.placed();
    let pages = late(tickets.holder_pages().map(|first| (first, tickets.holder_page(first))));
    pages.iter().for_each(|page| back.put_late(page));
    assert!(back.opened(), "the book is whole");
    back
}

/// The holder that stands for this number of a person. Keys are spread as hashes are.
pub fn holder(person: u64) -> Holder {
    Holder {
        key: Key(person.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        tag: Tag(person as u32),
    }
}

/// So many good answers of the origin, then so many errors, each under a lease of its own: the first under fence 1.
pub fn origin(good: u32, bad: u32) -> Command {
    let mut answers = OriginAnswers::default();
    for nth in 0..good + bad {
        let is_bad = u32::from(nth >= good);
        answers.count(Fence(u64::from(nth) + 1), 1 - is_bad, is_bad);
    }
    overheard(Overheard {
        origin: answers,
        ..Overheard::default()
    })
}

/// A lobby tells what fronts overheard.
pub fn overheard(heard: Overheard) -> Command {
    Command::Overheard(Box::new(heard))
}

/// The shop has so many seats left, as it said at this time.
pub fn stock(left: u32, at_ms: u64) -> Command {
    overheard(Overheard {
        stock: Some(StockReport { left, at_ms }),
        ..Overheard::default()
    })
}

/// A lane without hours, hall or draw, whose title is its name.
pub fn lane(name: &str, share: u32) -> Lane {
    Lane {
        name: LaneName::parse(name).expect("a lane's name"),
        title: name.to_owned(),
        share,
        periods: None,
        hall_ms: None,
        draw: None,
    }
}

/// People whom this room has never seen.
pub fn newcomers(room: &Room, count: u32) -> Vec<Holder> {
    let next = room.line().next().0 + room.hall().line().next().entry().unwrap_or(0);
    let first = (room.version().0 + 1) << 32 | next;
    (first..).take(count as usize).map(holder).collect()
}

/// So many newcomers ask for numbers.
pub fn join(room: &Room, count: u32) -> Command {
    Command::join(newcomers(room, count))
}

/// Somebody new tries to walk in.
pub fn walk_in(room: &Room) -> Command {
    Command::walk_in(newcomers(room, 1)[0])
}

/// A number and whoever holds it. Nobody's: somebody who does not exist.
pub fn held(room: &Room, number: Number) -> Held {
    let key = room.tickets().holder(number).map_or(Key(u64::MAX), |holder| holder.key);
    Held { number, key }
}

/// The fence of a number's permit.
pub fn fence(room: &Room, number: Number) -> Fence {
    room.permits().of_number(number).map_or(Fence(0), |(fence, _)| fence)
}

/// Whoever holds the number answers its call.
pub fn claim(room: &Room, number: Number) -> Command {
    Command::Claim {
        place: held(room, number),
        fence: fence(room, number),
    }
}

/// Whoever holds the number gives it up.
pub fn leave(room: &Room, number: Number) -> Command {
    Command::Leave(held(room, number))
}

/// The holders of these are not seen any more.
pub fn away(room: &Room, numbers: &[Number]) -> Command {
    Command::Presence {
        as_of: room.version(),
        here: vec![],
        away: numbers.iter().map(|number| held(room, *number)).collect(),
    }
}

/// The holder of this is there.
pub fn back(room: &Room, number: Number) -> Command {
    Command::Presence {
        as_of: room.version(),
        here: vec![held(room, number)],
        away: vec![],
    }
}

/// The place becomes somebody else's, by a link that is made now.
pub fn carry(room: &Room, number: Number, to: Holder) -> Command {
    Command::Carry {
        place: held(room, number),
        row: room.version(),
        to,
    }
}

/// The origin asks for more time.
pub fn extend(room: &Room, fence: Fence, by_ms: u64) -> Command {
    let extended_ms = match room.case(room.now()).check(fence).1 {
        Standing::Admitted { extended_ms, .. } => extended_ms,
        _ => 0,
    };
    Command::Extend {
        fence,
        total_ms: extended_ms.saturating_add(by_ms),
    }
}

/// A command of a lobby in a row that is being written, and what it is answered when the turn ends.
pub fn say(room: &mut Room, now: Instant, command: &Command, lobby: LobbyId, row: &mut Row) -> Reply {
    room.perform(now, command, lobby, row);
    let answers = room.case(now).answers(lobby, core::slice::from_ref(command));
    answers.into_iter().next().expect("one answer a command")
}
