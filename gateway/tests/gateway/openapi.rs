//! The OpenAPI document (§10.16), which needs no key and describes every operation of the router.

use std::collections::BTreeSet;

use http::{Method, Request};
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::{Test, TestResponse};

const PATH: &str = "/v1/openapi.json";

async fn ask(test: &Test, method: &str, headers: &[(&str, &str)]) -> TestResponse {
    let request = Request::builder().method(method).uri(PATH);
    let request = headers.iter().fold(request, |r, (n, v)| r.header(*n, *v));
    test.call(request).await
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_document_has_every_operation_of_the_router_and_no_other(pool: PgPool) {
    let test = Test::new(pool).await;
    let document = ask(&test, "GET", &[]).await.json;
    let mut described = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let method: Method = method.to_uppercase().parse().unwrap();
            described.insert((method.to_string(), format!("/v1{path}")));
        }
    }
    let routes = gateway::router::routes();
    let served: BTreeSet<(String, String)> = routes
        .iter()
        .flat_map(|route| {
            let methods = route.methods.iter();
            methods.map(|it| (it.method.to_string(), route.pattern.to_owned()))
        })
        .collect();
    assert_eq!(described, served);
    assert_eq!(document["servers"][0]["url"], "https://api.example/v1");
}

/// Collects every `$ref`.
fn references<'a>(json: &'a Value, found: &mut BTreeSet<&'a str>) {
    match json {
        Value::Object(object) => {
            for (key, value) in object {
                if let ("$ref", Value::String(name)) = (key.as_str(), value) {
                    found.insert(name);
                }
                references(value, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn every_reference_resolves_and_every_component_is_used(pool: PgPool) {
    let test = Test::new(pool).await;
    let document = ask(&test, "GET", &[]).await.json;
    let mut found = BTreeSet::new();
    references(&document, &mut found);
    for reference in &found {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
    for kind in ["schemas", "responses"] {
        for name in document["components"][kind].as_object().unwrap().keys() {
            let reference = format!("#/components/{kind}/{name}");
            assert!(found.contains(reference.as_str()), "{reference}");
        }
    }
    let text = document.to_string();
    for operation in ["updateGame", "updateEvent"] {
        let defined = format!("\"operationId\":\"{operation}\"");
        assert!(text.matches(&defined).count() >= 2, "{operation}");
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn every_example_is_valid_for_its_schema(pool: PgPool) {
    let test = Test::new(pool).await;
    let document = testing::openapi::closed(ask(&test, "GET", &[]).await.json);
    let components = &document["components"];
    let mut examples = 0;
    for (name, schema) in components["schemas"].as_object().unwrap() {
        let Some(example) = schema.get("example") else {
            continue;
        };
        // The validator resolves references within this root.
        let reference = format!("#/components/schemas/{name}");
        let schema = json!({"$ref": reference, "components": components});
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        let problems: Vec<String> =
            validator.iter_errors(example).map(|it| it.to_string()).collect();
        assert!(problems.is_empty(), "{name}: {problems:?}");
        examples += 1;
    }
    assert!(examples > 15, "{examples}");
}

/// Collects every body of the document, with its path.
fn bodies<'a>(json: &'a Value, path: &str, found: &mut Vec<(String, &'a Value)>) {
    let Some(object) = json.as_object() else {
        return;
    };
    for (key, value) in object {
        let path = format!("{path}/{key}");
        if key == "application/json" {
            found.push((path, value));
        } else {
            bodies(value, &path, found);
        }
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn every_body_has_a_valid_example(pool: PgPool) {
    let test = Test::new(pool).await;
    let document = testing::openapi::closed(ask(&test, "GET", &[]).await.json);
    let components = &document["components"];
    let mut found = Vec::new();
    bodies(&document["paths"], "", &mut found);
    bodies(&document["webhooks"], "", &mut found);
    let mut responses = 0;
    for (path, body) in found {
        if path.ends_with("requestBody/content/application/json") && body.get("example").is_none() {
            // The example is in the schema.
            let name = body["schema"]["$ref"].as_str().unwrap();
            let schema = document.pointer(name.strip_prefix('#').unwrap()).unwrap();
            assert!(schema.get("example").is_some(), "{path}");
            continue;
        }
        let schema = json!({"allOf": [body["schema"]], "components": components});
        let validator = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
        let problems: Vec<String> = validator
            .iter_errors(&body["example"])
            .map(|it| format!("{it} at {}", it.instance_path()))
            .collect();
        assert!(problems.is_empty(), "{path}: {problems:?}");
        let text = body["example"].to_string();
        assert!(!text.contains("\"text\""), "{path} has no good example: {text}");
        responses += 1;
    }
    assert!(responses > 20, "{responses}");
}

/// Calls `check` once with every schema that a body reaches, except read-only ones, which may be sent back as they were read.
fn reached<'a>(
    document: &'a Value,
    json: &'a Value,
    known: &mut BTreeSet<&'a str>,
    check: &mut impl FnMut(&'a Value),
) {
    let Some(object) = json.as_object() else {
        let items = json.as_array().into_iter().flatten();
        items.for_each(|item| reached(document, item, known, check));
        return;
    };
    if json["readOnly"] == true {
        return;
    }
    check(json);
    if let Some(reference) = json["$ref"].as_str()
        && known.insert(reference)
    {
        let target = document.pointer(reference.strip_prefix('#').unwrap());
        reached(document, target.unwrap(), known, check);
    }
    let parts = object.iter().filter(|(key, _)| *key != "example");
    parts.for_each(|(_, part)| reached(document, part, known, check));
}

/// §9: fields, values and codes may be added at any time. Requests with unknown ones are refused.
#[testing::database_test(gateway::MIGRATOR)]
async fn response_schemas_are_open_and_request_schemas_are_closed(pool: PgPool) {
    let test = Test::new(pool).await;
    let document = ask(&test, "GET", &[]).await.json;
    let mut found = Vec::new();
    for part in ["paths", "webhooks", "components"] {
        bodies(&document[part], &format!("/{part}"), &mut found);
    }
    let (mut open, mut closed, mut sets) = (0, 0, 0);
    for (path, body) in found {
        // For a webhook the client is the receiver, which reads the request body.
        let is_sent = path.contains("/requestBody/") && !path.starts_with("/webhooks");
        reached(&document, &body["schema"], &mut BTreeSet::new(), &mut |schema| {
            let is_object = schema["type"] == "object" && schema["properties"].is_object();
            let others = &schema["additionalProperties"];
            if is_sent {
                assert!(!is_object || !others.is_null(), "{path}: {schema}");
                closed += usize::from(is_object);
            } else {
                assert!(others != false, "{path}: {schema}");
                assert!(schema["enum"].is_null(), "{path}: {schema}");
                // `oneOf` may only express that a value can be null.
                let mut choices = schema["oneOf"].as_array().into_iter();
                let is_plain = choices.all(|it| it.iter().any(|it| it["type"] == "null"));
                assert!(is_plain, "{path}: {schema}");
                open += usize::from(is_object);
                sets += usize::from(schema["x-extensible-enum"].is_array());
            }
        });
    }
    assert!(open > 100 && closed > 5 && sets > 30, "{open}, {closed}, {sets}");
}

#[testing::database_test(gateway::MIGRATOR)]
async fn every_operation_has_its_security_schemes(pool: PgPool) {
    let test = Test::new(pool).await;
    let document = ask(&test, "GET", &[]).await.json;
    let schemes = document["components"]["securitySchemes"].as_object().unwrap();
    let mut used = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let alternatives = operation["security"].as_array().unwrap();
            assert!(!alternatives.is_empty(), "{method} {path}");
            let names = alternatives.iter();
            used.extend(names.flat_map(|one| one.as_object().unwrap().keys()));
        }
    }
    assert_eq!(used, schemes.keys().collect());
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_document_is_public_and_compressed(pool: PgPool) {
    let test = Test::new(pool).await;
    // A web page may read the document, and a key makes no difference.
    let origin = ("origin", "https://tools.example");
    let plain = ask(&test, "GET", &[origin, ("authorization", "Bearer none")]).await;
    assert_eq!(plain.status, 200);
    assert_eq!(plain.json["openapi"], "3.1.0");
    for (name, value) in [
        ("content-type", "application/json"),
        ("cache-control", "public, max-age=300"),
        ("access-control-allow-origin", "*"),
        ("vary", "accept-encoding"),
        ("content-encoding", ""),
        ("ratelimit", ""),
    ] {
        assert_eq!(plain.header(name), value, "{name}");
    }
    assert!(plain.header("x-request-id").starts_with("req_"));
    let tag = plain.header("etag");
    assert!(tag.starts_with("W/\""), "{tag}");
    let accepted = ("accept-encoding", "zstd");
    let coded = ask(&test, "GET", &[accepted]).await;
    assert_eq!(coded.header("content-encoding"), "zstd");
    assert_eq!(coded.json, plain.json);
    let head = ask(&test, "HEAD", &[accepted]).await;
    assert_eq!((head.status.as_u16(), head.bytes.len()), (200, 0));
    let known = ask(&test, "GET", &[accepted, ("if-none-match", tag)]).await;
    assert_eq!((known.status.as_u16(), known.bytes.len()), (304, 0));
    for response in [coded, head, known] {
        assert_eq!(response.header("etag"), tag);
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_document_allows_only_get_and_head(pool: PgPool) {
    let test = Test::new(pool).await;
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        let refused = ask(&test, method, &[]).await;
        assert_eq!(refused.error(), (405, "method_not_allowed"), "{method}");
        assert_eq!(refused.header("allow"), "GET, HEAD");
    }
    let below = test.call(Request::get("/v1/openapi.json/")).await;
    assert_eq!(below.error(), (401, "missing_key"));
}

/// Lists without pages, and the reason why each is bounded.
const WITHOUT_PAGES: [(&str, &str); 3] = [
    ("/genres", "the genres, which are constants"),
    ("/economy/rates", "a stream; `from` and `to` choose rows"),
    ("/economy/currencies", "one for each listed currency"),
];

/// Lists inside the object of a response, and the reason why each is bounded.
const INSIDE_OBJECTS: [(&str, &str, &str); 7] = [
    ("/creators/{handle}", "games", "the specification wants all of the creator's (§2.4)"),
    ("/countries/{code}", "cities", "the specification wants those of the country (§2.5)"),
    ("/creators/{handle}", "roles", "the limit of the field"),
    ("/games/{slug}", "genres", "the limit of the field"),
    ("/games/{slug}", "platforms", "the known platforms"),
    ("/games/{slug}", "screenshots", "the limit of the field"),
    ("/games/{slug}", "credits", "the limit of the field"),
];

/// The path from an operation to the schema of its response.
const SCHEMA: &str = "/responses/200/content/application~1json/schema";

/// Follows the `$ref` of a schema, if it has one.
fn resolved<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
        None => schema,
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn every_list_inside_an_object_has_a_bound(pool: PgPool) {
    let test = Test::new(pool).await;
    let document = ask(&test, "GET", &[]).await.json;
    let mut found = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        let Some(schema) = methods["get"].pointer(SCHEMA) else {
            continue;
        };
        let response = resolved(&document, schema);
        let data = resolved(&document, &response["properties"]["data"]);
        let fields = data["properties"].as_object().into_iter().flatten();
        for (name, field) in fields {
            if resolved(&document, field)["type"] == "array" {
                found.insert((path.as_str(), name.as_str()));
            }
        }
    }
    let expected = INSIDE_OBJECTS.map(|(path, field, _)| (path, field));
    assert_eq!(found, BTreeSet::from(expected));
}

/// `lists.rs` of the crate `contracts` checks the same for the RPCs.
#[testing::database_test(gateway::MIGRATOR)]
async fn every_list_of_the_router_has_pages_or_a_bound(pool: PgPool) {
    let test = Test::new(pool).await;
    let document = ask(&test, "GET", &[]).await.json;
    let is_list = |operation: &Value| {
        let schema = operation.pointer(SCHEMA).unwrap_or(&Value::Null);
        resolved(&document, schema)["properties"]["data"]["type"] == "array"
    };
    let (mut lists, mut without) = (0, BTreeSet::new());
    for (path, methods) in document["paths"].as_object().unwrap() {
        let operation = &methods["get"];
        if !is_list(operation) {
            continue;
        }
        lists += 1;
        let parameters = operation["parameters"].as_array();
        let has =
            |name: &str| parameters.is_some_and(|all| all.iter().any(|it| it["name"] == name));
        if !(has("limit") && (has("cursor") || has("after"))) {
            without.insert(path.as_str());
        }
    }
    assert!(lists >= 10, "{lists}");
    let expected = WITHOUT_PAGES.map(|(path, _)| path);
    assert_eq!(without, BTreeSet::from(expected));
}
