//! The OpenAPI document (§10.16). The public types define its schemas, the error table defines its errors, and the policy of a route
//! defines the errors of an operation.

mod errors;
mod examples;
pub mod operation;
pub(crate) mod parameters;
mod reference;
mod responses;
mod schemas;
mod security;
mod unions;
mod variants;
mod webhooks;

use std::collections::BTreeMap;

use contracts::public::ApiSettings;
use kit::Code;
use serde_json::{Map, Value, json};
use strum::VariantArray as _;
use time::OffsetDateTime;

use self::operation::{Operation, Tag};
use self::parameters::Parameter;
use self::reference::{body, reference};
use self::variants::Variant;
use crate::coding::{EncodedFile, YearlyFile};
use crate::layers::policy::{Policy, Route};
use crate::openapi_files::OpenApiFiles;

/// The version segment of the base address.
const VERSION: &str = "/v1";

const ABOUT: &str = "A directory of African games: games, the studios and people who make them, countries and their cities, events, \
    boards of votes, and the economies of games. Every call sends `Authorization: Bearer <key>`. A test key reads samples and writes \
    nothing; a live key reads and writes the real directory. Branch on `error.code`, never on the message, and record \
    `meta.request_id` when a call fails. Every GET can be sent as HEAD. Unknown query parameters are ignored, and an empty one counts as \
    absent. New fields, values and error codes may be added at any time: ignore a field that you do not know, and treat a value that \
    `x-extensible-enum` does not list as *other*. The formats `cursor`, `words`, `line`, `text`, `genre`, `country`, `currency`, `page`, \
    `own-game`, `https-address`, `time-or-day` and `time-or-now` stand for rules that JSON Schema cannot express; the descriptions say which. \
    A time is one of RFC 3339, in which a + is written as %2B; a day such as `2026-03-01` stands for its midnight in UTC.";

/// What the document describes.
#[derive(Debug, Clone, Copy)]
pub struct Api {
    pub operations: fn() -> Vec<Operation>,
    /// The policy of a route by its pattern.
    pub policy: fn(&str) -> Option<Policy>,
}

/// The document in each form, with the settings that callers notice.
///
/// # Errors
/// Those of [`document`].
pub fn files(
    api_url: &str,
    settings: &ApiSettings,
    api: Api,
    now: OffsetDateTime,
) -> anyhow::Result<OpenApiFiles> {
    let file = |variant: Variant| {
        let (api_url, settings) = (api_url.to_owned(), settings.clone());
        YearlyFile::new(now, move |year| {
            let mut document = document(&api_url, year, api)?;
            document[ApiSettings::EXTENSION] = serde_json::to_value(&settings)?;
            let document = variant.of(document, Tag::Receivers.texts().0);
            Ok(EncodedFile::new(serde_json::to_vec(&document)?)?)
        })
    };
    Ok(OpenApiFiles {
        full: file(Variant::Full)?,
        clients: file(Variant::Clients)?,
        version_3_0: file(Variant::Version30)?,
    })
}

/// The document. `api_url` is the base address with the version.
///
/// # Errors
/// A schema cannot be serialized, or an operation has no route.
pub fn document(api_url: &str, year: i32, api: Api) -> anyhow::Result<Value> {
    let mut schemas = components(year)?;
    let mut paths: Map<String, Value> = Map::new();
    let mut errors: BTreeMap<String, Value> = BTreeMap::new();
    for operation in (api.operations)() {
        let pattern = format!("{VERSION}{}", operation.path);
        let policy = (api.policy)(&pattern);
        let policy = policy.ok_or_else(|| anyhow::anyhow!("no route has the path {pattern}"))?;
        let route = Route {
            pattern: operation.path,
            policy,
            methods: vec![operation.method.clone()],
        };
        let requirements = route.requirements(&operation.method, false);
        let codes = errors::codes(&operation, &requirements);
        for (status, codes) in &codes {
            let name = errors::component_name(codes);
            let response = || errors::response(*status, codes);
            errors.entry(name).or_insert_with(response);
        }
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        let method = operation.method.as_str().to_ascii_lowercase();
        let mut described = described(&operation, &codes, &mut schemas);
        described["security"] = security::alternatives(&requirements).into();
        if let Some(responses) = described["responses"].as_object_mut() {
            examples::add_to_responses(responses, &schemas);
        }
        path[method] = described;
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
            "responses": errors,
            "securitySchemes": security::schemes(),
        },
    }))
}

fn components(year: i32) -> anyhow::Result<BTreeMap<String, Value>> {
    let mut schemas = schemas::schemas(year)?;
    let metas = responses::metas().into_iter();
    schemas.extend(metas.map(|(name, schema)| (name.to_owned(), schema)));
    schemas.insert("ErrorResponse".to_owned(), errors::schema());
    schemas.extend(webhooks::schemas());
    Ok(schemas)
}

fn described(
    operation: &Operation,
    codes: &BTreeMap<u16, Vec<Code>>,
    schemas: &mut BTreeMap<String, Value>,
) -> Value {
    let mut responses = responses::successes(operation, schemas);
    for (status, codes) in codes {
        let name = errors::component_name(codes);
        let response = json!({"$ref": format!("#/components/responses/{name}")});
        responses.insert(status.to_string(), response);
    }
    let mut parameters: Vec<Parameter> = operation.parameters.to_vec();
    if operation.method == http::Method::GET {
        parameters.push(parameters::IF_NONE_MATCH);
    }
    let mut described = json!({
        "operationId": operation.id,
        "summary": operation.summary,
        "tags": [operation.tag.texts().0],
        "parameters": parameters.into_iter().map(|it| it.to_json()).collect::<Vec<_>>(),
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
    tags.map(|(name, description)| json!({"name": name, "description": description}))
        .collect()
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

    /// A later operation would replace the body of an earlier one, or a type.
    #[test]
    fn bodies_with_one_name_are_the_same() {
        let types = components(2026).unwrap();
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
