//! Invitations and codes at the room: each gives what it says, once, in the turn of the join.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

#[path = "room_vouchers/lawful.rs"]
mod lawful;
mod wishes;

use baton::facts::command::Command;
use baton::facts::config::{Mode, RoomConfig};
use baton::facts::enter::{Account, Person};
use baton::facts::event::{Event, Row};
use baton::facts::holder::{Comes, Key};
use baton::facts::limits::{CODE_USES_MAX, CODES_MAX, INVITATIONS_MAX, SHEET_LIFE_MS_MAX, SHEETS_MAX};
use baton::facts::reply::{NoTicket, Reply, Standing};
use baton::facts::units::{Instant, LobbyId, Number};
use baton::facts::voucher::{CODE_KEYS, CodeHash, SheetId, Slip, Spend, Spent, Terms, Unspent, Voucher};
use baton::room::vouchers::{NewSheet, SheetProblem};
use baton::room::{Room, laws};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;
use wishes::holder;

const HERE: LobbyId = LobbyId(0);
const THERE: LobbyId = LobbyId(1);
const WALL_MS: u64 = 1_800_000_000_000;
const DAY_MS: u64 = 86_400_000;

struct Shop {
    room: Room,
    now: Instant,
    at_ms: u64,
    rows: Vec<Row>,
}

impl Shop {
    fn new(permits: u32) -> Self {
        let mut shop = Self {
            room: Room::new(),
            now: Instant(1_000_000),
            at_ms: WALL_MS,
            rows: vec![],
        };
        shop.configure(permits, Mode::Open);
        shop
    }

    fn configure(&mut self, permits: u32, mode: Mode) {
        let config = RoomConfig {
            permits,
            mode,
            lease_idle_ms: 60_000,
            ..RoomConfig::default()
        };
        self.turn(|room, _, row| room.configure(&config, row));
    }

    /// One turn; every law holds after it.
    fn turn<T>(&mut self, act: impl FnOnce(&mut Room, Instant, &mut Row) -> T) -> T {
        let before = self.room.clone();
        let mut row = self.room.open_row(self.now);
        let result = act(&mut self.room, self.now, &mut row);
        laws::check_row(&before, &self.room, &row).expect("lawful");
        laws::check_state(&self.room, self.now).expect("lawful");
        self.rows.push(row);
        result
    }

    fn say(&mut self, lobby: LobbyId, command: Command) -> Reply {
        let reply = self.turn(|room, now, row| wishes::say(room, now, &command, lobby, row));
        laws::done_twice_is_done_once(&self.room, self.now, &command, lobby).expect("lawful");
        reply
    }

    fn make(&mut self, new: NewSheet) -> Result<SheetId, SheetProblem> {
        self.make_until(new, 0, WALL_MS + DAY_MS)
    }

    fn make_until(&mut self, new: NewSheet, from_at_ms: u64, ends_at_ms: u64) -> Result<SheetId, SheetProblem> {
        let terms = Terms {
            lane: None,
            from_at_ms,
            ends_at_ms,
        };
        self.make_with(terms, new)
    }

    fn make_with(&mut self, terms: Terms, new: NewSheet) -> Result<SheetId, SheetProblem> {
        let (sheet, made) = self.room.vouchers().decide_sheet(terms, new, WALL_MS, "mika")?;
        self.turn(|room, _, row| room.commit([made], row));
        Ok(sheet)
    }

    fn withdraw(&mut self, sheet: SheetId) -> bool {
        let withdrawn = self.room.vouchers().decide_withdrawal(sheet, "mika");
        let was_there = withdrawn.is_some();
        self.turn(|room, _, row| room.commit(withdrawn, row));
        was_there
    }

    /// Somebody joins with a voucher: why not, or `None`.
    fn join(&mut self, person: u64, voucher: Voucher) -> Option<NoTicket> {
        self.join_at(HERE, person, voucher)
    }

    fn join_at(&mut self, lobby: LobbyId, person: u64, voucher: Voucher) -> Option<NoTicket> {
        let spend = Spend { voucher, at_ms: self.at_ms };
        let holder = holder(person);
        match self.say(lobby, Command::join(vec![Person::from(holder).with(spend)])) {
            Reply::Joined(why) => why.first().map(|(_, why)| *why),
            reply => panic!("{reply:?}"),
        }
    }

