//! Which endpoint of operators a request is for ([`ENDPOINTS`]), with the values of its path and query, checked for their form.

use serde_json::{Map, Value};

use super::calls::{AdminCall, OwnCall};
use super::endpoints::{By, ENDPOINTS, Endpoint, Form};
use super::ways::{Way, number, query_value, unknown_or_not_found};
use super::{ErrorCode, Gate, Refusal, Request};
use brand::image::kind_of_name;
use facts::ordered::filled;
use journal::export::HOUSE;
use room::tale::Mark;
use settings::{is_operator_name, is_room_name};

/// Returns the ways to use a path below `/__baton/`, none if it is no endpoint's. It does not check who asks; [`AdminCall::needs`] says what each
/// call takes.
pub(super) fn admin_ways(gate: &Gate, rest: &str, request: &Request<'_>) -> Result<Vec<Way>, Refusal> {
    let rest = if rest == "admin" { "admin/" } else { rest };
    let mut ways = Vec::new();
    for endpoint in ENDPOINTS {
        let Some(texts) = endpoint.values_in(rest) else {
            continue;
        };
        let mut values = Map::new();
        for (name, text) in texts {
            values.insert(name.to_owned(), part(gate, endpoint, name, text)?);
        }
        // What another method's query says is not looked at.
        if endpoint.methods.contains(&request.method) {
            values.extend(query(gate, endpoint, request)?);
        }
        let call = OwnCall::Admin(AdminCall { endpoint, values });
        ways.push((endpoint.methods, endpoint.from, call));
    }
    if ways.is_empty() {
        return Err(Refusal::new(ErrorCode::NotFound));
    }
    Ok(ways)
}

/// Reads a value of a path. A room that only the house names need not exist yet; only the outbox knows its webhooks.
fn part(gate: &Gate, endpoint: &Endpoint, name: &str, text: &str) -> Result<Value, Refusal> {
    let is_of_house = matches!(endpoint.by, By::House(_));
    let is_good = match name {
        "number" | "fence" => return Ok(number(text)?.into()),
        "sheet" => return Ok(narrow(text)?.into()),
        "room" if !is_of_house => {
            gate.room(text).ok_or_else(|| unknown_or_not_found(gate, text))?;
            true
        }
        "name" => is_operator_name(text),
        "image" => kind_of_name(text).is_some(),
        _ => is_room_name(text),
    };
    let text = is_good.then(|| text.into());
    text.ok_or_else(|| Refusal::new(ErrorCode::NotFound))
}

/// Reads what the query has of an endpoint's values. One that is empty counts as left out.
fn query(gate: &Gate, endpoint: &Endpoint, request: &Request<'_>) -> Result<Map<String, Value>, Refusal> {
    let read = endpoint.query.iter().map(|query| {
        let text = query_value(request.path_and_query, query.name);
        let text = text.filter(|text| !text.is_empty());
        let value = match (query.form, text) {
            (Form::Number | Form::SomeNumber, Some(text)) => Some(number(text)?.into()),
            (Form::Narrow, Some(text)) => Some(narrow(text)?.into()),
            (Form::Number | Form::Narrow, None) => Some(0.into()),
            (Form::Mark, text) => Some(mark(text.unwrap_or_default())?.into()),
            (Form::Journal, Some(room)) => {
                let is_known = room == HOUSE || gate.room(room).is_some();
                let known = is_known.then_some(room.into());
                Some(known.ok_or_else(|| Refusal::new(ErrorCode::UnknownRoom))?)
            }
            (Form::Text, Some(text)) => Some(text.into()),
            (Form::SomeNumber | Form::Journal | Form::Text, None) => None,
        };
        Ok(value.map(|value| (query.name.to_owned(), value)))
    });
    let read: Result<Vec<_>, Refusal> = read.collect();
    Ok(filled(read?.into_iter().flatten()))
}

/// Reads where a story goes on, and writes it in its one spelling.
fn mark(text: &str) -> Result<String, Refusal> {
    let mark = match text {
        "" => Some(Mark::default()),
        _ => text.parse().ok(),
    };
    let mark = mark.ok_or_else(|| Refusal::new(ErrorCode::BadRequest))?;
    Ok(mark.to_string())
}

/// Reads a decimal number that fits 32 bits, or refuses with a 400.
fn narrow(text: &str) -> Result<u32, Refusal> {
    u32::try_from(number(text)?).map_err(|_| Refusal::new(ErrorCode::BadRequest))
}
