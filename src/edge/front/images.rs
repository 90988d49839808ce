//! The pictures of pages: operators upload them, visitors' browsers load them. Each is served under a name made from its bytes, so every cache may
//! keep it for ever, and the data centre's cache does: the house is asked for it once. For strangers the front asks only for pictures that a page
//! shows, so that nobody can make the house search for made-up names.

use serde_json::Value;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use worker::web_sys::Response;

use super::answers::{Draft, Stop};
use super::house::HOUSE;
use super::operator::value_of;
use super::{Front, js};
use crate::log::{self, Code, Remark};
use crate::orders::PictureOrder;
use crate::peers::{BOUND_HEADER, BY_HEADER};
use brand::image::{IMAGE_BYTES_MAX, kind_of_name, named_by};
use gate::ErrorCode;
use token::{Need, Operator, Role};

/// How long the house may take, ms.
const PATIENCE_MS: u32 = 5_000;
/// A browser must never run or load anything in a picture, even if somebody opens it by itself.
const POLICY: &str = "default-src 'none'; frame-ancestors 'none'";
const FOR_EVER: &str = "public, max-age=31536000, immutable";
const NEVER: &str = "private, no-store";

impl Front {
    /// `GET /__baton/images/{name}`: answers with a picture.
    pub(super) async fn image(&self, name: &str) -> Result<Response, JsValue> {
        let house = match self.house() {
            Ok(house) => house,
            Err(refusal) => return self.finish(refusal),
        };
        let settings = &self.deployment.settings;
        let mut rooms = settings.rooms.iter();
        let is_shown = rooms.any(|room| named_by(&room.page.logo) == Some(name));
        let (_, object) = house.object();
        let place = house.place();
        let asked = HOUSE.with(|house| house.picture(&self.env, &object, &place, name, is_shown, PATIENCE_MS));
        let mut told = JsFuture::from(asked).await;
        let mut caching = FOR_EVER;
        // An operator may also load an own picture that no page shows yet, such as one just uploaded.
        if !is_shown
            && told.as_ref().is_ok_and(JsValue::is_null)
            && let Ok(operator) = self.operator_who_may(Need::in_own_rooms(Role::View)).await
        {
            let order = order(operator, name)?;
            let asked = HOUSE.with(|house| house.own_picture(&self.env, &object, &place, &order, PATIENCE_MS));
            told = JsFuture::from(asked).await;
            caching = NEVER;
        }
        match told {
            Ok(answer) if answer.is_object() => self.image_told(name, answer.unchecked_into(), caching),
            Ok(_) => self.finish(Draft::error(ErrorCode::NotFound)),
            Err(error) => {
                let remark = Remark::front(Code::HouseUnreachable);
                log::say(&remark.because(js::describe(&error)));
                self.finish(Draft::error(ErrorCode::RoomUnavailable))
            }
        }
    }

    fn image_told(&self, name: &str, kept: Response, caching: &str) -> Result<Response, JsValue> {
        let answer = if self.incoming.is_head() {
            js::answer(200, &[], None)?
        } else {
            js::changeable(&kept)?
        };
        let headers = answer.headers();
        let media_type = kind_of_name(name).map_or("", |kind| kind.media_type());
        for (name, value) in [
            ("Content-Type", media_type),
            ("Cache-Control", caching),
            ("Content-Security-Policy", POLICY),
            ("X-Content-Type-Options", "nosniff"),
            ("X-Robots-Tag", "noindex"),
        ] {
            headers.set(name, value)?;
        }
        Ok(answer)
    }

    /// Has the house keep a picture.
    pub(super) async fn put_image(&self, operator: &Operator) -> Result<Value, Stop> {
        let house = self.house()?;
        let bytes = self.upload().await??;
        let bound = (!operator.rooms.is_empty()).then_some((BOUND_HEADER, "1"));
        let by: Vec<_> = bound.into_iter().chain([(BY_HEADER, operator.name.as_str())]).collect();
        let patience_ms = u64::from(PATIENCE_MS);
        let answer = house.post(&self.env, "keep-picture", &by, &bytes, patience_ms);
        let answer = answer.await.ok();
        value_of(answer.map(|answer| (answer.status, answer.text().unwrap_or_default())))
    }

    /// Reads the bytes that were sent, or returns a refusal. The length must be stated before anything is read.
    async fn upload(&self) -> Result<Result<Vec<u8>, Draft>, JsValue> {
        if self.incoming.header("content-length").is_none() {
            let cure = "Send the picture itself as the body, with its Content-Length.";
            return Ok(Err(Draft::error_saying(ErrorCode::BadRequest, cure)));
        }
        let long = || {
            let why = format!("A picture has at most {IMAGE_BYTES_MAX} bytes.");
            Draft::error_saying(ErrorCode::PayloadTooLarge, &why)
        };
        let bytes = js::bytes_of(self.incoming.raw(), IMAGE_BYTES_MAX).await?;
        Ok(bytes.ok_or_else(long))
    }
}

/// Writes which of an operator's pictures is wanted.
fn order(operator: &Operator, name: &str) -> Result<String, JsValue> {
    let order = PictureOrder {
        by: operator.name.clone(),
        within: operator.rooms.clone(),
        image: name.to_owned(),
    };
    serde_json::to_string(&order).map_err(|error| JsValue::from(error.to_string()))
}
