//! What each fact says beyond the audit's ledger: who holds a ticket and whose account's it is, since when somebody is away, and what changed in which
//! row. It looks at the ledger as it stands before the fact.

use super::vouchers::Sheet;
use crate::audit::{Ledger, Moment, Watch};
use baton::facts::event::{Event, How};
use baton::facts::holder::{Holder, Key};
use baton::facts::message::Ended as Why;
use baton::facts::units::{Fence, Instant, LobbyId, Number, Version};
use baton::facts::voucher::SheetId;
use std::collections::BTreeMap;

/// Whether a ticket is over, and how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It was not over when something last happened to it.
    Not,
    /// It ended with the line.
    WithTheLine,
    /// It ended by itself.
    By(Why),
}

/// The last thing that happened to a ticket.
#[derive(Clone, Copy, Debug)]
pub(super) struct Changed {
    pub lobby: LobbyId,
    pub version: Version,
    pub ended: Ended,
}

/// A living ticket's holder, and since when the holder is away, if so.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub holder: Holder,
    pub away_since: Instant,
}

/// See the file's documentation.
#[derive(Clone, Debug, Default)]
pub(super) struct Beside {
    /// The holders of living tickets.
    pub held: BTreeMap<Number, Held>,
    /// The account of each number, whether its ticket lives or not.
    pub owned: BTreeMap<Number, Key>,
    pub sheets: BTreeMap<SheetId, Sheet>,
    pub changed: BTreeMap<Number, Changed>,
    /// Everything that was ever put into `changed`, the oldest row first.
    pub changes: Vec<(Version, Number)>,
    /// The entries of halls that became numbers in the last row.
    pub drawn: Vec<(Number, Number)>,
    pub version: Version,
    pub told_from: Version,
}

impl Watch for Beside {
    /// Long because it has an arm for each fact that says something beyond the ledger.
    fn before(&mut self, ledger: &Ledger, moment: Moment, fact: &Event) {
        if self.version != Version(moment.row) {
            self.drawn.clear();
        }
        self.version = Version(moment.row);
        match fact {
            Event::Joined { lobby, holders, first, .. } | Event::Entered { lobby, holders, first, .. } => {
                for (nth, holder) in (0..).zip(holders) {
                    self.comes(first.plus(nth), *lobby, *holder);
                }
            }
            Event::WalkedIn { lobby, number, holder, .. } => self.comes(*number, *lobby, holder.unwrap_or_default()),
            Event::Owned { tickets, accounts } => {
                let all = tickets.iter().copied().zip(accounts.iter().copied());
                self.owned.extend(all);
            }
            Event::Moved { from, to } => {
                let lobby = lobby_of(ledger, *from);
                self.renumber(*from, *to);
                self.note(*from, lobby, Ended::By(Why::Moved));
                self.note(*to, lobby, Ended::Not);
            }
            Event::Drawn { draw, seed, first, .. } => {
                let id = first.lane();
                let order = ledger.lanes.of(id).map(|lane| lane.hall.order(*draw, seed));
                for (nth, (entry, ..)) in (0..).zip(order.unwrap_or_default()) {
                    let (from, to) = (id.entry(entry), first.plus(nth));
                    self.renumber(from, to);
                    self.drawn.push((from, to));
                }
                self.forgets_changes();
            }
            Event::Called { number, .. } => self.happens(ledger, *number),
            Event::Handed { from, how, number, .. } => {
                self.ends(ledger, moment, *from, *how);
                self.happens(ledger, *number);
            }
            Event::Ended { fence, how, .. } => self.ends(ledger, moment, *fence, *how),
            Event::Claimed { fence } => {
                if let Some(grant) = ledger.grant(fence.0) {
                    self.happens(ledger, grant.number);
                }
            }
            Event::Carried { number, to, .. } => {
                if let Some(held) = self.held.get_mut(number) {
                    held.holder = to.unwrap_or_default();
                }
                self.happens(ledger, *number);
            }
            Event::WentAway(numbers) => numbers.iter().for_each(|number| self.goes_away(*number, moment)),
            Event::Left(number) => self.over(ledger, *number, Ended::By(Why::Left)),
            Event::GraceEnded { .. } => {
                let is_due = |until_ms: Option<u64>| until_ms.is_some_and(|until_ms| until_ms <= moment.at_ms);
                for (number, _) in ledger.lanes.living().filter(|(_, until_ms)| is_due(*until_ms)) {
                    self.over(ledger, number, Ended::By(Why::Away));
                }
            }
            Event::LineEnded { .. } => {
                for (number, _) in ledger.lanes.living() {
                    self.over(ledger, number, Ended::WithTheLine);
                }
            }
            // A visitor whom the operator dismisses did not leave.
            Event::Dismissed { number, .. } => {
                if let Some(changed) = self.changed.get_mut(number) {
                    changed.ended = Ended::By(Why::Released);
                }
            }
            Event::Reset { .. } => {
                self.held.clear();
                self.owned.clear();
                self.sheets.values_mut().for_each(Sheet::begin);
                self.forgets_changes();
            }
            Event::SheetMade {
                sheet, terms, slips, codes, ..
            } => {
                self.sheets.insert(*sheet, Sheet::new(terms, *slips, codes));
            }
            Event::SheetWithdrawn { sheet, .. } => {
                self.sheets.remove(sheet);
            }
            Event::Spent(spent) => {
                if let Some(sheet) = self.sheets.get_mut(&spent.sheet) {
                    sheet.spend(spent);
                }
            }
            _ => {}
        }
    }
}

fn lobby_of(ledger: &Ledger, number: Number) -> LobbyId {
    LobbyId(ledger.lobby_of(number).unwrap_or_default())
}

impl Beside {
    fn comes(&mut self, number: Number, lobby: LobbyId, holder: Holder) {
        let away_since = Instant::default();
        self.held.insert(number, Held { holder, away_since });
        self.note(number, lobby, Ended::Not);
    }

    fn renumber(&mut self, from: Number, to: Number) {
        if let Some(held) = self.held.remove(&from) {
            self.held.insert(to, held);
        }
        if let Some(account) = self.owned.remove(&from) {
            self.owned.insert(to, account);
        }
    }

    fn goes_away(&mut self, number: Number, moment: Moment) {
        if let Some(held) = self.held.get_mut(&number) {
            held.away_since = Instant(moment.at_ms);
        }
    }

    /// Takes in that a permit comes back.
    fn ends(&mut self, ledger: &Ledger, moment: Moment, fence: Fence, how: How) {
        let Some(grant) = ledger.grant(fence.0) else {
            return;
        };
        let why = match how {
            How::Missed => {
                self.goes_away(grant.number, moment);
                return self.happens(ledger, grant.number);
            }
            How::MissedAgain => Why::Missed,
            How::Left => Why::Left,
            How::Released => Why::Released,
            How::Expired => Why::Expired,
        };
        self.over(ledger, grant.number, Ended::By(why));
    }

    fn over(&mut self, ledger: &Ledger, number: Number, ended: Ended) {
        self.held.remove(&number);
        self.note(number, lobby_of(ledger, number), ended);
    }

    fn happens(&mut self, ledger: &Ledger, number: Number) {
        self.note(number, lobby_of(ledger, number), Ended::Not);
    }

    fn note(&mut self, number: Number, lobby: LobbyId, ended: Ended) {
        let version = self.version;
        self.changed.insert(number, Changed { lobby, version, ended });
        self.changes.push((version, number));
    }

    /// Forgets all changes: lobbies are not told one by one of what was before.
    fn forgets_changes(&mut self) {
        self.changed.clear();
        self.changes.clear();
        self.told_from = self.version;
    }
}
