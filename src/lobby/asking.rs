//! The asks that are not answered yet: what each waits for, what it wants of the room, and how far it got.

use super::timers::{Timer, Timers};
use super::{Asker, PATIENCE_MS};
use facts::holder::{Held, Shown};
use facts::reply::{NoTicket, Reached, Reply, Standing};
use facts::units::{AddressTag, Edition, Fence, Instant, LobbyId, Network, Number, Version, VisitorId};
use facts::voucher::{Unspent, Voucher};
use facts::wire::{AccountTold, Ask, LeaseTold, State, Wish};
use std::collections::BTreeMap;

/// The asks that are not answered yet. Each has one deadline: [`Timer::Poll`] while it is held, else [`Timer::Patience`].
#[derive(Clone, Debug, Default)]
pub(super) struct Asks {
    by_asker: BTreeMap<Asker, Asking>,
}

impl Asks {
    /// Adds an ask that came after the batch of this number had gone out. O(log asks).
    pub fn add(&mut self, now: Instant, asker: Asker, ask: Ask, since_batch: u64, timers: &mut Timers) {
        let asking = Asking {
            ask,
            waits_for: WaitsFor::News,
            progress: Progress::default(),
            since_batch,
            want: None,
        };
        self.by_asker.insert(asker, asking);
        timers.set(Timer::Patience(asker), now.plus_ms(PATIENCE_MS));
    }

    pub fn get(&self, asker: Asker) -> Option<&Asking> {
        self.by_asker.get(&asker)
    }

    pub fn get_mut(&mut self, asker: Asker) -> Option<&mut Asking> {
        self.by_asker.get_mut(&asker)
    }

    /// Removes an ask, with its deadline. O(log asks).
    pub fn remove(&mut self, asker: Asker, timers: &mut Timers) -> Option<Asking> {
        timers.cancel(Timer::Patience(asker));
        timers.cancel(Timer::Poll(asker));
        self.by_asker.remove(&asker)
    }

    /// Makes an ask wait for this.
    pub fn wait_for(&mut self, asker: Asker, waits_for: WaitsFor) {
        if let Some(asking) = self.get_mut(asker) {
            asking.waits_for = waits_for;
            if let WaitsFor::Wants(want) = waits_for {
                asking.want = Some(want);
            }
        }
    }

    /// Holds an ask until something that matters to its visitor happens, at the latest until then.
    pub fn hold(&mut self, asker: Asker, until: Instant, timers: &mut Timers) {
        self.wait_for(asker, WaitsFor::Held);
        timers.cancel(Timer::Patience(asker));
        timers.set(Timer::Poll(asker), until);
    }

    /// Notes that the room was heard after the ask came.
    pub fn hear(&mut self, asker: Asker) {
        if let Some(asking) = self.get_mut(asker) {
            asking.waits_for = WaitsFor::News;
            asking.progress.heard = true;
        }
    }

    /// Returns the askers whose asks are meant, in the order of their names. O(asks).
    pub fn askers(&self, is_meant: impl Fn(&Asking) -> bool) -> Vec<Asker> {
        let meant = self.by_asker.iter().filter(|(_, asking)| is_meant(asking));
        meant.map(|(asker, _)| *asker).collect()
    }

    /// Returns the held polls of the visitors that are meant. O(asks).
    pub fn held(&self, is_meant: impl Fn(VisitorId) -> bool) -> Vec<Asker> {
        self.askers(|asking| asking.waits_for == WaitsFor::Held && is_meant(asking.ask.visitor))
    }

    /// Whether the visitor already waits for a number that was counted: all its tabs get the same one. Each code counts by
    /// itself, or many at once would be one guess. O(asks).
    pub fn has_share(&self, ask: &Ask) -> bool {
        let is_same = |asking: &Asking| asking.ask.visitor == ask.visitor && asking.progress.shared && asking.wants().is_some();
        !is_guess(ask) && self.by_asker.values().any(is_same)
    }

    /// Counts the asks of other visitors of this network whose wish to the room satisfies `means`. O(asks).
    pub fn coming(&self, visitor: VisitorId, (network, common): (Network, AddressTag), means: impl Fn(Want) -> bool) -> u64 {
        let here = self.by_asker.values().filter(|asking| {
            let is_near = asking.ask.address().within(network) == common;
            is_near && asking.ask.visitor != visitor && asking.wants().is_some_and(&means)
        });
        here.count() as u64
    }

    /// Whether an ask wants to give this lease back, which the room may not have heard when it answered. O(asks).
    pub fn gives_back(&self, number: Number, fence: Fence) -> bool {
        self.by_asker.values().any(|asking| match asking.wants() {
            Some(Want::Release(given)) => given == fence,
            Some(Want::Leave(place)) => place.number == number,
            _ => false,
        })
    }
}

/// Whether the ask shows a code.
pub(super) fn is_guess(ask: &Ask) -> bool {
    let voucher = ask.spend.map(|spend| spend.voucher);
    ask.account.is_none() && matches!(voucher, Some(Voucher::Code(_)))
}

/// An ask that is not answered yet.
#[derive(Clone, Debug)]
pub struct Asking {
    pub ask: Ask,
    pub waits_for: WaitsFor,
    pub progress: Progress,
    /// The last batch that had gone out when the ask came.
    pub since_batch: u64,
    /// What was last asked of the room for it.
    pub want: Option<Want>,
}

