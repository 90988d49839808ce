//! The outbox itself: which journals to read and which messages to send, as a value without I/O. Its driver asks what is due, does it, says how it
//! went, and stores the changes of each call together, or none of them.
//!
//! - **At least once.** A cursor moves in the same change that stores what was read. A message leaves its queue only when it was taken or becomes a
//!   dead letter. A crash between sending and storing sends it again, under the same id.
//! - **In order.** For one webhook and one journal, a message is sent only when all before it were taken or became dead letters. What an operator
//!   sends again may come at any time.
//! - **Beside the queue** goes what tells of people who are away: once, now or never. The outbox keeps only whether a receiver took the last of it.
//! - **Apart.** Each webhook has a queue of its own and at most one message on its way. A webhook that fails holds up no other.

use super::backoff;
use super::message::{Letter, letter};
use super::{Kind, Mark, Note, Page, Told, Webhook};
use facts::few::FewMap;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How long the outbox tries a message by itself, ms: a day from when it was read.
pub const KEEP_TRYING_MS: u64 = 86_400_000;
/// How often the outbox looks at a journal for which nobody nudges it, ms.
pub const LOOK_EVERY_MS: u64 = 60_000;
/// How far back an outbox that begins looks, ms: it finds what was written before its first nudge arrived.
pub const START_BACK_MS: u64 = 60_000;
/// Maximum waiting messages of a webhook. A sale makes some dozens. With 8 webhooks and 16 KB a body they take at most 64 MB on disk.
pub const PENDING_MAX: usize = 500;
/// Maximum dead letters of a webhook. The oldest makes way for a new one.
pub const DEAD_MAX: usize = 500;

/// One message to one webhook, as it is stored; its body is stored beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Counts up in the order of reading.
    pub seq: u64,
    /// The webhook's name.
    pub hook: String,
    /// The name of the object whose journal it is from; empty if it is from no journal.
    pub source: String,
    /// The id by which the receiver knows it.
    pub id: String,
    /// What it is about.
    pub kind: Kind,
    /// When it was read, Unix ms.
    pub born_ms: u64,
    /// The number of failed tries.
    pub failures: u32,
    /// When it is tried next, Unix ms.
    pub due_ms: u64,
    /// Whether an operator wants it sent. Then it is tried once.
    pub by_hand: bool,
    /// Why it is not tried any more; `None` while it waits.
    pub died: Option<Died>,
}

/// The end of a message that nobody took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Died {
    /// When, Unix ms.
    pub at_ms: u64,
    /// Why the last try failed, or why there was none.
    pub why: String,
}

/// A change to store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Stores a message, with its body if the message is new.
    Put(Message, Option<String>),
    /// Deletes a message, with its body.
    Gone(u64),
    /// Stores where reading of this journal stands; `None` if nobody reads it any more.
    Cursor(String, Option<Mark>),
    /// Stores the moment from which journals are read, Unix ms.
    Since(u64),
}

/// Everything that was stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stored {
    /// Every message, in any order.
    pub messages: Vec<Message>,
    /// Where reading of each journal stands, by the object's name.
    pub cursors: BTreeMap<String, Mark>,
    /// See [`Change::Since`].
    pub since_ms: Option<u64>,
}

/// A journal to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// The object's name.
    pub source: String,
    /// Where to go on reading.
    pub mark: Option<Mark>,
    /// The moment from which to read if there is no mark, Unix ms.
    pub since_ms: u64,
}

/// A message to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The number of the message.
    pub seq: u64,
    /// Its id.
    pub id: String,
}

/// One journal.
#[derive(Clone, Debug)]
struct Source {
    /// The room's name; `None` for the house.
    room: Option<String>,
    mark: Option<Mark>,
    due_ms: u64,
    is_read: bool,
}

/// One webhook.
#[derive(Clone, Debug)]
pub(super) struct Hook {
    pub(super) wants: Webhook,
    pub(super) pending: BTreeMap<u64, Message>,
    pub(super) dead: BTreeMap<u64, Message>,
    sending: Option<u64>,
    pub(super) taken_at_ms: Option<u64>,
    pub(super) failed: Option<Died>,
}

