//! The seeds of what a room and its lobbies say to each other.

use super::{Seed, named, post, the_room};
use crate::targets::worlds::{self, NOW_MS, hello, presence};
use baton::facts::answer_times::AnswerTimes;
use baton::facts::command::Command;
use baton::facts::entry::{EntryRefusal, EntryRefusals};
use baton::facts::holder::{Held, Holder};
use baton::facts::message::{Answer, FromRoom, LobbyLife, More, Refusal, ToLobby, ToRoom};
use baton::facts::origin::OriginAnswers;
use baton::facts::overheard::{Overheard, StockReport};
use baton::facts::proofs::ProofChecks;
use baton::facts::units::{Fence, LaneId, LobbyId, Number, Version};
use baton::room::frame::Frame;

fn overheard(origin: OriginAnswers) -> Overheard {
    Overheard {
        origin,
        stock: Some(StockReport { left: 9, at_ms: NOW_MS }),
        proofs: ProofChecks::of_counts([412, 0, 0, 0, 12, 0, 0, 0, 1]),
        entry: EntryRefusals::one(EntryRefusal::Late),
        observed_only: 3,
        unheeded: 1,
        times: AnswerTimes::one(240).plus(&AnswerTimes::one(9)),
    }
}

/// Returns commands of most kinds, about people of lobby 0.
fn every_command() -> Vec<Command> {
    let fence = the_room().permits().last_fence();
    let mut origin = OriginAnswers::default();
    origin.count(Fence(1), 9, 1);
    vec![
        Command::join(vec![worlds::holder(50), worlds::holder(3)]),
        Command::walk_in(worlds::holder(51)),
        Command::Claim {
            place: worlds::held(3),
            fence,
        },
        Command::Renew(Fence(1)),
        Command::Extend {
            fence: Fence(1),
            total_ms: 5_000,
        },
        Command::Release(Fence(2)),
        Command::Leave(worlds::held(7)),
        presence(vec![worlds::held(4)], vec![worlds::held(8), worlds::held(10)]),
        Command::Carry {
            place: worlds::held(11),
            row: Version(u64::MAX),
            to: worlds::holder(12),
        },
        Command::Overheard(Box::new(overheard(origin))),
        Command::Overheard(Box::default()),
    ]
}

fn extreme_commands() -> Vec<Command> {
    let most = Held {
        number: Number(u64::MAX),
        key: worlds::holder(3).key,
    };
    let first = Held { number: Number(0), ..most };
    vec![
        Command::join(Vec::<Holder>::new()),
        Command::join(vec![Holder::default(); 300]),
        Command::Extend {
            fence: Fence(1),
            total_ms: u64::MAX,
        },
        Command::Claim {
            place: most,
            fence: Fence(u64::MAX),
        },
        Command::Leave(first),
        Command::Renew(Fence(u64::MAX)),
        Command::Release(Fence(0)),
        presence(vec![most, first, most], vec![worlds::held(8); 3]),
        Command::Carry {
            place: most,
            row: Version(0),
            to: worlds::holder(3),
        },
    ]
}

const MORE: ToRoom = ToRoom::More(More {
    lobby: LobbyId(0),
    life: worlds::LIFE,
    hello: 1,
    from: Number(7),
});

fn check() -> ToRoom {
    ToRoom::Check([0, 1, 2, 9].map(Fence).to_vec())
}

pub fn to_room() -> Vec<Seed> {
    let world = worlds::world();
    let batch = |commands| world.batch(0, commands);
    let said = |batch| post(&ToRoom::Batch(batch));
    let (mut old, mut future) = (batch(every_command()), batch(vec![]));
    (old.life, future.since) = (LobbyLife(1), Version(u64::MAX));
    let whole = said(batch(every_command()));
    named(vec![
        ("ok-everything", whole.clone()),
        ("ok-extremes", said(batch(extreme_commands()))),
        ("ok-look", said(batch(vec![]))),
        ("ok-old-life", said(old)),
        ("ok-other-lobby", said(world.batch(1, every_command()))),
        ("ok-no-such-lobby", said(world.batch(u16::MAX, vec![]))),
        ("ok-from-the-end-of-time", said(future)),
        ("ok-too-many", said(batch(vec![Command::Renew(Fence(1)); 2_100]))),
        ("ok-hello", post(&hello(0, LobbyLife(5)))),
        ("ok-more", post(&MORE)),
        ("ok-check", post(&check())),
        ("no-cut", whole[..whole.len() - 1].to_vec()),
        ("no-empty", vec![]),
        ("no-endless-varint", vec![0xff; 40]),
        ("no-huge-list", vec![2, 1, 2, 1, 0, 1, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f]),
    ])
}

/// Returns what the world's room answers to a lobby.
fn answered(said: &ToRoom) -> FromRoom {
    worlds::world().hears(said)
}

pub fn from_room() -> Vec<Seed> {
    let world = worlds::world();
    let welcome = |lobby| answered(&hello(lobby, LobbyLife(5)));
    let answer = answered(&ToRoom::Batch(world.batch(0, every_command())));
    let (page, leases) = (answered(&MORE), answered(&check()));
    let FromRoom::Answer(mut future) = answer.clone() else {
        panic!("{answer:?}");
    };
    future.message.version = Version(u64::MAX);
    let none = Answer {
        replies: vec![],
        ..(*future).clone()
    };
    let whole = post(&answer);
    named(vec![
        ("ok-welcome", post(&welcome(0))),
        ("ok-welcome-of-another", post(&welcome(1))),
        ("ok-answer", whole.clone()),
        ("ok-from-the-end-of-time", post(&FromRoom::Answer(future))),
        ("ok-no-replies", post(&FromRoom::Answer(Box::new(none)))),
        ("ok-page", post(&page)),
        ("ok-leases", post(&leases)),
        ("ok-later", post(&FromRoom::Later(u64::MAX))),
        ("ok-unknown", post(&FromRoom::Refused(Refusal::Unknown))),
        ("ok-deposed", post(&FromRoom::Refused(Refusal::Deposed))),
        ("no-cut", whole[..whole.len() / 2].to_vec()),
        ("no-empty", vec![]),
        ("no-ones", vec![0xff; 64]),
    ])
}

pub fn to_lobby() -> Vec<Seed> {
    let answer = answered(&ToRoom::Batch(worlds::world().batch(0, every_command())));
    let FromRoom::Answer(answer) = answer else {
        panic!("{answer:?}");
    };
    let push = |message: &_| post(&ToLobby::Push(Box::new(Clone::clone(message))));
    let quiet = answer.message;
    let mut framed = quiet.clone();
    framed.frames = vec![(LaneId::FIRST, Frame::of(&the_room(), worlds::NOW).encode())];
    let mut torn = quiet.clone();
    torn.frames = vec![(LaneId::FIRST, vec![1, 0, 0xff])];
    let mut future = quiet.clone();
    (future.version, future.since) = (Version(u64::MAX), Version(u64::MAX));
    let mut gap = quiet.clone();
    gap.since = Version(quiet.version.0 - 1);
    let whole = push(&quiet);
    named(vec![
        ("ok-push", whole.clone()),
        ("ok-poke", post(&ToLobby::Poke)),
        ("ok-frame", push(&framed)),
        ("ok-torn-frame", push(&torn)),
        ("ok-from-the-end-of-time", push(&future)),
        ("ok-gap", push(&gap)),
        ("no-cut", whole[..whole.len() / 2].to_vec()),
        ("no-empty", vec![]),
        ("no-ones", vec![0xff; 64]),
    ])
}
