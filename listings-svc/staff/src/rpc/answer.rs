//! What a method has answered, as tables and facts for people, and as JSON for programs.

use std::collections::{BTreeSet, HashMap};

use prost_reflect::{
    DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, ReflectMessage as _, Value,
};
use serde_json::{Value as Json, json};
use uuid::Uuid;

use super::call::Answer;
use super::field::{self, Field};
use crate::account::AccountNames;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::table::table;

/// Fields that hold the id of an account, if they hold an id.
const ACCOUNTS: [&str; 3] = ["account_id", "submitter", "actor"];
/// Fields that are about the pages of a list.
const PAGING: [&str; 2] = ["page", "next_cursor"];
/// The field that says that a call changed nothing.
const UNCHANGED: &str = "unchanged";
/// The text of an optional value that is absent.
const NONE: &str = "none";

/// Prints an answer.
pub(super) async fn print(answer: &Answer, fleet: &Fleet, output: Output) -> Result<(), Error> {
    if answer.more == Some(true) {
        output::note("the list has more rows; a larger --limit shows them");
    }
    if output.is_json() {
        let mut document = json(&answer.message);
        if let (Json::Object(fields), Some(more)) = (&mut document, answer.more) {
            fields.retain(|name, _| !PAGING.contains(&name.as_str()));
            fields.insert("more".to_owned(), more.into());
        }
        return output.line(&document, "");
    }
    let mut ids = BTreeSet::new();
    collect_accounts(&answer.message, &mut ids);
    let mut accounts = HashMap::new();
    if !ids.is_empty() {
        let mut names = AccountNames::new(fleet).await;
        for id in ids {
            if let Some(name) = names.find(&id).await {
                accounts.insert(id, name);
            }
        }
    }
    Page { accounts, output }.show(&answer.message);
    Ok(())
}

/// Prints what a call by hand has answered.
pub(crate) async fn print_message(
    message: DynamicMessage,
    fleet: &Fleet,
    output: Output,
) -> Result<(), Error> {
    let more = None;
    print(&Answer { message, more }, fleet, output).await
}

/// A message as JSON: the names of the contract, times as in the API, and enumerated values as a command line has them.
pub(crate) fn json(message: &DynamicMessage) -> Json {
    if let Some(at) = field::time(message) {
        let at = kit::api::timestamp::decode(at).map(contracts::public::Timestamp);
        return serde_json::to_value(at).unwrap_or_default();
    }
    let fields = message.descriptor();
    let fields = fields.fields().map(|field| {
        let is_absent = field.supports_presence() && !message.has_field(&field);
        let value =
            if is_absent { Json::Null } else { json_of(&field.kind(), &message.get_field(&field)) };
        (field.name().to_owned(), value)
    });
    Json::Object(fields.collect())
}

fn json_of(kind: &Kind, value: &Value) -> Json {
    match value {
        Value::Bool(flag) => json!(flag),
        Value::I32(number) => json!(number),
        Value::I64(number) => json!(number),
        Value::U32(number) => json!(number),
        Value::U64(number) => json!(number),
        Value::F32(number) => json!(number),
        Value::F64(number) => json!(number),
        Value::String(text) => json!(text),
        Value::EnumNumber(number) => match kind {
            Kind::Enum(of) => json!(field::name_of(of, *number)),
            _ => json!(number),
        },
        Value::Message(message) => json(message),
        Value::List(items) => items.iter().map(|item| json_of(kind, item)).collect(),
        // Bytes and maps are in no answer of a command.
        Value::Bytes(_) | Value::Map(_) => Json::Null,
    }
}

fn collect_accounts(message: &DynamicMessage, ids: &mut BTreeSet<String>) {
    for (field, value) in message.fields() {
        match value {
            Value::String(id)
                if ACCOUNTS.contains(&field.name()) && Uuid::try_parse(id).is_ok() =>
            {
                ids.insert(id.clone());
            }
            Value::Message(inner) => collect_accounts(inner, ids),
            Value::List(items) => {
                let messages = items.iter().filter_map(Value::as_message);
                messages.for_each(|inner| collect_accounts(inner, ids));
            }
            _ => {}
        }
    }
}

/// Prints for people.
struct Page {
    /// The names of accounts by their ids.
    accounts: HashMap<String, String>,
    output: Output,
}

