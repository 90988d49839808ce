//! What goes to the room, one batch at a time, and what comes back.
//!
//! An ask belongs to the batch with which it went out, and only that batch's answer is for it. A batch that gets no answer is given up. What is
//! still wanted goes with the next batch, under another number. It may reach the room twice, since each command names what it means.

use super::asking::{Asking, WaitsFor, Want};
use super::limits::Payer;
use super::timers::Timer;
use super::{Asker, CallId, Lobby, Moment, Way};
use facts::command::Command;
use facts::enter::{Enter, Enters, Person};
use facts::holder::{Comes, Held, Member};
use facts::lane_name::LaneName;
use facts::limits::{BATCH_COMMANDS_MAX, JOIN_COUNT_MAX};
use facts::message::{Answer, Batch, Change, Message, ToRoom};
use facts::reply::{NoTicket, Reply, Standing};
use facts::units::{Edition, Instant, Number};
use facts::voucher::Spend;
use facts::wire::{Ask, Wish};
use std::collections::BTreeSet;

/// The most places that one batch gives up, and the most leases that it slides: at least half of its commands are left for wishes, for which somebody
/// waits.
const BESIDE_WISHES_MAX: usize = BATCH_COMMANDS_MAX / 4;

/// A batch on its way.
#[derive(Clone, Debug)]
pub(super) struct Flight {
    pub call: CallId,
    number: u64,
    /// When it left. No message that answers it can be older, so remaining times count from here.
    sent_at: Instant,
    /// The wishes for which its commands are, in order.
    asked: Vec<Asked>,
    /// The places that it gives up.
    given_up: BTreeSet<Held>,
    /// The presence that it tells: each number, and whether its holder is away.
    presence: Vec<(Number, bool)>,
    /// The way it went.
    way: Way,
}

/// A wish that went out.
#[derive(Clone, Copy, Debug)]
struct Asked {
    asker: Asker,
    want: Want,
    /// The index of its command in the batch, and for a join the index of its holder in the command.
    command: usize,
    place: u32,
}

impl Asked {
    /// Why the reply gives this wish no ticket, or `None` if it does.
    fn refusal(&self, reply: &Reply) -> Option<NoTicket> {
        match reply {
            Reply::Joined(without) => {
                let found = without.binary_search_by_key(&self.place, |(place, _)| *place);
                let found = found.ok().and_then(|at| without.get(at));
                found.map(|(_, why)| *why)
            }
            Reply::None(why) => Some(*why),
            Reply::Stands(..) | Reply::Done => None,
        }
    }
}

impl Flight {
    /// The number of wishes that it carries.
    pub fn len(&self) -> usize {
        self.asked.len()
    }
}

impl Lobby {
    /// Sends the next batch if there is something to send and none is out. O(commands · log tickets).
    pub(super) fn send(&mut self, m: Moment) {
        if self.flight.is_some() || !self.link.is_whole() || self.timers.has(Timer::Again) {
            return;
        }
        let presence = self.guests.presence(&mut self.replica);
        let only_wishes = self.given_up.is_empty() && self.sliding.is_empty() && presence.is_none();
        let must = !only_wishes || self.wants_look || self.counts.is_overdue();
        if !must && (self.queue.is_empty() || self.company.is_waited_for(self.queue.len(), &self.timers)) {
            return;
        }
        let given_up = take_first(&mut self.given_up, BESIDE_WISHES_MAX);
        let sliding = take_first(&mut self.sliding, BESIDE_WISHES_MAX);
        let leaves = given_up.iter().copied().map(Command::Leave);
        let mut commands: Vec<Command> = leaves.collect();
        commands.extend(sliding.into_iter().map(Command::Renew));
        let asked = self.take_wants(&mut commands);
        let mut said = Vec::new();
        if let Some((presence, numbers)) = presence {
            commands.push(presence);
            said = numbers;
        }
        if commands.is_empty() && !must {
            return;
        }
        commands.extend(self.counts.take_overheard(m.now));
        self.wants_look = false;
        self.batches += 1;
        let batch = Batch {
            lobby: self.id,
            life: self.life,
            room: self.replica.life(),
            memory: self.memory,
            number: self.batches,
            since: self.replica.have(),
            attempts: self.counts.take_attempts(),
            commands,
        };
        self.timers.cancel(Timer::Counts);
        let way = self.reach.way(self.config.porter, m.now);
        self.flight = Some(Flight {
            number: self.batches,
            sent_at: m.now,
            asked,
            given_up,
            presence: said,
            way,
            call: self.reach.call(m.now, ToRoom::Batch(batch), way, &mut self.timers, &mut self.effects),
        });
    }

    /// Whether the lobby gives this place up: with the next batch, or with the one that is out.
    pub(super) fn is_given_up(&self, place: &Held) -> bool {
        let out = self.flight.as_ref().map(|flight| &flight.given_up);
        self.given_up.contains(place) || out.is_some_and(|out| out.contains(place))
    }

