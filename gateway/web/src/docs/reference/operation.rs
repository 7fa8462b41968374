//! The operations and webhooks of a document.

use serde_json::Value;
use strum::{Display, EnumString};

use super::document::{Document, Shape, as_text};
use super::fields::{Field, fields};

/// An operation, or a webhook, which is a call to the receiver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Unique among the operations; of a webhook, the name of its event.
    pub id: String,
    /// In upper case.
    pub method: String,
    /// Below the base address; empty for a webhook.
    pub path: String,
    /// The name of its group.
    pub tag: String,
    pub summary: String,
    pub description: String,
    /// The credentials that may call the operation. One of these is enough.
    pub callers: Vec<Caller>,
    pub parameters: Vec<Parameter>,
    pub body: Option<Body>,
    /// The responses of success and 304, by status.
    pub responses: Vec<Reply>,
    /// The error responses, by status.
    pub errors: Vec<ErrorRow>,
    /// The operations that its responses link to.
    pub links: Vec<String>,
}

/// A scheme of the document's `securitySchemes`, and the roles that the operation needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub scheme: String,
    pub roles: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    pub name: String,
    pub location: Location,
    pub is_required: bool,
    pub shape: Shape,
    pub description: String,
    pub example: Option<String>,
}

/// Where a parameter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum Location {
    Path,
    Query,
    Header,
}

/// A JSON body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    pub fields: Vec<Field>,
    pub example: Option<Value>,
}

/// A response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// As the document has it: `200`, and `2XX` of a receiver.
    pub status: String,
    pub description: String,
    pub headers: Vec<Header>,
    pub body: Option<Body>,
}

/// A header of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    pub name: String,
    pub is_required: bool,
    pub description: String,
}

/// A code of an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorRow {
    pub status: String,
    pub code: String,
    pub meaning: String,
}

impl Operation {
    /// Its id as words: `listOwnListings` → `List own listings`.
    pub fn title(&self) -> String {
        let mut title = String::new();
        for (index, character) in self.id.chars().enumerate() {
            if index == 0 {
                title.extend(character.to_uppercase());
            } else if character.is_ascii_uppercase() {
                title.push(' ');
                title.extend(character.to_lowercase());
            } else {
                title.push(character);
            }
        }
        title
    }

    /// The customary name of the environment variable with a key that it takes.
    pub fn variable(&self) -> &'static str {
        let caller = self.callers.first();
        match caller.map(|caller| (caller.scheme.as_str(), caller.roles.is_empty())) {
            Some(("secretKey", _)) => "SERVICE_SECRET_KEY",
            Some(("key", false)) => "SERVICE_WRITE_KEY",
            _ => "SERVICE_API_KEY",
        }
    }
}

impl Parameter {
    /// The parameters of an example call: all parts of the path, and the other required ones.
    pub fn example_value(&self) -> Option<String> {
        let is_needed = self.is_required || self.location == Location::Path;
        let first = || self.shape.values.first().cloned();
        let value = self.example.clone().or_else(first);
        value.filter(|_| is_needed)
    }
}

impl Body {
    /// The example as text, or an empty string if the body has no example.
    pub fn example_text(&self) -> String {
        let example = self.example.as_ref();
        let text = example.map(|example| format!("{example:#}"));
        text.unwrap_or_default()
    }
}

/// The operations, those of one path together.
pub(super) fn operations(document: Document<'_>) -> Vec<Operation> {
    let mut found = Vec::new();
    for (path, methods) in object(document.0, "paths") {
        for (method, json) in methods.as_object().into_iter().flatten() {
            let id = text(json, "operationId");
            if is_name(id) {
                found.push(operation(document, id, method, path, json));
            }
        }
    }
    found
}

/// The webhooks, by their events.
pub(super) fn webhooks(document: Document<'_>) -> Vec<Operation> {
    let events = object(document.0, "webhooks").filter(|(event, _)| is_name(event));
    events
        .filter_map(|(event, methods)| {
            let json = methods.get("post")?;
            Some(operation(document, event, "post", "", json))
        })
        .collect()
}

