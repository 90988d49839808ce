//! The API as an OpenAPI 3.1 document. `base.json` has the visitors' calls and what answers look like. This file fills in what other parts of the code
//! know, each from its one home, so that it cannot drift: operators' calls from their table (`operations.rs`), live values and settings from the
//! schema, error codes from their closed list, modes and the room's figures from their types.
//!
//! `npm run docs` writes it to docs/openapi.json, which is served; nothing of it is in the worker.

mod operations;

use serde_json::{Map, Value, json};

use brand::language::Language;
use brand::scheme::{Chosen, Shade};
use brand::texts::{ANY, TEXTS};
use facts::config::Mode;
use facts::entry::EntryRefusal;
use facts::lane_name::LANE_NAME_BYTES_MAX;
use facts::lanes::{LANE_TITLE_CHARS_MAX, LANES_MAX, SHARE_MAX};
use facts::limits::{PERIODS_MAX, STEPS_MAX};
use facts::ordered::filled;
use gate::ErrorCode;
use room::report::Report;
use settings::{ADDRESS_BYTES_MAX, Changes, KEYS, Key, Kind, PAGE_KEYS, PATTERN_BYTES_MAX, PATTERNS_MAX, RAMP_S_MAX};

const BASE: &str = include_str!("base.json");
/// The key that the house sets for its rooms.
const GENERATION: &str = "generation";

/// Makes the document. O(its size).
#[must_use]
pub fn document() -> Value {
    // A test checks that the base can be read, so what ships never falls back to the default here.
    let mut document: Value = serde_json::from_str(BASE).unwrap_or_default();
    if let Some(version) = document.pointer_mut("/info/version") {
        *version = Value::from(env!("CARGO_PKG_VERSION"));
    }
    if let Some(Value::Object(paths)) = document.pointer_mut("/paths") {
        operations::add(paths);
    }
    if let Some(Value::Object(schemas)) = document.pointer_mut("/components/schemas") {
        schemas.insert("Mode".to_owned(), json!({ "enum": Mode::NAMES }));
        schemas.insert("Report".to_owned(), report());
        schemas.insert("LiveValues".to_owned(), live_values());
        schemas.insert("Definition".to_owned(), definition());
        schemas.insert("Brand".to_owned(), brand());
        let mut some = settings();
        schemas.insert("Settings".to_owned(), some.clone());
        some.as_object_mut().map(|some| some.remove("required"));
        schemas.insert("SomeSettings".to_owned(), some);
        add_status_to_entered(schemas);
    }
    if let Some(Value::Object(components)) = document.pointer_mut("/components") {
        components.insert("responses".to_owned(), Value::Object(errors()));
    }
    document
}

/// Adds the fields of a status, and one more, to what `enter` answers.
fn add_status_to_entered(schemas: &mut Map<String, Value>) {
    let fields = |schema: &Value| schema.pointer("/properties").cloned();
    let status = schemas.get("Status").and_then(fields);
    let entered = schemas.get_mut("Entered");
    let own = entered.and_then(|entered| entered.pointer_mut("/properties"));
    if let (Some(Value::Object(own)), Some(Value::Object(status))) = (own, status) {
        own.extend(status);
        own.insert("in".to_owned(), json!({ "type": "boolean" }));
    }
}

/// Describes what a `PATCH` may carry.
fn live_values() -> Value {
    let live = KEYS.iter().filter(|key| key.is_live());
    let values: Map<String, Value> = filled(live.map(|key| {
        let mut forms = vec![value_of(key.kind), json!({ "type": "null" })];
        forms.extend((key.change == Changes::Ramp).then(|| ramp(key.kind, false)));
        let value = json!({ "description": key.doc, "anyOf": forms });
        (key.name.to_owned(), value)
    }));
    json!({ "type": "object", "properties": values, "additionalProperties": false })
}

/// Describes a room of the house: the keys that a room has in the file, except the one that the house counts itself.
fn definition() -> Value {
    let own = || KEYS.iter().filter(|key| key.name != GENERATION);
    let required = own().filter(|key| key.default.is_none());
    let required: Vec<_> = required.map(|key| key.name).collect();
    let each = |key: &Key| {
        let value = json!({ "description": key.doc, "anyOf": [value_of(key.kind)] });
        (key.name.to_owned(), value)
    };
    let keys: Map<String, Value> = filled(own().map(each));
    json!({ "type": "object", "required": required, "properties": keys, "additionalProperties": false })
}

