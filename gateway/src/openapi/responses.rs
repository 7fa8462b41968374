//! Successful responses: the envelope (§2.1), the headers and 304.

use std::collections::BTreeMap;

use http::Method;
use serde_json::{Map, Value, json};

use super::operation::{Operation, Success};
use super::reference::{body, reference};

/// Adds a header to those of a response.
pub(super) fn header(headers: &mut Map<String, Value>, name: &str, required: bool) {
    let (description, schema) = match name {
        "x-request-id" => (
            "Identifies the call, as `meta.request_id` does.",
            json!({"type": "string", "pattern": "^req_[0-9a-z]{26,}$"}),
        ),
        "RateLimit" => (
            "What is left of each window (`r`), and the seconds until it restarts (`t`).",
            json!({"type": "string", "examples": ["\"minute\";r=12;t=31, \"month\";r=49000;t=864000"]}),
        ),
        "RateLimit-Policy" => (
            "The limit of each window (`q`), and its length in seconds (`w`).",
            json!({"type": "string", "examples": ["\"minute\";q=60;w=60, \"month\";q=50000"]}),
        ),
        "ETag" => (
            "The version of the data. Send it as `If-None-Match`; that of a game or an event as `If-Match` too.",
            json!({"type": "string", "pattern": "^(W/)?\"[!#-~]*\"$"}),
        ),
        "Vary" => (
            "The headers on which the form of the response depends.",
            json!({"type": "string", "const": "accept-encoding"}),
        ),
        "Location" => (
            "The path of the new listing.",
            json!({"type": "string", "pattern": "^/v1/(games|events)/"}),
        ),
        "Idempotency-Replayed" => (
            "`true` on the stored response of an earlier call with the same `Idempotency-Key`.",
            json!({"type": "string", "const": "true"}),
        ),
        "Accept-Encoding" => {
            ("Bodies are sent without a coding.", json!({"type": "string", "const": "identity"}))
        }
        "WWW-Authenticate" => {
            ("How to authenticate.", json!({"type": "string", "const": "Bearer"}))
        }
        _ => ("Seconds after which a call may succeed.", json!({"type": "integer", "minimum": 1})),
    };
    let header = json!({"description": description, "required": required, "schema": schema});
    headers.insert(name.to_owned(), header);
}

/// The responses of an operation that succeeds, by status. Their bodies are added to `schemas`: generators of clients make a type of each
/// named schema, and a numbered one of every other.
pub(super) fn successes(
    operation: &Operation,
    schemas: &mut BTreeMap<String, Value>,
) -> Map<String, Value> {
    let mut responses = Map::new();
    let mut add =
        |status: &str, description: &str, headers: Map<String, Value>, name: String, data, meta| {
            let schema = body(&reference(&name));
            schemas.insert(name, envelope(&data, meta));
            let response =
                json!({"description": description, "headers": headers, "content": schema});
            responses.insert(status.to_owned(), response);
        };
    let response = |data: &str| format!("{data}Response");
    let plain = || headers(operation);
    match operation.success {
        Success::Object(data) | Success::Listing(data) => {
            add("200", "The object, in `data`.", plain(), response(data), reference(data), "Meta");
        }
        Success::List(row) => {
            let rows = json!({"type": "array", "items": reference(row)});
            let name = format!("{}Page", row.strip_suffix("Row").unwrap_or(row));
            let words = "The list in `data`, or a page of it: `meta.next_cursor` is the `cursor` of the next page, if there is one.";
            add("200", words, plain(), name, rows, "ListMeta");
        }
        Success::Created { created, checked, is_listing } => {
            let (name, data) = (response(checked), reference(checked));
            let words = "Everything was checked and nothing was written: a dry run, or a test key.";
            add("200", words, plain(), name, data, "Meta");
            let mut headers = plain();
            header(&mut headers, "Idempotency-Replayed", false);
            if is_listing {
                header(&mut headers, "ETag", true);
                header(&mut headers, "Location", true);
            }
            let (name, data) = (response(created), reference(created));
            add("201", "It was written.", headers, name, data, "Meta");
        }
        Success::Changed { changed, checked } => {
            let mut headers = plain();
            header(&mut headers, "ETag", false);
            let data = json!({"anyOf": [reference(changed), reference(checked)]});
            let words = "The listing was changed, or everything was only checked: a dry run, or a test key.";
            add("200", words, headers, response(changed), data, "Meta");
        }
    }
    if operation.method == Method::GET {
        let words =
            "The caller has the data: one of the tags in `If-None-Match` is the current one.";
        let response = json!({"description": words, "headers": plain()});
        responses.insert("304".to_owned(), response);
    }
    responses
}

/// The headers of every successful response of an operation.
fn headers(operation: &Operation) -> Map<String, Value> {
    let mut headers = Map::new();
    header(&mut headers, "x-request-id", true);
    header(&mut headers, "RateLimit", false);
    header(&mut headers, "RateLimit-Policy", false);
    if operation.method == Method::GET {
        header(&mut headers, "ETag", true);
        header(&mut headers, "Vary", true);
    }
    headers
}

/// `success` has no `const`: of a constant boolean, openapi-generator makes a Python client that refuses every response.
fn envelope(data: &Value, meta: &str) -> Value {
    json!({
        "type": "object",
        "properties": {"success": {"type": "boolean", "example": true}, "data": data, "meta": reference(meta)},
        "required": ["success", "data", "meta"],
    })
}

/// The schemas of `meta`.
pub(super) fn metas() -> [(&'static str, Value); 3] {
    let list = json!({
        "next_cursor": {
            "type": ["string", "null"],
            "description": "The `cursor` of the next page; null on the last one. Of `/webhooks/messages` it is never null, and continues after the last row.",
            "examples": [null],
        },
        "total": {
            "type": "integer",
            "minimum": 0,
            "description": "Rows of the whole list; of `/webhooks/messages`, those of the response.",
            "examples": [1],
        },
    });
    [
        ("Meta", object_meta(&json!({}), &[], true)),
        ("ErrorMeta", object_meta(&json!({}), &[], false)),
        ("ListMeta", object_meta(&list, &["next_cursor", "total"], true)),
    ]
}

/// `meta` with `more` properties. Only errors may lack the mode: a call without a key has none.
fn object_meta(more: &Value, more_required: &[&str], has_mode: bool) -> Value {
    let mut properties = more.clone();
    properties["request_id"] = json!({
        "type": "string",
        "pattern": "^req_[0-9a-z]{26,}$",
        "description": "Identifies the call in our log.",
        "examples": ["req_0k3v8m2d7x9q4t6w1z5b8n3c2j"],
    });
    properties["mode"] = reference("KeyMode");
    let mut required = vec!["request_id"];
    if has_mode {
        required.push("mode");
    }
    required.extend(more_required);
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
    })
}
