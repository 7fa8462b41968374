//! Reads an OpenAPI document: resolves references, and finds the shapes that its schemas allow.

use std::collections::HashSet;

use serde_json::{Map, Value};

/// References in a row that are followed.
const MAX_HOPS: u8 = 8;
/// The values of an enumeration that may get more.
const KNOWN_VALUES: &str = "x-extensible-enum";
/// Formats that help a reader. The others only tell generators of requests which values exist.
const FORMATS: [&str; 4] = ["date", "date-time", "uri", "uuid"];

/// The shape of a value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shape {
    /// Types in words, such as `string or null`.
    pub kind: String,
    /// The values of an enumeration.
    pub values: Vec<String>,
    /// Whether the enumeration may get more values.
    pub is_open: bool,
    /// In words, such as `1 to 120 characters`.
    pub limits: Vec<String>,
    pub default: Option<String>,
}

/// A document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Document<'d>(pub(super) &'d Value);

impl<'d> Document<'d> {
    /// The target of a reference, or the value itself if it is not a reference. Null if the target does not exist.
    pub(super) fn resolve(self, value: &'d Value) -> &'d Value {
        let mut value = value;
        for _ in 0..MAX_HOPS {
            let Some(reference) = value.get("$ref").and_then(Value::as_str) else {
                return value;
            };
            let pointer = reference.strip_prefix('#').unwrap_or_default();
            value = self.0.pointer(pointer).unwrap_or(&Value::Null);
        }
        &Value::Null
    }

    /// The schemas of which a value has one, or several of `allOf`. References and choices are resolved.
    pub(super) fn alternatives(self, schema: &'d Value) -> Vec<&'d Map<String, Value>> {
        let mut found = Vec::new();
        self.push_alternatives(schema, 0, &mut found);
        found
    }

    fn push_alternatives(
        self,
        schema: &'d Value,
        hops: u8,
        found: &mut Vec<&'d Map<String, Value>>,
    ) {
        let Some(object) = self.resolve(schema).as_object() else {
            return;
        };
        let choices = ["oneOf", "anyOf", "allOf"].iter();
        let choices = choices.filter_map(|key| object.get(*key)?.as_array());
        let mut has_choices = false;
        for choice in choices.flatten().filter(|_| hops < MAX_HOPS) {
            has_choices = true;
            self.push_alternatives(choice, hops + 1, found);
        }
        if !has_choices {
            found.push(object);
        }
    }

    /// The description of a schema, or of the schema that it refers to.
    pub(super) fn description(self, schema: &'d Value) -> &'d str {
        let own = schema.get("description");
        let found = own.or_else(|| self.resolve(schema).get("description"));
        found.and_then(Value::as_str).unwrap_or_default()
    }

    /// The shape of a value.
    pub(super) fn shape(self, schema: &'d Value) -> Shape {
        let mut shape = Shape::default();
        let mut kinds: Vec<String> = Vec::new();
        let mut is_nullable = false;
        for alternative in self.alternatives(schema) {
            for kind in kinds_of(alternative) {
                match kind {
                    "null" => is_nullable = true,
                    "array" => {
                        let items = alternative.get("items").unwrap_or(&Value::Null);
                        let items = self.shape(items);
                        kinds.push(array_of(&items.kind));
                        shape.values.extend(items.values);
                        shape.is_open |= items.is_open;
                    }
                    kind => kinds.push(with_format(kind, alternative)),
                }
            }
            shape.values.extend(values(alternative));
            shape.is_open |= alternative.contains_key(KNOWN_VALUES);
            shape.limits.extend(limits(alternative));
        }
        if is_nullable {
            kinds.push("null".to_owned());
        }
        remove_repeated(&mut kinds);
        remove_repeated(&mut shape.values);
        remove_repeated(&mut shape.limits);
        shape.kind = kinds.join(" or ");
        let default = self.resolve(schema).get("default");
        shape.default = default.map(as_text);
        shape
    }
}

/// The names of a schema's types. Without any, the type of the schema's constant.
fn kinds_of(schema: &Map<String, Value>) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => match schema.get("const") {
            Some(Value::Bool(_)) => vec!["boolean"],
            Some(Value::Number(_)) => vec!["number"],
            Some(Value::String(_)) => vec!["string"],
            Some(Value::Null) => vec!["null"],
            _ => Vec::new(),
        },
    }
}

fn with_format(kind: &str, schema: &Map<String, Value>) -> String {
    let format = schema.get("format").and_then(Value::as_str);
    match format.filter(|format| FORMATS.contains(format)) {
        Some(format) if kind == "string" => format!("{kind} ({format})"),
        _ => kind.to_owned(),
    }
}

fn array_of(items: &str) -> String {
    match items {
        "" => "array".to_owned(),
        "string" | "object" | "integer" | "number" | "boolean" => format!("array of {items}s"),
        items => format!("array of {items}"),
    }
}

/// The values of an enumeration, or the only one.
fn values(schema: &Map<String, Value>) -> Vec<String> {
    let several = schema.get("enum").or_else(|| schema.get(KNOWN_VALUES)).and_then(Value::as_array);
    let only = schema.get("const");
    several.into_iter().flatten().chain(only).map(as_text).collect()
}

/// The limits of a schema in words.
fn limits(schema: &Map<String, Value>) -> Vec<String> {
    let number = |key: &str| schema.get(key).map(as_text);
    let mut limits = Vec::new();
    for (least, most, what) in [
        ("minLength", "maxLength", " characters"),
        ("minimum", "maximum", ""),
        ("minItems", "maxItems", " items"),
    ] {
        limits.extend(match (number(least), number(most)) {
            (Some(least), Some(most)) => Some(format!("{least} to {most}{what}")),
            (None, Some(most)) => Some(format!("at most {most}{what}")),
            // Every count is 0 or more, and a text that must be there has a character.
            (Some(least), None) if !["0", "1"].contains(&least.as_str()) => {
                Some(format!("at least {least}{what}"))
            }
            _ => None,
        });
    }
    limits.extend(number("exclusiveMaximum").map(|most| format!("below {most}")));
    limits
}

/// A value as it is written in a path, a query or a header.
pub(super) fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn remove_repeated(texts: &mut Vec<String>) {
    let mut seen = HashSet::new();
    texts.retain(|text| seen.insert(text.clone()));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_shape_names_types_values_and_limits() {
        let document = json!({"components": {"schemas": {
            "Stage": {"type": "string", "enum": ["a", "b"]},
            "Time": {"type": "string", "format": "date-time", "pattern": "^x$"},
        }}});
        let shape = |schema: Value| {
            let shape = Document(&document).shape(&schema);
            (shape.kind, shape.values.join(","), shape.limits.join(","))
        };
        let plain = |kind: &str| (kind.to_owned(), String::new(), String::new());
        let stage = json!({"$ref": "#/components/schemas/Stage"});
        for (schema, expected) in [
            (json!({"type": ["string", "null"]}), plain("string or null")),
            (
                json!({"oneOf": [{"type": "null"}, {"$ref": "#/components/schemas/Time"}]}),
                plain("string (date-time) or null"),
            ),
            (
                json!({"type": "array", "items": stage, "maxItems": 3}),
                ("array of strings".to_owned(), "a,b".to_owned(), "at most 3 items".to_owned()),
            ),
            (
                json!({"type": "string", "minLength": 1, "maxLength": 120, "format": "line"}),
                ("string".to_owned(), String::new(), "1 to 120 characters".to_owned()),
            ),
            (json!({"const": true}), ("boolean".to_owned(), "true".to_owned(), String::new())),
            (json!({"$ref": "#/components/schemas/Nothing"}), plain("")),
        ] {
            assert_eq!(shape(schema.clone()), expected, "{schema}");
        }
        let open =
            json!({"type": "array", "items": {"type": "string", "x-extensible-enum": ["a", "b"]}});
        let open = Document(&document).shape(&open);
        assert_eq!((open.values.join(","), open.is_open), ("a,b".to_owned(), true));
    }

    #[test]
    fn circular_references_end() {
        let document =
            json!({"a": {"$ref": "#/b"}, "b": {"$ref": "#/a"}, "c": {"oneOf": [{"$ref": "#/c"}]}});
        let document = Document(&document);
        assert_eq!(document.resolve(&document.0["a"]), &Value::Null);
        assert!(document.alternatives(&document.0["c"]).len() <= 1);
    }
}