    fn spent(&self) -> Vec<Spent> {
        let events = self.rows.iter().flat_map(|row| &row.events);
        let spent = events.filter_map(|event| match event {
            Event::Spent(spent) => Some(*spent),
            _ => None,
        });
        spent.collect()
    }

    fn used(&self, sheet: SheetId) -> u64 {
        self.room.vouchers().sheet(sheet).expect("there").used
    }
}

const fn invitation(sheet: SheetId, index: u32) -> Voucher {
    Voucher::Invitation { sheet, index }
}

const fn code(hash: u64) -> Voucher {
    Voucher::Code([CodeHash(hash); CODE_KEYS])
}

fn codes(all: &[(u64, u32)]) -> NewSheet {
    NewSheet::Codes(all.iter().map(|(hash, uses)| (CodeHash(*hash), *uses)).collect())
}

const USED: Option<NoTicket> = Some(NoTicket::Unspent(Unspent::Used));
const UNKNOWN: Option<NoTicket> = Some(NoTicket::Unspent(Unspent::Unknown));

#[test]
fn an_invitation_gives_one_place_to_one_who_comes_as_often_as_it_likes() {
    let mut shop = Shop::new(0);
    let sheet = shop.make(NewSheet::Invitations(70)).expect("made");
    let one = invitation(sheet, 69);
    assert_eq!(shop.join(1, one), None);
    assert_eq!(shop.join(1, one), None, "the same again");
    assert_eq!(shop.join(2, one), USED, "another");
    assert_eq!(shop.join_at(THERE, 1, one), Some(NoTicket::At(HERE)));
    assert_eq!(shop.join(2, invitation(sheet, 5)), None);
    assert_eq!(shop.join(3, invitation(sheet, 70)), UNKNOWN);
    let slips: Vec<Slip> = shop.spent().iter().filter_map(|spent| spent.slip).collect();
    assert_eq!(slips, [Slip::Index(69), Slip::Index(5)]);
    assert_eq!((shop.used(sheet), shop.room.line().alive()), (2, 2));
}

#[test]
fn an_invitation_is_used_for_its_own_holder_too_once_the_place_is_over() {
    let mut shop = Shop::new(0);
    let sheet = shop.make(NewSheet::Invitations(1)).expect("made");
    shop.join(1, invitation(sheet, 0));
    let place = baton::facts::holder::Held {
        number: Number(1),
        key: holder(1).key,
    };
    shop.say(HERE, Command::Leave(place));
    assert_eq!(shop.join(1, invitation(sheet, 0)), USED);
}

#[test]
fn a_code_gives_as_many_places_as_it_says() {
    let mut shop = Shop::new(0);
    let sheet = shop.make(codes(&[(9, 2), (4, 1)])).expect("made");
    assert_eq!(shop.join(1, code(9)), None);
    assert_eq!(shop.join(1, code(9)), None, "the same again spends nothing");
    assert_eq!(shop.used(sheet), 1);
    assert_eq!(shop.join(2, code(9)), None);
    assert_eq!(shop.join(3, code(9)), USED);
    assert_eq!(shop.join(3, code(5)), UNKNOWN);
    let under_the_key_before = Voucher::Code([CodeHash(77), CodeHash(4), CodeHash(77)]);
    assert_eq!(shop.join(3, under_the_key_before), None);
    assert_eq!(shop.used(sheet), 3);
}

#[test]
fn a_voucher_counts_in_its_time() {
    let mut shop = Shop::new(0);
    let (from_at_ms, ends_at_ms) = (WALL_MS + 1_000, WALL_MS + 2_000);
    let sheet = shop.make_until(NewSheet::Invitations(2), from_at_ms, ends_at_ms).expect("made");
    let early = NoTicket::Unspent(Unspent::Early { from_at_ms });
    assert_eq!(shop.join(1, invitation(sheet, 0)), Some(early));
    shop.at_ms = from_at_ms;
    assert_eq!(shop.join(1, invitation(sheet, 0)), None);
    shop.at_ms = ends_at_ms;
    let late = NoTicket::Unspent(Unspent::Late);
    assert_eq!(shop.join(2, invitation(sheet, 1)), Some(late));
}

