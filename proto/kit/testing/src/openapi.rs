//! The OpenAPI document as tests read it.

use std::ops::RangeInclusive;
use std::time::Duration;

use contracts::public::{ApiPlan, ApiSettings};
use serde_json::{Map, Value};

/// The settings of a gateway as they are shipped, with these graces of a rotation and these plans.
pub fn settings(
    grace: RangeInclusive<Duration>,
    plans: impl Iterator<Item = ApiPlan>,
) -> ApiSettings {
    ApiSettings {
        key_prefix: "svc_".to_owned(),
        least_grace_seconds: grace.start().as_secs(),
        most_grace_seconds: grace.end().as_secs(),
        public_share_percent: 50,
        tips_per_minute: 30,
        refused_calls_per_minute: 60,
        connections_per_address: 256,
        head_seconds: 10,
        body_seconds: 10,
        idle_seconds: 75,
        plans: plans.collect(),
    }
}

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
