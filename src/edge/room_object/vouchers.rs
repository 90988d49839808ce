//! What operators do with sheets of vouchers in a room.

use std::rc::Rc;

use serde_json::json;
use worker::{Response, Result};

use super::{Shell, read};
use crate::log::{self, Code};
use crate::object::{refuse, unreadable};
use crate::orders::{SheetEnd, SheetOrder, SheetTold};
use gate::ErrorCode;

impl Shell {
    /// Answers with every sheet that is not withdrawn.
    pub(super) fn sheets(&self) -> Result<Response> {
        self.read(|living| {
            let sheets = living.core.room().vouchers().sheets();
            let told: Vec<SheetTold> = sheets.map(|(id, sheet)| SheetTold::of(id, sheet)).collect();
            Response::from_json(&json!({ "sheets": told }))
        })
    }

    /// Makes a sheet for the operator.
    pub(super) fn make_sheet(self: &Rc<Self>, body: &[u8]) -> Result<Response> {
        let Some(SheetOrder { by, terms, new }) = read::<SheetOrder>(body) else {
            return unreadable();
        };
        let made = self.turn(|core, wall_ms| core.make_sheet(wall_ms, terms, new, &by))?;
        let id = match made {
            Ok(id) => id,
            Err(problem) => return refuse(ErrorCode::BadRequest, problem.text()),
        };
        log::say(&self.about(Code::SheetMade).by(&by).counting(id.0.into()));
        self.read(|living| {
            let sheet = living.core.room().vouchers().sheet(id);
            Response::from_json(&sheet.map(|sheet| SheetTold::of(id, sheet)))
        })
    }

    /// Withdraws a sheet for the operator; answers 404 if there is no such sheet.
    pub(super) fn withdraw_sheet(self: &Rc<Self>, body: &[u8]) -> Result<Response> {
        let Some(SheetEnd { by, sheet }) = read::<SheetEnd>(body) else {
            return unreadable();
        };
        if !self.turn(|core, wall_ms| core.withdraw_sheet(wall_ms, sheet, &by))? {
            let why = "There is no such sheet, or it was withdrawn before.";
            return refuse(ErrorCode::NotFound, why);
        }
        let said = self.about(Code::SheetWithdrawn).by(&by);
        log::say(&said.counting(sheet.0.into()));
        Response::empty()
    }
}
