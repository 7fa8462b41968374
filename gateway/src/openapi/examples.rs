//! Examples of bodies, put together from those of the schemas.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::schemas::KNOWN_VALUES;

/// The most levels of an example. No schema of ours has as many.
const MAX_DEPTH: u8 = 16;

/// Adds an example to each of these responses that has a body.
pub(super) fn add_to_responses(
    responses: &mut Map<String, Value>,
    schemas: &BTreeMap<String, Value>,
) {
    for response in responses.values_mut() {
        add_to_body(response, schemas);
    }
}

/// Adds an example to the body of a request or a response, if it has one.
pub(super) fn add_to_body(described: &mut Value, schemas: &BTreeMap<String, Value>) {
    let Some(content) = described.pointer_mut("/content/application~1json") else {
        return;
    };
    content["example"] = example(&content["schema"], schemas, 0);
}

/// A value that the schema allows: its own example, or one that is made from the examples of its parts.
fn example(schema: &Value, schemas: &BTreeMap<String, Value>, depth: u8) -> Value {
    let first = |key: &str| schema.get(key)?.as_array()?.first().cloned();
    let own = schema
        .get("example")
        .or_else(|| schema.get("const"))
        .cloned()
        .or_else(|| first("examples"));
    if let Some(own) = own.or_else(|| first("enum")).or_else(|| first(KNOWN_VALUES)) {
        return own;
    }
    if depth == MAX_DEPTH {
        return Value::Null;
    }
    let below = |schema: &Value| example(schema, schemas, depth + 1);
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let name = reference.rsplit('/').next().unwrap_or_default();
        return schemas.get(name).map_or(Value::Null, below);
    }
    for choice in ["oneOf", "anyOf"] {
        let mut choices = schema.get(choice).and_then(Value::as_array).into_iter().flatten();
        if let Some(chosen) = choices.find(|choice| choice["type"] != "null") {
            return below(chosen);
        }
    }
    match kind(schema) {
        "object" => object(schema, below),
        "array" => json!([below(&schema["items"])]),
        "integer" => schema.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        "number" => json!(1),
        "boolean" => json!(false),
        "string" => json!("text"),
        _ => Value::Null,
    }
}

/// The type of a schema, besides null.
fn kind(schema: &Value) -> &str {
    let types = match &schema["type"] {
        Value::Array(types) => types.as_slice(),
        one => std::slice::from_ref(one),
    };
    let mut names = types.iter().filter_map(Value::as_str);
    names.find(|name| *name != "null").unwrap_or_default()
}

/// An object with the properties that are always present.
fn object(schema: &Value, below: impl Fn(&Value) -> Value) -> Value {
    let required = schema.get("required").and_then(Value::as_array);
    let names = required.into_iter().flatten().filter_map(Value::as_str);
    names
        .map(|name| (name.to_owned(), below(&schema["properties"][name])))
        .collect::<Map<String, Value>>()
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_is_built_from_the_parts_of_its_schema() {
        let row = json!({
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "kind": {"enum": ["a", "b"]},
                "limit": {"type": ["integer", "null"], "minimum": 5},
                "at": {"oneOf": [{"type": "null"}, {"$ref": "#/components/schemas/Time"}]},
                "absent": {"type": "string"},
            },
            "required": ["name", "kind", "limit", "at"],
        });
        let time = json!({"type": "string", "examples": ["2026-03-01"]});
        let schemas = BTreeMap::from([("Row".to_owned(), row), ("Time".to_owned(), time)]);
        let rows = json!({"type": "array", "items": {"$ref": "#/components/schemas/Row"}});
        let mut response = json!({"content": {"application/json": {"schema": rows}}});
        add_to_body(&mut response, &schemas);
        assert_eq!(
            response["content"]["application/json"]["example"],
            json!([{"name": "text", "kind": "a", "limit": 5, "at": "2026-03-01"}])
        );
        let mut bare = json!({"description": "Nothing."});
        add_to_body(&mut bare, &schemas);
        assert_eq!(bare, json!({"description": "Nothing."}));
    }

    #[test]
    fn the_example_of_a_recursive_schema_ends() {
        let own = json!({"$ref": "#/components/schemas/Own"});
        let schemas = BTreeMap::from([("Own".to_owned(), own.clone())]);
        assert_eq!(example(&own, &schemas, 0), Value::Null);
    }
}
