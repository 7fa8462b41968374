//! The schemas of the components: those of the public types, closed, so that a field that the document lacks is found.

use std::collections::BTreeMap;

use contracts::public as shapes;
use serde_json::{Map, Value, json};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// How many years ahead a release year may be (§4.3).
const MAX_YEARS_AHEAD: i32 = 5;

/// The schemas by name.
type Schemas = BTreeMap<String, Value>;

/// All schemas of types, and the schemas that are made from them. `year` is the current one.
pub(super) fn schemas(year: i32) -> Result<Schemas, serde_json::Error> {
    let mut derived = Vec::new();
    add::<shapes::Game>(&mut derived);
    add::<shapes::Creator>(&mut derived);
    add::<shapes::Event>(&mut derived);
    add::<shapes::GenreRow>(&mut derived);
    add::<shapes::Country>(&mut derived);
    add::<shapes::SearchResult>(&mut derived);
    add::<shapes::ListingChange>(&mut derived);
    add::<shapes::RankingRow>(&mut derived);
    add::<shapes::Me>(&mut derived);
    add::<shapes::OwnListing>(&mut derived);
    add::<shapes::Currency>(&mut derived);
    add::<shapes::Rate<'_>>(&mut derived);
    add::<shapes::HistoryRow>(&mut derived);
    add::<shapes::Methodology>(&mut derived);
    add::<shapes::Created>(&mut derived);
    add::<shapes::Updated>(&mut derived);
    add::<shapes::DryRun>(&mut derived);
    add::<shapes::Reported>(&mut derived);
    add::<shapes::CheckedReport>(&mut derived);
    add::<shapes::Tipped>(&mut derived);
    add::<shapes::CheckedTip>(&mut derived);
    add::<shapes::BoardKind>(&mut derived);
    add::<shapes::BoardWindow>(&mut derived);
    add::<shapes::EventTime>(&mut derived);
    add::<shapes::GameSubmission>(&mut derived);
    add::<shapes::EventSubmission>(&mut derived);
    add::<shapes::ReportSubmission>(&mut derived);
    add::<shapes::TipSubmission>(&mut derived);
    add::<shapes::WebhookListing>(&mut derived);
    add::<shapes::WebhookMove>(&mut derived);
    add::<shapes::WebhookPing>(&mut derived);
    add::<shapes::WebhookMessage>(&mut derived);
    add_account(&mut derived);
    let mut open = Schemas::new();
    for (name, schema) in derived {
        open.insert(name, serde_json::to_value(schema)?);
    }
    if let Some(game) = open.get_mut("GameSubmission") {
        game["properties"]["release_year"]["maximum"] = json!(year + MAX_YEARS_AHEAD);
    }
    let mut schemas: Schemas = open
        .iter()
        .map(|(name, schema)| (name.clone(), closed(schema, &open)))
        .collect();
    // This schema is inlined in the objects that have it.
    schemas.remove("SearchAddress");
    for (name, submission, read, example) in [
        (
            "GameChange",
            "GameSubmission",
            "Game",
            json!({"tagline": "Longer roads, less water."}),
        ),
        (
            "EventChange",
            "EventSubmission",
            "Event",
            json!({"online": true}),
        ),
    ] {
        let mut change = change(&schemas[submission], &schemas[read]);
        change["example"] = example;
        schemas.insert(name.to_owned(), change);
    }
    Ok(schemas)
}

/// The schemas of the account API.
fn add_account(derived: &mut Vec<(String, RefOr<Schema>)>) {
    add::<shapes::NewAccountKey>(derived);
    add::<shapes::RotatedAccountKey>(derived);
    add::<shapes::AccountKey>(derived);
    add::<shapes::AccountEndpoint>(derived);
    add::<shapes::NewAccountEndpoint>(derived);
    add::<shapes::RemovedEndpoint>(derived);
    add::<shapes::AccountDelivery>(derived);
    add::<shapes::OneDelivery>(derived);
    add::<shapes::SentDelivery>(derived);
    add::<shapes::RecoveredDeliveries>(derived);
    add::<shapes::AccountUsage>(derived);
    add::<shapes::EndpointActionResult>(derived);
    add::<shapes::EndpointAction>(derived);
    add::<shapes::DeliveryState>(derived);
    add::<shapes::SampleEvent>(derived);
    add::<shapes::KeySubmission>(derived);
    add::<shapes::EndpointSubmission>(derived);
    add::<shapes::EndpointChange>(derived);
}