#[test]
fn nothing_is_spent_where_no_number_is_given() {
    let mut shop = Shop::new(0);
    let sheet = shop.make(NewSheet::Invitations(1)).expect("made");
    shop.configure(0, Mode::Closed);
    assert_eq!(shop.join(1, invitation(sheet, 0)), Some(NoTicket::Shut));
    assert_eq!((shop.used(sheet), shop.spent().len()), (0, 0));
    shop.configure(0, Mode::Open);
    assert_eq!(shop.join(1, invitation(sheet, 0)), None);
}

#[test]
fn who_walks_in_spends_it_too_and_who_may_not_keeps_it() {
    let mut shop = Shop::new(1);
    let sheet = shop.make(NewSheet::Invitations(2)).expect("made");
    let walk_in = |person, index| {
        Command::walk_in(Person::from(holder(person)).with(Spend {
            voucher: invitation(sheet, index),
            at_ms: WALL_MS,
        }))
    };
    let stands = shop.say(HERE, walk_in(1, 0));
    assert!(matches!(stands, Reply::Stands(Number(1), Standing::Admitted { provisional: true, .. })));
    assert!(matches!(shop.say(HERE, walk_in(1, 0)), Reply::Stands(..)));
    let used = Reply::None(NoTicket::Unspent(Unspent::Used));
    assert_eq!(shop.say(HERE, walk_in(2, 0)), used);
    assert_eq!(shop.say(HERE, walk_in(2, 1)), Reply::None(NoTicket::NoWalkIn));
    assert_eq!(shop.used(sheet), 1);
}

#[test]
fn two_in_one_turn_get_one_place_by_one_voucher() {
    let mut shop = Shop::new(0);
    let sheet = shop.make(codes(&[(9, 1)])).expect("made");
    let spend = Spend {
        voucher: code(9),
        at_ms: WALL_MS,
    };
    let both = [1, 2].map(|person| Command::join(vec![Person::from(holder(person)).with(spend)]));
    shop.turn(|room, now, row| room.take(now, HERE, &both, 0, row));
    assert_eq!((shop.used(sheet), shop.room.line().alive()), (1, 1));
    let replies = shop.room.case(shop.now).answers(HERE, &both);
    let used = NoTicket::Unspent(Unspent::Used);
    assert_eq!(replies, [Reply::Joined(vec![]), Reply::Joined(vec![(0, used)])]);
}

#[test]
fn a_sheet_that_was_withdrawn_gives_nothing_and_its_places_stay() {
    let mut shop = Shop::new(0);
    let sheet = shop.make(NewSheet::Invitations(2)).expect("made");
    shop.join(1, invitation(sheet, 0));
    assert!(shop.withdraw(sheet));
    assert!(!shop.withdraw(sheet));
    assert_eq!(shop.join(2, invitation(sheet, 1)), UNKNOWN);
    assert_eq!(shop.join(1, invitation(sheet, 0)), None, "has its place");
    let next = shop.make(NewSheet::Invitations(2)).expect("made");
    assert_eq!(next, sheet.next(), "no sheet's name is used again");
}

#[test]
fn a_reset_gives_every_voucher_back_and_keeps_the_sheets() {
    let mut shop = Shop::new(0);
    let invited = shop.make(NewSheet::Invitations(1)).expect("made");
    let coded = shop.make(codes(&[(9, 1)])).expect("made");
    shop.join(1, invitation(invited, 0));
    shop.join(2, code(9));
    shop.turn(|room, _, row| room.reset("mika", row));
    assert_eq!((shop.used(invited), shop.used(coded)), (0, 0));
    assert_eq!(shop.join(3, invitation(invited, 0)), None);
    assert_eq!(shop.join(4, code(9)), None);
}

