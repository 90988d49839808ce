//! What is due when, what fails, and what waits for the operator.

use baton::outbox::{
    Address, Change, DEAD_MAX, KEEP_TRYING_MS, Kind, LONGEST_MS, LOOK_EVERY_MS, Mark, Note, Outbox, PENDING_MAX, Page, SHORTEST_MS, START_BACK_MS,
    Stored, Webhook, test_letter,
};
use std::collections::BTreeMap;

pub const NOW_MS: u64 = 1_763_892_000_000;
pub const ROOM: &str = "onsale@apac.1";
pub const OTHER: &str = "hall@apac.1";

pub fn hook(name: &str) -> Webhook {
    Webhook {
        name: name.to_owned(),
        address: Address::parse("https://hooks.example.com/baton").unwrap(),
        rooms: vec![],
        kinds: vec![],
        operators: false,
    }
}

pub fn journals() -> BTreeMap<String, Option<String>> {
    let of = |object: &str, room: &str| (object.to_owned(), Some(room.to_owned()));
    BTreeMap::from([of(ROOM, "onsale"), of(OTHER, "hall")])
}

pub fn note(row: u64, kind: Kind, wall_ms: u64) -> Note {
    Note {
        row,
        wall_ms,
        edition: 1,
        kind,
        nth: 1,
        by: None,
        data: String::new(),
    }
}

/// A page with one note a row, from `first` on.
pub fn page(first: u64, count: u64, wall_ms: u64) -> Page {
    let rows = first..first + count;
    Page {
        mark: Mark {
            row: first + count - 1,
            hash: None,
            edition: 1,
            mode: None,
        },
        more: false,
        notes: rows.map(|row| note(row, Kind::RoomOpened, wall_ms)).collect(),
    }
}

fn outbox(hooks: &[Webhook]) -> Outbox {
    let mut outbox = Outbox::restore(Stored::default(), hooks, 7);
    assert_eq!(outbox.minds(NOW_MS, &journals()), [] as [String; 0]);
    outbox
}

fn read(outbox: &mut Outbox, now_ms: u64, source: &str, page: &Page) {
    while let Some(look) = outbox.poll_look(now_ms) {
        if look.source != source {
            outbox.unread(&look.source);
        }
    }
    outbox.read(now_ms, source, page);
}

/// Sends what is due now, as `takes` says. Yields the rows in their order.
fn send(outbox: &mut Outbox, now_ms: u64, hook: &str, takes: bool) -> Vec<String> {
    let mut sent = Vec::new();
    while let Some(job) = outbox.poll_job(now_ms, hook) {
        let failed = (!takes).then(|| "answered 500".to_owned());
        outbox.sent(now_ms, hook, job.seq, failed);
        sent.push(job.id.split('_').nth(2).unwrap().to_owned());
    }
    sent
}

#[test]
fn it_begins_a_minute_back_and_looks_once_a_minute_or_when_nudged() {
    let mut outbox = outbox(&[hook("crm")]);
    assert_eq!(outbox.take_changes(), [Change::Since(NOW_MS - START_BACK_MS)]);
    let look = outbox.poll_look(NOW_MS).unwrap();
    assert_eq!((look.mark, look.since_ms), (None, NOW_MS - START_BACK_MS));
    let second = outbox.poll_look(NOW_MS).unwrap();
    assert_ne!(look.source, second.source);
    assert_eq!(outbox.poll_look(NOW_MS), None, "each is being read");
    outbox.read(NOW_MS, ROOM, &page(1, 1, NOW_MS));
    outbox.unread(OTHER);
    assert_eq!(outbox.poll_look(NOW_MS + LOOK_EVERY_MS - 1), None);
    outbox.nudged(NOW_MS + 5, ROOM);
    let look = outbox.poll_look(NOW_MS + 5).unwrap();
    assert_eq!((look.source.as_str(), look.mark.unwrap().row), (ROOM, 1));
    // Whatever is nudged while a page is on its way is looked at again.
    outbox.nudged(NOW_MS + 6, ROOM);
    outbox.read(NOW_MS + 7, ROOM, &page(2, 1, NOW_MS));
    assert_eq!(outbox.poll_look(NOW_MS + 7).unwrap().source, ROOM);
    outbox.unread(ROOM);
    assert_eq!(
        outbox.poll_look(NOW_MS + LOOK_EVERY_MS).unwrap().source,
        OTHER,
        "one that does not answer holds up nobody"
    );
    let more = Page {
        more: true,
        ..page(3, 1, NOW_MS)
    };
    read(&mut outbox, NOW_MS + LOOK_EVERY_MS + 8, ROOM, &more);
    assert_eq!(outbox.poll_look(NOW_MS + LOOK_EVERY_MS + 8).unwrap().source, ROOM, "there is more");
}

