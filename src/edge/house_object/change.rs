//! Carries out a change of the house: plans it, judges it, asks the rooms that it concerns, writes it, and tells them.

use super::wishes::{Refused, wished};
use super::{Shell, about, asleep};
use crate::log::{self, Code};
use crate::object::{broken, refuse, unreadable};
use crate::orders::{HouseSteps, Undo};
use crate::pictures::Pictures;
use crate::{config, dice, watchdog};
use facts::config::Mode;
use facts::house::HouseEvent;
use gate::ErrorCode;
use house::table::Table;
use house::{House, Refusal, Stands};
use room::lanes::LaneReport;
use settings::{
    HouseChange, Neighbours, Problem, house_changes, house_operators, in_lines, missing_pictures, operator_changes, own_problems, somebody_owns,
};
use std::rc::Rc;
use token::Operator;
use worker::{Response, Result};

/// What becomes of each room.
type Changes = Vec<HouseChange>;

const LAST_OWNER_WHY: &str =
    "This would remove the last owner. Give another operator the role own, for all rooms and without an end, or set the secret BATON_ADMIN_TOKEN.";

impl Shell {
    /// Answers with what a change would do. Changes nothing.
    pub(super) fn plan(&self, body: &str) -> Result<Response> {
        let (order, mut wishes) = match wished("/plan", body) {
            Ok(wished) => wished,
            Err((code, why)) => return refuse(code, &why),
        };
        let (file, grounds) = self.file()?;
        self.read(|living| {
            let (house, within) = (living.house(), &order.within);
            let beside = Neighbours::new(&file, &grounds, within);
            beside.place(house, &mut wishes);
            let next = match house.decide(&wishes) {
                Ok(events) => house.after(&events),
                Err(refusal) => return refused(refusal),
            };
            let trespasses = beside.trespasses(house, &next);
            if !trespasses.is_empty() {
                let steps = HouseSteps::bad(house.version(), &trespasses);
                return Response::from_json(&steps);
            }
            let changes = house_changes(&file, &grounds, house, &next);
            let by = (order.by.as_str(), within.as_slice());
            let steps = match changes.and_then(|changes| self.check(by, changes)) {
                Ok(changes) => HouseSteps::good(house.version(), &changes),
                Err(problems) => HouseSteps::bad(house.version(), &own_problems(problems, within)),
            };
            Response::from_json(&steps)
        })
    }

    /// Carries out the operator's change: all of it or nothing. `path` says what is wished.
    pub(super) async fn change(self: &Rc<Self>, path: &str, body: &str) -> Result<Response> {
        let (order, mut wishes) = match wished(path, body) {
            Ok(wished) => wished,
            Err((code, why)) => return refuse(code, &why),
        };
        let (file, grounds) = self.file()?;
        let (events, trespasses) = self.read(|living| {
            let house = living.house();
            let beside = Neighbours::new(&file, &grounds, &order.within);
            beside.place(house, &mut wishes);
            let events = house.decide(&wishes);
            let next = events.as_ref().ok().map(|events| house.after(events));
            let trespasses = next.map(|next| beside.trespasses(house, &next));
            Ok((events, trespasses.unwrap_or_default()))
        })?;
        if !trespasses.is_empty() {
            return refuse(ErrorCode::Forbidden, &in_lines(&trespasses));
        }
        let by = (order.by.as_str(), order.within.as_slice());
        self.carry_out(by, order.expected, events).await
    }

    pub(super) async fn undo(self: &Rc<Self>, body: &str) -> Result<Response> {
        let Ok(order) = serde_json::from_str::<Undo>(body) else {
            return unreadable();
        };
        let events = self.read(|living| Ok(living.house().undo()))?;
        let everywhere = (order.by.as_str(), &[][..]);
        self.carry_out(everywhere, Some(order.expected), events).await
    }

    /// Carries out what was decided, if the house is still as the operator saw it, every room is good, and nobody has a place where none may be.
    /// `within` are the rooms in which the operator may act; empty means all.
    async fn carry_out(
        self: &Rc<Self>,
        (by, within): (&str, &[String]),
        expected: Option<u64>,
        events: core::result::Result<Vec<HouseEvent>, Refusal>,
    ) -> Result<Response> {
        let events = match events {
            Ok(events) => events,
            Err(refusal) => return refused(refusal),
        };
        if events.is_empty() {
            return self.look();
        }
        let seen = self.read(|living| Ok(living.house().version()))?;
        if expected.is_some_and(|expected| expected != seen) {
            return changed_meanwhile(seen);
        }
        let changes = match self.judge(&events, (by, within))? {
            Ok(changes) => changes,
            Err((code, why)) => return refuse(code, &why),
        };
        for change in &changes {
            if let Err((code, why)) = self.may(change).await {
                return refuse(code, &why);
            }
        }
        // The rooms took a while to answer: somebody may have changed the house.
        let now = self.read(|living| Ok(living.house().version()))?;
        if now != seen {
            return changed_meanwhile(now);
        }
        if events.iter().any(of_operator) {
            log::say(&about(Code::OperatorsChanged).by(by));
        }
        self.write(by, events)?;
        self.nudge();
        for change in changes {
            log::say(&about(Code::HouseChanged).in_room(&change.room).by(by));
            self.tell(change);
        }
        self.look()
    }

