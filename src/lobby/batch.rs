//! What goes to the room, one batch at a time, and what comes back.
//!
//! An ask belongs to the batch with which it went out, and only that batch's answer is for it. A batch that gets no answer is given up. What is
//! still wanted goes with the next batch, under another number. It may reach the room twice, since each command names what it means.

use super::asking::{Asking, Asks, WaitsFor, Want};
use super::company::Company;
use super::limits::Payer;
use super::replica::Replica;
use super::steps::Case;
use super::timers::{Timer, Timers};
use super::{Asker, CallId, Lobby, Moment, Way};
use facts::command::Command;
use facts::enter::Enters;
use facts::holder::Held;
use facts::limits::{BATCH_COMMANDS_MAX, JOIN_COUNT_MAX};
use facts::message::{Answer, Change, Message, ToRoom};
use facts::reply::{NoTicket, Reply, Standing};
use facts::units::{Edition, Fence, Instant, Number};
use facts::wire::Ask;
use std::collections::{BTreeSet, VecDeque};

/// The most places that one batch gives up, and the most leases that it slides: at least half of its commands are left for wishes, for which somebody
/// waits.
const BESIDE_WISHES_MAX: usize = BATCH_COMMANDS_MAX / 4;

/// What goes to the room. An ask is in the queue, or in the batch that is out, while it waits for that; a place that is given up is in one of both, too.
/// One batch is out at most, and each has a greater number than those before it in this life.
#[derive(Clone, Debug, Default)]
pub(super) struct Batches {
    /// The askers whose wishes go with the next batch, in the order in which they came.
    queue: VecDeque<Asker>,
    /// Places to give up with the next batch, because their holders were never seen again.
    given_up: BTreeSet<Held>,
    /// Leases to renew with the next batch, because their holders are there.
    sliding: BTreeSet<Fence>,
    company: Company,
    /// Whether the lobby must ask the room how things are, even with nothing else to say.
    wants_look: bool,
    flight: Option<Flight>,
    batches: u64,
}

/// A batch on its way.
#[derive(Clone, Debug)]
pub(super) struct Flight {
    call: CallId,
    number: u64,
    /// When it left. No message that answers it can be older, so remaining times count from here.
    sent_at: Instant,
    load: Load,
    /// The way it went.
    way: Way,
}

/// What a batch carries.
#[derive(Clone, Debug, Default)]
pub(super) struct Load {
    /// The wishes for which its commands are, in order.
    asked: Vec<Asked>,
    /// The places that it gives up.
    given_up: BTreeSet<Held>,
    /// The presence that it tells: each number, and whether its holder is away.
    presence: Vec<(Number, bool)>,
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

impl Batches {
    /// The number of the last batch that went out in this life.
    pub const fn last(&self) -> u64 {
        self.batches
    }

    /// The way that the batch went which is out under this call, or `None` if there is none.
    pub fn way_of(&self, call: CallId) -> Option<Way> {
        let flight = self.flight.as_ref().filter(|flight| flight.call == call);
        flight.map(|flight| flight.way)
    }

    /// Whether any batch is out.
    pub const fn has_one_out(&self) -> bool {
        self.flight.is_some()
    }

    /// The most tickets that are on their way here. O(1).
    pub fn coming(&self) -> usize {
        self.queue.len() + self.flight.as_ref().map_or(0, |flight| flight.load.asked.len())
    }

    /// Whether this place is given up: with the next batch, or with the one that is out.
    pub fn is_given_up(&self, place: &Held) -> bool {
        let out = self.flight.as_ref().map(|flight| &flight.load.given_up);
        self.given_up.contains(place) || out.is_some_and(|out| out.contains(place))
    }

    /// Gives a place up with the next batch.
    pub fn give_up(&mut self, place: Held) {
        self.given_up.insert(place);
    }

    /// Slides this lease, if it is any, with the next batch.
    pub fn slide(&mut self, fence: Option<Fence>) {
        self.sliding.extend(fence);
    }

    /// Makes the next batch go even with nothing to say.
    pub const fn look(&mut self) {
        self.wants_look = true;
    }

