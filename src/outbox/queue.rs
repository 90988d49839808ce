//! The outbox itself: which journal is to be read and what is to be sent, as a value without I/O. Its driver asks what is due, does
//! it, says how it went, and stores the changes: those of one call together, or none.
//!
//! - **At least once.** A cursor moves in the same change that stores what was read. A message goes when it was taken, or into the
//!   dead letters; a crash between sending and storing sends it again, under the same id.
//! - **In order.** Of one webhook and one journal a message is sent only when all before it were taken or lie dead. What an operator
//!   sends again comes when it comes.
//! - **Apart.** Each webhook has a queue of its own and at most one message on its way. One that fails holds up nobody else's.

use super::backoff;
use super::message::{Letter, letter};
use super::{Kind, Mark, Note, Page, Told, Webhook};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// For so long a message is tried by itself, ms: a day from when it was read.
pub const KEEP_TRYING_MS: u64 = 86_400_000;
/// A journal of which nobody says anything is looked at so often, ms.
pub const LOOK_EVERY_MS: u64 = 60_000;
/// An outbox that begins looks back so far, ms: at what was written before its first nudge arrived.
pub const START_BACK_MS: u64 = 60_000;
/// Messages of one webhook that wait. A sale makes some dozens; with 8 webhooks and 16 KB a body they are 64 MB on disk at the most.
pub const PENDING_MAX: usize = 500;
/// Dead letters of one webhook. The oldest goes for a new one.
pub const DEAD_MAX: usize = 500;

/// One message to one webhook, as it is stored; its body lies beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Counts up in the order of reading.
    pub seq: u64,
    /// Which webhook.
    pub hook: String,
    /// The name of the object whose journal it is from; empty: from no journal.
    pub source: String,
    /// What the receiver knows it by.
    pub id: String,
    /// What it is about.
    pub kind: Kind,
    /// When it was read, Unix ms.
    pub born_ms: u64,
    /// Tries that failed.
    pub failures: u32,
    /// When it is tried next, Unix ms.
    pub due_ms: u64,
    /// An operator wants it sent: it is tried once.
    pub by_hand: bool,
    /// Why it is not tried any more; none: it waits.
    pub died: Option<Died>,
}

/// The end of a message that nobody took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Died {
    /// When, Unix ms.
    pub at_ms: u64,
    /// What the last try came to, or why there was none.
    pub why: String,
}

/// What is to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A message is this; its body, when it is new.
    Put(Message, Option<String>),
    /// A message is gone, with its body.
    Gone(u64),
    /// Reading of this journal stands here; none: nobody reads it any more.
    Cursor(String, Option<Mark>),
    /// Journals are read from this moment on, Unix ms.
    Since(u64),
}

/// What was stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stored {
    /// Every message, in any order.
    pub messages: Vec<Message>,
    /// Where reading stands, by the object's name.
    pub cursors: BTreeMap<String, Mark>,
    /// See [`Change::Since`].
    pub since_ms: Option<u64>,
}

/// A journal to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// The object's name.
    pub source: String,
    /// From where on.
    pub mark: Option<Mark>,
    /// Without a mark: from this moment on, Unix ms.
    pub since_ms: u64,
}

/// A message to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Which.
    pub seq: u64,
    /// Its id.
    pub id: String,
}

/// One journal.
#[derive(Clone, Debug)]
struct Source {
    /// The room's name; none: the house.
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

/// See the file's documentation.
#[derive(Clone, Debug)]
pub struct Outbox {
    seed: u64,
    hooks: BTreeMap<String, Hook>,
    sources: BTreeMap<String, Source>,
    since_ms: Option<u64>,
    next_seq: u64,
    changes: Vec<Change>,
}

impl Outbox {
    /// Comes into memory with the webhooks of the file. Messages of others go. `seed`: what pauses are drawn from. O(messages).
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
            hooks: BTreeMap::new(),
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