#[test]
fn what_is_stored_comes_back() {
    let mut shop = Shop::new(1);
    let sheet = shop.make(NewSheet::Invitations(3)).expect("made");
    shop.make(codes(&[(9, 2)])).expect("made");
    shop.join(1, invitation(sheet, 2));
    shop.join(2, code(9));
    let mut again = Room::new();
    for row in shop.rows.iter().filter(|row| !row.events.is_empty()) {
        again.replay(row).expect("the next row");
    }
    assert_eq!(again, shop.room);
}

/// Each refusal names the limit that the sheet broke.
#[test]
fn a_refused_sheet_is_told_the_limit() {
    let limits: [(SheetProblem, &[u64]); 5] = [
        (SheetProblem::Long, &[SHEET_LIFE_MS_MAX / DAY_MS]),
        (SheetProblem::Count, &[INVITATIONS_MAX.into(), CODES_MAX as u64]),
        (SheetProblem::Uses, &[CODE_USES_MAX.into()]),
        (SheetProblem::Codes, &[CODES_MAX as u64]),
        (SheetProblem::Sheets, &[SHEETS_MAX as u64]),
    ];
    for (problem, numbers) in limits {
        let text = problem.text().replace(',', "");
        for number in numbers {
            let is_said = text.split(' ').any(|word| word == number.to_string());
            assert!(is_said, "{problem:?} does not say {number}: {text}");
        }
    }
}

#[test]
fn sheets_have_limits() {
    let mut shop = Shop::new(0);
    let many = |count: u32| NewSheet::Codes((0..count).map(|at| (CodeHash(at.into()), 1)).collect());
    let refused = [
        (NewSheet::Invitations(0), SheetProblem::Count),
        (NewSheet::Invitations(INVITATIONS_MAX + 1), SheetProblem::Count),
        (many(0), SheetProblem::Count),
        (many(CODES_MAX as u32 + 1), SheetProblem::Count),
        (codes(&[(1, 0)]), SheetProblem::Uses),
        (codes(&[(1, 1), (2, 1), (1, 5)]), SheetProblem::Twice),
    ];
    for (new, problem) in refused {
        assert_eq!(shop.make(new), Err(problem));
    }
    let mut until = |from, ends| shop.make_until(NewSheet::Invitations(1), from, ends);
    assert_eq!(until(0, WALL_MS), Err(SheetProblem::Over));
    assert_eq!(until(WALL_MS + 2, WALL_MS + 2), Err(SheetProblem::Over));
    let longest = WALL_MS + SHEET_LIFE_MS_MAX;
    assert_eq!(until(0, longest + 1), Err(SheetProblem::Long));
    assert_eq!(until(0, longest), Ok(SheetId(1)));
    assert_eq!(shop.make(many(CODES_MAX as u32)), Ok(SheetId(2)));
    assert_eq!(shop.make(codes(&[(1, 1)])), Err(SheetProblem::Codes));
    for at in 3..=SHEETS_MAX as u32 {
        assert_eq!(shop.make(NewSheet::Invitations(INVITATIONS_MAX)), Ok(SheetId(at)));
    }
    assert_eq!(shop.make(NewSheet::Invitations(1)), Err(SheetProblem::Sheets));
    let bytes = postcard::to_allocvec(&shop.room).expect("a snapshot");
    assert!(bytes.len() < 1_000_000, "{} bytes", bytes.len());
    shop.withdraw(SheetId(2));
    assert!(shop.make(codes(&[(1, 1)])).is_ok(), "room is made by taking one back");
}

#[test]
fn a_lane_that_is_none_is_refused_and_one_that_is_told_is_found() {
    let mut shop = Shop::new(0);
    let with = |lane: &str| Terms {
        lane: Some(lane.to_owned()),
        from_at_ms: 0,
        ends_at_ms: WALL_MS + DAY_MS,
    };
    for lane in ["", "VIP", "a lane", "seventeen-letters"] {
        let new = NewSheet::Invitations(1);
        let made = shop.make_with(with(lane), new);
        assert_eq!(made, Err(SheetProblem::Lane), "{lane}");
    }
    let new = NewSheet::Invitations(1);
    let made = shop.make_with(with("vip-1"), new);
    let config = RoomConfig {
        permits: 0,
        lanes: vec![wishes::lane("vip-1", 1), wishes::lane("everybody", 1)],
        ..RoomConfig::default()
    };
    shop.turn(|room, _, row| room.configure(&config, row));
    assert_eq!(shop.join(1, invitation(made.expect("made"), 0)), None);
    shop.say(HERE, Command::join(vec![holder(2)]));
    let lanes = [1, 2].map(|person| {
        let number = shop.room.living_of(holder(person).key);
        number.expect("a place").lane()
    });
    assert_ne!(lanes[0], lanes[1], "the invited one is in a lane of its own");
}

