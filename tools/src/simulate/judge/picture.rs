//! The whole picture: everybody's place and rank, every permit and every count, compared with the
//! [`Model`](super::Model), which finds them by scanning a list.

use super::{Judge, Plain, broken};
use crate::simulate::model::Ticket;
use baton::facts::holder::Holder;
use baton::facts::units::{Instant, LANES_MAX, Number};
use baton::room::Room;
use baton::room::laws::Check;
use baton::room::line::Place;
use baton::room::permits::Stage;

impl Judge {
    /// Compares the room with the model: every place, every rank, every permit and every count.
    pub(super) fn picture(&mut self, room: &Room, now: Instant) -> Check {
        self.places_end(room, now)?;
        self.hall_agrees(room)?;
        self.counts_agree(room)?;
        self.line_agrees(room)?;
        self.books_agree(room)?;
        self.permits_agree(room)
    }

    fn counts_agree(&self, room: &Room) -> Check {
        let (lanes, model) = (room.lanes(), &self.model);
        let count = |plain: fn(&Plain) -> bool| model.tickets.iter().filter(|t| plain(&t.place)).count() as u64;
        let seen = [lanes.waiting(), lanes.present(), lanes.away()];
        let counted = [
            model.tickets.len() as u64,
            count(|place| *place == Plain::Present),
            count(|place| matches!(place, Plain::Away(_))),
        ];
        if seen != counted {
            return broken("counts agree (2)", || format!("alive, present, away: {seen:?}, counted {counted:?}"));
        }
        Ok(())
    }

    /// Compares everybody in line: the place, the rank and the holder.
    fn line_agrees(&self, room: &Room) -> Check {
        let model = &self.model;
        let mut ranks = [0_u64; LANES_MAX];
        for ticket in &model.tickets {
            let rank = &mut ranks[usize::from(ticket.number.lane().0)];
            let ahead_of = *rank;
            *rank += 1;
            let line = room.tickets().line_of(ticket.number);
            let place = line.place(ticket.number);
            let same = match ticket.place {
                Plain::Present => place == Place::Present,
                Plain::Away(_) => matches!(place, Place::Away(_)),
                Plain::Called => place == Place::Called,
            };
            if !same || line.missed(ticket.number) != ticket.missed {
                return broken("one state each (2)", || format!("{ticket:?} is {place:?}"));
            }
            self.book_agrees(room, ticket.number, ticket.holder)?;
            let ahead = room.lanes().ahead(ticket.number).0;
            if ahead != ahead_of {
                return broken("ahead is a count that never rises (5)", || {
                    format!("{} has {ahead_of} in front, the room says {ahead}", ticket.number)
                });
            }
        }
        Ok(())
    }

    /// Compares how many permits are where.
    fn books_agree(&self, room: &Room) -> Check {
        let (permits, model) = (room.permits(), &self.model);
        let books = [permits.hand(), permits.tray(), permits.debt(), permits.called(), permits.leased()];
        let called = model.permits.iter().filter(|p| p.called).count() as u32;
        let own = [model.hand, model.tray, model.debt, called, model.permits.len() as u32 - called];
        if books != own {
            return broken("the books agree (1)", || {
                format!("hand, tray, debt, called, leased: {books:?}, not {own:?}")
            });
        }
        Ok(())
    }

    /// Compares every permit that somebody has.
    fn permits_agree(&self, room: &Room) -> Check {
        let (permits, model) = (room.permits(), &self.model);
        for (permit, (fence, grant)) in model.permits.iter().zip(permits.out()) {
            let same = match grant.stage {
                Stage::Called { claim_by, .. } => permit.called && claim_by == permit.idle_end,
                Stage::Leased(lease) => !permit.called && (lease.idle_end, lease.hard_end) == (permit.idle_end, permit.hard_end),
            };
            if !same || (permit.fence, permit.number) != (fence, grant.number) {
                return broken("a permit is whose the model says (2, 7)", || format!("{permit:?}\n{fence} {grant:?}"));
            }
            self.book_agrees(room, permit.number, permit.holder)?;
        }
        Ok(())
    }

    /// Checks a living ticket's holder and account, that its key finds it, and that its account finds no other.
    fn book_agrees(&self, room: &Room, number: Number, holder: Holder) -> Check {
        let (found, living) = (room.tickets().holder(number), room.living_of(holder.key));
        let account = self.model.account_of_living(number);
        let place = account.and_then(|account| room.living_of_account(account));
        if account != room.tickets().account_of(number) || place.is_some_and(|place| place != number) {
            return broken("one living place an account (2)", || {
                format!("{number} is {account:?}'s, which is found at {place:?}")
            });
        }
        if found == Some(holder) && living == Some(number) {
            return Ok(());
        }
        broken("one living place a key (2)", || {
            format!("{number} is {holder:?}'s, the room says {found:?}, and finds {living:?}")
        })
    }

    /// Compares everybody in the hall.
    fn hall_agrees(&self, room: &Room) -> Check {
        for ticket in &self.model.hall {
            self.book_agrees(room, ticket.number, ticket.holder)?;
        }
        let agrees = |(ticket, (number, place)): (&Ticket, (Number, Place))| {
            let same = match ticket.place {
                Plain::Present => place == Place::Present,
                Plain::Away(_) => matches!(place, Place::Away(_)),
                Plain::Called => false,
            };
            same && ticket.number == number
        };
        for (lane, of) in room.lanes().all() {
            let model: Vec<&Ticket> = self.model.hall.iter().filter(|t| t.number.lane() == lane).collect();
            let hall = of.hall().line();
            let all = hall.alive() == model.len() as u64;
            if !(all && model.iter().copied().zip(hall.living()).all(agrees)) {
                return broken("everybody in the hall is there (2)", || {
                    format!("{model:?}\nthe room {:?}", hall.living().collect::<Vec<_>>())
                });
            }
        }
        Ok(())
    }

    /// Takes the places that ended from the model, and checks that each was away for the whole grace.
    fn places_end(&mut self, room: &Room, now: Instant) -> Check {
        let alive = room.lanes().alive();
        let known = self.model.tickets.len() + self.model.hall.len();
        let ended = alive < known as u64;
        if !ended {
            return Ok(());
        }
        let mut gone: Vec<Number> = vec![];
        for ticket in self.model.tickets.iter().chain(&self.model.hall) {
            if let Plain::Away(since) = ticket.place
                && room.tickets().line_of(ticket.number).place(ticket.number) == Place::Gone
            {
                if now.since_ms(since) < self.grace_ms {
                    return broken("a place is kept for the grace", || {
                        format!("{} away since {since}, over at {now}", ticket.number)
                    });
                }
                gone.push(ticket.number);
            }
        }
        self.model.end_places(&gone);
        Ok(())
    }
}
