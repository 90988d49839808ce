//! Which endpoint of operators a request is for ([`ENDPOINTS`]), with the values of its path and query, checked for their form.

use serde_json::{Map, Value};

use super::endpoints::{By, ENDPOINTS, Endpoint, Form, Where};
use brand::image::kind_of_name;
use facts::ordered::filled;
use gate::{ErrorCode, Gate, Refusal, Request, Way, as_sent, choose, number, query_value, rest_of, unknown_or_not_found};
use journal::export::HOUSE;
use room::tale::Mark;
use settings::{is_operator_name, is_room_name};
use token::Need;

/// An operator's call. Another module decides whether the caller *is* an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The endpoint that is called.
    pub endpoint: &'static Endpoint,
    /// The values of its path and its query by name, checked for their form.
    pub values: Map<String, Value>,
}

impl Call {
    /// Returns which call a request is that the gate takes for an operator's. It does not check who asks; [`Self::needs`] says what each call takes.
    ///
    /// # Errors
    /// The refusal, if it is none, if it must not come from where it comes from, or if a value is not of its form.
    pub fn of(gate: &Gate, request: &Request<'_>) -> Result<Self, Refusal> {
        let host = request.parsed_host().ok_or(Refusal::new(ErrorCode::BadRequest))?;
        let sent = as_sent(request.path_and_query);
        let request = &Request {
            path_and_query: &sent,
            ..*request
        };
        let ways = ways(gate, rest_of(&sent).unwrap_or_default(), request);
        let call = ways.and_then(|ways| choose(ways, request, &host, None));
        call.map_err(|refusal| {
            if gate.knows(&host) {
                refusal
            } else {
                Refusal::new(ErrorCode::Misdirected)
            }
        })
    }

    /// Returns a value that is a text; empty if there is none.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        let value = self.values.get(name);
        value.and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns a value that is a number.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<u64> {
        self.values.get(name)?.as_u64()
    }

    /// Returns what an operator needs to make this call. Returns `None` for the desk's page and for signing in
    /// and out, where nobody need be known yet.
    #[must_use]
    pub fn needs(&self) -> Option<Need<'_>> {
        let (role, within) = self.endpoint.needs?;
        let room = self.text("room");
        Some(match within {
            Where::All => Need::everywhere(role),
            // Of the house's journal, each operator is told only what concerns that operator's rooms.
            Where::Own if room.is_empty() || room == HOUSE => Need::in_own_rooms(role),
            Where::Own | Where::Room => Need::in_room(role, room),
        })
    }
}

/// Returns the ways to use a path below `/__baton/`.
fn ways(gate: &Gate, rest: &str, request: &Request<'_>) -> Result<Vec<Way<Call>>, Refusal> {
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
        ways.push(Way::new(endpoint.methods, endpoint.from, Call { endpoint, values }));
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
        _ => text.parse().ok().filter(|mark: &Mark| number(&mark.after.to_string()).is_ok()),
    };
    let mark = mark.ok_or_else(|| Refusal::new(ErrorCode::BadRequest))?;
    Ok(mark.to_string())
}

/// Reads a decimal number that fits 32 bits, or refuses with a 400.
fn narrow(text: &str) -> Result<u32, Refusal> {
    u32::try_from(number(text)?).map_err(|_| Refusal::new(ErrorCode::BadRequest))
}
