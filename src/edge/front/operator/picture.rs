//! An operator uploads a picture, which the house keeps.

use serde_json::Value;
use wasm_bindgen::JsValue;

use super::operation::Operation;
use crate::front::answers::{Draft, Stop};
use crate::front::incoming::Incoming;
use crate::front::{house, js, objects};
use crate::peers::{BOUND_HEADER, BY_HEADER};
use brand::image::IMAGE_BYTES_MAX;
use gate::ErrorCode;

/// How long the house may take, ms.
const PATIENCE_MS: u64 = 5_000;

impl Operation<'_> {
    /// Has the house keep a picture.
    pub(super) async fn put_image(&self) -> Result<Value, Stop> {
        let house = house::address(self.received)?;
        let bytes = upload(&self.received.incoming).await??;
        let bound = (!self.operator.rooms.is_empty()).then_some((BOUND_HEADER, "1"));
        let by: Vec<_> = bound.into_iter().chain([(BY_HEADER, self.operator.name.as_str())]).collect();
        let answer = house.post(self.env, "keep-picture", &by, &bytes, PATIENCE_MS);
        let answer = answer.await.ok();
        objects::value_of(answer.map(|answer| (answer.status, answer.text().unwrap_or_default())))
    }
}

/// Reads the bytes that were sent, or returns a refusal. The length must be stated before anything is read.
async fn upload(incoming: &Incoming) -> Result<Result<Vec<u8>, Draft>, JsValue> {
    if incoming.header("content-length").is_none() {
        let cure = "Send the picture itself as the body, with its Content-Length.";
        return Ok(Err(Draft::error_saying(ErrorCode::BadRequest, cure)));
    }
    let long = || {
        let why = format!("A picture has at most {IMAGE_BYTES_MAX} bytes.");
        Draft::error_saying(ErrorCode::PayloadTooLarge, &why)
    };
    let bytes = js::bytes_of(incoming.raw(), IMAGE_BYTES_MAX).await?;
    Ok(bytes.ok_or_else(long))
}
