//! Variants of the document for generators of clients that cannot read all of it. They are made from the same source.

use serde_json::{Map, Value, json};

/// The forms in which the document is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variant {
    /// OpenAPI 3.1, with webhooks.
    Full,
    /// OpenAPI 3.1 without `webhooks`, which some generators make code of that does not compile, and without `discriminator`, by which some
    /// refuse a value that a later release adds.
    Clients,
    /// The same as OpenAPI 3.0.
    Version30,
}

impl Variant {
    /// The document in this form.
    pub(super) fn of(self, mut document: Value, receivers: &str) -> Value {
        if self == Self::Full {
            return document;
        }
        if let Some(parts) = document.as_object_mut() {
            parts.remove("webhooks");
        }
        if let Some(tags) = document["tags"].as_array_mut() {
            tags.retain(|tag| tag["name"] != receivers);
        }
        let is_3_0 = self == Self::Version30;
        if is_3_0 {
            document["openapi"] = "3.0.3".into();
        }
        rewritten(document, is_3_0)
    }
}

fn rewritten(json: Value, is_3_0: bool) -> Value {
    match json {
        Value::Object(object) => {
            let mut object: Map<String, Value> = object
                .into_iter()
                // The values of examples are not schemas.
                .map(|(key, part)| match key.as_str() {
                    "example" | "examples" | "enum" => (key, part),
                    _ => (key, rewritten(part, is_3_0)),
                })
                .collect();
            if object.get("discriminator").is_some_and(Value::is_object) {
                object.remove("discriminator");
            }
            if is_3_0 {
                to_3_0(object)
            } else {
                object.into()
            }
        }
        Value::Array(items) => items
            .into_iter()
            .map(|item| rewritten(item, is_3_0))
            .collect(),
        other => other,
    }
}

/// An object of the document in the words of OpenAPI 3.0. Its parts are in these words already.
fn to_3_0(mut object: Map<String, Value>) -> Value {
    // A reference has nothing beside it.
    if let Some(target) = object.get("$ref").filter(|it| it.is_string()) {
        return json!({"$ref": target});
    }
    match object.remove("const") {
        // The only value of a boolean says nothing that a generator could use.
        Some(Value::Bool(_)) | None => {}
        Some(value @ Value::Object(_)) => {
            object.insert("const".to_owned(), value);
        }
        Some(value) => {
            object.insert("enum".to_owned(), json!([value]));
        }
    }
    if let Some(Value::Array(examples)) = object.get("examples") {
        let first = examples.first().cloned();
        object.remove("examples");
        object.extend(first.map(|first| ("example".to_owned(), first)));
    }
    if object
        .get("dependentRequired")
        .is_some_and(Value::is_object)
    {
        object.remove("dependentRequired");
    }
    for (exclusive, limit) in [
        ("exclusiveMinimum", "minimum"),
        ("exclusiveMaximum", "maximum"),
    ] {
        if let Some(value) = object.get(exclusive).filter(|it| it.is_number()).cloned() {
            object.insert(limit.to_owned(), value);
            object.insert(exclusive.to_owned(), true.into());
        }
    }
    // The roles of a key are words of 3.1.
    if let Some(Value::Array(alternatives)) = object.get_mut("security") {
        let roles = alternatives.iter_mut().filter_map(Value::as_object_mut);
        roles
            .flat_map(Map::values_mut)
            .for_each(|it| *it = json!([]));
    }
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|it| it != "null");
        let only = types.pop();
        object.extend(only.map(|only| ("type".to_owned(), only)));
        object.insert("nullable".to_owned(), true.into());
    }
    nullable_choice(&mut object);
    exclusive_choice(&mut object);
    object.into()
}

/// Replaces a choice between null and a schema.
fn nullable_choice(object: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = object.get_mut("oneOf") else {
        return;
    };
    let all = choices.len();
    choices.retain(|it| it["type"] != "null");
    if choices.len() == all {
        return;
    }
    let others = std::mem::take(choices);
    object.remove("oneOf");
    object.insert("nullable".to_owned(), true.into());
    match <[Value; 1]>::try_from(others) {
        Ok([Value::Object(mut schema)]) if !schema.contains_key("$ref") => {
            // `nullable` adds null to the type only: an `enum` without it refuses it.
            if let Some(Value::Array(values)) = schema.get_mut("enum") {
                values.push(Value::Null);
            }
            for (key, value) in schema {
                object.entry(key).or_insert(value);
            }
        }
        // A schema that is referred to becomes nullable by being a part. By the letter of OpenAPI 3.0.3, `nullable` needs a type beside it;
        // but generators read this form, and make a type of its own of an inline schema.
        Ok([reference]) => {
            object.insert("allOf".to_owned(), json!([reference]));
        }
        Err(others) => {
            object.insert("oneOf".to_owned(), others.into());
        }
    }
}

