//! Says what a whole, lawful export amounts to, for people and for programs.

use super::export::Chain;
use super::house;
use super::ledger::{Begun, Ledger, Totals};
use super::{Fault, Fingerprint, Scope, Stop};
use baton::journal::export::HOUSE;
use core::fmt;
use serde::Serialize;
use serde_json::json;

/// The figures of a sound export.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The room's name.
    pub room: String,
    /// Whether the laws were checked, or the chain alone.
    pub laws_checked: bool,
    /// The number of rows read.
    pub rows: u64,
    /// The last row's version.
    pub last_row: u64,
    /// The wall clock at the first row, Unix ms.
    pub from_wall_ms: u64,
    /// The wall clock at the last row, Unix ms.
    pub to_wall_ms: u64,
    /// Counts of what happened; zeros if only the chain was checked.
    pub totals: Totals,
    /// The room's editions, each with numbers of its own; empty if only the chain was checked.
    pub editions: Vec<Begun>,
    /// The room as it stands after the last row.
    pub standing: Standing,
    /// The house's rooms after the last row, if this is the journal of the house.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub house: Option<house::Standing>,
    /// The hash of the last row, hex.
    pub fingerprint: String,
    /// The row whose hash is the published fingerprint, if one was given.
    pub published_row: Option<u64>,
}

/// The room as it stands after the last row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// The permits in force.
    pub permits: u64,
    /// Permits in the hand.
    pub hand: u64,
    /// Permits on the tray.
    pub tray: u64,
    /// Permits given out and not yet taken.
    pub called: u64,
    /// Permits in use.
    pub leased: u64,
    /// Permits out beyond `permits`.
    pub debt: u64,
    /// The number of people present in line.
    pub present: u64,
    /// The number of people away from the line.
    pub away: u64,
}

impl Report {
    pub(super) fn new(chain: &Chain, ledger: &Ledger, scope: Scope, published_row: Option<u64>) -> Self {
        let (from_wall_ms, to_wall_ms) = chain.wall_ms();
        Self {
            room: chain.room().to_owned(),
            laws_checked: scope == Scope::Everything,
            rows: chain.rows(),
            last_row: chain.version(),
            from_wall_ms,
            to_wall_ms,
            totals: ledger.totals,
            editions: match scope {
                Scope::Everything => {
                    let past = ledger.past.iter().cloned();
                    past.chain([ledger.present()]).collect()
                }
                Scope::Chain => Vec::new(),
            },
            standing: Standing {
                permits: ledger.permits(),
                hand: ledger.hand,
                tray: ledger.tray,
                called: ledger.called(),
                leased: ledger.leased(),
                debt: ledger.debt,
                present: ledger.lanes.present(),
                away: ledger.lanes.away(),
            },
            house: None,
            fingerprint: chain.hash().to_string(),
            published_row,
        }
    }

    /// Returns one JSON object.
    #[must_use]
    pub fn json(&self) -> String {
        let mut value = json!(self);
        if let Some(object) = value.as_object_mut() {
            object.insert("sound".to_owned(), json!(true));
        }
        value.to_string()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, last_row) = (self.rows, self.last_row);
        let first_row = last_row + 1 - rows;
        let (from, to) = (moment(self.from_wall_ms), moment(self.to_wall_ms));
        let head = if self.laws_checked {
            "sound"
        } else {
            "the chain is whole (no law was checked)"
        };
        let whose = match self.room.as_str() {
            HOUSE => "the house".to_owned(),
            room => format!("room {room}"),
        };
        writeln!(f, "{head}: {whose}, rows {first_row} to {last_row}")?;
        writeln!(f, "  from        {from} to {to}")?;
        match &self.house {
            Some(house) => house.fmt(f)?,
            None if self.laws_checked => self.sale(f)?,
            None => {}
        }
        if let Some(row) = self.published_row {
            let rest = if row == last_row {
                "the whole export".to_owned()
            } else {
                format!("rows 1 to {row}; what follows is not covered by it")
            };
            writeln!(f, "  published   the fingerprint given is row {row}'s: {rest}")?;
        }
        writeln!(f, "  fingerprint {}", self.fingerprint)
    }
}

