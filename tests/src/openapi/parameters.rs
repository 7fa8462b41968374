//! Compares the parameters of a request with the document.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Sent;
use super::document::{Document, Operation};

impl Document {
    pub(super) fn check_parameters(
        &self,
        operation: &Operation<'_>,
        segments: &[(String, String)],
        sent: &Sent,
        what: &str,
    ) {
        let mut query: BTreeMap<String, String> = sent
            .url
            .query_pairs()
            .map(|(name, value)| (name.into_owned(), value.into_owned()))
            .collect();
        for parameter in operation.json["parameters"].as_array().into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap_or_default();
            let value = match parameter["in"].as_str() {
                // An empty parameter counts as absent (§4).
                Some("query") => query.remove(name).filter(|value| !value.is_empty()),
                Some("header") => {
                    let header = sent.headers.get(name);
                    header.and_then(|value| Some(value.to_str().ok()?.to_owned()))
                }
                _ => segments
                    .iter()
                    .find(|(segment, _)| segment == name)
                    .map(|(_, value)| value.clone()),
            };
            let Some(value) = value else {
                assert!(parameter["required"] != true, "{what}: {name} is missing");
                continue;
            };
            let value = typed(&parameter["schema"], &value);
            let key = format!("{} {name}", operation.id);
            self.validate(&key, &parameter["schema"], &value, what);
        }
        let is_ignored = |name: &&String| {
            IGNORED.iter().any(|(id, ignored)| name == ignored && ["", operation.id].contains(id))
        };
        let unknown = query.keys().find(|name| !is_ignored(name));
        assert_eq!(unknown, None, "{what}: the document lacks a parameter");
    }
}

/// Unknown parameters that tests send, since the API ignores them (§4): operation (empty for any) and name.
const IGNORED: [(&str, &str); 5] =
    [("", "x"), ("", "a"), ("", "colour"), ("listGenres", "limit"), ("listGenres", "cursor")];

/// The text of a parameter or header as a JSON value of the type in the schema.
pub(super) fn typed(schema: &Value, text: &str) -> Value {
    let parsed = match schema["type"].as_str() {
        Some("integer" | "number" | "boolean") => serde_json::from_str(text).ok(),
        _ => None,
    };
    parsed.unwrap_or_else(|| text.into())
}
