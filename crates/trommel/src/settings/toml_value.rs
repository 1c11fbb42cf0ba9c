//! Reads TOML as JSON, noting where each value starts for error messages.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};

use super::names::joined;

/// A table of TOML as JSON; notes where each value starts.
pub(super) fn table_to_json(table: &DeTable<'_>, path: &str, starts: &mut BTreeMap<String, usize>) -> Value {
    let mut keys = Map::new();
    for (key, value) in table {
        let path = joined(path, key.get_ref());
        starts.insert(path.clone(), key.span().start);
        let value = to_json(value.get_ref(), value.span().start, &path, starts);
        keys.insert(key.get_ref().to_string(), value);
    }
    keys.into()
}

fn to_json(value: &DeValue<'_>, start: usize, path: &str, starts: &mut BTreeMap<String, usize>) -> Value {
    match value {
        DeValue::String(text) => text.to_string().into(),
        DeValue::Integer(number) => {
            let digits = number.as_str().replace('_', "");
            i128::from_str_radix(&digits, number.radix())
                .ok()
                .and_then(serde_json::Number::from_i128)
                .map_or_else(|| digits.clone().into(), Value::Number)
        }
        DeValue::Float(number) => {
            let number: Option<f64> = number.as_str().replace('_', "").parse().ok();
            number.and_then(serde_json::Number::from_f64).into()
        }
        DeValue::Boolean(choice) => (*choice).into(),
        DeValue::Datetime(time) => time.to_string().into(),
        DeValue::Array(items) => {
            let items = items.iter().enumerate().map(|(at, item)| {
                let path = format!("{path}[{at}]");
                starts.insert(path.clone(), item.span().start);
                to_json(item.get_ref(), item.span().start, &path, starts)
            });
            Value::Array(items.collect())
        }
        DeValue::Table(table) => {
            starts.entry(path.to_owned()).or_insert(start);
            table_to_json(table, path, starts)
        }
    }
}