#[test]
fn a_room_that_went_is_said_and_one_that_came_is_read_from_the_beginning() {
    let mut outbox = outbox(&[hook("crm")]);
    read(&mut outbox, NOW_MS, ROOM, &page(1, 2, NOW_MS));
    outbox.take_changes();
    let mut there = journals();
    there.remove(ROOM);
    there.insert("new@apac.1".to_owned(), Some("new".to_owned()));
    assert_eq!(outbox.minds(NOW_MS + 9_999, &there), [ROOM]);
    assert_eq!(outbox.take_changes(), [Change::Cursor(ROOM.to_owned(), None)]);
    let look = outbox.poll_look(NOW_MS + 9_999).unwrap();
    assert_eq!((look.source.as_str(), look.since_ms), ("new@apac.1", NOW_MS - START_BACK_MS));
    assert_eq!(
        send(&mut outbox, NOW_MS, "crm", true),
        ["1", "2"],
        "what was read of it is sent all the same"
    );
}

#[test]
fn only_who_names_it_is_told_of_single_customers_and_nothing_of_it_is_kept() {
    let names = Webhook {
        kinds: vec![Kind::TicketsCalled],
        ..hook("names")
    };
    assert!(names.wants(Some("onsale"), Kind::TicketsCalled));
    assert!(!names.wants(Some("onsale"), Kind::TicketsNear));
    assert!(!names.wants(Some("onsale"), Kind::RoomReset));
    for kind in [Kind::TicketsNear, Kind::TicketsCalled] {
        assert!(!hook("all").wants(Some("onsale"), kind));
    }
    let mut outbox = outbox(&[names]);
    outbox.take_changes();
    outbox.sent_beside(NOW_MS, "names", Some("answered 503".to_owned()));
    assert_eq!(outbox.take_changes(), []);
    let told = outbox.told();
    assert_eq!((told[0].pending, told[0].dead.len()), (0, 0));
    assert_eq!(told[0].failed.as_ref().unwrap().why, "answered 503");
    assert_eq!(outbox.poll_job(NOW_MS, "names"), None, "it does not come again");
}

#[test]
fn webhooks_are_told_what_they_want() {
    let only = |name: &str, rooms: &[&str], kinds: &[Kind]| Webhook {
        rooms: rooms.iter().map(|room| (*room).to_owned()).collect(),
        kinds: kinds.to_vec(),
        ..hook(name)
    };
    let mut outbox = outbox(&[
        only("all", &[], &[]),
        only("hall", &["hall"], &[]),
        only("resets", &[], &[Kind::RoomReset]),
    ]);
    let mut both = page(1, 1, NOW_MS);
    both.notes.push(note(1, Kind::RoomReset, NOW_MS));
    read(&mut outbox, NOW_MS, ROOM, &both);
    let pending = |outbox: &Outbox| outbox.told().iter().map(|told| (told.name.clone(), told.pending)).collect::<Vec<_>>();
    let counts = |list: &[(&str, usize)]| list.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect::<Vec<_>>();
    assert_eq!(pending(&outbox), counts(&[("all", 2), ("hall", 0), ("resets", 1)]));
    let house = BTreeMap::from([("house@auto.1".to_owned(), None)]);
    outbox.minds(NOW_MS, &house);
    let changed = Page {
        notes: vec![note(1, Kind::HouseChanged, NOW_MS)],
        ..page(1, 1, NOW_MS)
    };
    read(&mut outbox, NOW_MS, "house@auto.1", &changed);
    assert_eq!(
        pending(&outbox),
        counts(&[("all", 3), ("hall", 0), ("resets", 1)]),
        "the house is for those of all rooms"
    );
}