    fn judge(&self, events: &[HouseEvent], (by, within): (&str, &[String])) -> Result<core::result::Result<Changes, Refused>> {
        let (file, grounds) = self.file()?;
        self.read(|living| {
            let house = living.house();
            let next = house.after(events);
            let rooms = house_changes(&file, &grounds, house, &next);
            let rooms = rooms.and_then(|rooms| self.check((by, within), rooms));
            Ok(match rooms {
                Ok(rooms) => self.judge_operators(house, &next).map(|()| rooms),
                Err(problems) => Err((ErrorCode::BadRequest, in_lines(&own_problems(problems, within)))),
            })
        })
    }

    /// Checks that the next operators are good ones beside the file's, and that somebody is left who may change them. It looks only if the change
    /// concerns operators: what a deploy has made bad since then must not hinder a change of rooms.
    fn judge_operators(&self, now: &House, next: &House) -> core::result::Result<(), Refused> {
        if operator_changes(now, next).is_empty() {
            return Ok(());
        }
        let Ok(deployment) = config::load(&self.env) else {
            return Err((ErrorCode::RoomUnavailable, "the configuration is not valid".to_owned()));
        };
        let file = &deployment.settings;
        let holder = deployment.operators.holder();
        let (own, problems) = house_operators(file, holder, &Table::of(next).operators);
        if !problems.is_empty() {
            return Err((ErrorCode::BadRequest, in_lines(&problems)));
        }
        let was = house_operators(file, holder, &Table::of(now).operators).0;
        let owned = |own: &[Operator]| somebody_owns(holder.is_some(), &file.operators, own);
        let is_owned = owned(&own) || !owned(&was);
        is_owned.then_some(()).ok_or_else(|| (ErrorCode::LastOwner, LAST_OWNER_WHY.to_owned()))
    }

    /// Checks that this deployment has what the rooms need: secrets, and pictures of the operator who makes the change.
    fn check(&self, by: (&str, &[String]), changes: Vec<HouseChange>) -> core::result::Result<Vec<HouseChange>, Vec<Problem>> {
        let Ok(deployment) = config::load(&self.env) else {
            return Ok(changes);
        };
        let rooms = changes.iter().filter_map(|change| change.to.clone());
        let mut problems = config::lacking(&self.env, &deployment.settings, rooms.collect());
        let has = |name: &str| self.has_picture(by, name).unwrap_or(true);
        problems.extend(missing_pictures(&changes, has));
        if problems.is_empty() { Ok(changes) } else { Err(problems) }
    }

    /// Asks the room that the change concerns, and refuses the change if somebody has a place where none may be.
    async fn may(&self, change: &HouseChange) -> core::result::Result<(), Refused> {
        let Some(room) = change.asks() else {
            return Ok(());
        };
        let told = self.report(room).await.ok_or_else(|| {
            let why = format!("The room {} does not answer. Try again.", room.name);
            (ErrorCode::RoomUnavailable, why)
        })?;
        let report = &told.report;
        let living = report.waiting + report.in_hall + u64::from(report.inside);
        let listed = report.lanes.iter().filter(|lane| lane.is_listed);
        let lanes: Vec<(&str, u64)> = listed.map(LaneReport::living).collect();
        let hindered = change.hindered(report.mode == Mode::Closed, living);
        match hindered.or_else(|| change.drops_lane(&lanes)) {
            Some(why) => Err((ErrorCode::RoomInUse, why)),
            None => Ok(()),
        }
    }

    fn write(&self, by: &str, events: Vec<HouseEvent>) -> Result<()> {
        let pictures = Pictures::open(&self.state)?;
        for event in &events {
            if let HouseEvent::OperatorRemoved { name } = event {
                pictures.forget_uploader(name)?;
            }
        }
        // An error leaves nothing in memory: the next request folds the state anew from what is stored.
        let mut living = self.living.take().ok_or_else(asleep)?;
        living.change(dice::now_ms(), by, events).map_err(broken)?;
        living.journal().store().commit()?;
        let gone = |name: &String| {
            let kept = living.house().rooms().get(name);
            kept.is_none_or(|kept| kept.stands == Stands::Freed)
        };
        self.summaries.borrow_mut().retain(|name, _| !gone(name));
        self.living.replace(Some(living));
        Ok(())
    }

    /// Calls a room that was changed, so that it learns of the change now. If it does not answer, it learns with its next visitor.
    fn tell(self: &Rc<Self>, change: HouseChange) {
        let Some(room) = change.to else { return };
        let shell = Rc::clone(self);
        watchdog::spawn(&self.state, "house.tell", async move {
            if shell.report(&room).await.is_none() {
                log::say(&about(Code::RoomUnreachable).in_room(&room.name));
            }
        });
    }
}

/// Whether a fact says who may operate.
const fn of_operator(event: &HouseEvent) -> bool {
    matches!(event, HouseEvent::OperatorSet { .. } | HouseEvent::OperatorRemoved { .. })
}

fn refused(refusal: Refusal) -> Result<Response> {
    let code = match refusal {
        Refusal::Unknown(_) => ErrorCode::UnknownRoom,
        Refusal::UnknownOperator(_) => ErrorCode::UnknownOperator,
        Refusal::IsOver(_) | Refusal::IsOpen(_) => ErrorCode::RoomInUse,
        Refusal::Full | Refusal::FullOfNames | Refusal::Long(_) | Refusal::NothingToUndo | Refusal::FullOfOperators | Refusal::LongOperator(_) => {
            ErrorCode::BadRequest
        }
    };
    refuse(code, &refusal.to_string())
}

fn changed_meanwhile(now: u64) -> Result<Response> {
    let why = format!("the house was changed meanwhile: revision {now}");
    refuse(ErrorCode::PreconditionFailed, &why)
}