/// Makes an `anyOf` of named schemas a `oneOf`. A response has exactly one of them, but in Rust openapi-generator makes one object of an
/// `anyOf`, which requires the fields of all.
fn exclusive_choice(object: &mut Map<String, Value>) {
    let choices = object.get("anyOf").and_then(Value::as_array);
    let is_named = |choice: &Value| choice["$ref"].is_string();
    if choices.is_some_and(|choices| choices.iter().all(is_named)) {
        let choices = object.remove("anyOf");
        object.extend(choices.map(|choices| ("oneOf".to_owned(), choices)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_said_in_the_words_of_3_0() {
        let text = |more: Value| {
            let mut schema = json!({"type": "string"});
            for (key, value) in more.as_object().unwrap() {
                schema[key] = value.clone();
            }
            schema
        };
        for (schema, expected) in [
            (
                text(json!({"const": "games"})),
                text(json!({"enum": ["games"]})),
            ),
            (
                json!({"type": "boolean", "const": true}),
                json!({"type": "boolean"}),
            ),
            (
                json!({"type": ["string", "null"]}),
                text(json!({"nullable": true})),
            ),
            (
                text(json!({"examples": ["a", "b"]})),
                text(json!({"example": "a"})),
            ),
            (
                json!({"$ref": "#/a", "description": "A."}),
                json!({"$ref": "#/a"}),
            ),
            (
                json!({"oneOf": [{"type": "null"}, {"$ref": "#/a", "description": "A."}]}),
                json!({"allOf": [{"$ref": "#/a"}], "nullable": true}),
            ),
            (
                json!({"oneOf": [{"type": "null"}, {"type": "string"}], "description": "A."}),
                text(json!({"description": "A.", "nullable": true})),
            ),
            (
                json!({"oneOf": [{"type": "null"}, {"type": "string", "enum": ["a"]}]}),
                text(json!({"enum": ["a", null], "nullable": true})),
            ),
            (
                json!({"oneOf": [{"type": "string", "const": "a"}, {"type": "null"}]}),
                text(json!({"enum": ["a", null], "nullable": true})),
            ),
            (
                json!({"anyOf": [{"$ref": "#/a"}, {"$ref": "#/b"}]}),
                json!({"oneOf": [{"$ref": "#/a"}, {"$ref": "#/b"}]}),
            ),
            // What a later release adds may also be one of the named schemas.
            (
                json!({"anyOf": [{"$ref": "#/a"}, {"type": "object"}]}),
                json!({"anyOf": [{"$ref": "#/a"}, {"type": "object"}]}),
            ),
            (
                json!({"type": "number", "exclusiveMaximum": 5}),
                json!({"type": "number", "maximum": 5, "exclusiveMaximum": true}),
            ),
            (
                json!({"security": [{"key": ["write"]}]}),
                json!({"security": [{"key": []}]}),
            ),
            // A property may have the name of a keyword.
            (
                json!({"properties": {"type": {"type": "string"}, "examples": {"type": "string"}}}),
                json!({"properties": {"type": {"type": "string"}, "examples": {"type": "string"}}}),
            ),
        ] {
            assert_eq!(rewritten(schema.clone(), true), expected, "{schema}");
        }
    }

    #[test]
    fn a_document_for_clients_has_neither_webhooks_nor_discriminators() {
        let document = || {
            json!({
                "openapi": "3.1.0", "webhooks": {}, "tags": [{"name": "games"}, {"name": "receivers"}],
                "components": {"schemas": {"A": {"oneOf": [], "discriminator": {"propertyName": "type"}}}},
            })
        };
        assert_eq!(Variant::Full.of(document(), "receivers"), document());
        let clients = Variant::Clients.of(document(), "receivers");
        let expected = json!({
            "openapi": "3.1.0", "tags": [{"name": "games"}], "components": {"schemas": {"A": {"oneOf": []}}},
        });
        assert_eq!(clients, expected);
        let older = Variant::Version30.of(document(), "receivers");
        assert_eq!(older["openapi"], "3.0.3");
    }
}
