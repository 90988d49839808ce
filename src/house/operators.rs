//! Who may operate, as the house decides it: an operator is set whole, or changed in some keys.
//! [`settings`](settings) judges whether a table is good.

use super::{House, Refusal};
use facts::house::HouseEvent;
use facts::limits::{HOUSE_OPERATORS_MAX, OPERATOR_BYTES_MAX};
use serde_json::{Map, Value};

impl House {
    pub(super) fn set_operator(&self, name: &str, table: &Map<String, Value>) -> Result<Option<HouseEvent>, Refusal> {
        let text = serde_json::to_string(table).unwrap_or_default();
        if text.len() > OPERATOR_BYTES_MAX {
            return Err(Refusal::LongOperator(name.to_owned()));
        }
        match self.operators.get(name) {
            Some(same) if *same == text => return Ok(None),
            None if self.operators.len() >= HOUSE_OPERATORS_MAX => {
                return Err(Refusal::FullOfOperators);
            }
            _ => {}
        }
        Ok(Some(HouseEvent::OperatorSet {
            name: name.to_owned(),
            table: text,
        }))
    }

    /// Changes the named keys and keeps the others. A token's hash never leaves the house, so whoever gives somebody
    /// another role cannot send it along.
    pub(super) fn change_operator(&self, name: &str, keys: &Map<String, Value>) -> Result<Option<HouseEvent>, Refusal> {
        let unknown = || Refusal::UnknownOperator(name.to_owned());
        let table = self.operators.get(name).ok_or_else(unknown)?;
        let mut table: Map<String, Value> = serde_json::from_str(table).unwrap_or_default();
        for (key, value) in keys {
            match value {
                Value::Null => table.remove(key),
                value => table.insert(key.clone(), value.clone()),
            };
        }
        self.set_operator(name, &table)
    }
}
