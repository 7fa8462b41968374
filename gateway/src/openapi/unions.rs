//! Schemas whose variants one field tells apart: rows by their `type`, messages by their `event`, writes by whether they were a dry run.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::reference::reference;

/// The value in a `discriminator` for what a later release adds. No variant has it.
const OTHER: &str = "other";

/// A schema that becomes one of several.
struct Union {
    name: &'static str,
    /// The field that tells the variants apart.
    tag: &'static str,
    variants: &'static [Variant],
    /// The name of the schema that allows every other value of the tag.
    other: &'static str,
    /// The schema that stands for those that differ by variant.
    content: Option<&'static str>,
}

struct Variant {
    name: &'static str,
    value: &'static str,
    /// The optional fields of the union that this variant always has. It has no other one.
    fields: &'static [&'static str],
    /// What it has in place of the union's `content`.
    content: Option<&'static str>,
}

const fn variant(
    name: &'static str,
    value: &'static str,
    fields: &'static [&'static str],
) -> Variant {
    Variant {
        name,
        value,
        fields,
        content: None,
    }
}

impl Variant {
    const fn with(self, content: &'static str) -> Self {
        Self {
            content: Some(content),
            ..self
        }
    }
}

const UNIONS: [Union; 2] = [
    Union {
        name: "SearchResult",
        tag: "type",
        variants: &[
            variant("GameResult", "games", &["slug"]),
            variant("CreatorResult", "creators", &["handle"]),
            variant("EventResult", "events", &["slug", "starts_at"]),
            variant("CityResult", "cities", &["slug"]),
        ],
        other: "OtherResult",
        content: None,
    },
    Union {
        name: "WebhookMessage",
        tag: "event",
        variants: &[
            variant("ListingPublishedMessage", "listing.published", &[]).with("WebhookListing"),
            variant("ListingUpdatedMessage", "listing.updated", &[]).with("WebhookListing"),
            variant("TipPaidMessage", "tip.paid", &[]).with("WebhookListing"),
            variant("RankingMovedMessage", "ranking.moved", &[]).with("WebhookMove"),
        ],
        other: "OtherMessage",
        content: Some("WebhookData"),
    },
];

/// Sets of the tags' values, which only the variants name from then on.
const TAG_VALUES: [&str; 2] = ["ResultKind", "MessageEvent"];

/// Fields of responses that have one value: the responses of an operation differ by it. `CheckedTip` has no other field, and generators such
/// as orval make code of an object of constants that does not compile.
const CONSTANTS: [(&str, &str, bool); 4] = [
    ("DryRun", "dry_run", true),
    ("Reported", "stored", true),
    ("CheckedReport", "stored", false),
    ("RemovedEndpoint", "removed", true),
];

/// Results of writes that were no dry run. None has `dry_run`; the schema allows `false`, so that a client can ask for it.
const WRITTEN: [&str; 3] = ["Created", "Updated", "Tipped"];

/// Replaces the schemas of unions by their variants, and the types of constant fields by their values.
pub(super) fn split(schemas: &mut BTreeMap<String, Value>) {
    for union in UNIONS {
        if let Some(whole) = schemas.remove(union.name) {
            let example = whole.get("example").cloned();
            for variant in union.variants {
                let schema = union.schema_of(variant, &whole, example.as_ref());
                schemas.insert(variant.name.to_owned(), schema);
            }
            schemas.insert(union.other.to_owned(), union.schema_of_others(&whole));
            schemas.insert(union.name.to_owned(), union.choice(&whole));
        }
        if let Some(content) = union.content {
            schemas.remove(content);
        }
    }
    for name in TAG_VALUES {
        schemas.remove(name);
    }
    for (name, field, value) in CONSTANTS {
        if let Some(schema) = schemas.get_mut(name) {
            schema["properties"][field]["const"] = value.into();
        }
    }
    for name in WRITTEN {
        if let Some(schema) = schemas.get_mut(name) {
            let words = "Absent: only the result of a dry run has it, as true.";
            schema["properties"]["dry_run"] =
                json!({"type": "boolean", "const": false, "description": words});
        }
    }
}

/// Takes `null` from the types of a field.
fn drop_null(field: &mut Value) {
    if let Some(types) = field["type"].as_array_mut() {
        types.retain(|it| it != "null");
        if let [only] = types.as_slice() {
            field["type"] = only.clone();
        }
    }
}

impl Union {
    /// The schema of a variant. `whole` is that of the union, with the fields of all variants.
    fn schema_of(&self, variant: &Variant, whole: &Value, example: Option<&Value>) -> Value {
        let mut required = required(whole);
        required.extend(variant.fields);
        let mut properties = self.properties(whole, &required);
        properties[self.tag]["const"] = variant.value.into();
        for field in variant.fields {
            drop_null(&mut properties[*field]);
        }
        let mut properties = Value::Object(properties);
        if let (Some(general), Some(own)) = (self.content, variant.content) {
            replace(&mut properties, &reference(general), &reference(own));
        }
        let mut schema = object(&properties, &required);
        if let Some(example) = example.filter(|it| it[self.tag] == variant.value) {
            schema["example"] = example.clone();
        }
        schema
    }

