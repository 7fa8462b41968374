//! The schemas of the components: those of the public types. A client must be able to read what a later release adds (§9), so those of
//! responses are open to other values, and, as JSON Schema is by default, to other fields. Those of requests are closed, because the API
//! refuses what it does not know.

use std::collections::BTreeMap;

use contracts::public as shapes;
use serde_json::{Map, Value, json};
use utoipa::OpenApi;

/// The known values of a string that may get others. Generators of clients make a plain string of it, which reads any value.
pub(super) const KNOWN_VALUES: &str = "x-extensible-enum";

/// The schemas by name.
type Schemas = BTreeMap<String, Value>;

/// All schemas of types, and the schemas that are made from them.
pub(super) fn schemas() -> Result<Schemas, serde_json::Error> {
    let read = derived::<ReadTypes>()?;
    let mut schemas: Schemas =
        read.iter().map(|(name, schema)| (name.clone(), open(flattened(schema, &read)))).collect();
    // This schema is inlined in the objects that have it.
    schemas.remove("SearchAddress");
    let sent = derived::<SentTypes>()?;
    for (name, schema) in &sent {
        if schema.get("enum").is_none() {
            schemas.insert(name.clone(), closed(schema.clone(), &sent));
        }
    }
    for (name, submission, read, example) in [
        ("GameChange", "GameSubmission", "Game", json!({"tagline": "Longer roads, less water."})),
        ("EventChange", "EventSubmission", "Event", json!({"online": true})),
    ] {
        let mut change = change(&schemas[submission], &schemas[read]);
        change["example"] = example;
        schemas.insert(name.to_owned(), change);
    }
    Ok(schemas)
}

/// The types of responses and webhooks.
#[derive(OpenApi)]
#[openapi(components(schemas(
    shapes::Game, shapes::Creator, shapes::Event, shapes::GenreRow, shapes::Country, shapes::SearchResult,
    shapes::GameRow, shapes::CreatorRow, shapes::RankingRow, shapes::Me, shapes::OwnListing, shapes::Currency,
    shapes::Rate<'static>, shapes::HistoryRow, shapes::Created, shapes::Updated,
    shapes::DryRun, shapes::Reported, shapes::CheckedReport, shapes::Tipped, shapes::CheckedTip,
    shapes::WebhookListing, shapes::WebhookMove, shapes::WebhookPing, shapes::WebhookMessage,
)))]
struct ReadTypes;

/// The types of requests.
#[derive(OpenApi)]
#[openapi(components(schemas(
    shapes::GameSubmission,
    shapes::EventSubmission,
    shapes::ReportSubmission,
    shapes::TipSubmission,
)))]
struct SentTypes;

/// The schemas of these types, and of those that they consist of.
fn derived<T: OpenApi>() -> Result<Schemas, serde_json::Error> {
    let components = T::openapi().components.unwrap_or_default();
    let schemas = components.schemas.into_iter();
    schemas.map(|(name, schema)| Ok((name, serde_json::to_value(schema)?))).collect()
}

/// The body of a PATCH: the fields of a submission, none of them required, and, as they are read, the other fields of the listing. These
/// are ignored when they have their current value.
fn change(submission: &Value, read: &Value) -> Value {
    let none = Map::new();
    let properties = |schema: &Value| schema["properties"].as_object().unwrap_or(&none).clone();
    let mut fields = properties(read);
    for field in fields.values_mut() {
        field["readOnly"] = true.into();
    }
    fields.extend(properties(submission));
    let mut change = submission.clone();
    change["properties"] = fields.into();
    change["description"] =
        "The fields that change. Those of a read that cannot be changed may have their current value.".into();
    if let Some(change) = change.as_object_mut() {
        change.remove("required");
        change.remove("example");
    }
    change
}

/// The parts of an `allOf` as one object: generators of clients differ in how they read an `allOf`.
fn flattened(schema: &Value, all: &Schemas) -> Value {
    let Some(parts) = schema.get("allOf").and_then(Value::as_array) else {
        return schema.clone();
    };
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for part in parts {
        let part = target(part, all).unwrap_or(part);
        let fields = part.get("properties").and_then(Value::as_object);
        properties.extend(fields.into_iter().flatten().map(|(k, v)| (k.clone(), v.clone())));
        let names = part.get("required").and_then(Value::as_array);
        required.extend(names.into_iter().flatten().cloned());
    }
    let mut object = json!({"type": "object", "properties": properties, "required": required});
    for own in ["description", "example"] {
        if let Some(value) = schema.get(own) {
            object[own] = value.clone();
        }
    }
    object
}

/// The schema that a reference names.
fn target<'a>(schema: &Value, all: &'a Schemas) -> Option<&'a Value> {
    let reference = schema.get("$ref")?.as_str()?;
    all.get(reference.strip_prefix("#/components/schemas/")?)
}