impl Asking {
    /// Notes the room's answer to this wish, which went out at `sent_at`: `why` it gave no ticket, or how a lease of this `edition` stands. The numbers
    /// that a join gave came with the changes.
    pub fn take_reply(&mut self, want: Want, reply: &Reply, why: Option<NoTicket>, edition: Edition, sent_at: Instant) {
        let progress = &mut self.progress;
        progress.note_refusal(why);
        match want {
            Want::Join => {
                progress.joined = true;
                // A visitor who already had a place here got no other.
                progress.issued |= why.is_none() && progress.shared;
            }
            Want::WalkIn => progress.walked = true,
            Want::Shows(_) => {
                progress.showed = true;
                progress.lost = why == Some(NoTicket::Lost);
                // Nobody is told anything of a place that is lost.
                self.ask.shown = self.ask.shown.filter(|_| !progress.lost);
            }
            _ => progress.asked = true,
        }
        if let Reply::Stands(number, standing) = reply {
            progress.carried |= matches!(want, Want::Carry { .. }) && *standing != Standing::Over;
            progress.lease = lease_told(edition, *number, *standing);
            progress.lease_at = sent_at;
            progress.issued |= want == Want::WalkIn && progress.lease.is_some();
        }
    }

    /// What is now being asked of the room for it, or `None` if nothing is.
    pub fn wants(&self) -> Option<Want> {
        self.want.filter(|_| matches!(self.waits_for, WaitsFor::Wants(_) | WaitsFor::Sent(_)))
    }
}

/// What an ask waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitsFor {
    /// The first message of the room in this life, or a newer one than the lobby has.
    News,
    /// The room's answer to this wish, which goes out with the next batch.
    Wants(Want),
    /// The answer to the batch of this number, with which its wish went out.
    Sent(u64),
    /// The room's word on whether a lease lives.
    Check,
    /// Something that matters to the visitor, or the end of a long poll.
    Held,
}

/// What the lobby asks of the room for a visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    Join,
    WalkIn,
    Claim(Held, Fence),
    Renew(Fence),
    Extend { fence: Fence, total_ms: u64 },
    Release(Fence),
    Leave(Held),
    Carry { place: Held, row: Version },
    Shows(Shown),
}

/// What was done for an ask so far. Each question goes to the room once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Whether the room was heard after the ask came.
    pub heard: bool,
    pub walked: bool,
    /// Whether the ask was counted as one that takes a number.
    pub shared: bool,
    /// Whether the ask was counted as a guess at a code.
    pub guessed: bool,
    pub joined: bool,
    /// Whether the room was asked about the place that is shown.
    pub showed: bool,
    /// Whether the room answered that it has lost that place.
    pub lost: bool,
    pub asked: bool,
    pub checked: bool,
    /// The lease as the room told it in answer to this ask.
    pub lease: Option<LeaseTold>,
    /// When the lobby asked for it. The lease's remaining times count from here.
    pub lease_at: Instant,
    pub issued: bool,
    pub carried: bool,
    /// Whether this lobby holds as many tickets as it may.
    pub lobby_full: bool,
    /// Whether the room answered that its line is as long as it may be.
    pub line_full: bool,
    pub at: Option<LobbyId>,
    /// Why the account's place is not here.
    pub account: Option<AccountTold>,
    /// Why the voucher gave no place.
    pub unspent: Option<Unspent>,
}

impl Progress {
    fn note_refusal(&mut self, why: Option<NoTicket>) {
        match why {
            Some(NoTicket::At(lobby)) => self.at = Some(lobby),
            Some(NoTicket::Full) => self.line_full = true,
            Some(NoTicket::Elsewhere(reached)) => {
                self.account = Some(AccountTold::Elsewhere(state_of(reached)));
            }
            Some(NoTicket::Unspent(unspent)) => self.unspent = Some(unspent),
            Some(NoTicket::Another) => self.account = Some(AccountTold::Another),
            Some(NoTicket::Shut | NoTicket::NoWalkIn | NoTicket::Void | NoTicket::Lost) | None => {}
        }
    }
}

const fn state_of(reached: Reached) -> State {
    match reached {
        Reached::Hall => State::Hall,
        Reached::Waiting => State::Waiting,
        Reached::Called => State::Called,
        Reached::Admitted => State::Admitted,
    }
}

/// Returns the lease that a standing tells of, or `None` if it tells of none.
pub(super) const fn lease_told(edition: Edition, number: Number, standing: Standing) -> Option<LeaseTold> {
    match standing {
        Standing::Admitted {
            fence,
            idle_in_ms,
            hard_in_ms,
            provisional,
            ..
        } => Some(LeaseTold {
            number,
            edition,
            fence,
            idle_in_ms,
            hard_in_ms,
            provisional,
        }),
        Standing::Waiting { .. } | Standing::Called { .. } | Standing::Over => None,
    }
}

/// Whether the wish can lead to a number.
pub(super) const fn takes_number(wish: Wish) -> bool {
    matches!(wish, Wish::Join | Wish::Attend | Wish::Arrive { .. })
}

/// Whether the wish is a sign of life of its visitor.
pub(super) const fn counts_as_seen(wish: Wish) -> bool {
    matches!(
        wish,
        Wish::Join | Wish::Attend | Wish::Arrive { .. } | Wish::Status { .. } | Wish::Claim | Wish::Offer | Wish::Carry { .. }
    )
}
