//! What operators ask of the house.

use serde::Deserialize;

use super::operation::Operation;
use crate::front::answers::{Draft, Stop};
use crate::front::{house, objects};
use crate::log::{Code, Remark};
use control::Gives;
use gate::ErrorCode;

/// How long the house may take to answer an operator, ms. It may have to ask rooms.
const PATIENCE_MS: u64 = 15_000;

/// A part of what the house tells.
#[derive(Deserialize)]
struct Revised {
    revision: u64,
}

impl Operation<'_> {
    /// Answers an operator's call to the house with what the house answers. Whoever looks here next sees at least that.
    pub(super) async fn house_call(&self, path: &str) -> Result<Draft, Stop> {
        let house = house::address(self.received)?;
        let order = objects::text_of(&self.order().await?)?;
        let remark = Remark::front(Code::HouseUnreachable);
        let asked = objects::ask_object(self.env, &house, path, &order, PATIENCE_MS, remark);
        let answer = asked.await.unwrap_or_default();
        let is_passed = answer.0 < 500 || answer.1.starts_with('{');
        if answer.0 == 0 || !is_passed {
            let why = "The house does not answer.";
            return Err(Draft::error_saying(ErrorCode::RoomUnavailable, why).into());
        }
        let text = objects::passed(Some(answer))?;
        if let Gives::Tagged(_) = self.call.endpoint.gives {
            let revision = serde_json::from_str::<Revised>(&text);
            let revision = revision.map(|told| told.revision).unwrap_or_default();
            house::expect(revision);
        }
        Ok(self.told(text))
    }
}
