//! A row that a lobby's commands led to: its own visitors join, come, go, come back and are carried; anybody's fence may be used. A
//! device may take over the place of its account wherever that is (`owned.rs`).
//!
//! What the lobby was answered is not in the journal: it says how things are when the turn ends, so there is nothing more to check.
//! Of permits that ran out a command may take back all or none, and only where that is for somebody who asks.

use super::ledger::{Ledger, Stage};
use super::turn::{FORM, Facts, UNDONE, Wrong, name, ran_out};
use super::{Watch, require, vouchers};
use baton::facts::event::Event;
use baton::facts::units::Number;

/// Most lobbies of a room.
const LOBBIES_MAX: u16 = 256;

const OWN: &str = "a lobby speaks of its own tickets";
const ASKED: &str = "what ran out is taken back for somebody";

/// Permits that are being taken back because somebody asks.
#[derive(Clone, Copy)]
struct Collected {
    /// There was none free before.
    nothing_free: bool,
    /// There were leases among them: somebody may have asked by the key of one.
    leases: bool,
    /// There was a lease past its hard end among them: somebody may have renewed it.
    hard_ended: bool,
}

impl<W: Watch> Facts<'_, W> {
    /// Checks the facts of a batch and enters them.
    pub(super) fn batch(&mut self, facts: &[Event]) -> Result<(), Wrong> {
        let (mut lobby, mut collected) = (None, None);
        for (at, event) in facts.iter().enumerate() {
            let next = facts.get(at + 1);
            let before = facts.get(at.wrapping_sub(1));
            self.follows_its_ticket(event, before)?;
            self.next(vouchers::follows_its_ticket(event, before))?;
            self.may_follow(event, next)?;
            if matches!(event, Event::Ended { how, .. } if ran_out(*how)) {
                self.collect(event, &mut collected)?;
                continue;
            }
            self.were_asked_for(collected.take(), Some(event))?;
            self.are_its_own(event, next, &mut lobby)?;
            self.enter(event)?;
        }
        self.were_asked_for(collected, None)?;
        self.ledger.totals.batches += 1;
        Ok(())
    }

    /// Whether tickets become accounts' right where they are issued, all that were, or one by one.
    fn follows_its_ticket(&self, event: &Event, before: Option<&Event>) -> Result<(), Wrong> {
        let Event::Owned { tickets, .. } = event else {
            return Ok(());
        };
        let from = |first: Number, count: u32| (0..u64::from(count)).map(move |n| first.plus(n));
        let issued = match before {
            Some(Event::Joined { first, count, .. } | Event::Entered { first, count, .. }) => {
                tickets.iter().copied().eq(from(*first, *count))
            }
            _ => false,
        };
        self.next(require(FORM, issued || tickets.len() == 1, || {
            format!(
                "{} tickets became accounts' at once, and were not issued so",
                tickets.len()
            )
        }))
    }

    /// Whether a command can lead to this fact; `next` is the one after it.
    fn may_follow(&self, event: &Event, next: Option<&Event>) -> Result<(), Wrong> {
        let by_commands = match event {
            Event::Attempted { .. } => next.is_none(),
            Event::Configured(_)
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
            | Event::Reset { .. } => false,
            _ => true,
        };
        self.next(require(FORM, by_commands, || {
            format!("`{}` has no place in a row like this", name(event))
        }))
    }

    /// A permit that ran out is taken back within a batch.
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

    /// There must be somebody for whom this was taken back: `next` is for whom, or else somebody who was then given nothing.
    fn were_asked_for(
        &self,
        collected: Option<Collected>,
        next: Option<&Event>,
    ) -> Result<(), Wrong> {
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
        // A join for an account may find that its own place has run out, and then take over or own another.
        let moves = matches!(
            next,
            Some(Event::Carried { .. } | Event::Owned { .. } | Event::Left(_))
        );
        let joins = moves || matches!(next, Some(Event::Joined { .. } | Event::Entered { .. }));
        let walks_in = matches!(next, Some(Event::WalkedIn { .. }));
        let given = walks_in || (joins && collected.leases);
        self.next(require(ASKED, given || self.in_vain(collected), || {
            "permits were taken back, and nobody who may have asked was given nothing".to_owned()
        }))
    }

    /// Whether somebody for whom permits were taken back may have been given nothing.
    fn in_vain(&self, collected: Collected) -> bool {
        let ledger = &*self.ledger;
        let free = ledger.hand + ledger.tray > 0 || ledger.observes();
        let mode = ledger.mode();
        let has_room = ledger.has_room();
        // Into which lane they may have asked to come is not known.
        let mut lanes = ledger.lanes.taking();
        let walks_in = lanes.all(|lane| ledger.may_walk_in(self.at_ms(), lane)) && free && has_room;
        let mut lanes = ledger.lanes.taking();
        let joins = lanes.all(|lane| lane.issues(mode) || lane.takes_entries(mode)) && has_room;
        // The account's place may be elsewhere, and stay there.
        let elsewhere = collected.leases && ledger.any_owned();
        !walks_in || elsewhere || (collected.leases && (collected.hard_ended || !joins))
    }

    /// All of a row is one lobby's. Who holds a fence uses it through any; and who takes a place over leaves the own one, wherever
    /// that is, right before.
    fn are_its_own(
        &self,
        event: &Event,
        next: Option<&Event>,
        lobby: &mut Option<u16>,
    ) -> Result<(), Wrong> {
        let moves = matches!(next, Some(Event::Carried { .. }));
        for of in spoken_of(self.ledger, event, moves) {
            let first = *lobby.get_or_insert(of);
            self.next(require(OWN, of == first && of < LOBBIES_MAX, || {
                format!(
                    "`{}` is about a ticket of lobby {of}, in a row of lobby {first}",
                    name(event)
                )
            }))?;
        }
        Ok(())
    }
}

/// The lobbies whose word this fact follows from.
fn spoken_of(ledger: &Ledger, event: &Event, moves: bool) -> Vec<u16> {
    let of = |number: Number| ledger.lobby_of(number);
    match event {
        Event::Joined { lobby, .. }
        | Event::Entered { lobby, .. }
        | Event::WalkedIn { lobby, .. } => vec![lobby.0],
        Event::Claimed { fence } => ledger
            .grant(fence.0)
            .map(|grant| grant.lobby)
            .into_iter()
            .collect(),
        Event::Carried { number, .. } if ledger.is_owned(*number) => Vec::new(),
        Event::Carried { number, .. } => of(*number).into_iter().collect(),
        Event::Left(number) if !moves => of(*number).into_iter().collect(),
        Event::Moved { from, .. } => of(*from).into_iter().collect(),
        Event::WentAway(numbers) | Event::CameBack(numbers) => {
            numbers.iter().filter_map(|number| of(*number)).collect()
        }
        _ => Vec::new(),
    }
}
