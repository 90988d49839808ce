//! Checks a row that lobbies' commands led to. A lobby speaks of its own visitors only: they join, enter, go away, come back and are carried. A
//! command may name any fence. A device may take over the place of its account in any lobby (`owned.rs`).
//!
//! A porter brings the batches of several lobbies at once, and one row holds them all. No fact says where one batch ends, so each fact is checked
//! against one lobby, and the row against none.
//!
//! The journal does not hold what a lobby was answered. An answer says how things are when the turn ends, so there is nothing more to check. A
//! command takes back all permits that ran out, or none, and only for a visitor who asks.

use super::export::name;
use super::lanes::Lane;
use super::ledger::{Ledger, Stage};
use super::turn::{FORM, Facts, UNDONE, Wrong, ran_out};
use super::{Watch, require, vouchers};
use baton::facts::event::Event;
use baton::facts::units::Number;

/// The most lobbies of a room.
const LOBBIES_MAX: u16 = 256;

const OWN: &str = "a lobby speaks of its own tickets";
const ASKED: &str = "what ran out is taken back for somebody";

/// Permits that the row takes back because somebody asks.
#[derive(Clone, Copy)]
struct Collected {
    /// No permit was free before.
    nothing_free: bool,
    /// Some were leases: a visitor may have asked by the key of one.
    leases: bool,
    /// Some were leases past their hard end: a visitor may have renewed one.
    hard_ended: bool,
}