    /// Gives up on a porter that brought no answer to the batch that is out. What is still wanted goes to the room directly at once, and so does
    /// everything else for a while. Returns `false` if the batch did not go by a porter.
    pub(super) fn goes_past_porter(&mut self, now: Instant) -> bool {
        let had = self.flight.as_ref().is_some_and(|flight| flight.way == Way::Porter);
        if had {
            self.reach.rest_porter(now);
            self.batch_is_lost();
        }
        had
    }

    /// Turns the queued wishes into commands, in the order in which they came. Consecutive joins share one command.
    ///
    /// Long because it has an arm for each wish.
    fn take_wants(&mut self, commands: &mut Vec<Command>) -> Vec<Asked> {
        let mut asked: Vec<Asked> = Vec::new();
        let fits = |commands: &Vec<Command>, asked: &Vec<Asked>| commands.len() < BATCH_COMMANDS_MAX && asked.len() < JOIN_COUNT_MAX as usize;
        while fits(commands, &asked)
            && let Some(asker) = self.queue.pop_front()
        {
            let number = self.batches + 1;
            let Some(asking) = self.asks.get_mut(asker) else {
                continue;
            };
            let WaitsFor::Wants(want) = asking.waits_for else {
                continue;
            };
            asking.waits_for = WaitsFor::Sent(number);
            let ask = asking.ask.clone();
            let holder = self.guests.holder_by(&ask);
            let mut place = 0;
            match want {
                Want::Join | Want::WalkIn => {
                    let enter = self.enter_for(&ask, want);
                    match commands.last_mut().and_then(|last| joins_too(last, &enter)) {
                        Some(at) => place = at,
                        None => commands.push(Command::Enter(enter)),
                    }
                }
                Want::Claim(place, fence) => commands.push(Command::Claim { place, fence }),
                Want::Renew(fence) => commands.push(Command::Renew(fence)),
                Want::Extend { fence, total_ms } => {
                    commands.push(Command::Extend { fence, total_ms });
                }
                Want::Release(fence) => commands.push(Command::Release(fence)),
                Want::Shows(shown) => commands.push(Command::Shows { key: holder.key, shown }),
                Want::Leave(place) => commands.push(Command::Leave(place)),
                Want::Carry { place, row } => commands.push(Command::Carry { place, row, to: holder }),
            }
            asked.push(Asked {
                asker,
                want,
                command: commands.len() - 1,
                place,
            });
        }
        self.company.leave(!self.queue.is_empty(), &mut self.timers);
        asked
    }

    /// Returns how this ask comes in, alone. A voucher leads to its own lane.
    fn enter_for(&self, ask: &Ask, want: Want) -> Enter {
        let member = self.member_of(ask);
        let person = member.map_or_else(|| self.guests.holder_by(ask).into(), Person::from);
        let spend = self.spend_for(ask);
        Enter {
            how: match want {
                Want::WalkIn => Enters::WalkIn,
                _ => Enters::Join,
            },
            lane: self.lane_wanted(ask).filter(|_| spend.is_none()),
            who: Person { spend, ..person }.into(),
        }
    }

    /// The voucher that this wish spends. A visitor who has a place and only looks at a page spends none.
    fn spend_for(&self, ask: &Ask) -> Option<Spend> {
        ask.spend.filter(|_| ask.account.is_none() && !self.only_looks(ask))
    }

    /// The lane into which this wish brings the visitor. A visitor who has a place and only looks at a page is moved nowhere.
    fn lane_wanted(&self, ask: &Ask) -> Option<LaneName> {
        let named = ask.lane.filter(|_| !self.only_looks(ask))?;
        self.picture.lanes().named(named).map(|lane| lane.name)
    }

    fn only_looks(&self, ask: &Ask) -> bool {
        matches!(ask.wish, Wish::Arrive { .. }) && self.ticket_of(ask.visitor).is_some()
    }

    /// Returns the member as which this ask joins for its account, or `None` if it names none.
    pub(super) fn member_of(&self, ask: &Ask) -> Option<Member> {
        let asked = ask.account?;
        let is_back = |edition| edition == self.replica.edition();
        Some(Member {
            holder: self.guests.holder_by(ask),
            account: self.guests.account_of(asked.id),
            comes: match ask.shown {
                _ if asked.take => Comes::ByButton,
                Some(shown) if is_back(shown.edition) => Comes::Back,
                _ => Comes::Anew,
            },
        })
    }