    /// The schema of a variant that a later release adds: it has what all variants have.
    fn schema_of_others(&self, whole: &Value) -> Value {
        let required = required(whole);
        let mut properties = self.properties(whole, &required);
        let known: Vec<&str> = self.variants.iter().map(|it| it.value).collect();
        properties[self.tag]["not"] = json!({"enum": known});
        let mut properties = Value::Object(properties);
        if let Some(general) = self.content {
            let any = json!({"type": "object", "additionalProperties": true});
            replace(&mut properties, &reference(general), &any);
        }
        let mut schema = object(&properties, &required);
        schema["description"] = "What a later release may add.".into();
        schema
    }

    /// The fields that a variant has. The tag is a plain string.
    fn properties(&self, whole: &Value, names: &[&str]) -> Map<String, Value> {
        let all = whole["properties"].as_object().into_iter().flatten();
        let mut properties: Map<String, Value> = all
            .filter(|(name, _)| names.contains(&name.as_str()))
            .map(|(name, property)| (name.clone(), property.clone()))
            .collect();
        let words = &whole["properties"][self.tag]["description"];
        let tag = json!({"type": "string", "description": words});
        properties.insert(self.tag.to_owned(), tag);
        properties
    }

    fn choice(&self, whole: &Value) -> Value {
        let variants = self.variants.iter().map(|it| (it.value, it.name));
        let all = variants.chain([(OTHER, self.other)]);
        let pointer = |name: &str| reference(name)["$ref"].clone();
        let mapping: Map<String, Value> = all
            .clone()
            .map(|(value, name)| (value.to_owned(), pointer(name)))
            .collect();
        let mut choice = json!({
            "oneOf": all.map(|(_, name)| reference(name)).collect::<Vec<_>>(),
            "discriminator": {"propertyName": self.tag, "mapping": mapping},
        });
        for own in ["description", "example"] {
            if let Some(value) = whole.get(own) {
                choice[own] = value.clone();
            }
        }
        choice
    }
}

fn object(properties: &Value, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": true,
    })
}

fn required(schema: &Value) -> Vec<&str> {
    let names = schema["required"].as_array().into_iter().flatten();
    names.filter_map(Value::as_str).collect()
}

/// Replaces a reference by another schema. Siblings of the reference, such as a description, are kept.
fn replace(schema: &mut Value, old: &Value, new: &Value) {
    match schema {
        Value::Object(object) if object.get("$ref") == old.get("$ref") => {
            object.remove("$ref");
            let new = new.as_object().into_iter().flatten();
            object.extend(new.map(|(key, value)| (key.clone(), value.clone())));
        }
        Value::Object(object) => object.values_mut().for_each(|it| replace(it, old, new)),
        Value::Array(items) => items.iter_mut().for_each(|it| replace(it, old, new)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::schemas::schemas;
    use super::*;

    fn names(list: &Value) -> Vec<&str> {
        let names = list.as_array().into_iter().flatten();
        names.filter_map(Value::as_str).collect()
    }

    #[test]
    fn a_variant_has_its_fields_and_its_value() {
        let schemas = schemas(2026).unwrap();
        let creator = &schemas["CreatorResult"];
        assert!(names(&creator["required"]).contains(&"handle"));
        assert!(creator["properties"].get("slug").is_none(), "{creator}");
        assert_eq!(creator["properties"]["type"]["const"], "creators");
        let event = &schemas["EventResult"];
        assert!(names(&event["required"]).contains(&"starts_at"));
        let data = &schemas["RankingMovedMessage"]["properties"]["data"];
        assert_eq!(data["$ref"], "#/components/schemas/WebhookMove");
    }

    #[test]
    fn a_value_that_no_variant_has_is_of_the_other_one() {
        let schemas = schemas(2026).unwrap();
        for union in UNIONS {
            let choice = &schemas[union.name];
            let variants = choice["oneOf"].as_array().unwrap();
            assert_eq!(variants.len(), union.variants.len() + 1, "{choice}");
            let mapping = &choice["discriminator"]["mapping"];
            let other = format!("#/components/schemas/{}", union.other);
            assert_eq!(mapping[OTHER], other.as_str());
            let tag = &schemas[union.other]["properties"][union.tag];
            assert_eq!(names(&tag["not"]["enum"]).len(), union.variants.len());
        }
        let data = &schemas["OtherMessage"]["properties"]["data"];
        assert!(data.to_string().contains("\"additionalProperties\":true"));
    }

    #[test]
    fn a_dry_run_is_told_apart_by_a_constant() {
        let schemas = schemas(2026).unwrap();
        for (name, value) in [("DryRun", true), ("Updated", false)] {
            assert_eq!(schemas[name]["properties"]["dry_run"]["const"], value);
        }
        assert!(!names(&schemas["Updated"]["required"]).contains(&"dry_run"));
        assert!(names(&schemas["DryRun"]["required"]).contains(&"dry_run"));
    }
}