impl Page {
    /// Prints a message: the messages in it, its lists, and its own values.
    fn show(&self, message: &DynamicMessage) {
        let (mut facts, mut lists) = (Vec::new(), Vec::new());
        let mut blocks: Vec<(MessageDescriptor, Vec<(String, DynamicMessage)>)> = Vec::new();
        let descriptor = message.descriptor();
        for field in descriptor.fields() {
            let name = field.name();
            if PAGING.contains(&name) {
                continue;
            }
            let value = message.get_field(&field);
            if name == UNCHANGED {
                if value.as_bool() == Some(true) {
                    output::note("no change: already in that state");
                }
            } else if let Some(inner) = field::inner(&field) {
                let Some(value) = value.as_message().filter(|_| message.has_field(&field)) else {
                    continue;
                };
                let column = (field::label(name), value.clone());
                match blocks.iter_mut().find(|(of, _)| *of == inner) {
                    Some((_, columns)) => columns.push(column),
                    None => blocks.push((inner, vec![column])),
                }
            } else if let Some(row) = field::row(&field) {
                let rows: Vec<_> = value
                    .as_list()
                    .unwrap_or_default()
                    .iter()
                    .filter_map(Value::as_message)
                    .cloned()
                    .collect();
                lists.push((field::label(name), row, rows));
            } else {
                let text = self.text(
                    &field,
                    Some(value.into_owned())
                        .filter(|_| !field.supports_presence() || message.has_field(&field)),
                );
                facts.push(vec![field::label(name), text]);
            }
        }
        let is_list_alone = facts.is_empty() && blocks.is_empty();
        for (of, columns) in blocks {
            self.show_side_by_side(&of, &columns);
        }
        for (label, of, rows) in lists {
            if !rows.is_empty() {
                self.show_list(&of, &rows);
            } else if is_list_alone {
                self.output.print(&format!("no {label}"));
            }
        }
        facts.retain(|fact| fact.iter().all(|text| !text.is_empty()));
        if !facts.is_empty() {
            self.output.print(&table(&[], facts).to_string());
        }
    }

    /// Prints messages of one type in columns, a field a line.
    fn show_side_by_side(&self, of: &MessageDescriptor, messages: &[(String, DynamicMessage)]) {
        let names = messages.iter().map(|(name, _)| name.as_str());
        let header: Vec<&str> = [""].into_iter().chain(names).collect();
        let lines: Vec<Vec<String>> = Field::all(of)
            .into_iter()
            .filter_map(|field| {
                let texts: Vec<String> =
                    messages.iter().map(|(_, it)| self.text_of(&field, it)).collect();
                let is_empty = texts.iter().all(String::is_empty);
                (!is_empty).then(|| [vec![field.label()], texts].concat())
            })
            .collect();
        self.output.print(&table(&header, lines).to_string());
    }

    /// Prints a table. Rows with two messages of one type are printed one by one, so that these are seen side by side.
    fn show_list(&self, of: &MessageDescriptor, rows: &[DynamicMessage]) {
        let inner: Vec<_> = of.fields().filter_map(|it| field::inner(&it)).collect();
        let has_twins = inner.iter().enumerate().any(|(at, it)| inner[..at].contains(it));
        if has_twins {
            for row in rows {
                self.show(row);
                self.output.print("");
            }
            return;
        }
        let columns = columns(of);
        let labels: Vec<String> = columns.iter().map(Field::label).collect();
        let header: Vec<&str> = labels.iter().map(String::as_str).collect();
        let rows = rows.iter().map(|row| {
            let texts = columns.iter().map(|field| self.text_of(field, row));
            texts.collect()
        });
        self.output.print(&table(&header, rows.collect()).to_string());
    }

    fn text_of(&self, field: &Field, message: &DynamicMessage) -> String {
        let text = field.last().map(|last| self.text(last, field.get(message)));
        text.unwrap_or_default()
    }

    /// A value as text; `None` is an absent one.
    fn text(&self, field: &FieldDescriptor, value: Option<Value>) -> String {
        let Some(value) = value else {
            let is_time = matches!(field.kind(), Kind::Message(_));
            return if is_time { "" } else { NONE }.to_owned();
        };
        match &value {
            Value::Bool(flag) => output::yes_no(*flag),
            Value::Message(message) => output::format_time(field::time(message)),
            Value::String(id) if ACCOUNTS.contains(&field.name()) => match self.accounts.get(id) {
                Some(name) => format!("{name} {id}"),
                None => id.clone(),
            },
            Value::List(items) => {
                let texts = items.iter().map(|it| json_text(json_of(&field.kind(), it)));
                texts.collect::<Vec<_>>().join(", ")
            }
            value => json_text(json_of(&field.kind(), value)),
        }
    }
}

fn json_text(value: Json) -> String {
    match value {
        Json::String(text) => text,
        other => other.to_string(),
    }
}

/// The columns of a table of these messages: the columns that the contract names, or every field.
fn columns(of: &MessageDescriptor) -> Vec<Field> {
    let extension = of.parent_pool().get_extension_by_name("common.v1.columns");
    let options = of.options();
    let columns = extension.map(|it| options.get_extension(&it).into_owned());
    let named = columns.as_ref().and_then(Value::as_str).unwrap_or_default();
    let fields = Field::all(of);
    if named.is_empty() {
        return fields;
    }
    let names = named.split(' ');
    let found = names.filter_map(|name| fields.iter().find(|field| field.name() == name));
    found.cloned().collect()
}
