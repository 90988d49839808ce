//! A porter: what goes together, what goes first, and whom an answer is for; and what a room makes of a bundle.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

#[path = "recovery/disk.rs"]
mod disk;
mod wishes;

use baton::facts::command::Command;
use baton::facts::config::RoomConfig;
use baton::facts::enter::Person;
use baton::facts::holder::{Comes, Key, Member};
use baton::facts::lane_name::LaneName;
use baton::facts::limits::{BUNDLE_BATCHES_MAX, BUNDLE_BYTES_MAX};
use baton::facts::message::{Batch, FromRoom, Hello, LobbyLife, Refusal, RoomLife, RoomMemory, Taken, ToRoom, Welcome};
use baton::facts::reply::{NoTicket, Reply};
use baton::facts::units::{Ahead, Fence, LobbyId, Number, Version};
use baton::facts::voucher::{CODE_KEYS, CodeHash, Spend, Voucher};
use baton::living::{Chance, LivingRoom, RoomOptions};
use baton::lobby::porter::{BundleId, Effect, Porter, Sender};
use baton::room::hall::Lots;
use baton::room::ramp::Ramps;
use disk::Disk;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const WALL_MS: u64 = 1_800_000_000_000;

fn batch(lobby: u16, commands: Vec<Command>) -> Batch {
    Batch {
        lobby: LobbyId(lobby),
        life: LobbyLife(u64::from(lobby)),
        room: RoomLife(1),
        memory: RoomMemory(1),
        number: 1,
        since: Version(0),
        attempts: 0,
        commands,
    }
}

fn joins(lobby: u16) -> Batch {
    batch(lobby, vec![Command::join(vec![wishes::holder(u64::from(lobby))])])
}

fn releases(lobby: u16) -> Batch {
    batch(lobby, vec![Command::Release(Fence(u64::from(lobby)))])
}

/// Which lobbies' batches leave, and in which bundle.
fn brings(porter: &mut Porter) -> Option<(BundleId, Vec<u16>)> {
    match porter.poll_effect()? {
        Effect::Bring(bundle, said) => match *said {
            ToRoom::Bundle(batches) => Some((bundle, batches.iter().map(|b| b.lobby.0).collect())),
            said => panic!("{said:?}"),
        },
        Effect::Hand(..) => panic!("nobody was answered"),
    }
}

/// Who is handed what, in order.
fn hands(porter: &mut Porter, count: usize) -> Vec<(u64, Option<Taken>)> {
    let effects = std::iter::from_fn(|| porter.poll_effect());
    let handed = effects.take(count).map(|effect| match effect {
        Effect::Hand(sender, taken) => (sender.0, taken),
        Effect::Bring(..) => panic!("all are answered first"),
    });
    handed.collect()
}

const LATE: Taken = Err(Refusal::Late);
const DEPOSED: Taken = Err(Refusal::Deposed);

#[test]
fn one_bundle_is_out_at_a_time_and_what_waits_goes_together() {
    let mut porter = Porter::default();
    porter.handle_batch(Sender(1), joins(1), 100);
    let (first, lobbies) = brings(&mut porter).unwrap();
    assert_eq!(lobbies, [1]);
    porter.handle_batch(Sender(2), joins(2), 100);
    porter.handle_batch(Sender(3), joins(3), 100);
    assert_eq!(porter.poll_effect(), None);
    porter.handle_answer(first, Some(FromRoom::Bundle(vec![LATE])));
    assert_eq!(hands(&mut porter, 1), [(1, Some(LATE))]);
    assert_eq!(brings(&mut porter).unwrap().1, [2, 3]);
}

#[test]
fn each_is_handed_its_own_answer() {
    let mut porter = Porter::default();
    porter.handle_batch(Sender(9), joins(9), 100);
    let (first, _) = brings(&mut porter).unwrap();
    porter.handle_batch(Sender(1), joins(1), 100);
    porter.handle_batch(Sender(2), joins(2), 100);
    porter.handle_answer(first, Some(FromRoom::Bundle(vec![LATE])));
    hands(&mut porter, 1);
    let (second, _) = brings(&mut porter).unwrap();
    porter.handle_answer(second, Some(FromRoom::Bundle(vec![LATE, DEPOSED])));
    assert_eq!(hands(&mut porter, 2), [(1, Some(LATE)), (2, Some(DEPOSED))]);
}

