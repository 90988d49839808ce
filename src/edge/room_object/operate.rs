//! What operators do in a room: change live values, end tickets, begin a new edition. Each is a turn, and a line of the log.

use super::living::{Judged, ValueJudge, unchanged};
use super::{Shell, read};
use crate::log::{self, Code};
use crate::object::{refuse, unreadable};
use crate::orders::{AccountEnd, Dismissal, LeaseEnd, LiveChange, Reset, Undo};
use facts::units::Instant;
use gate::ErrorCode;
use room::Room;
use settings::name_in_file;
use std::rc::Rc;
use worker::{Response, Result};

impl Shell {
    /// Changes live values for the operator: all of them or none.
    pub(super) fn live(self: &Rc<Self>, body: &[u8]) -> Result<Response> {
        let Some(wanted) = read::<LiveChange>(body) else {
            return unreadable();
        };
        self.change(&wanted.by, |judge, room, now| judge.change(room, now, &wanted))
    }

    /// Takes the last change back for the operator.
    pub(super) fn undo(self: &Rc<Self>, body: &[u8]) -> Result<Response> {
        let Some(wanted) = read::<Undo>(body) else {
            return unreadable();
        };
        self.change(&wanted.by, |judge, room, now| judge.undo(room, now, &wanted))
    }

    /// Judges a change by the room as it is now, and carries it out in the same turn. The answer is the room as it is then.
    fn change(self: &Rc<Self>, by: &str, judge: impl FnOnce(&ValueJudge, &Room, Instant) -> Judged) -> Result<Response> {
        let values = self.read(|living| Ok(living.judge()))?;
        let judged = self.turn(|core, wall_ms| core.change(wall_ms, by, |core, now| judge(&values, core.room(), now)))?;
        let (changes, report) = match judged {
            Ok(changed) => changed,
            Err((code, why)) => return refuse(code, &why),
        };
        if !changes.is_empty() {
            let keys: Vec<String> = changes.iter().map(|change| change.key().name().to_owned()).collect();
            let said = self.about(Code::LiveChanged).by(by);
            log::say(&said.because(keys.join(", ")));
        }
        self.told(report)
    }

    /// Ends a ticket for the operator; answers 410 if it does not live.
    pub(super) fn release(self: &Rc<Self>, body: &[u8]) -> Result<Response> {
        let Some(wanted) = read::<Dismissal>(body) else {
            return unreadable();
        };
        let found = self.turn(|core, wall_ms| core.dismiss(wall_ms, wanted.number, &wanted.by))?;
        if found {
            log::say(&self.about(Code::TicketEnded).by(&wanted.by));
            Response::empty()
        } else {
            refuse(ErrorCode::TicketOver, "no such ticket is living")
        }
    }

    /// Ends the ticket of an account for the operator; answers 410 if the account has none.
    pub(super) fn leave(self: &Rc<Self>, body: &[u8]) -> Result<Response> {
        let Some(AccountEnd { by, account }) = read::<AccountEnd>(body) else {
            return unreadable();
        };
        let ended = self.turn(|core, wall_ms| core.dismiss_account(wall_ms, account, &by))?;
        let Some(number) = ended else {
            return refuse(ErrorCode::TicketOver, "this customer has no living ticket");
        };
        log::say(&self.about(Code::TicketEnded).by(&by));
        Response::from_json(&serde_json::json!({ "number": number }))
    }

    /// Gives a lease back for a machine of the shop; answers 404 if no lease ever had this fence. A lease that has ended is no error: the order may
    /// come twice, or late.
    pub(super) fn release_lease(self: &Rc<Self>, body: &[u8]) -> Result<Response> {
        let Some(wanted) = read::<LeaseEnd>(body) else {
            return unreadable();
        };
        let ended = self.turn(|core, wall_ms| core.end_lease(wall_ms, wanted.fence, &wanted.by))?;
        match ended {
            Some(true) => log::say(&self.about(Code::TicketEnded).by(&wanted.by)),
            Some(false) => {}
            None => return refuse(ErrorCode::UnknownLease, ErrorCode::UnknownLease.message()),
        }
        Response::empty()
    }

    /// Begins a new edition for the operator, if nobody has changed the room since the operator's look.
    pub(super) fn reset(self: &Rc<Self>, body: &[u8]) -> Result<Response> {
        let name = self.read(|living| Ok(name_in_file(&living.name).to_owned()))?;
        let wanted = read::<Reset>(body).filter(|wanted| wanted.body.room == name);
        let Some(wanted) = wanted else {
            let cure = format!("A reset ends every ticket of the room. Confirm it with its name: {{\"room\": \"{name}\"}}");
            return refuse(ErrorCode::BadRequest, &cure);
        };
        let seen = Some(wanted.expected);
        if let Err((code, why)) = self.read(|living| Ok(unchanged(living.core.room(), seen)))? {
            return refuse(code, &why);
        }
        let edition = self.turn(|core, wall_ms| core.reset(wall_ms, &wanted.by))?;
        let edition = u64::from(edition.0);
        log::say(&self.about(Code::RoomReset).by(&wanted.by).counting(edition));
        self.report()
    }
}