fn add<T: ToSchema>(schemas: &mut Vec<(String, RefOr<Schema>)>) {
    schemas.push((T::name().into_owned(), <T as PartialSchema>::schema()));
    T::schemas(schemas);
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

/// The schema with `additionalProperties: false` on every object that lists its properties. An object that is composed of others becomes
/// one object, because a closed part would reject the properties of the rest.
fn closed(schema: &Value, all: &Schemas) -> Value {
    let schema = if schema.get("allOf").is_some() {
        composed(schema, all)
    } else {
        schema.clone()
    };
    match schema {
        Value::Object(object) => {
            let mut object: Map<String, Value> = object
                .into_iter()
                .map(|(key, value)| {
                    // The values of examples are not schemas.
                    let is_data = ["example", "examples", "enum"].contains(&key.as_str());
                    let value = if is_data { value } else { closed(&value, all) };
                    (key, value)
                })
                .collect();
            let has_properties = object.get("properties").is_some_and(Value::is_object);
            if has_properties && object.get("type") == Some(&json!("object")) {
                let closed = object.entry("additionalProperties");
                closed.or_insert(false.into());
            }
            object.into()
        }
        Value::Array(items) => items.iter().map(|item| closed(item, all)).collect(),
        other => other,
    }
}

/// The parts of an `allOf` as one object, or as a choice of objects if one of the parts is a choice.
fn composed(schema: &Value, all: &Schemas) -> Value {
    let mut choices = alternatives(schema, all);
    let mut composed = match choices.pop() {
        Some(only) if choices.is_empty() => Value::Object(only),
        last => {
            choices.extend(last);
            json!({"oneOf": choices})
        }
    };
    for own in ["description", "example"] {
        if let Some(value) = schema.get(own) {
            composed[own] = value.clone();
        }
    }
    composed
}

/// The objects of which a schema allows one.
fn alternatives(schema: &Value, all: &Schemas) -> Vec<Map<String, Value>> {
    let parts = |key: &str| schema.get(key).and_then(Value::as_array);
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        let name = name.rsplit('/').next().unwrap_or_default();
        return all
            .get(name)
            .map(|schema| alternatives(schema, all))
            .unwrap_or_default();
    }
    if let Some(parts) = parts("oneOf") {
        return parts
            .iter()
            .flat_map(|part| alternatives(part, all))
            .collect();
    }
    if let Some(parts) = parts("allOf") {
        return parts.iter().fold(vec![Map::new()], |before, part| {
            let added = alternatives(part, all);
            before
                .iter()
                .flat_map(|one| added.iter().map(|other| merged(one, other)))
                .collect()
        });
    }
    schema.as_object().cloned().into_iter().collect()
}

/// One object with the properties of both. The example of a part would lack those of the other.
fn merged(one: &Map<String, Value>, other: &Map<String, Value>) -> Map<String, Value> {
    let mut merged = one.clone();
    merged.remove("example");
    for (key, value) in other.iter().filter(|(key, _)| *key != "example") {
        match (merged.get_mut(key), value) {
            (Some(Value::Object(held)), Value::Object(more)) => held.extend(more.clone()),
            (Some(Value::Array(held)), Value::Array(more)) => held.extend(more.clone()),
            _ => {
                merged.insert(key.clone(), value.clone());
            }
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(schema: &Value, key: &str) -> Vec<String> {
        match &schema[key] {
            Value::Array(names) => names
                .iter()
                .filter_map(|name| Some(name.as_str()?.to_owned()))
                .collect(),
            Value::Object(fields) => fields.keys().cloned().collect(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn a_flattened_row_becomes_part_of_the_object() {
        let schemas = schemas(2026).unwrap();
        let game = &schemas["Game"];
        let fields = names(game, "properties");
        assert_eq!(fields.len(), 20, "{fields:?}");
        assert_eq!(names(game, "required").len(), 20);
        assert_eq!(game["additionalProperties"], false);
        let result = schemas["SearchResult"]["oneOf"].as_array().unwrap();
        for (choice, name) in result.iter().zip(["slug", "handle"]) {
            assert!(
                names(choice, "required").contains(&name.to_owned()),
                "{choice}"
            );
            assert_eq!(names(choice, "properties").len(), 6, "{choice}");
            assert_eq!(choice["additionalProperties"], false);
        }
    }

    #[test]
    fn a_change_requires_nothing_and_has_the_fields_of_a_read() {
        let schemas = schemas(2026).unwrap();
        let change = &schemas["GameChange"];
        assert!(change.get("required").is_none());
        assert_eq!(change["properties"]["slug"]["readOnly"], true);
        assert!(change["properties"]["title"].get("readOnly").is_none());
        assert_eq!(change["properties"]["release_year"]["maximum"], 2031);
    }
}
