//! What operators do with vouchers and staff links: they make, list and take back sheets, fetch a sheet's links, and fetch a link for one of the
//! staff. Codes are hashed here, so no object ever has one.

use serde::Deserialize;
use serde_json::json;
use wasm_bindgen::JsValue;

use super::Front;
use super::answers::Draft;
use super::operator::ORDER_BYTES_MAX;
use crate::edge::dice;
use crate::edge::log::{self, Code, Remark};
use crate::edge::orders::{SheetEnd, SheetOrder, SheetTold};
use crate::facts::limits::{CODES_MAX, SHEET_LIFE_MS_MAX};
use crate::facts::voucher::{CodeHash, SheetId, Slips, Terms};
use crate::gate::{ErrorCode, code_of};
use crate::room::vouchers::NewSheet;
use crate::settings::{EntryPolicy, RoomSettings};
use crate::token::{ANYWHERE, Invitation, STAFF_LIFE_MS_MAX, Staff, StaffName, room_mark};

/// The most bytes of a sheet to be made: 20,000 codes of 64 characters.
const SHEET_BYTES_MAX: usize = 2_500_000;
/// The most links in one answer. Each costs an HMAC: some 10 ms in all.
const LINKS_MAX: u32 = 1_000;
const HOUR_MS: u64 = 3_600_000;
/// Why a room makes no sheet: whoever came by its links or codes would queue like anybody.
const ENTRY_OFF: &str = "This room looks at no invitation and no code: its entry is \"off\". First set entry = \"optional\" or \"required\".";

/// A sheet as an operator asks for it, with exactly one of the first two fields.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    invitations: Option<u32>,
    codes: Option<Vec<WantedCode>>,
    lane: Option<String>,
    #[serde(default)]
    from_at_ms: u64,
    ends_at_ms: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WantedCode {
    code: String,
    #[serde(default = "once")]
    uses: u32,
}