    /// Makes what waits for company go with the next batch.
    pub const fn hurry(&mut self) {
        self.company.hurry();
    }

    /// Adds a wish to the next batch. `may_walk_in`: whether its asker could walk in at once. O(log deadlines).
    pub fn add(&mut self, now: Instant, asker: Asker, want: Want, may_walk_in: bool, timers: &mut Timers) {
        self.company.meet(now, want, may_walk_in, timers);
        self.queue.push_back(asker);
    }

    /// Begins a life: its first batch has the number 1.
    pub const fn begin(&mut self) {
        self.batches = 0;
    }

    /// Forgets what would go to the room, and what is out.
    pub fn clear(&mut self) {
        self.flight = None;
        self.queue.clear();
        self.given_up.clear();
        self.sliding.clear();
    }

    /// Makes the next batch if something needs to go; in any case if it `must`. `command` makes of a wish what asks the room for it. Returns the commands, and
    /// what they are for. O(commands · log tickets).
    pub fn make(
        &mut self,
        presence: Option<(Command, Vec<(Number, bool)>)>,
        must: bool,
        asks: &mut Asks,
        command: impl Fn(&Ask, Want) -> Command,
        timers: &mut Timers,
    ) -> Option<(Vec<Command>, Load)> {
        let only_wishes = self.given_up.is_empty() && self.sliding.is_empty() && presence.is_none();
        let must = must || !only_wishes || self.wants_look;
        if !must && (self.queue.is_empty() || self.company.is_waited_for(self.queue.len(), timers)) {
            return None;
        }
        let given_up = take_first(&mut self.given_up, BESIDE_WISHES_MAX);
        let sliding = take_first(&mut self.sliding, BESIDE_WISHES_MAX);
        let leaves = given_up.iter().copied().map(Command::Leave);
        let mut commands: Vec<Command> = leaves.collect();
        commands.extend(sliding.into_iter().map(Command::Renew));
        let asked = self.take_wants(&mut commands, asks, command);
        self.company.leave(!self.queue.is_empty(), timers);
        let (told, presence) = presence.unzip();
        commands.extend(told);
        let presence = presence.unwrap_or_default();
        let load = Load { asked, given_up, presence };
        (must || !commands.is_empty()).then_some((commands, load))
    }

    /// Turns the queued wishes into commands, in the order in which they came. Consecutive joins share one command.
    fn take_wants(&mut self, commands: &mut Vec<Command>, asks: &mut Asks, command: impl Fn(&Ask, Want) -> Command) -> Vec<Asked> {
        let mut asked: Vec<Asked> = Vec::new();
        while commands.len() < BATCH_COMMANDS_MAX
            && asked.len() < JOIN_COUNT_MAX as usize
            && let Some(asker) = self.queue.pop_front()
        {
            let Some(asking) = asks.get_mut(asker) else {
                continue;
            };
            let WaitsFor::Wants(want) = asking.waits_for else {
                continue;
            };
            asking.waits_for = WaitsFor::Sent(self.batches + 1);
            let command = command(&asking.ask, want);
            let joins = commands.last_mut().and_then(|last| joins_too(last, &command));
            if joins.is_none() {
                commands.push(command);
            }
            asked.push(Asked {
                asker,
                want,
                command: commands.len() - 1,
                place: joins.unwrap_or_default(),
            });
        }
        asked
    }

    /// Sends a batch with this load by `call`, which is given its number.
    pub fn send(&mut self, now: Instant, load: Load, way: Way, call: impl FnOnce(u64) -> CallId) {
        self.wants_look = false;
        self.batches += 1;
        self.flight = Some(Flight {
            call: call(self.batches),
            number: self.batches,
            sent_at: now,
            load,
            way,
        });
    }

    /// Takes the batch that is out, because its answer has come.
    pub const fn take_flight(&mut self) -> Option<Flight> {
        self.flight.take()
    }