#[test]
fn a_failure_holds_up_its_own_journal_at_its_own_webhook_and_nothing_else() {
    let mut outbox = outbox(&[hook("bad"), hook("good")]);
    read(&mut outbox, NOW_MS, ROOM, &page(1, 2, NOW_MS));
    assert_eq!(send(&mut outbox, NOW_MS, "bad", false), ["1"], "the second waits for the first");
    assert_eq!(send(&mut outbox, NOW_MS, "good", true), ["1", "2"]);
    read(&mut outbox, NOW_MS, OTHER, &page(7, 1, NOW_MS));
    assert_eq!(send(&mut outbox, NOW_MS, "bad", true), ["7"], "another room's goes");
    assert_eq!(send(&mut outbox, NOW_MS + SHORTEST_MS, "bad", true), ["1", "2"], "in order");
    assert_eq!(send(&mut outbox, NOW_MS, "good", true), ["7"]);
    assert!(outbox.told().iter().all(|told| told.pending == 0), "nothing is left");
}

#[test]
fn pauses_double_are_drawn_and_end_after_a_day_with_a_dead_letter() {
    let mut outbox = outbox(&[hook("crm")]);
    read(&mut outbox, NOW_MS, ROOM, &page(1, 2, NOW_MS));
    let (mut now_ms, mut pauses) = (NOW_MS, Vec::new());
    while send(&mut outbox, now_ms, "crm", false).contains(&"1".to_owned()) && outbox.told()[0].dead.is_empty() {
        let due_ms = outbox.due_at_ms().unwrap().max(now_ms);
        let mut due_ms = due_ms;
        // Looks at journals are due in between.
        while let Some(look) = outbox.poll_look(due_ms) {
            outbox.unread(&look.source);
            due_ms = outbox.due_at_ms().unwrap();
        }
        pauses.push(due_ms - now_ms);
        now_ms = due_ms;
    }
    for (at, pause_ms) in (0_u32..).zip(&pauses) {
        let bound = SHORTEST_MS.saturating_mul(1 << at.min(20)).min(LONGEST_MS);
        assert!((bound / 2..=bound).contains(pause_ms), "{at}: {pause_ms} of {bound}");
    }
    assert!((30..60).contains(&pauses.len()), "{} tries in a day", pauses.len());
    let told = &outbox.told()[0];
    assert_eq!(told.dead.len(), 2, "the second, as old, had its one try behind the first");
    let died = told.dead[0].died.as_ref().unwrap();
    assert!(died.at_ms >= NOW_MS + KEEP_TRYING_MS && died.at_ms <= NOW_MS + KEEP_TRYING_MS + LONGEST_MS);
    assert_eq!(died.why, "answered 500");
}

#[test]
fn an_operator_sends_dead_letters_again_once_and_they_hold_up_nobody() {
    let mut outbox = outbox(&[hook("crm")]);
    let old_ms = NOW_MS - KEEP_TRYING_MS - 1;
    read(&mut outbox, NOW_MS, ROOM, &page(1, 2, old_ms));
    assert_eq!(
        send(&mut outbox, NOW_MS, "crm", true),
        [] as [&str; 0],
        "what is a day old when it is read lies dead"
    );
    assert_eq!(outbox.told()[0].dead.len(), 2);
    assert_eq!(outbox.again(NOW_MS, "none", None), 0);
    assert_eq!(outbox.again(NOW_MS, "crm", Some("onsale-apac-1_1_2_room-opened")), 1);
    assert_eq!(send(&mut outbox, NOW_MS, "crm", true), ["2"]);
    assert_eq!(outbox.again(NOW_MS, "crm", None), 1);
    read(&mut outbox, NOW_MS, ROOM, &page(3, 1, NOW_MS));
    assert_eq!(send(&mut outbox, NOW_MS, "crm", false), ["1", "3"]);
    assert_eq!(outbox.told()[0].dead.len(), 1, "by hand it is tried once");
    assert!(outbox.test(NOW_MS, "crm", test_letter("crm", NOW_MS, 5)));
    assert!(!outbox.test(NOW_MS, "none", test_letter("none", NOW_MS, 5)));
    assert_eq!(send(&mut outbox, NOW_MS, "crm", true), ["0000000000000005"], "a test waits for nobody");
}