const fn once() -> u32 {
    1
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WantedStaff {
    name: String,
    hours: u64,
}

impl Front {
    /// `GET …/rooms/{room}/sheets`: lists the room's sheets.
    pub(super) async fn sheets(&self, name: &str) -> Draft {
        let Some(room) = self.deployment.settings.room(name) else {
            return Draft::error(ErrorCode::UnknownRoom);
        };
        match self.sheets_of(room).await {
            Some(sheets) => Draft::json(200, json!({ "sheets": sheets }).to_string()),
            None => Draft::error(ErrorCode::RoomUnavailable),
        }
    }

    async fn sheets_of(&self, room: &RoomSettings) -> Option<Vec<SheetTold>> {
        let (status, told) = self.ask_room(room, "sheets", "").await?;
        (status == 200)
            .then(|| serde_json::from_str(&told).ok())
            .flatten()
    }

    /// `POST …/rooms/{room}/sheets`: makes a sheet.
    pub(super) async fn make_sheet(&self, name: &str, by: &str) -> Result<Draft, JsValue> {
        let Some(room) = self.deployment.settings.room(name) else {
            return Ok(Draft::error(ErrorCode::UnknownRoom));
        };
        let Some(body) = self.incoming.text(SHEET_BYTES_MAX).await? else {
            return Ok(Draft::error(ErrorCode::PayloadTooLarge));
        };
        if room.entry == EntryPolicy::Off {
            return Ok(Draft::error_saying(ErrorCode::BadRequest, ENTRY_OFF));
        }
        let Ok(wanted) = serde_json::from_str::<Wanted>(&body) else {
            let cure = "Send {\"invitations\": 500} or {\"codes\": [{\"code\": \"…\", \"uses\": 1}]}, with lane, from_at_ms and ends_at_ms if you like.";
            return Ok(Draft::error_saying(ErrorCode::BadRequest, cure));
        };
        let new = match self.new_sheet(room, &wanted) {
            Ok(new) => new,
            Err(why) => return Ok(Draft::error_saying(ErrorCode::BadRequest, &why)),
        };
        let most_ms = dice::now_ms().saturating_add(SHEET_LIFE_MS_MAX);
        let order = SheetOrder {
            by: by.to_owned(),
            terms: Terms {
                lane: wanted.lane,
                from_at_ms: wanted.from_at_ms,
                ends_at_ms: wanted.ends_at_ms.unwrap_or(most_ms),
            },
            new,
        };
        Ok(match self.order(room, "sheet-make", &order).await {
            Some((200, told)) => Draft::json(201, told),
            Some((400, why)) => Draft::error_saying(ErrorCode::BadRequest, &why),
            _ => Draft::error(ErrorCode::RoomUnavailable),
        })
    }

    /// Hashes the codes of a wanted sheet. An error names a bad code by its index only, for it may be half of a real one.
    fn new_sheet(&self, room: &RoomSettings, wanted: &Wanted) -> Result<NewSheet, String> {
        match (&wanted.invitations, &wanted.codes) {
            (Some(count), None) => Ok(NewSheet::Invitations(*count)),
            (None, Some(codes)) => {
                let mut hashed: Vec<(CodeHash, u32)> = Vec::new();
                for (at, wanted) in codes.iter().take(CODES_MAX + 1).enumerate() {
                    let Some(code) = code_of(&wanted.code) else {
                        return Err(format!(
                            "codes[{at}] is no code. Write 6 to 64 letters a to z and digits; blanks, dashes and case do not matter"
                        ));
                    };
                    let hash = self.deployment.keyring.code_hash(&room.bound_as, &code);
                    hashed.push((hash, wanted.uses));
                }
                Ok(NewSheet::Codes(hashed))
            }
            _ => Err("a sheet has invitations or codes. Name one of the two".to_owned()),
        }
    }

    /// `DELETE …/rooms/{room}/sheets/{sheet}`: takes a sheet back.
    pub(super) async fn withdraw_sheet(&self, name: &str, sheet: SheetId, by: &str) -> Draft {
        let Some(room) = self.deployment.settings.room(name) else {
            return Draft::error(ErrorCode::UnknownRoom);
        };
        let by = by.to_owned();
        match self
            .order(room, "sheet-withdraw", &SheetEnd { by, sheet })
            .await
        {
            Some((200 | 204, _)) => Draft::new(204),
            Some((404, why)) => Draft::error_saying(ErrorCode::NotFound, &why),
            _ => Draft::error(ErrorCode::RoomUnavailable),
        }
    }

    /// `GET …/sheets/{sheet}/invitations?from=`: answers with some of a sheet's tokens, and where to go on.
    pub(super) async fn invitations(&self, name: &str, sheet: SheetId, from: u32) -> Draft {
        let Some(room) = self.deployment.settings.room(name) else {
            return Draft::error(ErrorCode::UnknownRoom);
        };
        let Some(sheets) = self.sheets_of(room).await else {
            return Draft::error(ErrorCode::RoomUnavailable);
        };
        let found = sheets.iter().find(|told| told.sheet == sheet);
        let Some((told, Slips::Invitations { count })) = found.map(|told| (told, told.slips))
        else {
            let why = "There is no such sheet of invitations.";
            return Draft::error_saying(ErrorCode::NotFound, why);
        };
        let to = count.min(from.saturating_add(LINKS_MAX));
        let mark = room_mark(&room.bound_as);
        let tokens: Vec<String> = (from..to)
            .map(|index| {
                let invitation = Invitation {
                    room: mark,
                    sheet,
                    index,
                    from_at_ms: told.terms.from_at_ms,
                    ends_at_ms: told.terms.ends_at_ms,
                };
                self.deployment.keyring.sign(&invitation, ANYWHERE)
            })
            .collect();
        let next = (to < count).then_some(to);
        Draft::json(
            200,
            json!({ "invitations": tokens, "next": next }).to_string(),
        )
    }

    /// `POST …/rooms/{room}/staff`: answers with a link's token for one of the staff.
    pub(super) async fn staff_link(&self, name: &str, by: &str) -> Result<Draft, JsValue> {
        let Some(room) = self.deployment.settings.room(name) else {
            return Ok(Draft::error(ErrorCode::UnknownRoom));
        };
        if room.is_over {
            let cure = "Nobody goes into a room that is over. Define it again, or make the link for another room.";
            return Ok(Draft::error_saying(ErrorCode::BadRequest, cure));
        }
        let Some(body) = self.incoming.text(ORDER_BYTES_MAX).await? else {
            return Ok(Draft::error(ErrorCode::PayloadTooLarge));
        };
        let wanted = serde_json::from_str::<WantedStaff>(&body).ok();
        let lasts_ms = |wanted: &WantedStaff| wanted.hours.saturating_mul(HOUR_MS);
        let wanted = wanted.filter(|wanted| (1..=STAFF_LIFE_MS_MAX).contains(&lasts_ms(wanted)));
        let Some((wanted, who)) =
            wanted.and_then(|wanted| StaffName::parse(&wanted.name).map(|who| (wanted, who)))
        else {
            let cure = "Send {\"name\": \"mika\", \"hours\": 8}: a name of 1 to 16 of a-z, 0-9 and -, and 1 to 24 hours.";
            return Ok(Draft::error_saying(ErrorCode::BadRequest, cure));
        };
        let staff = Staff {
            room: room_mark(&room.bound_as),
            name: who,
            epoch: room.staff_epoch,
            ends_at_ms: dice::now_ms().saturating_add(lasts_ms(&wanted)),
        };
        let remark = Remark::front(Code::StaffLinkMade).in_room(&room.name);
        log::say(&remark.by(by).because(who.as_str().to_owned()));
        let token = self.deployment.keyring.sign(&staff, ANYWHERE);
        let told = json!({ "token": token, "ends_at_ms": staff.ends_at_ms });
        Ok(Draft::json(201, told.to_string()))
    }
}