/// The outbox; see the file's documentation.
#[derive(Clone, Debug)]
pub struct Outbox {
    seed: u64,
    hooks: FewMap<String, Hook>,
    sources: BTreeMap<String, Source>,
    since_ms: Option<u64>,
    next_seq: u64,
    changes: Vec<Change>,
}

impl Outbox {
    /// Brings the outbox into memory with the webhooks of the file. It deletes messages of other webhooks. Pauses
    /// are drawn from `seed`. O(messages).
    #[must_use]
    pub fn restore(stored: Stored, hooks: &[Webhook], seed: u64) -> Self {
        let fresh = |wants: &Webhook| Hook {
            wants: wants.clone(),
            pending: BTreeMap::new(),
            dead: BTreeMap::new(),
            sending: None,
            taken_at_ms: None,
            failed: None,
        };
        let mut outbox = Self {
            seed,
            hooks: FewMap::new(),
            sources: BTreeMap::new(),
            since_ms: stored.since_ms,
            next_seq: 1,
            changes: Vec::new(),
        };
        for wants in hooks {
            outbox.hooks.insert(wants.name.clone(), fresh(wants));
        }
        for (name, mark) in stored.cursors {
            let source = Source {
                room: None,
                mark: Some(mark),
                due_ms: 0,
                is_read: false,
            };
            outbox.sources.insert(name, source);
        }
        for message in stored.messages {
            outbox.next_seq = outbox.next_seq.max(message.seq + 1);
            match outbox.hooks.get_mut(&message.hook) {
                Some(hook) => hook.keep(message),
                None => outbox.changes.push(Change::Gone(message.seq)),
            }
        }
        outbox
    }

    /// Returns what must be stored before anything else is done. Call it after each of the other functions.
    pub fn take_changes(&mut self) -> Vec<Change> {
        core::mem::take(&mut self.changes)
    }

    /// Learns which journals there are: the objects' names with their rooms' names, `None` for the house. Returns
    /// the names that are gone. O(journals).
    pub fn minds(&mut self, now_ms: u64, there: &BTreeMap<String, Option<String>>) -> Vec<String> {
        if self.since_ms.is_none() {
            let since_ms = now_ms.saturating_sub(START_BACK_MS);
            self.since_ms = Some(since_ms);
            self.changes.push(Change::Since(since_ms));
        }
        let gone = self.sources.keys().filter(|name| !there.contains_key(*name));
        let gone: Vec<String> = gone.cloned().collect();
        for name in &gone {
            self.sources.remove(name);
            self.changes.push(Change::Cursor(name.clone(), None));
        }
        for (name, room) in there {
            let fresh = Source {
                room: None,
                mark: None,
                due_ms: now_ms,
                is_read: false,
            };
            let source = self.sources.entry(name.clone()).or_insert(fresh);
            source.room.clone_from(room);
        }
        gone
    }

    /// Records that an object has written something. A journal that is not known yet comes with the next [`minds`](Self::minds).
    pub fn nudged(&mut self, now_ms: u64, source: &str) {
        if let Some(source) = self.sources.get_mut(source) {
            source.due_ms = source.due_ms.min(now_ms);
        }
    }

    /// Returns a journal to read now. It counts as being read until [`read`](Self::read) or [`unread`](Self::unread). O(journals).
    pub fn poll_look(&mut self, now_ms: u64) -> Option<Look> {
        let mut sources = self.sources.iter_mut();
        let (name, source) = sources.find(|(_, source)| source.due_ms <= now_ms && !source.is_read)?;
        source.is_read = true;
        // A nudge from here on tells of something that this look may miss, so it must make the journal due again.
        source.due_ms = now_ms + LOOK_EVERY_MS;
        Some(Look {
            source: name.clone(),
            mark: source.mark,
            since_ms: self.since_ms.unwrap_or(now_ms),
        })
    }

    /// Takes in what was read of a journal. O(notes × webhooks).
    pub fn read(&mut self, now_ms: u64, name: &str, page: &Page) {
        let Some(source) = self.sources.get_mut(name) else {
            return;
        };
        source.is_read = false;
        if page.more {
            source.due_ms = now_ms;
        }
        let room = source.room.clone();
        if source.mark != Some(page.mark) {
            source.mark = Some(page.mark);
            let cursor = Change::Cursor(name.to_owned(), Some(page.mark));
            self.changes.push(cursor);
        }
        for note in &page.notes {
            self.tell(now_ms, name, room.as_deref(), note);
        }
    }

