//! The pages of the reference as Markdown.

mod page;

use std::collections::BTreeSet;

use self::page::{Page, always, cell, code, described};
use super::operation::{Body, Caller, Location, Operation};
use crate::docs::reference::snippet::{self, ApiCall};

/// The values that the pages of all operations share.
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
        let common = operations.iter().map(codes).reduce(|one, other| &one & &other);
        Self { api_url, operations, common: common.unwrap_or_default() }
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
        let mut links =
            operation.links.iter().filter_map(|id| self.operations.iter().find(|it| it.id == *id));
        if let Some(first) = links.next() {
            page.heading("See also");
            for linked in std::iter::once(first).chain(links) {
                page.line(&format!("- {}: {}", link(linked), linked.summary));
            }
        }
        page.text
    }

    /// The operation with the values of its examples.
    fn example_call(&self, operation: &Operation) -> ApiCall {
        let values = |location: Location| -> Vec<(&str, String)> {
            let parameters = operation.parameters.iter().filter(|it| it.location == location);
            parameters.filter_map(|it| Some((it.name.as_str(), it.example_value()?))).collect()
        };
        let (in_path, query) = (values(Location::Path), values(Location::Query));
        let target = snippet::target(&operation.path, &borrowed(&in_path), &borrowed(&query));
        ApiCall {
            method: operation.method.clone(),
            url: format!("{}{target}", self.api_url),
            variable: operation.variable(),
            body: operation.body.as_ref().map(Body::example_text),
        }
    }

    /// The list of all operations by their groups, each with its description, and of the webhooks.
    pub(super) fn list(&self, tags: &[(String, String)], webhooks: &[Operation]) -> String {
        let mut page = Page::default();
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
        page.group(super::WEBHOOKS, "Messages to the endpoints of an account.", rows.collect());
        page.text
    }
}

/// The page of a webhook.
pub(super) fn webhook(webhook: &Operation) -> String {
    let mut page = Page::new(&webhook.id, webhook);
    page.paragraph("A `POST` to each endpoint that receives this event. [Webhooks](/docs/webhooks) says how to verify it.");
    page.heading("Headers");
    page.line("| Header | Type | Description |\n| --- | --- | --- |");
    for header in &webhook.parameters {
        let words = described(false, &header.description, &header.shape, None);
        let words = always(header.is_required, &words);
        let row = format!("| {} | {} | {words} |", code(&header.name), header.shape.kind);
        page.line(&row);
    }
    if let Some(body) = &webhook.body {
        page.heading("Body");
        page.received(body);
    }
    page.heading("Responses of the receiver");
    page.line("| Status | Meaning |\n| --- | --- |");
    for reply in &webhook.responses {
        let row = format!("| {} | {} |", reply.status, cell(&reply.description));
        page.line(&row);
    }
    page.text
}

fn borrowed<'v>(values: &'v [(&'v str, String)]) -> Vec<(&'v str, &'v str)> {
    let values = values.iter();
    values.map(|(name, value)| (*name, value.as_str())).collect()
}

/// The operation as a link to its page.
fn link(operation: &Operation) -> String {
    let Operation { id, method, path, .. } = operation;
    format!("[`{method} {path}`](/docs/reference/{id})")
}

/// The name of a group as a heading.
pub(super) fn group(tag: &str) -> String {
    let mut characters = tag.chars();
    let first = characters.next().into_iter();
    first.flat_map(char::to_uppercase).chain(characters).collect()
}

/// The callers of an operation, as a sentence.
fn callers(callers: &[Caller]) -> String {
    let words: Vec<String> = callers.iter().map(caller).collect();
    match &words[..] {
        [] => "Call it without a key.".to_owned(),
        [only] => format!("Call it with {only}. See [Keys](/docs/keys)."),
        [others @ .., last] => {
            format!("Call it with {} or {last}. See [Keys](/docs/keys).", others.join(", "))
        }
    }
}

fn caller(caller: &Caller) -> String {
    let key = match caller.scheme.as_str() {
        "key" => "a key of the account",
        "secretKey" => "the secret key of a game",
        "publicKey" => "the public key of a game",
        other => other,
    };
    match &caller.roles[..] {
        [] => key.to_owned(),
        // The only role.
        _ => format!("{key} that *may write*"),
    }
}
