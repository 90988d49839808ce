//! The house's object: the one writer. Its memory may be lost at any time; its journal may not.

use super::Flaw;
use baton::facts::holder::Salt;
use baton::facts::house::HouseEvent;
use baton::facts::units::Instant;
use baton::gate::{Gate, Plan, Request, Scheme};
use baton::house::table::Table;
use baton::house::{House, Wish};
use baton::journal::{Hash, Sealed, open, seal};
use baton::settings::{Settings, parse_definition, parse_house};

const SALT: Salt = Salt([7; 16]);

pub const HOST: &str = "a.example.com";
/// The number of paths that somebody asks for.
const PATHS: usize = 6;

/// For each path, whether the gate lets a visitor without a pass through to it.
pub type Opens = [bool; PATHS];

/// A version of the table that fronts get, and which paths their gates open by it.
#[derive(Clone, Copy)]
pub struct Shown {
    pub version: u64,
    pub opens: Opens,
}

pub fn path_of(path: usize) -> String {
    format!("/events/{path}/buy")
}

/// At which point of a change the house dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dies {
    /// The row is lost.
    BeforeTheDisk,
    /// The row is safe, but nobody is told.
    AfterTheDisk,
}

/// What an operator is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The change holds, as this version.
    Done(u64),
    /// The change was refused, and nothing has changed.
    Refused,
    /// The house has died. The change may hold or not.
    Silence,
}

pub struct Object {
    file: Settings,
    house: House,
    rows: Vec<(Hash, Sealed)>,
    /// What fronts are told.
    pub shown: Shown,
}

impl Object {
    pub fn new(file: Settings) -> Result<Self, String> {
        let house = House::default();
        let shown = shown(&file, &house)?;
        Ok(Self {
            file,
            house,
            rows: Vec::new(),
            shown,
        })
    }

    /// Makes all of a change or nothing of it. `seen` is the version that the operator has seen.
    pub fn change(&mut self, now_ms: u64, wishes: &[Wish], seen: u64, dies: Option<Dies>, flaw: Option<Flaw>) -> Result<Answer, String> {
        if seen != self.house.version() && flaw != Some(Flaw::NobodyIsAskedWhatWasSeen) {
            return Ok(Answer::Refused);
        }
        let Ok(events) = self.house.decide(wishes) else {
            return Ok(Answer::Refused);
        };
        if events.is_empty() {
            return Ok(Answer::Refused);
        }
        self.write(now_ms, &events, dies, flaw)
    }

    /// Takes back the last change.
    pub fn undo(&mut self, now_ms: u64, flaw: Option<Flaw>) -> Result<Answer, String> {
        match self.house.undo() {
            Ok(events) => self.write(now_ms, &events, None, flaw),
            Err(_) => Ok(Answer::Refused),
        }
    }

    fn write(&mut self, now_ms: u64, events: &[HouseEvent], dies: Option<Dies>, flaw: Option<Flaw>) -> Result<Answer, String> {
        let after = self.house.after(events);
        let (Some(grounds), rooms) = (&self.file.grounds, Table::of(&after).rooms) else {
            return Err("a world without grounds".to_owned());
        };
        if parse_house(&self.file.rooms, grounds, rooms.iter()).is_err() {
            return Ok(Answer::Refused);
        }
        let previous = self.rows.last().map(|(_, row)| row.hash).unwrap_or_default();
        let version = after.version();
        let row = seal(&previous, &SALT, version, Instant(now_ms), now_ms, events);
        let row = row.map_err(|error| format!("a row cannot be sealed: {error:?}"))?;
        let is_safe = dies != Some(Dies::BeforeTheDisk);
        if is_safe {
            self.rows.push((previous, row));
        }
        if is_safe || flaw == Some(Flaw::MemoryBeforeDisk) {
            self.house = after;
            self.shown = shown(&self.file, &self.house)?;
        }
        if dies.is_none() {
            return Ok(Answer::Done(version));
        }
        if flaw != Some(Flaw::MemoryBeforeDisk) {
            self.restart()?;
        }
        Ok(Answer::Silence)
    }

    /// Folds the house anew from its journal, as after a death. Returns an error if another house comes back.
    pub fn restart(&mut self) -> Result<(), String> {
        let mut again = House::default();
        for (previous, row) in &self.rows {
            let events: Vec<HouseEvent> = open(previous, row, Some(&SALT)).map_err(|error| format!("a row cannot be opened: {error:?}"))?;
            again.apply(row.version, &events);
        }
        if again != self.house {
            return Err(format!("the journal brings back another house: {again:?}, not {:?}", self.house));
        }
        Ok(())
    }
}

/// Returns what fronts make of the house, as the shell does. One thing is left out: here no deploy takes the ground
/// of a room of the house, so none is shut.
fn shown(file: &Settings, house: &House) -> Result<Shown, String> {
    let mut settings = file.clone();
    let table = Table::of(house);
    let grounds = file.grounds.as_ref().ok_or("a world without grounds")?;
    for (name, definition) in &table.rooms {
        let room = parse_definition(&file.rooms, grounds, name, definition);
        settings.rooms.push(room.map_err(|problems| format!("{problems:?}"))?);
    }
    settings.rooms.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    let gate = Gate::new(&settings).map_err(|error| format!("no gate: {error:?}"))?;
    Ok(Shown {
        version: table.version,
        opens: core::array::from_fn(|path| opens(&gate, path)),
    })
}

fn opens(gate: &Gate, path: usize) -> bool {
    let path = path_of(path);
    let headers = |name: &str| (name == "accept").then(|| "text/html".to_owned());
    let request = Request {
        method: "GET",
        scheme: Scheme::Https,
        host: HOST,
        path_and_query: &path,
        has_body: false,
        headers: &headers,
    };
    matches!(gate.decide(&request), Plan::NotGated)
}