#[test]
fn a_voucher_of_a_better_lane_moves_a_place_to_its_end_and_is_spent_by_the_new_number() {
    let mut shop = Shop::new(0);
    let with = |lane: &str| Terms {
        lane: Some(lane.to_owned()),
        from_at_ms: 0,
        ends_at_ms: WALL_MS + DAY_MS,
    };
    let mut make = |lane: &str, new| {
        let made = shop.make_with(with(lane), new);
        made.expect("made")
    };
    let vip = make("vip", codes(&[(7, 1)]));
    let late = make("late", NewSheet::Invitations(2));
    let config = RoomConfig {
        permits: 0,
        lanes: ["vip", "late", "everybody"].map(|name| wishes::lane(name, 1)).to_vec(),
        ..RoomConfig::default()
    };
    shop.turn(|room, _, row| room.configure(&config, row));
    let place = |shop: &Shop, person| shop.room.living_of(holder(person).key).expect("a place");
    // Everybody's is the last of the list: who waits there is behind all others.
    shop.say(HERE, Command::join(vec![holder(1), holder(2)]));
    let before = place(&shop, 1);
    assert_eq!(shop.join(1, code(8)), UNKNOWN, "told, and the place stays");
    assert_eq!(place(&shop, 1), before);
    assert_eq!(shop.join_at(THERE, 1, code(7)), Some(NoTicket::At(HERE)));
    assert_eq!((place(&shop, 1), shop.used(vip)), (before, 0));
    assert_eq!(shop.join(1, code(7)), None);
    let moved = place(&shop, 1);
    assert_ne!(moved.lane(), before.lane());
    assert_eq!((moved.within(), shop.used(vip)), (1, 1));
    assert_eq!(shop.spent().last().expect("spent").number, moved);
    assert_eq!(shop.join(1, code(7)), None, "the same again is nothing new");
    assert_eq!(shop.join(1, invitation(late, 0)), None, "a worse one moves nothing");
    assert_eq!((place(&shop, 1), shop.used(late)), (moved, 0));
    assert_eq!(shop.join(2, code(7)), USED, "and what another has used is told");
    assert_eq!(place(&shop, 2).lane(), before.lane());
}

/// An account, a voucher and a lane are fields of one command: they go together.
#[test]
fn who_comes_for_an_account_spends_a_voucher_on_its_only_place() {
    let mut shop = Shop::new(0);
    let sheet = shop.make(NewSheet::Invitations(3)).expect("made");
    let comes = |device, index| {
        let account = Account {
            key: Key(7),
            comes: Comes::Anew,
        };
        let person = Person {
            account: Some(account),
            ..Person::from(holder(device))
        };
        let spend = Spend {
            voucher: invitation(sheet, index),
            at_ms: WALL_MS,
        };
        Command::join(vec![person.with(spend)])
    };
    let all_well = Reply::Joined(vec![]);
    assert_eq!(shop.say(HERE, comes(1, 0)), all_well);
    let facts = shop.rows.last().map(|row| row.events.as_slice());
    assert!(
        matches!(facts, Some([Event::Joined { .. }, Event::Spent(_), Event::Owned { .. }])),
        "{facts:?}"
    );
    assert_eq!(shop.say(HERE, comes(2, 1)), all_well);
    let place = shop.room.living_of_account(Key(7)).expect("a place");
    assert_eq!(shop.room.living_of(holder(2).key), Some(place));
    assert_eq!((shop.used(sheet), shop.room.line().alive()), (1, 1));
}