    /// Gives up the batch that is out. What is still wanted goes again. The next batch goes in any case, so that
    /// the room need not push what the lost answer said. O(batch · log tickets).
    pub fn lose(&mut self, asks: &mut Asks, replica: &mut Replica) {
        let Some(Flight { load, .. }) = self.flight.take() else {
            return;
        };
        for (number, _) in &load.presence {
            replica.presence_unheard(*number);
        }
        for Asked { asker, want, .. } in load.asked.into_iter().rev() {
            if asks.get(asker).is_some() {
                asks.wait_for(asker, WaitsFor::Wants(want));
                self.queue.push_front(asker);
            }
        }
        // Somebody else's join counts on these. A place that is over already loses nothing by it.
        self.given_up.extend(load.given_up);
        self.company.hurry();
        self.wants_look = true;
    }
}

impl Lobby {
    /// Sends the next batch if there is something to send and none is out. O(commands · log tickets).
    pub(super) fn send(&mut self, m: Moment) {
        if self.batches.has_one_out() || !self.link.is_whole() || self.timers.has(Timer::Again) {
            return;
        }
        let Self {
            batches,
            asks,
            guests,
            replica,
            picture,
            counts,
            timers,
            ..
        } = self;
        let presence = guests.presence(replica);
        let command = |ask: &Ask, want| Case::of(ask, guests, replica, picture).command(want);
        let Some((mut commands, load)) = batches.make(presence, counts.is_overdue(), asks, command, timers) else {
            return;
        };
        commands.extend(counts.take_overheard(m.now));
        timers.cancel(Timer::Counts);
        let way = self.reach.way(self.has_porter, m.now);
        batches.send(m.now, load, way, |number| {
            let batch = self.link.batch(replica, number, counts.take_attempts(), commands);
            self.reach.call(m.now, ToRoom::Batch(batch), way, timers, &mut self.effects)
        });
    }

    /// Takes in the room's answer to the batch that is out, and goes on with whoever waited for it. O(batch · log tickets).
    pub(super) fn batch_answered(&mut self, m: Moment, answer: &Answer) {
        let Some(flight) = self.batches.take_flight() else {
            return;
        };
        let message = &answer.message;
        let is_news = self.hears(m, message, flight.sent_at);
        for (number, away) in &flight.load.presence {
            // If the answer is old, the lobby can't tell whether what it knows includes this presence, so it says it again.
            if is_news {
                let away = away_now(message, *number).unwrap_or(*away);
                self.replica.presence_heard(*number, away);
            } else {
                self.replica.presence_unheard(*number);
            }
        }
        for asked in &flight.load.asked {
            if let Some(reply) = answer.replies.get(asked.command) {
                self.take_reply(message.gist.edition, &flight, asked, reply);
            }
        }
        for reply in answer.replies.iter().filter(|_| is_news) {
            if let Reply::Stands(number, standing) = reply {
                // The room tells the ends of a lease only when asked.
                self.replica.note_lease(*number, *standing, flight.sent_at);
                if let Some(key) = self.replica.of_number(*number).map(|ticket| ticket.holder.key) {
                    self.guests.slide_later(m.now, key, &self.replica, &mut self.timers);
                }
            }
        }
        // The answer is newer than the asks that came before the batch left.
        let is_next = |asking: &Asking| match asking.waits_for {
            WaitsFor::Sent(number) => number == flight.number,
            WaitsFor::News => asking.since_batch < flight.number,
            WaitsFor::Wants(_) | WaitsFor::Check | WaitsFor::Held => false,
        };
        self.go_on(m, self.asks.askers(is_next));
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
            self.rates.refund(payer);
        }
        if was_guess && !matches!(why, Some(NoTicket::Unspent(_))) {
            self.rates.refund_guess(payer);
        }
        if asked.want == Want::Join
            && why.is_none()
            && let Some(member) = Case::of(&ask, &self.guests, &self.replica, &self.picture).member()
        {
            self.replica.note_account(member.holder.key, member.account);
        }
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
fn joins_too(last: &mut Command, next: &Command) -> Option<u32> {
    let (Command::Enter(last), Command::Enter(enter)) = (last, next) else {
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
