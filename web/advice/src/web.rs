//! The browser's entry point: JSON in, JSON out.

use crate::{Question, forecast};
use wasm_bindgen::prelude::wasm_bindgen;

/// Answers a [`Question`] with a [`Forecast`](crate::Forecast), both as JSON. Returns `{"error": …}` if the question cannot be read.
#[wasm_bindgen]
#[must_use]
pub fn advise(question: &str) -> String {
    let answer = match serde_json::from_str::<Question>(question) {
        Ok(question) => serde_json::to_string(&forecast(&question)),
        Err(why) => serde_json::to_string(&serde_json::json!({ "error": why.to_string() })),
    };
    answer.unwrap_or_default()
}
