//! The pages of the reference as Markdown.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use http::StatusCode;

use super::fields::{Field, Shape};
use super::operation::{Body, Caller, ErrorRow, Header, Operation, Parameter, Place, Reply};
use crate::domain::snippet::{self, ApiCall};

/// What the pages of all operations name.
#[derive(Debug)]
pub(super) struct Context<'a> {
    /// With the version.
    pub(super) api_url: &'a str,
    pub(super) operations: &'a [Operation],
    /// Codes of errors that every operation may answer with.
    pub(super) common: BTreeSet<&'a str>,
}

impl<'a> Context<'a> {
    pub(super) fn new(api_url: &'a str, operations: &'a [Operation]) -> Self {
        let codes = |operation: &'a Operation| -> BTreeSet<&'a str> {
            let errors = operation.errors.iter();
            errors.map(|error| error.code.as_str()).collect()
        };
        let common = operations
            .iter()
            .map(codes)
            .reduce(|one, other| &one & &other);
        Self {
            api_url,
            operations,
            common: common.unwrap_or_default(),
        }
    }

    /// The page of an operation.
    pub(super) fn operation(&self, operation: &Operation) -> String {
        let mut page = Page::new(&operation.title(), operation);
        let call = format!("{} {}{}", operation.method, self.api_url, operation.path);
        page.code("http", &call);
        let callers = callers(&operation.callers);
        page.paragraph(&format!("Operation `{}`. {callers}", operation.id));
        page.parameters("Parameters", &operation.parameters);
        if let Some(body) = &operation.body {
            page.heading("Body");
            page.body(body);
        }
        page.heading("Example");
        page.example_call(&self.example_call(operation));
        page.heading("Response");
        for reply in &operation.responses {
            page.reply(reply);
        }
        page.headers(&operation.responses);
        page.heading("Errors");
        page.errors(&operation.errors, &self.common);
        let links = operation.links.iter();
        let mut links = links.filter_map(|id| self.operations.iter().find(|it| it.id == *id));
        if let Some(first) = links.next() {
            page.heading("See also");
            for linked in std::iter::once(first).chain(links) {
                page.line(&format!("- {}: {}", link(linked), linked.summary));
            }
        }
        page.0
    }

    /// The operation with the values of its examples.
    fn example_call(&self, operation: &Operation) -> ApiCall {
        let values = |place: Place| -> Vec<(&str, String)> {
            let parameters = operation.parameters.iter().filter(|it| it.place == place);
            parameters
                .filter_map(|it| Some((it.name.as_str(), it.example_value()?)))
                .collect()
        };
        let (in_path, query) = (values(Place::Path), values(Place::Query));
        let target = snippet::target(&operation.path, &borrowed(&in_path), &borrowed(&query));
        ApiCall {
            method: operation.method.clone(),
            url: format!("{}{target}", self.api_url),
            variable: operation.variable(),
            headers: Vec::new(),
            body: operation.body.as_ref().map(Body::example_text),
        }
    }

    /// The list of all operations by their groups, each with its description, and of the webhooks.
    pub(super) fn list(&self, tags: &[(String, String)], webhooks: &[Operation]) -> String {
        let mut page = Page(String::new());
        page.paragraph("# Reference");
        page.paragraph(super::SUMMARY);
        page.code("http", self.api_url);
        page.paragraph(&format!(
            "Paths stand below this address. The pages are made from the [OpenAPI 3.1 document]({}/openapi.json) that the API serves, without a \
             key: make clients and tests from it. [Your first call](/docs/first-call) begins at the beginning.",
            self.api_url
        ));
        for (tag, description) in tags {
            let operations = self.operations.iter().filter(|it| it.tag == *tag);
            let rows = operations.map(|it| (link(it), it.summary.as_str()));
            page.group(&group(tag), description, rows.collect());
        }
        let rows = webhooks.iter().map(|webhook| {
            let link = format!("[`{0}`](/docs/reference/webhooks/{0})", webhook.id);
            (link, webhook.summary.as_str())
        });
        page.group(
            super::WEBHOOKS,
            "Messages to the endpoints of an account.",
            rows.collect(),
        );
        page.0
    }
}

/// The page of a webhook.
pub(super) fn webhook(webhook: &Operation) -> String {
    let mut page = Page::new(&webhook.id, webhook);
    page.paragraph("A `POST` to each endpoint that receives this event. [Webhooks](/docs/webhooks) says how to verify it.");
    page.parameters("Headers", &webhook.parameters);
    if let Some(body) = &webhook.body {
        page.heading("Body");
        page.body(body);
    }
    page.heading("What the receiver answers");
    page.line("| Status | Meaning |\n| --- | --- |");
    for reply in &webhook.responses {
        let row = format!("| {} | {} |", reply.status, cell(&reply.description));
        page.line(&row);
    }
    page.0
}