/// Describes what may be laid over a room's table: the keys of its page.
fn brand() -> Value {
    table(PAGE_KEYS.iter().map(|key| (key.name, value_of(key.kind))))
}

/// Describes a ramp: as it is written, or with `shown` as it is shown while it runs.
fn ramp(kind: Kind, shown: bool) -> Value {
    let value = value_of(kind);
    let instant = json!({ "type": "integer", "minimum": 0 });
    let mut parts = json!({ "from": value, "to": value, "over_s": { "type": "integer", "minimum": 1, "maximum": RAMP_S_MAX } });
    let mut required = vec!["to", "over_s"];
    if let (true, Some(parts)) = (shown, parts.as_object_mut()) {
        parts.insert("since_at_ms".to_owned(), instant.clone());
        parts.insert("ends_at_ms".to_owned(), instant);
        required.extend(["from", "since_at_ms", "ends_at_ms"]);
    }
    json!({
        "description": "On the way from one number to another; for a rate neither may be 0.",
        "type": "object",
        "required": required,
        "properties": parts,
        "additionalProperties": false,
    })
}

/// Describes one setting in force.
fn setting(key: &Key) -> Value {
    let live = key.is_live();
    let sources = if live {
        vec!["default", "file", "live"]
    } else {
        vec!["default", "file"]
    };
    let mut parts = json!({ "value": value_of(key.kind), "source": { "enum": sources }, "live": { "const": live } });
    if let (true, Some(parts)) = (key.change == Changes::Ramp, parts.as_object_mut()) {
        parts.insert("ramp".to_owned(), ramp(key.kind, true));
    }
    json!({ "description": key.doc, "type": "object", "required": ["value", "source", "live"], "properties": parts })
}

/// Describes what is in force: every key.
fn settings() -> Value {
    let names: Vec<_> = KEYS.iter().map(|key| key.name).collect();
    let each = |key: &Key| (key.name.to_owned(), setting(key));
    let keys: Map<String, Value> = filled(KEYS.iter().map(each));
    json!({ "type": "object", "required": names, "properties": keys })
}

/// Describes what a value of this kind may be. JSON Schema cannot say every rule, such as those between two keys: a value that fits
/// here may still be refused with 400.
fn value_of(kind: Kind) -> Value {
    match kind {
        Kind::Count { min, max } | Kind::Seconds { min, max } | Kind::Millis { min, max } => {
            json!({ "type": "integer", "minimum": min, "maximum": max })
        }
        Kind::Rate { max } => {
            json!({ "type": "number", "minimum": 0, "maximum": max, "multipleOf": 0.001 })
        }
        Kind::Switch => json!({ "type": "boolean" }),
        Kind::Word(words) => json!({ "enum": words }),
        Kind::OneOf(numbers) => json!({ "enum": numbers }),
        Kind::Paths | Kind::Hosts | Kind::Networks | Kind::Origins => {
            let item = json!({ "type": "string", "maxLength": PATTERN_BYTES_MAX });
            json!({ "type": "array", "maxItems": PATTERNS_MAX, "items": item })
        }
        Kind::Dates => {
            let date = json!({ "type": "string", "format": "date-time" });
            let list = json!({ "type": "array", "maxItems": PERIODS_MAX, "items": date });
            json!({ "anyOf": [date, list] })
        }
        Kind::Schedule => {
            let at = json!({ "type": "string", "format": "date-time" });
            let set = json!({ "type": "object", "minProperties": 1 });
            let parts = json!({ "at": at, "set": set });
            let step = json!({ "type": "object", "required": ["at", "set"], "additionalProperties": false, "properties": parts });
            json!({ "type": "array", "maxItems": STEPS_MAX, "items": step })
        }
        Kind::Lanes => lanes(),
        Kind::Domain => json!({ "type": "string", "maxLength": PATTERN_BYTES_MAX }),
        Kind::Strict => json!({ "enum": [false, "unsafe", "all"] }),
        Kind::Text { chars_max } => {
            let plain = "^[^\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f]*$";
            json!({ "type": "string", "maxLength": chars_max, "pattern": plain })
        }
        Kind::Notice { chars_max } => {
            let text = value_of(Kind::Text { chars_max });
            let tags = Language::ALL.map(Language::tag).into_iter().chain([ANY]);
            let texts = table(tags.map(|tag| (tag, text.clone())));
            json!({ "anyOf": [text, texts] })
        }
        Kind::Colours => {
            let colour = json!({ "type": "string", "pattern": "^#[0-9a-fA-F]{6}$" });
            let shade = table(Chosen::NAMES.map(|name| (name, colour.clone())));
            table(Shade::ALL.map(|of| (of.name(), shade.clone())))
        }
        Kind::Texts => {
            let text = |(name, max)| (name, json!({ "type": "string", "maxLength": max }));
            let texts = table(TEXTS.map(text));
            let tags = Language::ALL.map(Language::tag).into_iter().chain([ANY]);
            table(tags.map(|tag| (tag, texts.clone())))
        }
        Kind::Picture | Kind::Link | Kind::Page => {
            json!({ "type": "string", "maxLength": ADDRESS_BYTES_MAX })
        }
    }
}

