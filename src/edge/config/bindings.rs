//! Reads what the platform hands over, without judging it: variables, secrets, and whether something is bound.

use living::Stay;
use serde_json::{Map, Value};
use wasm_bindgen::JsValue;
use worker::Env;

/// The name of the origin, which is a plain variable or a service binding.
const ORIGIN: &str = "ORIGIN";

/// The global in which `entry.js` leaves the settings that were bundled with the code.
const SETTINGS: &str = "__baton_settings";

/// Returns the variables that the schema knows. `ORIGIN` counts as one if it is text or a table, not if it is a service binding.
pub(super) fn read_vars(env: &Env) -> Map<String, Value> {
    let mut vars = Map::new();
    let origin = binding(env, ORIGIN).filter(|value| !is_fetcher(value));
    if let Some(origin) = origin.and_then(|value| to_json(&value)) {
        vars.insert(ORIGIN.to_owned(), origin);
    }
    if let Some(key) = text(env, "TURNSTILE_SITE_KEY") {
        vars.insert("TURNSTILE_SITE_KEY".to_owned(), Value::from(key));
    }
    for name in [
        "ACCESS",
        "CLEAR_SITE_DATA",
        "CLOUDFLARE",
        "FRONT_HEADERS",
        "GROUNDS",
        "OIDC",
        "OPERATORS",
        "ORIGIN_HOST",
        "ORIGIN_TIMEOUT_S",
        "PASS_HEADERS",
        "ROOMS",
        "WEBHOOKS",
    ] {
        let table = binding(env, name).or_else(|| bundled(name));
        if let Some(table) = table.and_then(|value| to_json(&value)) {
            vars.insert(name.to_owned(), table);
        }
    }
    vars
}

fn binding(env: &Env, name: &str) -> Option<JsValue> {
    let value = js_sys::Reflect::get(env, &JsValue::from(name)).ok()?;
    (!value.is_undefined() && !value.is_null()).then_some(value)
}

/// Returns a setting that the deploy bundled with the code, since a variable holds only 5 KB; `entry.js` hands it over.
fn bundled(name: &str) -> Option<JsValue> {
    let settings = js_sys::Reflect::get(&js_sys::global(), &JsValue::from(SETTINGS)).ok()?;
    let value = js_sys::Reflect::get(&settings, &JsValue::from(name)).ok()?;
    (!value.is_undefined() && !value.is_null()).then_some(value)
}

fn to_json(value: &JsValue) -> Option<Value> {
    let text = String::from(js_sys::JSON::stringify(value).ok()?);
    serde_json::from_str(&text).ok()
}

/// Returns what objects do about their memory. `scripts/workerd-config.mjs` binds this where Baton runs on a machine of somebody's own.
pub fn stay(env: &Env) -> Stay {
    match text(env, "OBJECTS_STAY") {
        Some(_) => Stay::Stays,
        None => Stay::Sleeps,
    }
}

/// Returns the secret of this name, if it is set. It must never be printed.
pub fn secret(env: &Env, name: &str) -> Option<String> {
    text(env, name)
}

/// Returns where a test sends a message for this webhook: the variable `WEBHOOK_STAND_IN` replaces every
/// webhook's host. It may only be an address of this machine.
pub fn webhook_stand_in(env: &Env, url: &str) -> Option<String> {
    let base = text(env, "WEBHOOK_STAND_IN")?;
    let path = url.strip_prefix("https://")?;
    base.starts_with("http://127.0.0.1:").then(|| format!("{base}/{path}"))
}

/// Whether a binding takes requests, and so is no table of the settings.
fn is_fetcher(value: &JsValue) -> bool {
    let fetch = js_sys::Reflect::get(value, &JsValue::from("fetch"));
    value.is_object() && fetch.is_ok_and(|fetch| fetch.is_function())
}

/// Returns the variable or secret of this name, if it is text.
pub(super) fn text(env: &Env, name: &str) -> Option<String> {
    binding(env, name).and_then(|value| value.as_string())
}

/// Whether anything of this name is bound.
pub(super) fn is_bound(env: &Env, name: &str) -> bool {
    binding(env, name).is_some()
}

/// Whether the origin is a service binding.
pub(super) fn has_origin_service(env: &Env) -> bool {
    binding(env, ORIGIN).is_some_and(|value| is_fetcher(&value))
}