/// The groups in their order: name and description.
pub(super) fn tags(document: Document<'_>) -> Vec<(String, String)> {
    let tags = document.0["tags"].as_array().into_iter().flatten();
    tags.map(|tag| (text(tag, "name").to_owned(), text(tag, "description").to_owned())).collect()
}

/// Whether a name may be a segment of an address as it is.
fn is_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(is_plain)
}

fn operation(
    document: Document<'_>,
    id: &str,
    method: &str,
    path: &str,
    json: &Value,
) -> Operation {
    let responses = || object(json, "responses");
    let is_error = |status: &str| status.starts_with(['4', '5']) && !path.is_empty();
    let replies = responses().filter(|(status, _)| !is_error(status));
    let errors = responses().filter(|(status, _)| is_error(status));
    let links = responses().flat_map(|(_, response)| object(response, "links"));
    let parameters = json["parameters"].as_array().into_iter().flatten();
    Operation {
        id: id.to_owned(),
        method: method.to_ascii_uppercase(),
        path: path.to_owned(),
        tag: as_text(&json["tags"][0]),
        summary: text(json, "summary").to_owned(),
        description: text(json, "description").to_owned(),
        callers: callers(json),
        parameters: parameters
            .filter_map(|json| parameter(document, document.resolve(json)))
            .collect(),
        body: body(document, &json["requestBody"]),
        responses: replies
            .map(|(status, json)| reply(document, status, document.resolve(json)))
            .collect(),
        errors: errors
            .flat_map(|(status, json)| errors_of(status, document.resolve(json)))
            .collect(),
        links: links.map(|(_, link)| text(link, "operationId").to_owned()).collect(),
    }
}

fn callers(json: &Value) -> Vec<Caller> {
    let alternatives = json["security"].as_array().into_iter().flatten();
    let named = alternatives.filter_map(|alternative| alternative.as_object()?.iter().next());
    named
        .map(|(scheme, roles)| Caller {
            scheme: scheme.clone(),
            roles: roles.as_array().into_iter().flatten().map(as_text).collect(),
        })
        .collect()
}

fn parameter(document: Document<'_>, json: &Value) -> Option<Parameter> {
    Some(Parameter {
        name: text(json, "name").to_owned(),
        location: text(json, "in").parse().ok()?,
        is_required: json["required"] == true,
        shape: document.shape(&json["schema"]),
        description: text(json, "description").to_owned(),
        example: json.get("example").map(as_text),
    })
}

/// The JSON body of a request or a response.
fn body(document: Document<'_>, json: &Value) -> Option<Body> {
    let content = json.pointer("/content/application~1json")?;
    let schema = &content["schema"];
    let example = content.get("example");
    let example = example.or_else(|| document.resolve(schema).get("example"));
    Some(Body { fields: fields(document, schema), example: example.cloned() })
}

fn reply(document: Document<'_>, status: &str, json: &Value) -> Reply {
    let headers = object(json, "headers").map(|(name, header)| Header {
        name: name.clone(),
        is_required: header["required"] == true,
        description: text(header, "description").to_owned(),
    });
    Reply {
        status: status.to_owned(),
        description: text(json, "description").to_owned(),
        headers: headers.collect(),
        body: body(document, json),
    }
}

/// The codes that an error response may have. Its description has a line for each, with the meaning.
fn errors_of(status: &str, json: &Value) -> Vec<ErrorRow> {
    let lines = text(json, "description").lines();
    let rows = lines.filter_map(|line| line.strip_prefix("- `")?.split_once("`: "));
    rows.map(|(code, meaning)| ErrorRow {
        status: status.to_owned(),
        code: code.to_owned(),
        meaning: meaning.to_owned(),
    })
    .collect()
}

fn text<'v>(json: &'v Value, key: &str) -> &'v str {
    json.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn object<'v>(json: &'v Value, key: &str) -> impl Iterator<Item = (&'v String, &'v Value)> {
    let members = json.get(key).and_then(Value::as_object);
    members.into_iter().flatten()
}
