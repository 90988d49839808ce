//! A lobby in memory, and the one way to change it. A lobby stores little: what issues numbers,
//! and what it has acknowledged to the room. All else the room can tell again.

use super::{Alarm, Fault, wound};
use crate::clock::Clock;
use crate::journal::{Journal, Store};
use crate::lobby::{Book, Delivered, Lobby, LobbyConfig};
use crate::room::command::{Batch, Message, Refusal};
use crate::units::{Instant, LobbyId};

/// Whoever waits for the room longer than this is told that it can't be reached, in milliseconds.
/// What was asked still happens, and the next ask finds it done.
pub const PATIENCE_MS: u64 = 6_000;
/// A call to the room without an answer is given up after this, in milliseconds.
pub const ROOM_TIMEOUT_MS: u64 = 5_000;
/// Between two tries of one batch, in milliseconds; twice as long each time.
pub const RETRY_MS: u64 = 200;
/// So often at most.
pub const RETRY_DOUBLINGS_MAX: u32 = 4;
/// Between two looks at which sockets have gone silent, in milliseconds.
pub const HEARTBEAT_MS: u64 = 120_000;
/// A lobby's rows are no audit: what is in a snapshot is forgotten. (Within 2^53, so that every
/// store can compare with it.)
const KEEP_NOTHING_FROM_MS: u64 = u64::MAX >> 11;

/// A lobby in memory.
#[derive(Clone, Debug)]
pub struct LivingLobby<S> {
    /// The core.
    pub lobby: Lobby,
    journal: Journal<S>,
    clock: Clock,
    alarm: Alarm,
    /// A batch is on its way, or about to be.
    sending: bool,
    heartbeat_at: Option<Instant>,
}

/// What remains to be done after a change, once it is durable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settled {
    /// Goes to every socket.
    pub frame: Option<Vec<u8>>,
    /// There is a batch, and nobody sends: begin.
    pub begin_sending: bool,
}

impl<S: Store> LivingLobby<S> {
    /// Brings a lobby back from what is stored: a new life. O(snapshot + rows).
    ///
    /// # Errors
    /// When what is stored is damaged.
    pub fn restore(
        store: S,
        id: LobbyId,
        config: LobbyConfig,
        wall_ms: u64,
        alarm_wall_ms: Option<u64>,
    ) -> Result<Self, Fault> {
        let (journal, restored) = Journal::open::<Book>(store)?;
        let (clock, alarm) = wound(restored.clock, wall_ms, alarm_wall_ms);
        Ok(Self {
            lobby: Lobby::wake(id, config, restored.state, clock.now()),
            journal,
            clock,
            alarm,
            sending: false,
            heartbeat_at: None,
        })
    }

    /// The journal.
    pub const fn journal(&self) -> &Journal<S> {
        &self.journal
    }

    /// The journal, to set how often it takes a snapshot.
    pub const fn journal_mut(&mut self) -> &mut Journal<S> {
        &mut self.journal
    }

    /// The clock.
    pub const fn clock(&self) -> &Clock {
        &self.clock
    }

    /// When the alarm is armed for.
    pub const fn armed(&self) -> Option<Instant> {
        self.alarm.armed()
    }

    /// A change begins: the time it happens at.
    pub fn begin(&mut self, wall_ms: u64) -> Instant {
        self.clock.advance(wall_ms, self.alarm.armed())
    }

    /// A change ends: what must be written is, with the alarm.
    ///
    /// # Errors
    /// [`Fault`]; the memory must be dropped.
    pub fn settle(&mut self) -> Result<Settled, Fault> {
        let now = self.clock.now();
        if self.lobby.must_save_first() || self.lobby.must_save(now) {
            self.save(now)?;
        }
        let frame = self.lobby.frame_to_send(now);
        if self.lobby.sockets() > 0 {
            let next = now.plus_ms(HEARTBEAT_MS);
            self.heartbeat_at.get_or_insert(next);
        } else {
            self.heartbeat_at = None;
        }
        let due = [self.lobby.due_at(), self.heartbeat_at];
        let due = due.into_iter().flatten().min();
        self.alarm.arm(self.journal.store(), &self.clock, due)?;
        let has_batch = self.lobby.has_batch();
        let begin_sending = has_batch && !self.sending;
        self.sending = has_batch;
        Ok(Settled {
            frame,
            begin_sending,
        })
    }

    /// The alarm rings. True when it is time to look for silent sockets.
    pub fn ring(&mut self, now: Instant) -> bool {
        self.alarm.rang();
        self.lobby.tick(now);
        let beats = self.heartbeat_at.is_some_and(|at| at <= now);
        if beats {
            self.heartbeat_at = None;
        }
        beats
    }

    /// The batch to send next, the same bytes again while its outcome is unknown; `None`: there
    /// is nothing to send.
    pub fn next_batch(&mut self, now: Instant) -> Option<Batch> {
        let batch = self.lobby.next_batch(now);
        self.sending = batch.is_some();
        batch
    }

    /// The room has answered a batch.
    ///
    /// # Errors
    /// The room's refusal, when another life of this lobby has spoken or the room is not the one
    /// we knew: the memory must be dropped.
    pub fn take(
        &mut self,
        now: Instant,
        batch: &Batch,
        answer: Result<Message, Refusal>,
    ) -> Result<Delivered, Refusal> {
        match answer {
            // The memory that sent it is gone, and a later life has batches of its own.
            _ if !self.lobby.is_out(batch) => Ok(Delivered::default()),
            Ok(message) => Ok(self.lobby.delivered(now, &message)),
            Err(refusal) if self.lobby.flies_in_this_life() => Err(refusal),
            Err(_) => {
                self.lobby.refused(now);
                Ok(Delivered::default())
            }
        }
    }

    /// No answer came to a batch, and it will be sent again.
    pub fn unanswered(&mut self, now: Instant, batch: &Batch) {
        if self.lobby.is_out(batch) {
            self.lobby.unanswered(now);
        }
    }

    fn save(&mut self, now: Instant) -> Result<(), Fault> {
        let events = self.lobby.take_unsaved();
        let wall_ms = self.clock.wall_ms();
        let book = self.lobby.book();
        self.journal
            .append(now, wall_ms, &events, book, KEEP_NOTHING_FROM_MS)?;
        Ok(())
    }
}
