//! Checks what each value allows by itself but all together do not, and remarks on what is possible but nobody wants.

use super::event::{Coming, Event};
use super::keys;
use super::said::{Place, Value};
use super::taken::Taken;
use baton::facts::config::Mode;

impl Taken<'_> {
    /// Checks what each value allows by itself but all together do not.
    pub(super) fn possible(&mut self, event: &Event) {
        let room = &event.room;
        let said = |name: &str| self.said.room.get(name).cloned();
        let default = |text: String| Value { text, place: Place::Default };
        if room.core.permits == 0 {
            let value = said("permits").unwrap_or_else(|| default("0".to_owned()));
            self.wrong(
                "permits",
                &value,
                "nobody ever gets in",
                "at least 1; npm run find-permits measures how many the shop takes",
            );
        }
        if room.core.mode != Mode::Open {
            let value = said("mode").unwrap_or_else(|| default(room.core.mode.name().to_owned()));
            self.wrong("mode", &value, "a plan is of a room that opens", "leave it out");
        }
    }
}

/// Returns remarks on what is possible but nobody wants.
pub(super) fn notes(event: &Event) -> Vec<String> {
    let room = &event.room;
    let mut notes = Vec::new();
    let most = 2 * event.seats_each - 1;
    if let Some(seats) = event.seats
        && seats >= event.people().saturating_mul(most)
    {
        notes.push(format!(
            "{seats} seats are more than all {} people could buy: they never end.",
            event.people()
        ));
    }
    if event.stay_ms > room.core.lease_max_ms {
        notes.push(format!(
            "People stay {} on average and lease_max_s is {}: most are put out before they are done. Raise lease_max_s.",
            keys::span_text(event.stay_ms),
            room.core.lease_max_ms / 1_000
        ));
    }
    if event.stay_ms / event.pages > room.core.lease_idle_ms {
        notes.push(format!(
            "Between two pages people take longer than lease_idle_s ({}): they are put out meanwhile. Raise lease_idle_s, or say more pages.",
            room.core.lease_idle_ms / 1_000
        ));
    }
    if event.page_ms > room.core.claim_within_ms / 2 {
        notes.push(format!(
            "A page takes {} to load and claim_within_s is {}: many miss their call. Raise claim_within_s.",
            keys::span_text(event.page_ms),
            room.core.claim_within_ms / 1_000
        ));
    }
    let has_early = matches!(event.coming, Coming::Drawn { early, .. } if early > 0.0);
    if has_early && room.core.hall_ms < event.opens_ms() {
        notes.push(format!(
            "The hall opens {} before the sale; whoever comes earlier waits for it.",
            keys::span_text(room.core.hall_ms)
        ));
    }
    if event.seats.is_some() && room.core.lanes.len() > 1 {
        notes.push("A room with lanes has no stock line: nobody is told early that the seats will not last.".to_owned());
    } else if event.seats.is_some() && !room.core.stock_line {
        notes.push("stock_line is off: nobody can be told early that the seats will not last.".to_owned());
    }
    notes
}