    /// Takes in the room's answer to the batch that is out. O(batch · log tickets).
    pub(super) fn batch_answered(&mut self, m: Moment, answer: &Answer) {
        let Some(flight) = self.flight.take() else {
            return;
        };
        let message = &answer.message;
        let is_news = self.hears(m, message, flight.sent_at);
        for (number, away) in &flight.presence {
            // If the answer is old, the lobby can't tell whether what it knows includes this presence, so it says it again.
            if is_news {
                let away = away_now(message, *number).unwrap_or(*away);
                self.replica.presence_heard(*number, away);
            } else {
                self.replica.presence_unheard(*number);
            }
        }
        for asked in &flight.asked {
            if let Some(reply) = answer.replies.get(asked.command) {
                self.take_reply(message.gist.edition, &flight, asked, reply);
            }
        }
        for reply in answer.replies.iter().filter(|_| is_news) {
            if let Reply::Stands(number, standing) = reply {
                self.note_lease(m.now, *number, *standing, flight.sent_at);
            }
        }
        self.batch_goes_on(m, flight.number);
    }

    /// Notes what a reply means for its asker, and for what it has spent.
    fn take_reply(&mut self, edition: Edition, flight: &Flight, asked: &Asked, reply: &Reply) {
        let why = asked.refusal(reply);
        let Some(asking) = self.asks.get_mut(asked.asker) else {
            return;
        };
        asking.take_reply(asked.want, reply, why, edition, flight.sent_at);
        let ask = asking.ask.clone();
        let progress = &mut asking.progress;
        let was_guess = core::mem::take(&mut progress.guessed);
        let gives_back = why.is_some() && core::mem::take(&mut progress.shared);
        let payer = Payer::of(&ask);
        if gives_back {
            self.gives_share_back(payer);
        }
        if was_guess && !matches!(why, Some(NoTicket::Unspent(_))) {
            self.refund_guess(payer);
        }
        if asked.want == Want::Join
            && why.is_none()
            && let Some(member) = self.member_of(&ask)
        {
            self.replica.note_account(member.holder.key, member.account);
        }
    }

    /// Notes how a lease stands. The room tells the ends of a lease only when asked.
    fn note_lease(&mut self, now: Instant, number: Number, standing: Standing, since: Instant) {
        self.replica.note_lease(number, standing, since);
        if let Some(ticket) = self.replica.of_number(number) {
            let key = ticket.holder.key;
            self.guests.slide_later(now, key, &self.replica, &mut self.timers);
        }
    }

    /// Goes on with the asks whose wish went out in this batch, and with those that wait for news and came
    /// before it left: its answer is newer than they are.
    fn batch_goes_on(&mut self, m: Moment, batch: u64) {
        let is_next = |asking: &Asking| match asking.waits_for {
            WaitsFor::Sent(number) => number == batch,
            WaitsFor::News => asking.since_batch < batch,
            WaitsFor::Wants(_) | WaitsFor::Check | WaitsFor::Held => false,
        };
        self.go_on(m, self.asks.askers(is_next));
    }

    /// Gives up the batch that is out. What is still wanted goes again. The next batch goes in any case, so that
    /// the room need not push what the lost answer said.
    pub(super) fn batch_is_lost(&mut self) {
        let Some(flight) = self.flight.take() else {
            return;
        };
        for (number, _) in &flight.presence {
            self.replica.presence_unheard(*number);
        }
        for Asked { asker, want, .. } in flight.asked.into_iter().rev() {
            if self.asks.get(asker).is_some() {
                self.asks.wait_for(asker, WaitsFor::Wants(want));
                self.queue.push_front(asker);
            }
        }
        // Somebody else's join counts on these. A place that is over already loses nothing by it.
        self.given_up.extend(flight.given_up);
        self.company.hurry();
        self.wants_look = true;
    }
}

/// Takes the first `most` out of a set; the rest stays for the next batch.
fn take_first<T: Ord>(from: &mut BTreeSet<T>, most: usize) -> BTreeSet<T> {
    let mut taken = BTreeSet::new();
    while taken.len() < most
        && let Some(first) = from.pop_first()
    {
        taken.insert(first);
    }
    taken
}

/// Adds somebody who joins to the last command if that is a join of the same lane and kind. Returns the index in it, or `None` if it is not.
fn joins_too(last: &mut Command, enter: &Enter) -> Option<u32> {
    let Command::Enter(last) = last else {
        return None;
    };
    let is_alike = (last.how, last.lane) == (enter.how, enter.lane);
    if !is_alike || enter.how == Enters::WalkIn {
        return None;
    }
    let at = last.who.push_alike(enter.who.iter().next()?)?;
    u32::try_from(at).ok()
}

/// Returns whether the message calls the ticket's holder away, or `None` if it does not say that the ticket waits.
fn away_now(message: &Message, number: Number) -> Option<bool> {
    let found = message.changes.binary_search_by_key(&number, Change::number);
    match message.changes.get(found.ok()?)? {
        Change::Lives(listed) => match listed.standing {
            Standing::Waiting { away, .. } => Some(away),
            _ => None,
        },
        Change::Over(..) => None,
    }
}