impl<W: Watch> Facts<'_, W> {
    /// Checks the facts of a batch and enters them.
    pub(super) fn batch(&mut self, facts: &[Event]) -> Result<(), Wrong> {
        let mut collected = None;
        for (at, event) in facts.iter().enumerate() {
            let before = facts.get(at.wrapping_sub(1));
            self.follows_its_ticket(event, before)?;
            self.next(vouchers::follows_its_ticket(event, before))?;
            self.may_follow(event)?;
            if matches!(event, Event::Ended { how, .. } if ran_out(*how)) {
                self.collect(event, &mut collected)?;
                continue;
            }
            self.were_asked_for(collected.take(), Some(event))?;
            self.is_one_lobbys(event)?;
            self.enter(event)?;
        }
        self.were_asked_for(collected, None)?;
        self.ledger.totals.batches += 1;
        Ok(())
    }

    /// Checks that tickets become accounts' right after the fact that issued them, all of them, or one by one.
    fn follows_its_ticket(&self, event: &Event, before: Option<&Event>) -> Result<(), Wrong> {
        let Event::Owned { tickets, .. } = event else {
            return Ok(());
        };
        let from = |first: Number, count: u32| (0..u64::from(count)).map(move |n| first.plus(n));
        let issued = match before {
            Some(Event::Joined { first, count, .. } | Event::Entered { first, count, .. }) => tickets.iter().copied().eq(from(*first, *count)),
            _ => false,
        };
        self.next(require(FORM, issued || tickets.len() == 1, || {
            format!("{} tickets became accounts' at once, and were not issued so", tickets.len())
        }))
    }

    /// Checks that a command can lead to this fact.
    fn may_follow(&self, event: &Event) -> Result<(), Wrong> {
        let by_others = matches!(
            event,
            Event::Configured(_)
                | Event::Begun { .. }
                | Event::Called { .. }
                | Event::TrayEmptied { .. }
                | Event::GraceEnded { .. }
                | Event::Turned
                | Event::LineEnded { .. }
                | Event::Adjusted { .. }
                | Event::Dismissed { .. }
                | Event::Doors(_)
                | Event::LaneDoors { .. }
                | Event::Committed(_)
                | Event::LaneCommitted { .. }
                | Event::Drawn { .. }
                | Event::Scheduled { .. }
                | Event::SheetMade { .. }
                | Event::SheetWithdrawn { .. }
                | Event::Reset { .. }
        );
        self.next(require(FORM, !by_others, || format!("`{}` has no place in a row like this", name(event))))
    }

    /// Enters a permit that ran out and is taken back within a batch.
    fn collect(&mut self, event: &Event, collected: &mut Option<Collected>) -> Result<(), Wrong> {
        let Event::Ended { fence, .. } = event else {
            return Ok(());
        };
        let all = collected.get_or_insert(Collected {
            nothing_free: self.ledger.hand + self.ledger.tray == 0,
            leases: false,
            hard_ended: false,
        });
        if let Some(Stage::Leased(lease)) = self.ledger.grant(fence.0).map(|grant| grant.stage) {
            all.leases = true;
            all.hard_ended |= lease.hard_end_ms <= self.at_ms();
        }
        self.runs_out(event)?;
        self.enter(event)
    }

    /// Checks that permits were taken back for somebody: for the subject of `next`, or for a visitor who was then given nothing.
    fn were_asked_for(&self, collected: Option<Collected>, next: Option<&Event>) -> Result<(), Wrong> {
        let Some(collected) = collected else {
            let free = self.ledger.hand + self.ledger.tray;
            let walks_in = matches!(next, Some(Event::WalkedIn { .. }));
            let looked = !walks_in || free > 0 || !self.ledger.anything_due(self.at_ms());
            return self.next(require(UNDONE, looked, || {
                let (fence, _) = self.ledger.first_due().unwrap_or_default();
                format!("nothing was free for a walk-in, and the permit {fence}, which was due, did not come back")
            }));
        };
        self.all_has_come_back()?;
        let asked = collected.leases || collected.nothing_free;
        self.next(require(FORM, asked, || {
            "permits were taken back for a walk-in, and one was free".to_owned()
        }))?;
        // A join for an account may find that the account's place has run out, and then take over or own another.
        let moves = matches!(next, Some(Event::Carried { .. } | Event::Owned { .. } | Event::Left(_)));
        let joins = moves || matches!(next, Some(Event::Joined { .. } | Event::Entered { .. }));
        let walks_in = matches!(next, Some(Event::WalkedIn { .. }));
        let given = walks_in || (joins && collected.leases);
        self.next(require(ASKED, given || self.in_vain(collected), || {
            "permits were taken back, and nobody who may have asked was given nothing".to_owned()
        }))
    }

    /// Returns true if a visitor for whom permits were taken back may have been given nothing.
    fn in_vain(&self, collected: Collected) -> bool {
        let ledger = &*self.ledger;
        let free = ledger.hand + ledger.tray > 0 || ledger.observes();
        let mode = ledger.mode();
        let has_room = ledger.has_room();
        // The journal does not say which lane they asked for.
        let mut lanes = ledger.lanes.taking();
        let walks_in = lanes.all(|(_, lane)| ledger.may_walk_in(self.at_ms(), lane)) && free && has_room;
        let mut lanes = ledger.lanes.taking();
        let takes = |id, lane: &Lane| (lane.issues(mode) || lane.takes_entries(mode)) && ledger.keeps_cap(id, 1).is_ok();
        let joins = lanes.all(|(id, lane)| takes(id, lane)) && has_room;
        // The account's place may be in another lobby and stay there.
        let elsewhere = collected.leases && ledger.any_owned();
        !walks_in || elsewhere || (collected.leases && (collected.hard_ended || !joins))
    }

    /// Checks that every ticket of a fact belongs to one lobby.
    fn is_one_lobbys(&self, event: &Event) -> Result<(), Wrong> {
        let of = spoken_of(self.ledger, event);
        let first = of.first().copied().unwrap_or_default();
        let other = of.iter().find(|of| **of != first || **of >= LOBBIES_MAX);
        self.next(require(OWN, other.is_none(), || {
            let other = other.copied().unwrap_or_default();
            format!("`{}` is about a ticket of lobby {other}, by the word of lobby {first}", name(event))
        }))
    }
}

/// Returns the lobbies that a fact names, or whose tickets it names.
fn spoken_of(ledger: &Ledger, event: &Event) -> Vec<u16> {
    match event {
        Event::Joined { lobby, .. } | Event::Entered { lobby, .. } | Event::WalkedIn { lobby, .. } => vec![lobby.0],
        Event::WentAway(numbers) | Event::CameBack(numbers) => {
            let of = |number: &Number| ledger.lobby_of(*number);
            numbers.iter().filter_map(of).collect()
        }
        _ => Vec::new(),
    }
}
