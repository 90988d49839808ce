//! What an operator's order wishes of the house.

use control::{By, ENDPOINTS, Takes};
use gate::ErrorCode;
use house::Wish;
use serde::Deserialize;
use serde_json::{Map, Value};
use token::Denied;

/// An operator's order to the house. Which of the fields count is the order's matter.
#[derive(Debug, Deserialize)]
pub struct HouseOrder {
    /// Who gives the order.
    pub by: String,
    /// The rooms in which whoever gives the order may act; empty means all.
    pub within: Vec<String>,
    /// The revision that the operator saw; `None` accepts any.
    #[serde(default)]
    pub expected: Option<u64>,
    /// The room that the order is about.
    #[serde(default)]
    pub room: String,
    /// The operator whom it is about.
    #[serde(default)]
    pub name: String,
    /// What the operator sent.
    #[serde(default)]
    pub body: Map<String, Value>,
}

/// Why an order is refused: code and reason.
pub(super) type Refused = (ErrorCode, String);

/// Reads an order to change the house, by the path that it came to, and returns its wishes.
pub(super) fn wished(path: &str, order: &str) -> Result<(HouseOrder, Vec<Wish>), Refused> {
    let unlike = |cure: &str| (ErrorCode::BadRequest, cure.to_owned());
    let order = serde_json::from_str::<HouseOrder>(order);
    let mut order = order.map_err(|_| unlike(ErrorCode::BadRequest.message()))?;
    let body = core::mem::take(&mut order.body);
    let (room, name) = (order.room.clone(), order.name.clone());
    let wishes = match path {
        "/plan" | "/apply" => {
            let wishes = wishes_in(body).ok_or_else(|| unlike(cure_of(path)))?;
            for room in wishes.iter().filter_map(Wish::room) {
                may(&order.within, room)?;
            }
            wishes
        }
        "/define" => vec![define(room, body)],
        "/archive" => vec![Wish::Archive { room }],
        "/free" => vec![Wish::Free { room }],
        "/brand" => {
            let brand = Some(body);
            vec![Wish::Brand { room, brand }]
        }
        "/unbrand" => vec![Wish::Brand { room, brand: None }],
        "/set-operator" => vec![Wish::SetOperator { name, table: body }],
        "/change-operator" => vec![Wish::ChangeOperator { name, keys: body }],
        "/remove-operator" => vec![Wish::RemoveOperator { name }],
        path => {
            let why = format!("the house has no {path}");
            return Err((ErrorCode::NotFound, why));
        }
    };
    Ok((order, wishes))
}

/// What to send to the endpoint that leads here.
fn cure_of(path: &str) -> &'static str {
    let is_here = |by: By| matches!(by, By::House(own) if path.strip_prefix('/') == Some(own));
    let endpoint = ENDPOINTS.iter().find(|endpoint| is_here(endpoint.by));
    match endpoint.map(|endpoint| endpoint.takes) {
        Some(Takes::Json { cure, .. }) => cure,
        _ => ErrorCode::BadRequest.message(),
    }
}

/// Checks that whoever may act within these rooms, all if there are none, may act in this one.
fn may(within: &[String], room: &str) -> Result<(), Refused> {
    if within.is_empty() || within.iter().any(|own| own == room) {
        return Ok(());
    }
    let (room, own) = (room.to_owned(), within.to_vec());
    let denied = Denied::Room { room, own };
    Err((ErrorCode::Forbidden, denied.to_string()))
}

/// Reads a file's wishes, rooms first, for a brand may be of a room that is new. Returns `None` if it is no such file.
fn wishes_in(mut file: Map<String, Value>) -> Option<Vec<Wish>> {
    if !file.contains_key("rooms") && !file.contains_key("brands") {
        return None;
    }
    let mut part = |name: &str| match file.remove(name) {
        Some(Value::Object(part)) => Some(part),
        Some(_) => None,
        None => Some(Map::new()),
    };
    let (rooms, brands) = (part("rooms")?, part("brands")?);
    if !file.is_empty() {
        return None;
    }
    let rooms = rooms.into_iter().map(|(room, value)| match value {
        Value::Null => Some(Wish::Archive { room }),
        Value::Object(table) => Some(define(room, table)),
        _ => None,
    });
    let brands = brands.into_iter().map(|(room, value)| match value {
        Value::Null => Some(Wish::Brand { room, brand: None }),
        Value::Object(brand) => Some(Wish::Brand { room, brand: Some(brand) }),
        _ => None,
    });
    rooms.chain(brands).collect()
}

/// The wish for a room with this table. The house fills in over which rooms of the file it is put.
const fn define(room: String, table: Map<String, Value>) -> Wish {
    let over = Vec::new();
    Wish::Define { room, table, over }
}
