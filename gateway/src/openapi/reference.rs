//! References to schemas.

use serde_json::{Value, json};

/// A reference to a schema of the components.
pub(super) fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// The content of a JSON body.
pub(super) fn body(schema: &Value) -> Value {
    json!({"application/json": {"schema": schema}})
}