#[test]
fn the_desk_is_told_what_a_webhook_wants_since_when_it_fails_and_of_which_room_each_lies() {
    let mut narrow = hook("crm");
    narrow.rooms = vec!["onsale".to_owned()];
    narrow.kinds = vec![Kind::RoomOpened];
    let mut outbox = outbox(&[narrow, hook("log")]);
    read(&mut outbox, NOW_MS, ROOM, &page(1, 1, NOW_MS));
    assert!(outbox.test(NOW_MS, "log", test_letter("log", NOW_MS, 5)));
    let told = outbox.told();
    assert_eq!(told[0].rooms, ["onsale"]);
    assert_eq!(told[0].kinds, [Kind::RoomOpened]);
    assert!(told[1].rooms.is_empty() && told[1].kinds.is_empty());
    assert_eq!(told[0].failing_since_ms, None, "nothing was tried yet");
    let job = outbox.poll_job(NOW_MS + 5, "crm").unwrap();
    outbox.sent(NOW_MS + 9, "crm", job.seq, Some("answered 503".to_owned()));
    assert_eq!(outbox.told()[0].failing_since_ms, Some(NOW_MS));
    // A day later it lies dead; sent again by hand it is no sign of a failure that lasts.
    let late_ms = NOW_MS + KEEP_TRYING_MS;
    let job = outbox.poll_job(late_ms, "crm").unwrap();
    outbox.sent(late_ms, "crm", job.seq, Some("answered 503".to_owned()));
    let told = &outbox.told()[0];
    assert_eq!(told.dead[0].room.as_deref(), Some("onsale"));
    assert_eq!((told.pending, told.failing_since_ms), (0, None));
    assert_eq!(outbox.again(late_ms, "crm", None), 1);
    let told = &outbox.told()[0];
    assert_eq!((told.pending, told.failing_since_ms), (1, None));
}

#[test]
fn what_lies_of_the_house_is_of_no_room() {
    let mut outbox = outbox(&[hook("crm")]);
    let house = "house@apac.1".to_owned();
    outbox.minds(NOW_MS, &BTreeMap::from([(house.clone(), None)]));
    let old_ms = NOW_MS - KEEP_TRYING_MS - 1;
    let page = Page {
        notes: vec![note(1, Kind::HouseChanged, old_ms)],
        ..page(1, 1, old_ms)
    };
    read(&mut outbox, NOW_MS, &house, &page);
    assert_eq!(outbox.told()[0].dead[0].room, None);
}

#[test]
fn nothing_grows_without_bound() {
    let mut outbox = outbox(&[hook("crm")]);
    let many = u64::try_from(PENDING_MAX + DEAD_MAX).unwrap() + 50;
    read(&mut outbox, NOW_MS, ROOM, &page(1, many, NOW_MS));
    let told = &outbox.told()[0];
    assert_eq!((told.pending, told.dead.len()), (PENDING_MAX, DEAD_MAX));
    assert!(told.dead[0].id.contains("_51_"), "the oldest dead letters went: {}", told.dead[0].id);
    assert_eq!(outbox.again(NOW_MS, "crm", None), 0, "there is no room for them");
    let mut stored: BTreeMap<u64, ()> = BTreeMap::new();
    for change in outbox.take_changes() {
        match change {
            Change::Put(message, _) => drop(stored.insert(message.seq, ())),
            Change::Gone(seq) => drop(stored.remove(&seq)),
            _ => {}
        }
    }
    assert_eq!(stored.len(), PENDING_MAX + DEAD_MAX, "what is stored is bounded too");
}

#[test]
fn messages_of_a_webhook_that_went_go_with_it() {
    let mut first = outbox(&[hook("crm"), hook("old")]);
    read(&mut first, NOW_MS, ROOM, &page(1, 1, NOW_MS));
    let messages: Vec<_> = first
        .take_changes()
        .into_iter()
        .filter_map(|change| match change {
            Change::Put(message, _) => Some(message),
            _ => None,
        })
        .collect();
    let gone = messages.iter().find(|message| message.hook == "old").unwrap().seq;
    let stored = Stored {
        messages,
        ..Stored::default()
    };
    let mut outbox = Outbox::restore(stored, &[hook("crm")], 1);
    assert_eq!(outbox.take_changes(), [Change::Gone(gone)]);
    assert_eq!(send(&mut outbox, NOW_MS, "crm", true), ["1"]);
    assert_eq!(Outbox::restore(Stored::default(), &[], 1).due_at_ms(), None, "without webhooks it sleeps");
}