#[test]
fn what_gives_a_permit_back_overtakes_joins() {
    let mut porter = Porter::default();
    porter.handle_batch(Sender(9), joins(9), 100);
    let (first, _) = brings(&mut porter).unwrap();
    for lobby in [1, 2] {
        porter.handle_batch(Sender(lobby.into()), joins(lobby), BUNDLE_BYTES_MAX / 2);
    }
    porter.handle_batch(Sender(3), releases(3), BUNDLE_BYTES_MAX / 2);
    porter.handle_answer(first, Some(FromRoom::Bundle(vec![LATE])));
    hands(&mut porter, 1);
    let (second, lobbies) = brings(&mut porter).unwrap();
    assert_eq!(lobbies, [3, 1], "the release first, and no more than fits");
    porter.handle_answer(second, Some(FromRoom::Bundle(vec![LATE, LATE])));
    hands(&mut porter, 2);
    assert_eq!(brings(&mut porter).unwrap().1, [2]);
}

/// Whoever comes to wait lets a release go first: into a lane, for an account and with a voucher as well.
#[test]
fn joins_of_every_kind_wait_for_a_release() {
    let holder = wishes::holder(1);
    let member = Member {
        holder,
        account: Key(7),
        comes: Comes::Anew,
    };
    let spend = Spend {
        voucher: Voucher::Code([CodeHash(1); CODE_KEYS]),
        at_ms: WALL_MS,
    };
    let lane = LaneName::parse("members").unwrap();
    for join in [
        Command::join(vec![holder]),
        Command::join(vec![member]),
        Command::join(vec![Person::from(holder).with(spend)]),
        Command::join(vec![holder]).into_lane(lane),
        Command::join(vec![member]).into_lane(lane),
    ] {
        let mut porter = Porter::default();
        porter.handle_batch(Sender(9), joins(9), 100);
        let (first, _) = brings(&mut porter).unwrap();
        porter.handle_batch(Sender(1), batch(1, vec![join.clone()]), 100);
        porter.handle_batch(Sender(2), releases(2), 100);
        porter.handle_answer(first, None);
        hands(&mut porter, 1);
        assert_eq!(brings(&mut porter).unwrap().1, [2, 1], "{join:?}");
    }
}

#[test]
fn a_batch_that_is_larger_than_a_bundle_goes_alone() {
    let mut porter = Porter::default();
    porter.handle_batch(Sender(1), joins(1), BUNDLE_BYTES_MAX + 1);
    porter.handle_batch(Sender(2), joins(2), 1);
    assert_eq!(brings(&mut porter).unwrap().1, [1]);
}

#[test]
fn a_bundle_without_a_fitting_answer_sends_everybody_past() {
    for answer in [None, Some(FromRoom::Bundle(vec![])), Some(FromRoom::Refused(Refusal::Version))] {
        let mut porter = Porter::default();
        porter.handle_batch(Sender(1), joins(1), 100);
        let (first, _) = brings(&mut porter).unwrap();
        porter.handle_batch(Sender(2), joins(2), 100);
        porter.handle_answer(first, answer);
        assert_eq!(hands(&mut porter, 1), [(1, None)]);
        assert_eq!(brings(&mut porter).unwrap().1, [2], "and the next goes on");
        porter.handle_answer(first, Some(FromRoom::Bundle(vec![LATE])));
        assert_eq!(porter.poll_effect(), None, "an answer that comes late is nobody's");
    }
}

#[test]
fn who_waits_no_longer_does_not_go() {
    let mut porter = Porter::default();
    porter.handle_batch(Sender(1), joins(1), 100);
    let (first, _) = brings(&mut porter).unwrap();
    for lobby in [2, 3] {
        porter.handle_batch(Sender(lobby.into()), joins(lobby), 100);
    }
    porter.handle_gone(Sender(2));
    porter.handle_gone(Sender(1));
    porter.handle_answer(first, Some(FromRoom::Bundle(vec![LATE])));
    assert_eq!(hands(&mut porter, 1).len(), 1, "what is out stays out");
    assert_eq!(brings(&mut porter).unwrap().1, [3]);
}

