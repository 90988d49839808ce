//! What must be so in every state, and what must come of it once faults stop.

use crate::world::{Step, World, key};
use baton::facts::reply::Standing;
use baton::facts::units::{LobbyId, Number};
use baton::facts::wire::State;
use baton::lobby::Phase;
use baton::room::laws;

/// So long everything may take to settle, in ms: two quiet times and a push's longest pause.
const SETTLED_MS: u64 = 70_000;

pub fn holds(world: &World) -> Result<(), String> {
    laws::check_state(&world.room, world.now).map_err(|broken| broken.to_string())?;
    match &world.lie {
        Some(lie) => Err(lie.clone()),
        None => Ok(()),
    }
}

/// Faults stop, and whoever is called comes; until everything has had its time, or `known` says of a state that from there all
/// settles.
pub fn settles(mut world: World, mut known: impl FnMut(&World) -> bool) -> Result<(), String> {
    world.faults = 0;
    let until = world.now.plus_ms(SETTLED_MS);
    for _ in 0..600 {
        world.calm();
        holds(&world)?;
        for person in 0..world.people.len() {
            let page = &world.people[person];
            if page.state == State::Called && page.open && !page.asks {
                world.act(Step::Claim(person));
                world.calm();
            }
        }
        if world.now > until {
            break;
        }
        if known(&world) {
            return Ok(());
        }
        world.act(Step::Later);
    }
    world.calm();
    holds(&world)?;
    lobbies_have_what_the_book_has(&world)?;
    pages_show_what_is_so(&world)?;
    let idle = world.room.permits().free() > 0 && world.room.line().present() > 0;
    match idle {
        true => Err("a free permit lies beside somebody who is there".to_owned()),
        false => Ok(()),
    }
}

fn lobbies_have_what_the_book_has(world: &World) -> Result<(), String> {
    for (at, lobby) in world.lobbies.iter().enumerate() {
        if lobby.sockets() == 0 {
            continue;
        }
        let id = LobbyId(at as u16);
        let (listed, _) = world.room.tickets().list(world.now, id, Number(0));
        let book: Vec<_> = listed
            .iter()
            .map(|listed| (listed.number, listed.holder, word(listed.standing)))
            .collect();
        let phase = |phase| match phase {
            Phase::Waiting { .. } => "waits",
            Phase::Called { .. } => "called",
            Phase::Admitted { .. } => "in",
        };
        let replica: Vec<_> = lobby
            .replica()
            .tickets()
            .map(|ticket| (ticket.number, ticket.holder, phase(ticket.phase)))
            .collect();
        if !lobby.is_whole() || book != replica {
            let whole = lobby.is_whole();
            return Err(format!("lobby {at}, whole: {whole}, has {replica:?}, not {book:?}"));
        }
    }
    Ok(())
}

const fn word(standing: Standing) -> &'static str {
    match standing {
        Standing::Waiting { .. } => "waits",
        Standing::Called { .. } => "called",
        Standing::Admitted { .. } => "in",
        Standing::Over => "over",
    }
}

fn pages_show_what_is_so(world: &World) -> Result<(), String> {
    for (at, page) in world.people.iter().enumerate().filter(|(_, page)| page.open) {
        let living = world.room.living_of(key(at));
        let is = living.map(|number| word(world.room.tickets().standing(world.now, number)));
        let shows = match page.state {
            State::Waiting => Some("waits"),
            State::Called => Some("called"),
            State::Admitted => Some("in"),
            State::None | State::Hall | State::Over => None,
        };
        let here = living.and_then(|number| world.room.tickets().lobby_of(number));
        let own = here.is_none_or(|lobby| usize::from(lobby.0) == page.lobby);
        if own && (shows != is || shows.is_some() && page.number != living) {
            return Err(format!("{at} shows {shows:?} {:?} and is {is:?} {living:?}", page.number));
        }
    }
    Ok(())
}