impl Report {
    /// Writes what happened in a room, and how it stands.
    ///
    /// Long because it names every total, so that the compiler finds one that is not printed.
    fn sale(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Totals {
            facts,
            batches,
            turns,
            configured,
            joined,
            entered,
            drawn,
            walked_in,
            called,
            handed,
            claimed,
            released,
            expired,
            missed,
            carried,
            moved,
            owned,
            spent,
            attempts,
            left,
            grace_ended,
            line_ended,
            dismissed,
            adjusted,
            steps,
            resets,
            reset,
            inside_most,
            line_most,
        } = self.totals;
        let Standing {
            permits,
            hand,
            tray,
            called: out,
            leased,
            debt,
            present,
            away,
        } = self.standing;
        let balance = if debt > 0 {
            format!("{permits} permits + {debt} owed")
        } else {
            format!("{permits} permits")
        };
        writeln!(
            f,
            "  facts       {facts}: {batches} batches, {turns} turns of the usher, \
             {configured} changes of the settings, {adjusted} of live values, {steps} steps of the schedule"
        )?;
        writeln!(
            f,
            "  tickets     {attempts} attempts to join; {} waited, {walked_in} walked in; {carried} carried to another device, {left} left, {grace_ended} \
             were away too long, {line_ended} were told that all is sold, {dismissed} ended by the \
             operator; the line was {line_most} at its longest",
            joined + drawn,
        )?;
        if spent > 0 {
            writeln!(f, "  vouchers    {spent} tickets were given for an invitation or a code")?;
        }
        if moved > 0 {
            writeln!(f, "  lanes       {moved} tickets moved to a better lane")?;
        }
        if owned > 0 {
            writeln!(f, "  accounts    {owned} tickets became an account's")?;
        }
        if entered > 0 {
            writeln!(f, "  hall        {entered} entries, {drawn} numbers drawn as was committed to")?;
        }
        writeln!(
            f,
            "  permits     {called} by the usher, {handed} by baton; {claimed} claimed, \
             {missed} missed; {released} released, {expired} ran out; {inside_most} inside at \
             most"
        )?;
        if resets > 0 {
            writeln!(f, "  resets      {resets}, which ended {reset} tickets; numbers begin at 1 after each")?;
            for Begun { edition, row, numbers, .. } in &self.editions {
                writeln!(f, "  edition {edition}   {numbers} numbers, begun in row {row}")?;
            }
        }
        writeln!(
            f,
            "  at the end  hand {hand} + tray {tray} + called {out} + leased {leased} = \
             {balance}; {present} present and {away} away wait"
        )?;
        Ok(())
    }
}

impl Stop {
    /// Returns one JSON object.
    #[must_use]
    pub fn json(&self) -> String {
        let value = match self {
            Self::Fault(Fault { row, line, fact, law, what }) => {
                json!({"sound": false, "row": row, "line": line, "fact": fact, "law": law, "what": what})
            }
            Self::Unreadable { line, what, cure } => {
                json!({"unreadable": true, "line": line, "what": what, "cure": cure})
            }
        };
        value.to_string()
    }
}

impl Serialize for Fingerprint {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Returns a moment of the wall clock (Unix ms) as UTC, to the millisecond.
pub(super) fn moment(unix_ms: u64) -> String {
    let (days, ms) = (unix_ms / 86_400_000, unix_ms % 86_400_000);
    let (year, month, day) = date(days);
    let (hour, minute) = (ms / 3_600_000, ms / 60_000 % 60);
    let (second, ms) = (ms / 1_000 % 60, ms % 1_000);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{ms:03}Z")
}

/// Returns year, month and day of a day since 1970, by the 400-year cycle of 146,097 days that begins in March (H. Hinnant, "chrono-compatible
/// low-level date algorithms").
const fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let months_since_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * months_since_march + 2) / 5 + 1;
    let month = (months_since_march + 2) % 12 + 1;
    let year = era * 400 + year_of_era + if month <= 2 { 1 } else { 0 };
    (year, month, day)
}

/// Returns a duration in at most two units: `1 h 2 min`, `3 min 5 s`, `4.050 s`, `12 ms`.
pub(super) fn duration(ms: u64) -> String {
    let two = |high: u64, unit: &str, low: u64, small: &str| match low {
        0 => format!("{high} {unit}"),
        _ => format!("{high} {unit} {low} {small}"),
    };
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 if ms.is_multiple_of(1_000) => format!("{} s", ms / 1_000),
        1_000..60_000 => format!("{}.{:03} s", ms / 1_000, ms % 1_000),
        60_000..3_600_000 => two(ms / 60_000, "min", ms / 1_000 % 60, "s"),
        3_600_000..86_400_000 => two(ms / 3_600_000, "h", ms / 60_000 % 60, "min"),
        _ => two(ms / 86_400_000, "d", ms / 3_600_000 % 24, "h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_and_durations_read_as_they_should() {
        assert_eq!(moment(0), "1970-01-01 00:00:00.000Z");
        assert_eq!(moment(951_782_400_000), "2000-02-29 00:00:00.000Z");
        assert_eq!(moment(1_732_158_000_123), "2024-11-21 03:00:00.123Z");
        assert_eq!(moment(4_102_444_799_999), "2099-12-31 23:59:59.999Z");
        let read: Vec<String> = [12, 4_050, 30_000, 185_000, 3_720_000, 180_000_000].into_iter().map(duration).collect();
        let wanted = ["12 ms", "4.050 s", "30 s", "3 min 5 s", "1 h 2 min", "2 d 2 h"];
        assert_eq!(read, wanted);
    }
}