/// A room of one permit, and the welcome of two of its lobbies.
fn room(disk: &Disk) -> (LivingRoom<&Disk>, [Box<Welcome>; 2]) {
    let options = RoomOptions {
        config: RoomConfig {
            permits: 1,
            walk_in: false,
            ..RoomConfig::default()
        },
        ramps: Ramps::default(),
        journal_keep_ms: u64::MAX,
        lots: Lots::default(),
    };
    let mut living = LivingRoom::restore(disk, options, Chance([7; 32]), WALL_MS, None).unwrap();
    let welcomes = [1, 2].map(|lobby| {
        let hello = ToRoom::Hello(Hello {
            lobby: LobbyId(lobby),
            life: LobbyLife(u64::from(lobby)),
            number: 1,
            knows: None,
        });
        match living.hear(WALL_MS, &hello).unwrap().0 {
            FromRoom::Welcome(welcome) => welcome,
            other => panic!("{other:?}"),
        }
    });
    (living, welcomes)
}

fn known(batch: Batch, welcome: &Welcome) -> Batch {
    Batch {
        room: welcome.message.life,
        memory: welcome.memory,
        since: welcome.message.version,
        ..batch
    }
}

fn bundle(living: &mut LivingRoom<&Disk>, batches: Vec<Batch>) -> Vec<Taken> {
    match living.hear(WALL_MS, &ToRoom::Bundle(batches)).unwrap().0 {
        FromRoom::Bundle(taken) => taken,
        other => panic!("{other:?}"),
    }
}

/// One holder comes to both lobbies at once: the second is sent where the first has the place. All of it is one row.
#[test]
fn a_room_takes_a_bundle_in_one_turn_in_order_and_answers_as_things_are_at_its_end() {
    let disk = Disk::default();
    let (mut living, [one, two]) = room(&disk);
    let before = living.room().version();
    let ann = wishes::holder(1);
    let taken = bundle(
        &mut living,
        vec![
            known(batch(1, vec![Command::join(vec![ann])]), &one),
            known(batch(2, vec![Command::join(vec![ann, wishes::holder(2)])]), &two),
        ],
    );
    assert_eq!(living.room().version().0, before.0 + 1);
    let [Ok(first), Ok(second)] = &taken[..] else { panic!("{taken:?}") };
    assert_eq!(first.replies, [Reply::Joined(vec![])]);
    let elsewhere = NoTicket::At(LobbyId(1));
    assert_eq!(second.replies, [Reply::Joined(vec![(0, elsewhere)])]);
    assert_eq!(first.message.version, living.room().version());

    // A place in front is left in the same bundle: whoever asked before is told what came of it.
    let since = |batch: Batch, number| Batch {
        number,
        since: living.room().version(),
        ..batch
    };
    let place = wishes::held(living.room(), Number(1));
    let looks = since(known(batch(2, vec![]), &two), 2);
    let leaves = since(known(batch(1, vec![Command::Leave(place)]), &one), 2);
    let taken = bundle(&mut living, vec![looks, leaves]);
    let Ok(first) = &taken[0] else { panic!("{taken:?}") };
    assert_eq!(first.message.gist.waiting, 1);
    assert_eq!(living.room().lanes().ahead(Number(2)), Ahead(0));
}

#[test]
fn a_batch_that_is_refused_refuses_no_other() {
    let disk = Disk::default();
    let (mut living, [one, two]) = room(&disk);
    let old = Batch {
        life: LobbyLife(99),
        ..known(joins(1), &one)
    };
    let taken = bundle(&mut living, vec![old, known(joins(2), &two), joins(300)]);
    assert_eq!(taken[0].as_ref().err(), Some(&Refusal::Deposed));
    assert!(taken[1].is_ok());
    assert_eq!(taken[2].as_ref().err(), Some(&Refusal::Malformed));
    assert_eq!(living.last_taken(), [false, true, false]);
    assert_eq!(living.room().line().alive(), 1);
}

#[test]
fn a_bundle_has_an_end() {
    let disk = Disk::default();
    let (mut living, [one, _]) = room(&disk);
    let again = |number: usize| Batch {
        number: number as u64,
        ..known(batch(1, vec![]), &one)
    };
    let taken = bundle(&mut living, (1..=BUNDLE_BATCHES_MAX + 1).map(again).collect());
    assert!(taken[..BUNDLE_BATCHES_MAX].iter().all(Result::is_ok));
    assert_eq!(taken[BUNDLE_BATCHES_MAX].as_ref().err(), Some(&Refusal::Malformed));
}
