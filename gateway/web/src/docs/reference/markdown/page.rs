//! The parts of a page: headings, tables and code.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use http::StatusCode;

use super::group;
use crate::docs::reference::document::Shape;
use crate::docs::reference::fields::Field;
use crate::docs::reference::operation::{
    Body, ErrorRow, Header, Location, Operation, Parameter, Reply,
};
use crate::docs::reference::snippet::{self, ApiCall};

/// The text of a page while it is written.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) text: String,
}

impl Page {
    pub(super) fn new(title: &str, operation: &Operation) -> Self {
        let mut page = Self::default();
        page.paragraph(&format!("# {title}"));
        page.paragraph(&operation.summary);
        page.paragraph(&operation.description);
        page
    }

    pub(super) fn line(&mut self, line: &str) {
        // Writing to a string does not fail.
        writeln!(self.text, "{line}").ok();
    }

    pub(super) fn paragraph(&mut self, text: &str) {
        if !text.is_empty() {
            self.line(&format!("{text}\n"));
        }
    }

    pub(super) fn heading(&mut self, text: &str) {
        self.end_table();
        self.line(&format!("## {text}\n"));
    }

    /// A table ends with an empty line.
    pub(super) fn end_table(&mut self) {
        if !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    pub(super) fn code(&mut self, language: &str, code: &str) {
        self.end_table();
        let mut fence = "```".to_owned();
        while code.contains(&fence) {
            fence.push('`');
        }
        self.line(&format!("{fence}{language}\n{code}\n{fence}\n"));
    }

    pub(super) fn group(&mut self, title: &str, description: &str, rows: Vec<(String, &str)>) {
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

    pub(super) fn parameters(&mut self, title: &str, parameters: &[Parameter]) {
        if parameters.is_empty() {
            return;
        }
        self.heading(title);
        self.line("| Name | In | Type | Description |\n| --- | --- | --- | --- |");
        for it in parameters {
            let example = it.example.as_ref().map(|example| format!("Example: `{example}`."));
            let words = described(
                it.is_required && it.location != Location::Path,
                &it.description,
                &it.shape,
                example,
            );
            let (name, location, kind) = (&it.name, it.location, &it.shape.kind);
            self.line(&format!("| {} | {location} | {kind} | {words} |", code(name)));
        }
    }

    pub(super) fn body(&mut self, body: &Body) {
        let (ignored, fields): (Vec<&Field>, Vec<&Field>) =
            body.fields.iter().partition(|field| field.is_read_only);
        self.fields(fields, |field| {
            described(field.is_required, &field.description, &field.shape, None)
        });
        // Leave out the fields inside an ignored field, since they are ignored too.
        let tops: Vec<String> = ignored
            .iter()
            .filter(|field| !field.path.contains(['.', '[']))
            .map(|field| code(&field.path))
            .collect();
        if !tops.is_empty() {
            self.end_table();
            self.paragraph(&format!(
                "As a read has them, and unchanged, these may be sent too: {}.",
                tops.join(", ")
            ));
        }
        self.example(body);
    }

    /// A table of fields with these words.
    fn fields<'f>(
        &mut self,
        fields: impl IntoIterator<Item = &'f Field>,
        words: impl Fn(&Field) -> String,
    ) {
        self.line("| Field | Type | Description |\n| --- | --- | --- |");
        for field in fields {
            let (name, kind, words) = (code(&field.path), &field.shape.kind, words(field));
            self.line(&format!("| {name} | {kind} | {words} |"));
        }
    }

    pub(super) fn example(&mut self, body: &Body) {
        if body.example.is_some() {
            self.code("json", &body.example_text());
        }
    }

    /// The call in each language.
    pub(super) fn example_call(&mut self, call: &ApiCall) {
        for (title, language, snippet) in [
            ("Shell", "sh", snippet::curl::snippet(call)),
            ("Python", "python", snippet::python::snippet(call)),
            ("Node", "js", snippet::javascript::snippet(call)),
        ] {
            self.line(&format!("### {title}\n"));
            self.code(language, &snippet);
        }
    }

    pub(super) fn reply(&mut self, reply: &Reply) {
        let Reply { status, description, body, .. } = reply;
        let reason = status
            .parse()
            .ok()
            .and_then(|status: u16| StatusCode::from_u16(status).ok())
            .and_then(|status| status.canonical_reason())
            .unwrap_or_default();
        self.end_table();
        self.line(&format!("### {status} {reason}\n"));
        self.paragraph(description);
        let Some(body) = body else {
            return;
        };
        self.received(body);
    }

    /// A body that a caller or a receiver gets.
    pub(super) fn received(&mut self, body: &Body) {
        self.fields(&body.fields, |field| {
            // The reader of a received body need not check the limits.
            let shape = Shape { limits: Vec::new(), default: None, ..field.shape.clone() };
            always(field.is_required, &described(false, &field.description, &shape, None))
        });
        self.example(body);
    }

    /// The headers of all responses.
    pub(super) fn headers(&mut self, replies: &[Reply]) {
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
            let is_always = all.all(|reply| reply.headers.iter().any(is_same));
            let words = always(is_always, &cell(&header.description));
            self.line(&format!("| {} | {words} |", code(&header.name)));
        }
    }

    pub(super) fn errors(&mut self, errors: &[ErrorRow], common: &BTreeSet<&str>) {
        let is_common = |error: &&ErrorRow| common.contains(error.code.as_str());
        let (shared, own): (Vec<&ErrorRow>, Vec<&ErrorRow>) = errors.iter().partition(is_common);
        if !own.is_empty() {
            self.line("| Status | Code | Meaning |\n| --- | --- | --- |");
        }
        for error in own {
            let row =
                format!("| {} | {} | {} |", error.status, code_link(error), cell(&error.meaning));
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

/// The description of a field or a parameter, with the values and limits of its shape.
pub(super) fn described(
    is_required: bool,
    words: &str,
    shape: &Shape,
    example: Option<String>,
) -> String {
    let mut parts = Vec::new();
    if is_required {
        parts.push("**Required.**".to_owned());
    }
    if !words.is_empty() {
        parts.push(words.to_owned());
    }
    let values: Vec<String> = shape.values.iter().map(|value| format!("`{value}`")).collect();
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
    if shape.is_open && !words.contains("More may come") {
        parts.push("More may come.".to_owned());
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

/// The description of a received field or header, and whether it is always present.
pub(super) fn always(is_always: bool, words: &str) -> String {
    let mark = if is_always { "" } else { "Not always there. " };
    format!("{mark}{words}")
}

/// A text in a cell of a table.
pub(super) fn cell(text: &str) -> String {
    let text = text.replace('|', "\\|");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A name in a cell, as code.
pub(super) fn code(name: &str) -> String {
    format!("`{}`", cell(&name.replace('`', "'")))
}
