//! What the front does for operators with vouchers and staff links: it makes a sheet, signs a sheet's links, and signs a link for one of the staff.
//! Codes are hashed here, so no object ever has one.

use serde::Deserialize;
use serde_json::{Value, json};

use super::operation::Operation;
use crate::dice;
use crate::front::answers::{Draft, Stop};
use crate::front::objects;
use crate::log::{self, Code, Remark};
use crate::orders::{SheetOrder, SheetTold};
use facts::limits::{CODES_MAX, SHEET_LIFE_MS_MAX};
use facts::voucher::{CodeHash, SheetId, Slips, Terms};
use gate::{ErrorCode, code_of};
use room::vouchers::NewSheet;
use settings::{EntryPolicy, RoomSettings};
use token::{ANYWHERE, Invitation, STAFF_LIFE_MS_MAX, Staff, StaffName, room_mark};

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

/// What a room tells of its sheets.
#[derive(Deserialize)]
struct Sheets {
    sheets: Vec<SheetTold>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WantedStaff {
    name: String,
    hours: u64,
}

impl Operation<'_> {
    async fn sheets_of(&self, room: &RoomSettings) -> Result<Vec<SheetTold>, Draft> {
        let told = objects::passed(objects::ask_room(self.env, room, "sheets", "").await)?;
        let told = serde_json::from_str::<Sheets>(&told);
        told.map(|told| told.sheets).map_err(|_| Draft::error(ErrorCode::RoomUnavailable))
    }

    /// Makes a sheet.
    pub(super) async fn make_sheet(&self) -> Result<Value, Stop> {
        let room = self.room()?;
        let refused = |why: &str| Draft::error_saying(ErrorCode::BadRequest, why);
        let body = self.body().await?;
        if room.entry == EntryPolicy::Off {
            return Err(refused(ENTRY_OFF).into());
        }
        let wanted = serde_json::from_value::<Wanted>(Value::Object(body));
        let wanted = wanted.map_err(|_| self.unlike())?;
        let new = self.new_sheet(room, &wanted);
        let new = new.map_err(|why| refused(&why))?;
        let most_ms = dice::now_ms().saturating_add(SHEET_LIFE_MS_MAX);
        let order = SheetOrder {
            by: self.by(),
            terms: Terms {
                lane: wanted.lane,
                from_at_ms: wanted.from_at_ms,
                ends_at_ms: wanted.ends_at_ms.unwrap_or(most_ms),
            },
            new,
        };
        objects::value_of(self.send(room, "sheet-make", &order).await)
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
                    let hash = self.received.deployment.keyring.code_hash(&room.bound_as, &code);
                    hashed.push((hash, wanted.uses));
                }
                Ok(NewSheet::Codes(hashed))
            }
            _ => Err("a sheet has invitations or codes. Name one of the two".to_owned()),
        }
    }

    /// Returns some of a sheet's tokens, and where to go on.
    pub(super) async fn invitations(&self) -> Result<Value, Stop> {
        let room = self.room()?;
        let narrow = |name| {
            let number = self.call.number(name).unwrap_or_default();
            u32::try_from(number).unwrap_or(u32::MAX)
        };
        let (sheet, from) = (SheetId(narrow("sheet")), narrow("from"));
        let sheets = self.sheets_of(room).await?;
        let found = sheets.iter().find(|told| told.sheet == sheet);
        let Some((told, Slips::Invitations { count })) = found.map(|told| (told, told.slips)) else {
            let why = "There is no such sheet of invitations.";
            return Err(Draft::error_saying(ErrorCode::NotFound, why).into());
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
                self.received.deployment.keyring.sign(&invitation, ANYWHERE)
            })
            .collect();
        let next = (to < count).then_some(to);
        Ok(json!({ "invitations": tokens, "next": next }))
    }

    /// Returns a link's token for one of the staff.
    pub(super) async fn staff_link(&self) -> Result<Value, Stop> {
        let room = self.room()?;
        if room.is_over {
            let cure = "Nobody goes into a room that is over. Define it again, or make the link for another room.";
            return Err(Draft::error_saying(ErrorCode::BadRequest, cure).into());
        }
        let wanted: WantedStaff = self.typed_body().await?;
        let lasts_ms = wanted.hours.saturating_mul(HOUR_MS);
        let is_good = (1..=STAFF_LIFE_MS_MAX).contains(&lasts_ms);
        let who = StaffName::parse(&wanted.name).filter(|_| is_good);
        let who = who.ok_or_else(|| self.unlike())?;
        let staff = Staff {
            room: room_mark(&room.bound_as),
            name: who,
            epoch: room.staff_epoch,
            ends_at_ms: dice::now_ms().saturating_add(lasts_ms),
        };
        let remark = Remark::front(Code::StaffLinkMade).in_room(&room.name);
        log::say(&remark.by(&self.operator.name).because(who.as_str().to_owned()));
        let token = self.received.deployment.keyring.sign(&staff, ANYWHERE);
        Ok(json!({ "token": token, "ends_at_ms": staff.ends_at_ms }))
    }
}