/// Describes lanes, as they are set.
fn lanes() -> Value {
    let like = |name: &str| {
        let key = KEYS.iter().find(|key| key.name == name);
        key.map_or(Value::Null, |key| value_of(key.kind))
    };
    let parts = json!({
        "name": { "type": "string", "pattern": format!("^[a-z0-9-]{{1,{LANE_NAME_BYTES_MAX}}}$") },
        "title": { "type": "string", "minLength": 1, "maxLength": LANE_TITLE_CHARS_MAX, "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]*$" },
        "share": { "type": "integer", "minimum": 1, "maximum": SHARE_MAX },
        "opens_at": like("opens_at"),
        "closes_at": like("closes_at"),
        "hall_s": like("hall_s"),
        "draw": like("draw"),
    });
    let lane = json!({ "type": "object", "required": ["name"], "additionalProperties": false, "properties": parts });
    json!({ "type": "array", "maxItems": LANES_MAX, "items": lane })
}

/// Describes the room in numbers, as their type defines them.
fn report() -> Value {
    let value = serde_json::to_value(Report::default()).unwrap_or_default();
    shape_of(&value)
}

/// Describes any value of the same type. Every number is a count, so none is negative.
fn shape_of(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let shape = |(name, value): (&String, &Value)| (name.clone(), shape_of(value));
            let shapes: Map<String, Value> = filled(fields.iter().map(shape));
            let names: Vec<_> = fields.keys().collect();
            json!({ "type": "object", "required": names, "properties": shapes })
        }
        Value::Number(_) => json!({ "type": "integer", "minimum": 0 }),
        Value::String(text) if Mode::named(text).is_some() => {
            json!({ "$ref": "#/components/schemas/Mode" })
        }
        Value::String(_) => json!({ "type": "string" }),
        Value::Bool(_) => json!({ "type": "boolean" }),
        Value::Array(_) => json!({ "type": "array" }),
        Value::Null => json!({}),
    }
}

/// Describes, for every status, an answer with the codes that come with it, under a name such as `E404`.
fn errors() -> Map<String, Value> {
    let mut statuses: Vec<u16> = ErrorCode::ALL.iter().map(|code| code.status()).collect();
    statuses.sort_unstable();
    statuses.dedup();
    let response = |status: u16| {
        let codes = ErrorCode::ALL.iter().filter(|code| code.status() == status);
        let lines: Vec<_> = codes.clone().map(|code| format!("`{}`: {}", code.as_str(), code.message())).collect();
        let names: Vec<_> = codes.map(|code| code.as_str()).collect();
        let fields = json!({ "code": { "enum": names }, "message": { "type": "string", "minLength": 1 } });
        let error = json!({ "type": "object", "required": ["code", "message"], "properties": fields });
        let credentials = json!({ "$ref": "#/components/schemas/Credentials" });
        let mut parts = json!({ "error": error, "credentials": credentials });
        if let (403, Some(parts)) = (status, parts.as_object_mut()) {
            let reasons: Vec<_> = EntryRefusal::ALL.iter().map(|why| why.name()).collect();
            parts.insert("reason".to_owned(), json!({ "enum": reasons }));
            parts.insert("from_at_ms".to_owned(), json!({ "type": "integer", "minimum": 0 }));
        }
        let body = json!({ "type": "object", "required": ["error"], "properties": parts });
        let content = json!({ "application/json": { "schema": body } });
        let response = json!({ "description": lines.join("\n\n"), "content": content });
        (format!("E{status}"), response)
    };
    filled(statuses.into_iter().map(response))
}

/// Describes a table of these keys, each of which may be left out.
fn table(keys: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    let keys = keys.into_iter().map(|(key, value)| (key.to_owned(), value));
    let keys: Map<String, Value> = filled(keys);
    json!({ "type": "object", "properties": keys, "additionalProperties": false })
}