    /// Records that a journal could not be read. The outbox looks at it again a minute later, or when it is nudged.
    pub fn unread(&mut self, name: &str) {
        if let Some(source) = self.sources.get_mut(name) {
            source.is_read = false;
        }
    }

    fn tell(&mut self, now_ms: u64, object: &str, room: Option<&str>, note: &Note) {
        let names: Vec<String> = self.hooks.keys().cloned().collect();
        for name in names {
            let Some(hook) = self.hooks.get(&name) else {
                continue;
            };
            if hook.wants.wants(room, note.kind) {
                let letter = letter(object, room, note, hook.wants.operators);
                let seq = self.post(now_ms, &name, object, note.kind, letter);
                if note.wall_ms.saturating_add(KEEP_TRYING_MS) < now_ms {
                    self.bury(now_ms, &name, seq, "it was more than a day old when it was read");
                }
            }
        }
    }

    /// Adds a test message for an operator. Returns `false` if there is no webhook of this name.
    pub fn test(&mut self, now_ms: u64, hook: &str, letter: Letter) -> bool {
        let is_known = self.hooks.contains_key(hook);
        if is_known {
            self.post(now_ms, hook, "", Kind::WebhookTest, letter);
        }
        is_known
    }

    fn bury(&mut self, now_ms: u64, hook: &str, seq: u64, why: &str) {
        if let Some(hook) = self.hooks.get_mut(hook)
            && let Some(message) = hook.pending.remove(&seq)
        {
            hook.bury(now_ms, message, why.to_owned(), &mut self.changes);
        }
    }

    /// Adds a message that waits, and returns its number. If that is one too many, the oldest becomes a dead letter.
    fn post(&mut self, now_ms: u64, hook: &str, source: &str, kind: Kind, letter: Letter) -> u64 {
        let seq = self.next_seq;
        let message = Message {
            seq,
            hook: hook.to_owned(),
            source: source.to_owned(),
            id: letter.id,
            kind,
            born_ms: now_ms,
            failures: 0,
            due_ms: now_ms,
            by_hand: false,
            died: None,
        };
        self.next_seq += 1;
        let Some(hook) = self.hooks.get_mut(hook) else {
            return seq;
        };
        let put = Change::Put(message.clone(), Some(letter.body));
        self.changes.push(put);
        hook.keep(message);
        while hook.pending.len() > PENDING_MAX {
            let Some((_, oldest)) = hook.pending.pop_first() else {
                break;
            };
            let why = format!("more than {PENDING_MAX} messages waited");
            hook.bury(now_ms, oldest, why, &mut self.changes);
        }
        seq
    }

    /// Returns the message to send to this webhook now, if none is on its way. It is on its way until [`sent`](Self::sent). O(waiting).
    pub fn poll_job(&mut self, now_ms: u64, hook: &str) -> Option<Job> {
        let hook = self.hooks.get_mut(hook)?;
        if hook.sending.is_some() {
            return None;
        }
        let due = hook.heads().find(|message| message.due_ms <= now_ms)?;
        let (seq, id) = (due.seq, due.id.clone());
        hook.sending = Some(seq);
        Some(Job { seq, id })
    }

    /// Records that a message was sent. `failed` says why it was not taken; `None` if it was. O(log waiting).
    pub fn sent(&mut self, now_ms: u64, hook: &str, seq: u64, failed: Option<String>) {
        let Some(hook) = self.hooks.get_mut(hook) else {
            return;
        };
        hook.sending = hook.sending.filter(|sending| *sending != seq);
        let Some(why) = failed else {
            hook.taken_at_ms = Some(now_ms);
            // A message that had to make room meanwhile is a dead letter, but was taken all the same.
            let lay = hook.pending.remove(&seq).or_else(|| hook.dead.remove(&seq));
            self.changes.extend(lay.map(|message| Change::Gone(message.seq)));
            return;
        };
        let at_ms = now_ms;
        hook.failed = Some(Died { at_ms, why: why.clone() });
        let Some(mut message) = hook.pending.remove(&seq) else {
            return;
        };
        message.failures = message.failures.saturating_add(1);
        if message.by_hand || now_ms >= message.born_ms.saturating_add(KEEP_TRYING_MS) {
            hook.bury(now_ms, message, why, &mut self.changes);
            return;
        }
        message.due_ms = now_ms + backoff::pause_ms(self.seed, seq, message.failures);
        self.changes.push(Change::Put(message.clone(), None));
        hook.pending.insert(seq, message);
    }

