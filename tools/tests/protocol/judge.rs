//! The properties that must hold in every state of the model. The judge sees everything: the book, its history, and what each visitor was told. It
//! uses none of the protocol's own rules to find out what is true.

use std::rc::Rc;

use super::asks::{Ask, Shown};

use super::people::Asking;
use super::ticket::{Ticket, Turn};
use super::words::*;
use super::world::World;

/// The book as it was at each row, newest first.
#[derive(Clone, Default)]
pub struct History(Option<Rc<Then>>);

struct Then {
    row: Row,
    tickets: Vec<Ticket>,
    before: Option<Rc<Then>>,
}

impl Drop for Then {
    /// Drops the older rows in a loop: a long history would overflow the stack by recursion.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(mut then) = next.and_then(Rc::into_inner) {
            next = then.before.take();
        }
    }
}

impl History {
    fn record(&mut self, row: Row, tickets: &[Ticket]) {
        if self.0.as_ref().is_none_or(|then| then.row != row) {
            let before = self.0.take();
            self.0 = Some(Rc::new(Then {
                row,
                tickets: tickets.to_vec(),
                before,
            }));
        }
    }

    fn at(&self, row: Row) -> &[Ticket] {
        self.from(row).find(|then| then.row <= row).map_or(&[], |then| &then.tickets)
    }

    /// Returns the rows, newest first, down to the one that was in force at `row`.
    fn from(&self, row: Row) -> impl Iterator<Item = &Then> {
        let mut next = self.0.as_deref();
        std::iter::from_fn(move || {
            let then = next?;
            next = if then.row > row { then.before.as_deref() } else { None };
            Some(then)
        })
    }
}

/// Judges a turn of the room. `batch` names the batch that it was for, if it was for one.
pub fn turn(world: &mut World, batch: Option<(Nonce, u8)>, turn: Turn) {
    let book = &world.room.book;
    world.history.record(book.row, &book.tickets);
    let mut found = turn.broken;
    let is_living = |ticket: &&Ticket| ticket.living();
    for key in 0..VISITORS {
        if book.tickets.iter().filter(is_living).filter(|ticket| ticket.key == key).count() > 1 {
            found.get_or_insert(format!("key {key} has two living tickets"));
        }
    }
    let permits = |ticket: &&Ticket| matches!(ticket.standing, Standing::Called(_) | Standing::Leased(_));
    let used = book.tickets.iter().filter(permits).count();
    let present = |ticket: &Ticket| matches!(ticket.standing, Standing::Waiting { here: true, .. });
    if used > 1 {
        found.get_or_insert("more permits are out than there are".to_string());
    }
    if used == 0 && book.tickets.iter().any(present) {
        found.get_or_insert("a permit is free beside somebody present".to_string());
    }
    for key in turn.issued {
        let visitor = &mut world.visitors[key];
        match visitor.joins.iter().position(|join| Some(*join) == batch) {
            Some(at) => {
                visitor.joins.remove(at);
            }
            None => {
                found.get_or_insert(format!("visitor {key} has a ticket that nobody asked for"));
            }
        }
    }
    for (key, missed_in) in turn.called_again {
        if world.visitors[key].spoke_at < missed_in {
            found.get_or_insert(format!("visitor {key} missed a call, has not spoken and is called again"));
        }
    }
    if let Some(found) = found {
        world.breaks(found);
    }
}

/// Records the joins that a batch sends for visitors who wait. Each such batch may lead to one ticket a visitor.
pub fn sending(world: &mut World, message: &ToRoom) {
    let ToRoom::Batch { bond, number, commands, .. } = message else {
        return;
    };
    for (key, visitor) in world.visitors.iter_mut().enumerate() {
        let waits = visitor.asking.is_some_and(|asking| asking.ask == Ask::Join);
        if waits && commands.contains(&Command::Join { key }) {
            visitor.joins.push((bond.nonce, *number));
        }
    }
}

/// Judges the replicas: a whole one says what the book said at the replica's row.
pub fn replicas(world: &mut World) {
    let mut found = None;
    for lobby in &world.lobbies {
        let Some(replica) = lobby.whole() else {
            continue;
        };
        let mine = |ticket: &&Ticket| ticket.lobby == lobby.id && ticket.living();
        let then = world.history.at(replica.version).iter().filter(mine);
        let mut then: Vec<Entry> = then.map(Ticket::entry).collect();
        then.sort_unstable();
        if then != replica.tickets {
            found = Some(format!("the replica of lobby {} is not the book at row {}", lobby.id, replica.version));
        }
    }
    if let Some(found) = found {
        world.breaks(found);
    }
}

/// Judges what a visitor is told.
pub fn telling(world: &mut World, key: Key, shown: Shown, standing: Standing, row: Row) {
    let is_it = |ticket: &&Ticket| {
        let numbers = [ticket.number, ticket.first_number];
        ticket.key == key && ticket.edition == shown.edition && numbers.contains(&shown.number)
    };
    if standing == Standing::Over {
        // A visitor who got the place again after the row that was shown has yet to hear of it.
        let holds = |ticket: &Ticket| ticket.living() && ticket.held_since <= shown.row;
        if world.room.book.tickets.iter().find(is_it).is_some_and(holds) {
            world.breaks(format!("visitor {key} is told over of a living ticket"));
        }
    } else if !world.history.at(row).iter().filter(is_it).any(|ticket| ticket.standing == standing) {
        world.breaks(format!("visitor {key} is told what was never so at that row"));
    }
}

/// Judges the answer to a visitor's ask.
pub fn reply(world: &mut World, key: Key, asking: &Asking, what: What, edition: u8) {
    let ticket_of = |ticket: &Ticket, number: Number| ticket.key == key && ticket.edition == edition && ticket.number == number;
    let found = match what {
        What::Pass { number, fence } => {
            let leased = |ticket: &Ticket| ticket_of(ticket, number) && ticket.standing == Standing::Leased(fence);
            let since_asked = world.history.from(asking.row).any(|then| then.tickets.iter().any(leased));
            let claimed = matches!(asking.ask, Ask::Claim(shown) if (shown.edition, shown.number) == (edition, number));
            (!since_asked || !claimed).then_some("gets a pass of a lease that is not of that ask")
        }
        What::Place { number, .. } => {
            let held = |ticket: &Ticket| ticket_of(ticket, number) && ticket.living();
            let since_asked = world.history.from(asking.row).any(|then| then.tickets.iter().any(held));
            (!since_asked).then_some("is answered a place that it did not have since it asked")
        }
        What::Nothing => None,
    };
    if let Some(found) = found {
        world.breaks(format!("visitor {key} {found}"));
    }
}
