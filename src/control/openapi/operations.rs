//! The operators' calls in the document: one operation for each row of their table.

use serde_json::{Map, Value, json};

use crate::endpoints::{By, ENDPOINTS, Endpoint, Gives, Made, Seen, Takes, WORDS};
use facts::ordered::filled;

/// The types of pictures.
const PICTURES: [&str; 3] = ["image/png", "image/jpeg", "image/webp"];

/// Adds each endpoint to the document's paths.
pub(super) fn add(paths: &mut Map<String, Value>) {
    for (endpoint, words) in ENDPOINTS.iter().zip(WORDS) {
        let at = format!("/__baton/{}", endpoint.path);
        let methods = paths.entry(at).or_insert_with(|| json!({}));
        if let Value::Object(methods) = methods {
            let method = endpoint.method().to_ascii_lowercase();
            methods.insert(method, operation(endpoint, &said(words)));
        }
    }
}

/// Returns what is said of an endpoint: the first sentence without its full stop, and what follows.
fn said(words: &[&str]) -> (String, String) {
    let lines: Vec<&str> = words.iter().map(|line| line.trim()).collect();
    let text = lines.join(" ");
    match text.split_once(". ") {
        Some((first, more)) => (first.to_owned(), more.to_owned()),
        None => (text.trim_end_matches('.').to_owned(), String::new()),
    }
}

fn operation(endpoint: &Endpoint, (summary, description): &(String, String)) -> Value {
    let mut operation = json!({
        "operationId": endpoint.name,
        "tags": ["operator"],
        "summary": summary,
        "security": security(endpoint),
        "responses": responses(endpoint, summary),
    });
    let Some(parts) = operation.as_object_mut() else {
        return operation;
    };
    if !description.is_empty() {
        parts.insert("description".to_owned(), description.as_str().into());
    }
    if let Some((role, within)) = endpoint.needs {
        let needs = json!({ "role": role.name(), "within": within.name() });
        parts.insert("x-needs".to_owned(), needs);
    }
    let parameters = parameters(endpoint);
    if !parameters.is_empty() {
        parts.insert("parameters".to_owned(), parameters.into());
    }
    if let Some(body) = body(endpoint.takes) {
        parts.insert("requestBody".to_owned(), body);
    }
    operation
}

fn security(endpoint: &Endpoint) -> Value {
    match (endpoint.needs, endpoint.by) {
        (Some(_), _) => json!([{ "token": [] }, { "desk": [] }]),
        (None, By::Front(Made::SignIn)) => json!([{ "token": [] }, {}]),
        (None, _) => json!([]),
    }
}

fn parameters(endpoint: &Endpoint) -> Vec<Value> {
    let of_path = endpoint.parts().map(|part| match part {
        "name" => "operator",
        part => part,
    });
    let of_query = endpoint.query.iter().map(|query| query.parameter);
    let if_match = (endpoint.seen != Seen::No).then_some("ifMatch");
    let names = of_path.chain(of_query).chain(if_match);
    let reference = |name| json!({ "$ref": format!("#/components/parameters/{name}") });
    names.map(reference).collect()
}

fn schema(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn content(media_type: &str, schema: &Value) -> Value {
    json!({ media_type: { "schema": schema } })
}

fn body(takes: Takes) -> Option<Value> {
    match takes {
        Takes::Nothing => None,
        Takes::Json { schema: name, may_lack, .. } => {
            let content = content("application/json", &schema(name));
            Some(json!({ "required": !may_lack, "content": content }))
        }
        Takes::Picture => {
            let types = PICTURES.map(|of| (of.to_owned(), json!({ "schema": text() })));
            let types: Map<String, Value> = filled(types);
            Some(json!({ "required": true, "content": types }))
        }
    }
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn responses(endpoint: &Endpoint, summary: &str) -> Value {
    let json = |name| Some(content("application/json", &schema(name)));
    let shown = match endpoint.gives {
        Gives::Nothing | Gives::Elsewhere => None,
        Gives::Json(name) | Gives::Tagged(name) | Gives::Made(name) => json(name),
        Gives::Lines => Some(content("application/x-ndjson", &text())),
        Gives::Page => Some(content("text/html", &text())),
        Gives::Metrics => Some(json!({
            "application/openmetrics-text": { "schema": text() },
            "text/plain": { "schema": text() },
        })),
    };
    let tag = json!({
        "description": "The revision, in quotes: for If-Match.",
        "required": true,
        "schema": { "type": "string", "pattern": "^\"[0-9]+\"$" },
    });
    let headers = match endpoint.gives {
        Gives::Tagged(_) => Some(json!({ "ETag": tag })),
        Gives::Elsewhere => Some(json!({ "Location": { "required": true, "schema": text() } })),
        _ => None,
    };
    let mut good = json!({ "description": summary });
    if let Some(good) = good.as_object_mut() {
        good.extend(shown.map(|shown| ("content".to_owned(), shown)));
        good.extend(headers.map(|headers| ("headers".to_owned(), headers)));
    }
    let errors = endpoint.error_statuses().into_iter().map(|status| {
        let reference = json!({ "$ref": format!("#/components/responses/E{status}") });
        (status.to_string(), reference)
    });
    let all: Map<String, Value> = filled(core::iter::once((endpoint.gives.status().to_string(), good)).chain(errors));
    all.into()
}