/// The schema of something that clients read: a set may get other values, and a choice of objects another one.
fn open(schema: Value) -> Value {
    let mut schema = with_parts(schema, &open);
    let Some(object) = schema.as_object_mut() else {
        return schema;
    };
    if let Some(values) = object.remove("enum") {
        let names = values
            .as_array()
            .into_iter()
            .flatten()
            .map(|name| format!("`{}`", name.as_str().unwrap_or_default()))
            .collect::<Vec<_>>()
            .join(", ");
        let words = object.get("description").and_then(Value::as_str).unwrap_or_default();
        let words = format!("{words} Known values: {names}. More may come.");
        object.insert("description".to_owned(), words.into());
        object.insert(KNOWN_VALUES.to_owned(), values);
    }
    let choices = object.get("oneOf").and_then(Value::as_array);
    let has_null = |choices: &Vec<Value>| choices.iter().any(|choice| choice["type"] == "null");
    if let Some(mut choices) = choices.filter(|choices| !has_null(choices)).cloned() {
        choices.push(json!({"type": "object"}));
        // By the fields that a later release adds, an object may be several of them.
        object.remove("oneOf");
        object.insert("anyOf".to_owned(), choices.into());
    }
    schema
}

/// The schema of something that clients send: an object has no other fields and a set no other values.
fn closed(schema: Value, all: &Schemas) -> Value {
    // A set is inline here, since its component is open.
    if let Some(set) = target(&schema, all)
        && set.get("enum").is_some()
    {
        let mut set = set.clone();
        if let Some(words) = schema.get("description") {
            set["description"] = words.clone();
        }
        return set;
    }
    let mut schema = with_parts(schema, &|part| closed(part, all));
    if let Some(object) = schema.as_object_mut()
        && has_fields(object)
    {
        let others = object.entry("additionalProperties");
        others.or_insert(false.into());
    }
    schema
}

/// The schema with `change` applied to those in it.
fn with_parts(schema: Value, change: &dyn Fn(Value) -> Value) -> Value {
    match schema {
        Value::Object(object) => object
            .into_iter()
            .map(|(key, value)| {
                // The values of examples are not schemas.
                let is_data = ["example", "examples", "enum"].contains(&key.as_str());
                let value = if is_data { value } else { change(value) };
                (key, value)
            })
            .collect::<Map<String, Value>>()
            .into(),
        Value::Array(items) => items.into_iter().map(change).collect(),
        other => other,
    }
}

/// Whether a schema is that of an object that lists its fields.
fn has_fields(schema: &Map<String, Value>) -> bool {
    let properties = schema.get("properties");
    properties.is_some_and(Value::is_object) && schema.get("type") == Some(&json!("object"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(schema: &Value, key: &str) -> Vec<String> {
        match &schema[key] {
            Value::Array(names) => {
                names.iter().filter_map(|name| Some(name.as_str()?.to_owned())).collect()
            }
            Value::Object(fields) => fields.keys().cloned().collect(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn a_flattened_row_becomes_part_of_the_object() {
        let schemas = schemas().unwrap();
        let game = &schemas["Game"];
        let fields = names(game, "properties");
        assert_eq!(fields.len(), 20, "{fields:?}");
        assert_eq!(names(game, "required").len(), 20);
    }

    #[test]
    fn response_schemas_are_open_and_request_schemas_closed() {
        let schemas = schemas().unwrap();
        for (name, expected) in [
            ("Game", Value::Null),
            ("GameSubmission", false.into()),
            ("GameChange", false.into()),
            ("BasketSubmission", false.into()),
            ("SubmittedLinks", false.into()),
        ] {
            assert_eq!(schemas[name]["additionalProperties"], expected, "{name}");
        }
        let data = schemas["WebhookData"]["anyOf"].as_array().unwrap();
        assert_eq!(data.last(), Some(&json!({"type": "object"})));
        let stage = &schemas["GameStage"];
        let values = json!(["in_development", "early_access", "released"]);
        assert_eq!(stage["type"], "string");
        assert_eq!(stage["x-extensible-enum"], values);
        assert_eq!(
            stage["description"],
            "The stage of a game's development. Known values: `in_development`, `early_access`, `released`. More may come."
        );
        let sent = &schemas["GameSubmission"]["properties"]["stage"]["oneOf"][0];
        assert_eq!(sent["enum"], values);
        assert_eq!(sent["description"], "`in_development` when omitted.");
    }

    #[test]
    fn a_change_has_no_required_fields_and_marks_read_only_ones() {
        let schemas = schemas().unwrap();
        let change = &schemas["GameChange"];
        assert!(change.get("required").is_none());
        assert_eq!(change["properties"]["slug"]["readOnly"], true);
        assert!(change["properties"]["title"].get("readOnly").is_none());
    }
}
