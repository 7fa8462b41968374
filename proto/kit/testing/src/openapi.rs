//! The OpenAPI document as tests read it.

use contracts::public::{ApiPlan, ApiSettings};
use serde_json::{Map, Value, json};

/// The settings of a gateway as they are shipped, with these plans.
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

/// The document without what a later release may add (§9): an object has the fields that its schema lists, a set its known values, and a choice
/// its known objects.
///
/// A client must accept more. In a test, more is a mistake of the service or of the document.
pub fn closed(document: Value) -> Value {
    match document {
        Value::Object(object) => {
            let mut object: Map<String, Value> = object
                .into_iter()
                .map(|(key, value)| match key.as_str() {
                    "x-extensible-enum" => ("enum".to_owned(), value),
                    // The values of examples are not schemas.
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