    /// Records that a message beside the queue was sent. `failed` says why it was not taken; `None` if it was. It does not come again.
    pub fn sent_beside(&mut self, now_ms: u64, hook: &str, failed: Option<String>) {
        let Some(hook) = self.hooks.get_mut(hook) else {
            return;
        };
        let at_ms = now_ms;
        match failed {
            None => hook.taken_at_ms = Some(at_ms),
            Some(why) => hook.failed = Some(Died { at_ms, why }),
        }
    }

    /// Puts dead letters back into the queue for an operator: this one, or all of the webhook's, as far as there
    /// is room. Returns how many. O(dead).
    pub fn again(&mut self, now_ms: u64, hook: &str, id: Option<&str>) -> usize {
        let Some(hook) = self.hooks.get_mut(hook) else {
            return 0;
        };
        let is_meant = |message: &&Message| id.is_none_or(|id| message.id == id);
        let seqs: Vec<u64> = hook.dead.values().filter(is_meant).map(|it| it.seq).collect();
        let room = PENDING_MAX.saturating_sub(hook.pending.len());
        let seqs: Vec<u64> = seqs.into_iter().take(room).collect();
        for seq in &seqs {
            let Some(mut message) = hook.dead.remove(seq) else {
                continue;
            };
            (message.died, message.by_hand, message.due_ms) = (None, true, now_ms);
            self.changes.push(Change::Put(message.clone(), None));
            hook.pending.insert(*seq, message);
        }
        seqs.len()
    }

    /// Yields the webhooks.
    pub fn hooks(&self) -> impl Iterator<Item = &Webhook> {
        self.hooks.values().map(|hook| &hook.wants)
    }

    /// When there is something to do again, Unix ms; `None` if there are no webhooks, or nothing to read or send. O(waiting + journals).
    #[must_use]
    pub fn due_at_ms(&self) -> Option<u64> {
        if self.hooks.is_empty() {
            return None;
        }
        let idle = |hook: &&Hook| hook.sending.is_none();
        let jobs = self.hooks.values().filter(idle);
        let jobs = jobs.filter_map(|hook| hook.heads().map(|message| message.due_ms).min());
        let looks = self.sources.values().filter(|source| !source.is_read);
        jobs.chain(looks.map(|source| source.due_ms)).min()
    }

    /// How each webhook is doing. O(messages).
    #[must_use]
    pub fn told(&self) -> Vec<Told> {
        self.hooks.values().map(Told::of).collect()
    }
}

impl Hook {
    fn keep(&mut self, message: Message) {
        let to = match message.died {
            Some(_) => &mut self.dead,
            None => &mut self.pending,
        };
        to.insert(message.seq, message);
    }

    /// Yields the messages that may be sent: the first of each journal, and those that an operator sends, which hold up nobody.
    fn heads(&self) -> impl Iterator<Item = &Message> {
        let mut seen = BTreeSet::new();
        self.pending.values().filter(move |message| {
            let Message { source, .. } = *message;
            message.by_hand || source.is_empty() || seen.insert(source.as_str())
        })
    }

    fn bury(&mut self, now_ms: u64, message: Message, why: String, changes: &mut Vec<Change>) {
        let at_ms = now_ms;
        let message = Message {
            died: Some(Died { at_ms, why }),
            by_hand: false,
            ..message
        };
        changes.push(Change::Put(message.clone(), None));
        self.dead.insert(message.seq, message);
        while self.dead.len() > DEAD_MAX {
            let forgotten = self.dead.pop_first();
            changes.extend(forgotten.map(|(seq, _)| Change::Gone(seq)));
        }
    }
}
