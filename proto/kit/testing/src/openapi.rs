//! The OpenAPI document as tests read it.

use serde_json::{Map, Value};

/// The document without what a later release may add (§9): an object has the fields that its schema lists, and a set its known values.
///
/// A client must accept more. In a test, more is a mistake of the service or of the document.
pub fn closed(document: Value) -> Value {
    match document {
        Value::Object(object) => object
            .into_iter()
            .map(|(key, value)| match key.as_str() {
                "additionalProperties" if value == true => (key, false.into()),
                "x-extensible-enum" => ("enum".to_owned(), value),
                _ => (key, closed(value)),
            })
            .collect::<Map<String, Value>>()
            .into(),
        Value::Array(items) => items.into_iter().map(closed).collect(),
        other => other,
    }
}
