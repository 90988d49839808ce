//! The pictures of pages: operators upload them, visitors' browsers load them. Each is served under a name made from its bytes, so every cache may
//! keep it for ever, and the data centre's cache does: the house is asked for it once. For strangers the front asks only for pictures that a page
//! shows, so that nobody can make the house search for made-up names.

use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use worker::Env;
use worker::web_sys::Response;

use super::answers::Draft;
use super::house::{self, HOUSE};
use super::incoming::Incoming;
use super::js;
use super::operator::who::Door;
use super::received::Received;
use crate::log::{self, Code, Remark};
use crate::orders::PictureOrder;
use brand::image::{kind_of_name, named_by};
use gate::ErrorCode;
use token::{Need, Operator, Role};

/// How long the house may take, ms.
const PATIENCE_MS: u32 = 5_000;
/// A browser must never run or load anything in a picture, even if somebody opens it by itself.
const POLICY: &str = "default-src 'none'; frame-ancestors 'none'";
const FOR_EVER: &str = "public, max-age=31536000, immutable";
const NEVER: &str = "private, no-store";

/// `GET /__baton/images/{name}`: answers with a picture.
pub(super) async fn answer(env: &Env, received: &Received, name: &str) -> Result<Response, JsValue> {
    let house = match house::address(received) {
        Ok(house) => house,
        Err(refusal) => return received.finish(refusal),
    };
    let settings = &received.deployment.settings;
    let mut rooms = settings.rooms.iter();
    let is_shown = rooms.any(|room| named_by(&room.page.logo) == Some(name));
    let (_, object) = house.object();
    let place = house.place();
    let asked = HOUSE.with(|house| house.picture(env, &object, &place, name, is_shown, PATIENCE_MS));
    let mut told = JsFuture::from(asked).await;
    let mut caching = FOR_EVER;
    // An operator may also load an own picture that no page shows yet, such as one just uploaded.
    if !is_shown
        && told.as_ref().is_ok_and(JsValue::is_null)
        && let Ok(operator) = (Door { env, received }).operator_who_may(Need::in_own_rooms(Role::View)).await
    {
        let order = order(operator, name)?;
        let asked = HOUSE.with(|house| house.own_picture(env, &object, &place, &order, PATIENCE_MS));
        told = JsFuture::from(asked).await;
        caching = NEVER;
    }
    match told {
        Ok(answer) if answer.is_object() => image_told(&received.incoming, name, answer.unchecked_into(), caching),
        Ok(_) => received.finish(Draft::error(ErrorCode::NotFound)),
        Err(error) => {
            let remark = Remark::front(Code::HouseUnreachable);
            log::say(&remark.because(js::describe(&error)));
            received.finish(Draft::error(ErrorCode::RoomUnavailable))
        }
    }
}

fn image_told(incoming: &Incoming, name: &str, kept: Response, caching: &str) -> Result<Response, JsValue> {
    let answer = if incoming.is_head() {
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

/// Writes which of an operator's pictures is wanted.
fn order(operator: &Operator, name: &str) -> Result<String, JsValue> {
    let order = PictureOrder {
        by: operator.name.clone(),
        within: operator.rooms.clone(),
        image: name.to_owned(),
    };
    serde_json::to_string(&order).map_err(|error| JsValue::from(error.to_string()))
}
