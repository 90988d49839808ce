//! What of a world decides everything that can still happen, as one number. Two worlds with the
//! same one differ only in the hour, in how far numbers, fences and versions have counted, in
//! which of the visitors of a lobby it is, and in what is only shown (totals, rhythm, replies).
//!
//! Nothing is hashed: what does not fit is an error and not a collision.

use crate::step::Person;
use crate::world::{Rules, World};
use baton::facts::units::Instant;
use baton::room::line::Place;
use baton::room::permits::Stage;

/// Bits of one living ticket.
const TICKET_BITS: u32 = 24;

/// Puts small numbers behind one another.
struct Pack {
    bits: u128,
    used: u32,
}

impl Pack {
    fn put(&mut self, value: u64, width: u32) {
        assert!(value < 1 << width, "{value} does not fit into {width} bits");
        self.used += width;
        assert!(self.used <= 128, "a world of more than 128 bits");
        self.bits = self.bits << width | u128::from(value);
    }
}

impl World {
    /// This world's number.
    pub fn key(&self, rules: &Rules) -> u128 {
        let (room, permits) = (&self.room, self.room.permits());
        let mut pack = Pack { bits: 1, used: 1 };
        for count in [permits.hand(), permits.tray(), permits.debt()] {
            pack.put(count.into(), 3);
        }
        pack.put(room.config().permits.into(), 3);
        pack.put(room.config().mode as u64, 2);
        pack.put(self.left(self.turned_at.plus_ms(room.config().tick_ms)), 2);

        // Order counts in the line, and not among those inside.
        let mut living: Vec<(u64, u64)> = (0..self.tickets.len() as Person)
            .filter_map(|person| {
                let number = self.living(person)?;
                let waits = room.line().place(number) != Place::Gone;
                let order = if waits { number.0 } else { u64::MAX };
                Some((order, self.ticket(rules, person)))
            })
            .collect();
        living.sort_unstable();
        for (_, ticket) in living {
            pack.put(ticket, TICKET_BITS);
        }
        pack.bits
    }

    /// How long until then; what is past is past.
    fn left(&self, at: Instant) -> u64 {
        at.since_ms(self.now)
    }

    fn ticket(&self, rules: &Rules, person: Person) -> u64 {
        let number = self.living(person).expect("lives");
        let mut pack = Pack { bits: 0, used: 0 };
        pack.put(rules.people[usize::from(person)].0.into(), 2);
        let lobby = self.room.tickets().lobby_of(number).expect("lives");
        pack.put(lobby.0.into(), 2);
        let place = self.room.line().place(number);
        let missed = place != Place::Gone && self.room.line().missed(number);
        pack.put(missed.into(), 1);
        match (self.room.permits().of_number(number), place) {
            (None, Place::Present) => pack.put(1, 3),
            (None, Place::Away(_)) => {
                pack.put(2, 3);
                pack.put(self.left(self.away_until[usize::from(person)]), 5);
            }
            (Some((_, grant)), _) => match grant.stage {
                Stage::Called { claim_by, .. } => {
                    pack.put(3, 3);
                    pack.put(self.left(claim_by), 5);
                }
                Stage::Leased(lease) => {
                    pack.put(4, 3);
                    pack.put(self.left(lease.idle_end), 5);
                    pack.put(self.left(lease.hard_end), 6);
                    pack.put(lease.extended_ms, 4);
                    pack.put(lease.provisional.into(), 1);
                }
            },
            (None, place) => panic!("number {number} lives and is {place:?}"),
        }
        pack.put(0, TICKET_BITS - pack.used);
        pack.bits as u64
    }
}