    /// What must be stored before anything else is done. Call it after each of the others.
    pub fn take_changes(&mut self) -> Vec<Change> {
        core::mem::take(&mut self.changes)
    }

    /// These journals there are: the objects' names with their rooms', none for the house. Yields those that went. O(journals).
    pub fn minds(&mut self, now_ms: u64, there: &BTreeMap<String, Option<String>>) -> Vec<String> {
        if self.since_ms.is_none() {
            let since_ms = now_ms.saturating_sub(START_BACK_MS);
            self.since_ms = Some(since_ms);
            self.changes.push(Change::Since(since_ms));
        }
        let known: BTreeSet<String> = self.sources.keys().cloned().collect();
        let gone = known.iter().filter(|name| !there.contains_key(*name));
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

    /// An object says that it has written something. One that is not known yet is with the next [`minds`](Self::minds).
    pub fn nudged(&mut self, now_ms: u64, source: &str) {
        if let Some(source) = self.sources.get_mut(source) {
            source.due_ms = source.due_ms.min(now_ms);
        }
    }

    /// A journal that is to be read now, and is until [`read`](Self::read) or [`unread`](Self::unread). O(journals).
    pub fn poll_look(&mut self, now_ms: u64) -> Option<Look> {
        let mut sources = self.sources.iter_mut();
        let (name, source) =
            sources.find(|(_, source)| source.due_ms <= now_ms && !source.is_read)?;
        source.is_read = true;
        // A nudge from here on tells of something that this look may miss.
        source.due_ms = now_ms + LOOK_EVERY_MS;
        Some(Look {
            source: name.clone(),
            mark: source.mark,
            since_ms: self.since_ms.unwrap_or(now_ms),
        })
    }

    /// A journal was read. O(notes × webhooks).
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

    /// A journal could not be read: it is looked at again a minute later, or when it nudges.
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
                    self.bury(
                        now_ms,
                        &name,
                        seq,
                        "it was more than a day old when it was read",
                    );
                }
            }
        }
    }

    /// An operator tries a webhook; false: there is none of this name.
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

    /// Another message waits, under the number that this yields. The oldest makes room for one too many.
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

    /// The message that is to be sent to this webhook now, if none is on its way. It is until [`sent`](Self::sent). O(waiting).
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

    /// A message was sent. `failed`: why it was not taken; none: it was. O(log waiting).
    pub fn sent(&mut self, now_ms: u64, hook: &str, seq: u64, failed: Option<String>) {
        let Some(hook) = self.hooks.get_mut(hook) else {
            return;
        };
        hook.sending = hook.sending.filter(|sending| *sending != seq);
        let Some(why) = failed else {
            hook.taken_at_ms = Some(now_ms);
            // One that had to make room meanwhile lies dead, and was taken all the same.
            let lay = hook.pending.remove(&seq).or_else(|| hook.dead.remove(&seq));
            self.changes
                .extend(lay.map(|message| Change::Gone(message.seq)));
            return;
        };
        let at_ms = now_ms;
        hook.failed = Some(Died {
            at_ms,
            why: why.clone(),
        });
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

    /// An operator wants dead letters sent again: this one, or all of the webhook. Yields how many. O(dead).
    pub fn again(&mut self, now_ms: u64, hook: &str, id: Option<&str>) -> usize {
        let Some(hook) = self.hooks.get_mut(hook) else {
            return 0;
        };
        let is_meant = |message: &&Message| id.is_none_or(|id| message.id == id);
        let seqs: Vec<u64> = hook
            .dead
            .values()
            .filter(is_meant)
            .map(|it| it.seq)
            .collect();
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

    /// The webhooks' names.
    pub fn hooks(&self) -> impl Iterator<Item = &Webhook> {
        self.hooks.values().map(|hook| &hook.wants)
    }

    /// When there is something to do again, Unix ms; none: there are no webhooks. O(waiting + journals).
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

    /// The first message of each journal: only these may be sent. A message that an operator sends again holds up nobody.
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