fn borrowed<'v>(values: &'v [(&'v str, String)]) -> Vec<(&'v str, &'v str)> {
    let values = values.iter();
    values
        .map(|(name, value)| (*name, value.as_str()))
        .collect()
}

/// The operation as a link to its page.
fn link(operation: &Operation) -> String {
    let Operation {
        id, method, path, ..
    } = operation;
    format!("[`{method} {path}`](/docs/reference/{id})")
}

/// The name of a group as a heading.
pub(super) fn group(tag: &str) -> String {
    let mut characters = tag.chars();
    let first = characters.next().into_iter();
    first
        .flat_map(char::to_uppercase)
        .chain(characters)
        .collect()
}

/// Who may call an operation, as a sentence.
fn callers(callers: &[Caller]) -> String {
    let words: Vec<String> = callers.iter().map(caller).collect();
    match &words[..] {
        [] => "Call it without a key.".to_owned(),
        [only] => format!("Call it with {only}. See [Keys](/docs/keys)."),
        [others @ .., last] => {
            format!(
                "Call it with {} or {last}. See [Keys](/docs/keys).",
                others.join(", ")
            )
        }
    }
}

fn caller(caller: &Caller) -> String {
    let key = match caller.scheme.as_str() {
        "key" => "a key of the account",
        "secretKey" => "the secret key of a game",
        "publicKey" => "the public key of a game",
        "token" => "an account token",
        other => other,
    };
    match &caller.roles[..] {
        [] => key.to_owned(),
        [write] if write == "write" => format!("{key} that *may write*"),
        scopes => format!("{key} with the scope `{}`", scopes.join("`, `")),
    }
}

/// The text of a page under way.
struct Page(String);

impl Page {
    fn new(title: &str, operation: &Operation) -> Self {
        let mut page = Self(String::new());
        page.paragraph(&format!("# {title}"));
        page.paragraph(&operation.summary);
        page.paragraph(&operation.description);
        page
    }

    fn line(&mut self, line: &str) {
        // Writing to a string does not fail.
        writeln!(self.0, "{line}").ok();
    }

    fn paragraph(&mut self, text: &str) {
        if !text.is_empty() {
            self.line(&format!("{text}\n"));
        }
    }

    fn heading(&mut self, text: &str) {
        self.end_table();
        self.line(&format!("## {text}\n"));
    }

    /// A table ends with an empty line.
    fn end_table(&mut self) {
        if !self.0.ends_with("\n\n") {
            self.0.push('\n');
        }
    }

    fn code(&mut self, language: &str, code: &str) {
        self.end_table();
        let mut fence = "```".to_owned();
        while code.contains(&fence) {
            fence.push('`');
        }
        self.line(&format!("{fence}{language}\n{code}\n{fence}\n"));
    }

    fn group(&mut self, title: &str, description: &str, rows: Vec<(String, &str)>) {
        if rows.is_empty() {
            return;
        }
        self.heading(title);
        self.paragraph(description);
        self.line("| Call | |\n| --- | --- |");
        for (link, summary) in rows {
            self.line(&format!("| {link} | {} |", cell(summary)));
        }
    }

    fn parameters(&mut self, title: &str, parameters: &[Parameter]) {
        if parameters.is_empty() {
            return;
        }
        self.heading(title);
        self.line("| Name | In | Type | Description |\n| --- | --- | --- | --- |");
        for it in parameters {
            let example = it
                .example
                .as_ref()
                .map(|example| format!("Example: `{example}`."));
            let words = described(
                it.is_required && it.place != Place::Path,
                &it.description,
                &it.shape,
                example,
            );
            let (name, place, kind) = (&it.name, it.place.as_str(), &it.shape.kind);
            self.line(&format!("| {} | {place} | {kind} | {words} |", code(name)));
        }
    }

    fn body(&mut self, body: &Body) {
        let (ignored, fields): (Vec<&Field>, Vec<&Field>) =
            body.fields.iter().partition(|field| field.is_read_only);
        self.fields(&fields, |field| field.is_required);
        // What is in a field that is ignored is ignored too.
        let tops = ignored
            .iter()
            .filter(|field| !field.path.contains(['.', '[']));
        let tops: Vec<String> = tops.map(|field| code(&field.path)).collect();
        if !tops.is_empty() {
            self.end_table();
            self.paragraph(&format!(
                "As a read has them, and unchanged, these may be sent too: {}.",
                tops.join(", ")
            ));
        }
        self.example(body);
    }

    /// A table of fields, which marks some as required.
    fn fields(&mut self, fields: &[&Field], is_marked: impl Fn(&Field) -> bool) {
        self.line("| Field | Type | Description |\n| --- | --- | --- |");
        for field in fields {
            let words = described(is_marked(field), &field.description, &field.shape, None);
            let row = format!("| {} | {} | {words} |", code(&field.path), field.shape.kind);
            self.line(&row);
        }
    }

    fn example(&mut self, body: &Body) {
        if body.example.is_some() {
            self.code("json", &body.example_text());
        }
    }

    /// The call in each language.
    fn example_call(&mut self, call: &ApiCall) {
        for (language, snippet) in [
            ("sh", snippet::curl::snippet(call)),
            ("python", snippet::python::snippet(call)),
            ("js", snippet::javascript::snippet(call)),
        ] {
            self.code(language, &snippet);
        }
    }

    fn reply(&mut self, reply: &Reply) {
        let Reply {
            status,
            description,
            body,
            ..
        } = reply;
        let reason = status
            .parse()
            .ok()
            .and_then(|status: u16| StatusCode::from_u16(status).ok());
        let reason = reason
            .and_then(|status| status.canonical_reason())
            .unwrap_or_default();
        self.end_table();
        self.line(&format!("### {status} {reason}\n"));
        self.paragraph(description);
        let Some(body) = body else {
            return;
        };
        self.line("| Field | Type | Description |\n| --- | --- | --- |");
        for field in &body.fields {
            let always = if field.is_required {
                ""
            } else {
                "Not always there. "
            };
            let shape = Shape {
                limits: Vec::new(),
                default: None,
                ..field.shape.clone()
            };
            let words = described(false, &field.description, &shape, None);
            let row = format!(
                "| {} | {} | {always}{words} |",
                code(&field.path),
                field.shape.kind
            );
            self.line(&row);
        }
        self.example(body);
    }

    /// The headers of all responses.
    fn headers(&mut self, replies: &[Reply]) {
        let with_body = || replies.iter().filter(|reply| reply.body.is_some());
        let mut headers: Vec<&Header> = Vec::new();
        for header in with_body().flat_map(|reply| &reply.headers) {
            if headers.iter().all(|known| known.name != header.name) {
                headers.push(header);
            }
        }
        if headers.is_empty() {
            return;
        }
        self.end_table();
        self.line("### Headers\n\n| Header | Description |\n| --- | --- |");
        for header in headers {
            let mut all = with_body();
            let is_same = |it: &Header| it.name == header.name && it.is_required;
            let always = all.all(|reply| reply.headers.iter().any(is_same));
            let mark = if always { "" } else { "Not always there. " };
            let words = cell(&header.description);
            self.line(&format!("| {} | {mark}{words} |", code(&header.name)));
        }
    }

    fn errors(&mut self, errors: &[ErrorRow], common: &BTreeSet<&str>) {
        let is_common = |error: &&ErrorRow| common.contains(error.code.as_str());
        let (shared, own): (Vec<&ErrorRow>, Vec<&ErrorRow>) = errors.iter().partition(is_common);
        if !own.is_empty() {
            self.line("| Status | Code | Meaning |\n| --- | --- | --- |");
        }
        for error in own {
            let row = format!(
                "| {} | {} | {} |",
                error.status,
                code_link(error),
                cell(&error.meaning)
            );
            self.line(&row);
        }
        self.end_table();
        let shared: Vec<String> = shared.into_iter().map(code_link).collect();
        if !shared.is_empty() {
            self.paragraph(&format!("Those of every call: {}.", shared.join(", ")));
        }
    }
}

/// The code of an error, as a link to the paragraph about it.
fn code_link(error: &ErrorRow) -> String {
    format!("[`{0}`](/docs/errors#{0})", error.code)
}

/// The description of a field or a parameter, with what its shape says.
fn described(is_required: bool, words: &str, shape: &Shape, example: Option<String>) -> String {
    let mut parts = Vec::new();
    if is_required {
        parts.push("**Required.**".to_owned());
    }
    if !words.is_empty() {
        parts.push(words.to_owned());
    }
    let values: Vec<String> = shape
        .values
        .iter()
        .map(|value| format!("`{value}`"))
        .collect();
    // A description may list them already.
    let is_named = values.iter().all(|value| words.contains(value));
    match &values[..] {
        _ if is_named => {}
        [only] => parts.push(format!("Always {only}.")),
        _ if shape.kind.starts_with("array") => {
            parts.push(format!("Each is one of {}.", values.join(", ")));
        }
        _ => parts.push(format!("One of {}.", values.join(", "))),
    }
    if !shape.limits.is_empty() {
        parts.push(format!("{}.", group(&shape.limits.join(", "))));
    }
    if let Some(default) = &shape.default {
        parts.push(format!("Default: `{default}`."));
    }
    parts.extend(example);
    cell(&parts.join(" "))
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    let text = text.replace('|', "\\|");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A name in a cell, as code.
fn code(name: &str) -> String {
    format!("`{}`", cell(&name.replace('`', "'")))
}
