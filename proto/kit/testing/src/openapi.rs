//! The OpenAPI document in the form in which tests compare it.

use contracts::public::{ApiPlan, ApiSettings};
use serde_json::{Map, Value, json};

/// The default settings of a gateway, with these plans.
pub fn settings(plans: impl Iterator<Item = ApiPlan>) -> ApiSettings {
    ApiSettings {
        key_prefix: "svc_".to_owned(),
        public_share_percent: 50,
        tips_per_minute: 30,
        refused_calls_per_minute: 60,
        head_seconds: 10,
        body_seconds: 10,
        idle_seconds: 75,
        plans: plans.collect(),
    }
}

/// Removes what the document allows for later releases (§9): an object has only the fields in its schema, an extensible enum only its known values,
/// and an `anyOf` only its known objects.
///
/// Clients must accept additions. In a test, an addition is a mistake of the service or of the document.
pub fn closed(document: Value) -> Value {
    match document {
        Value::Object(object) => {
            let mut object: Map<String, Value> = object
                .into_iter()
                .map(|(key, value)| match key.as_str() {
                    "x-extensible-enum" => ("enum".to_owned(), value),
                    // Examples contain values, not schemas.
                    "example" | "examples" => (key, value),
                    _ => (key, closed(value)),
                })
                .collect();
            if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
                choices.retain(|choice| *choice != json!({"type": "object"}));
            }
            if object.get("type") == Some(&json!("object")) && object.contains_key("properties") {
                let others = object.entry("additionalProperties");
                others.or_insert(false.into());
            }
            object.into()
        }
        Value::Array(items) => items.into_iter().map(closed).collect(),
        other => other,
    }
}
