//! The OpenAPI document (§10.16). The public types define its schemas, the error table defines its errors, and the table of routes
//! defines who may call an operation.

mod errors;
mod examples;
pub mod operation;
pub(crate) mod parameters;
mod reference;
mod responses;
mod schemas;
mod security;
mod webhooks;

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use contracts::public::ApiSettings;
use http::{Method, StatusCode};
use serde_json::{Map, Value, json};
use strum::VariantArray as _;

use self::operation::{Operation, Tag};
use self::parameters::Parameter;
use self::reference::{body, reference};
use crate::domain::access::Requirements;

/// The version segment of the base address.
const VERSION: &str = "/v1";

const ABOUT: &str = "A directory of African games: games, the studios and people who make them, countries and their cities, events, \
    boards of votes, and the economies of games. Every call sends `Authorization: Bearer <key>`. A test key reads samples and writes \
    nothing; a live key reads and writes the real directory. Branch on `error.code`, never on the message, and record \
    `meta.request_id` when a call fails. Every GET can be sent as HEAD. Unknown query parameters are ignored, and an empty one counts as \
    absent, but a flag without a value is true. New fields, values and error codes may be added at any time: ignore a field that you do not know, and treat a value that \
    `x-extensible-enum` does not list as *other*. The formats `cursor`, `words`, `line`, `text`, `genre`, `country`, `currency`, `page`, \
    `own-game`, `https-address`, `time-or-day` and `time-or-now` stand for rules that JSON Schema cannot express; the descriptions say which. \
    A time is one of RFC 3339, in which a + is written as %2B; a day such as `2026-03-01` stands for its midnight in UTC.";

/// What the document describes.
#[derive(Debug, Clone, Copy)]
pub struct Api {
    pub operations: fn() -> Vec<Operation>,
    /// The requirements of a call by its method and the pattern of its route.
    pub requirements: fn(&Method, &str) -> Option<Requirements>,
}

/// The document as it is served, with the settings that callers notice.
///
/// # Errors
/// Those of [`document`].
pub fn file(api_url: &str, settings: &ApiSettings, api: Api) -> anyhow::Result<Bytes> {
    let mut document = document(api_url, api)?;
    document[ApiSettings::EXTENSION] = serde_json::to_value(settings)?;
    Ok(serde_json::to_vec(&document)?.into())
}

/// The document. `api_url` is the base address with the version.
///
/// # Errors
/// A schema cannot be serialized, or an operation has no route.
pub fn document(api_url: &str, api: Api) -> anyhow::Result<Value> {
    let mut schemas = components()?;
    let mut paths: Map<String, Value> = Map::new();
    let mut errors: BTreeSet<StatusCode> = BTreeSet::new();
    for operation in (api.operations)() {
        let pattern = format!("{VERSION}{}", operation.path);
        let requirements = (api.requirements)(&operation.method, &pattern);
        let requirements =
            requirements.ok_or_else(|| anyhow::anyhow!("no route has the path {pattern}"))?;
        let statuses = errors::statuses(&operation);
        errors.extend(statuses.keys());
        let mut described = described(&operation, statuses, &mut schemas);
        described["security"] = security::alternatives(&requirements).into();
        if let Some(responses) = described["responses"].as_object_mut() {
            examples::add_to_responses(responses, &schemas);
        }
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        path[operation.method.as_str().to_ascii_lowercase()] = described;
    }
    Ok(json!({
        "openapi": "3.1.0",
        "info": {"title": "Mchezo", "version": "1", "description": ABOUT},
        "servers": [{"url": api_url}],
        "tags": tags(),
        "paths": paths,
        "webhooks": webhooks::webhooks(&schemas),
        "components": {
            "schemas": schemas,
            "responses": errors::responses(&errors),
            "securitySchemes": security::schemes(),
        },
    }))
}

fn components() -> anyhow::Result<BTreeMap<String, Value>> {
    let mut schemas = schemas::schemas()?;
    let metas = responses::metas().into_iter();
    schemas.extend(metas.map(|(name, schema)| (name.to_owned(), schema)));
    schemas.insert("ErrorResponse".to_owned(), errors::schema());
    schemas.extend(webhooks::schemas());
    Ok(schemas)
}

fn described(
    operation: &Operation,
    errors: BTreeMap<StatusCode, String>,
    schemas: &mut BTreeMap<String, Value>,
) -> Value {
    let mut responses = responses::successes(operation, schemas);
    for (status, name) in errors {
        let response = json!({"$ref": format!("#/components/responses/{name}")});
        responses.insert(status.as_str().to_owned(), response);
    }
    let mut parameters: Vec<Parameter> = operation.parameters.to_vec();
    if operation.method == Method::GET {
        parameters.push(parameters::IF_NONE_MATCH);
    }
    let mut described = json!({
        "operationId": operation.id,
        "summary": operation.summary,
        "tags": [operation.tag.texts().0],
        "parameters": parameters.into_iter().map(Parameter::to_json).collect::<Vec<_>>(),
        "responses": responses,
    });
    if let Some(description) = operation.description {
        described["description"] = description.into();
    }
    if let Some(schema) = operation.body {
        let required = json!({"required": true, "content": body(&reference(schema))});
        described["requestBody"] = required;
    }
    if let Some(link) = link(operation) {
        described["responses"]["201"]["links"] = link;
    }
    described
}

/// The link from the response to a submission to the operation that changes the listing.
fn link(operation: &Operation) -> Option<Value> {
    let change = match operation.id {
        "submitGame" => "updateGame",
        "submitEvent" => "updateEvent",
        _ => return None,
    };
    let slug = "$response.body#/data/slug";
    Some(json!({"change": {"operationId": change, "parameters": {"slug": slug}}}))
}

fn tags() -> Vec<Value> {
    let tags = Tag::VARIANTS.iter().map(|tag| tag.texts());
    tags.map(|(name, description)| json!({"name": name, "description": description})).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_of_operations_are_sentences() {
        for operation in &crate::routes::operations() {
            let texts = [Some(operation.summary), operation.description];
            for text in texts.into_iter().flatten() {
                assert!(text.ends_with('.'), "{}: {text}", operation.id);
            }
        }
    }

    /// A body of the same name would replace the other body, or a type.
    #[test]
    fn bodies_of_the_same_name_are_equal() {
        let types = components().unwrap();
        let mut bodies: BTreeMap<String, Value> = BTreeMap::new();
        for operation in &crate::routes::operations() {
            let mut own = BTreeMap::new();
            responses::successes(operation, &mut own);
            for (name, body) in own {
                assert!(!types.contains_key(&name), "{name}");
                if let Some(other) = bodies.insert(name.clone(), body.clone()) {
                    assert_eq!(other, body, "{name}");
                }
            }
        }
    }
}
