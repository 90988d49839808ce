//! Snapshots of the bench's room and its return from them, through the journal that an object has.

use super::Bench;
use baton::facts::command::Command;
use baton::facts::event::Event;
use baton::facts::holder::Salt;
use baton::facts::units::{LobbyId, Number};
use baton::journal::{self, Fold, Journal};
use baton::room::Room;
use baton::room::line::Place;

impl Bench {
    /// Writes rows until a snapshot is whole, with every page that it needs. Returns the bytes of the snapshot without its pages, or 0 if it fails.
    pub fn snapshot(&mut self) -> u64 {
        while self.snapshot_turn() == 0 {}
        self.kept.snapshot().1
    }

    /// Writes one row of hardly anything, and with it what a turn writes of a snapshot, which is always due. Returns 1 if the snapshot is whole, else 0.
    pub fn snapshot_turn(&mut self) -> u64 {
        let kept = &self.kept;
        let journal = self.journal.get_or_insert_with(|| {
            let opened = Journal::open::<Room>(kept.clone());
            let (mut journal, _) = opened.unwrap_or_else(|damage| panic!("{damage}"));
            journal.rows_per_snapshot = 0;
            journal
        });
        let before = kept.snapshot().0;
        let events = [Event::Attempted { count: 1 }];
        let room = &mut self.room;
        let put = journal.append(&Salt::default(), self.now, 0, &events, room, 0);
        if let Err(damage) = put {
            panic!("{damage}");
        }
        u64::from(kept.snapshot().0 > before)
    }

    /// Sends somebody of each 4,096 away, or back if that person is away: so each page of places changes, and each chunk has all that a chunk can have.
    /// Returns how many.
    pub fn stir(&mut self) -> u64 {
        let next = self.room.line().next().0;
        let mut stirred = 0;
        for chunk in (0..next).step_by(4_096) {
            let line = self.room.line();
            let mut living = (chunk..next.min(chunk + 4_096)).map(Number).filter(|number| line.lives(*number));
            let Some(number) = living.next() else { continue };
            let is_away = line.place(number) != Place::Present;
            let (place, as_of) = (self.held(number), self.room.version());
            let (here, away) = if is_away { (vec![place], vec![]) } else { (vec![], vec![place]) };
            let lobby = self.room.tickets().lobby_of(number).unwrap_or(LobbyId(0));
            self.batch(lobby, &[Command::Presence { as_of, here, away }]);
            stirred += 1;
        }
        stirred
    }

    /// Makes every page of holders that is due. Returns how many there were.
    pub fn pages(&mut self) -> u64 {
        let before = self.kept.ids().len();
        while let Some(id) = self.room.page_due(&self.kept.ids()) {
            self.kept.put(journal::page(id, &Fold::page(&self.room, id)));
        }
        (self.kept.ids().len() - before) as u64
    }

    /// Makes the same pages once more.
    pub fn pages_anew(&mut self) -> u64 {
        self.kept.drop_pages();
        self.pages()
    }

    /// Restores the room from its last snapshot, as an object does: pages of holders are read later. Returns which row that is of, or 0 if it could not
    /// be restored.
    pub fn restore(&mut self) -> u64 {
        let Ok(restored) = journal::restore_late::<Room, _>(&self.kept) else {
            return 0;
        };
        self.room = restored.state;
        restored.version
    }
}
