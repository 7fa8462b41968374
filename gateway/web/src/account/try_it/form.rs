//! The fields of the form of an operation.

use pages::input::{Area, Checks, Choice, FormPart, Select};
use pages::site::Texts;
use pages::{Field, Fields};

use super::typed::{BODY, MAX_BODY, MAX_VALUE, TypedCall, field_name};
use crate::docs::reference::{Operation, Parameter};

/// Lines of the field with the body.
const MAX_ROWS: usize = 24;

pub(super) fn form_parts(
    operation: &Operation,
    typed: &TypedCall,
    errors: &Fields,
) -> Vec<FormPart> {
    let parameters = operation.parameters.iter();
    let mut parts: Vec<FormPart> = parameters
        .map(|parameter| part(parameter, typed, errors))
        .collect();
    if let Some(body) = &operation.body {
        let text = typed.get(BODY);
        let lines = text
            .lines()
            .count()
            .max(body.example_text().lines().count());
        let rows = u8::try_from((lines + 2).clamp(4, MAX_ROWS)).unwrap_or(u8::MAX);
        let most = u32::try_from(MAX_BODY).unwrap_or(u32::MAX);
        let texts = Texts::of(errors.language);
        let area = Area::new(BODY, texts.say("try-body")).rows(rows, most);
        let area = area.hint(texts.say("try-body-hint"));
        parts.push(FormPart::Area(area.value(text).error_in(errors)));
    }
    parts
}

/// The field of a parameter. Its name and its description are those of the API, in English.
fn part(parameter: &Parameter, typed: &TypedCall, errors: &Fields) -> FormPart {
    let name = field_name(parameter);
    let value = typed.get(&name);
    let shape = &parameter.shape;
    let hint = plain(&parameter.description);
    if shape.kind == "boolean" {
        let choice = Choice {
            value: "true".to_owned(),
            label: hint,
            is_chosen: !value.is_empty(),
        };
        let checks = Checks::new(name, parameter.name.clone(), vec![choice]);
        return FormPart::Checks(checks.with_english_labels().error_in(errors));
    }
    if !shape.values.is_empty() {
        let choices = choices(parameter, value, Texts::of(errors.language));
        let select = Select::new(name, parameter.name.clone(), choices).english_hint(hint);
        let select = if parameter.is_required {
            select
        } else {
            select.optional()
        };
        return FormPart::Select(select.error_in(errors));
    }
    let limits = shape.limits.iter().map(|limit| format!(" ({limit})"));
    let hint = format!("{hint}{}", limits.collect::<String>());
    let field = Field::text(name, parameter.name.clone()).english_hint(hint);
    let field = field.max(u32::try_from(MAX_VALUE).unwrap_or(u32::MAX));
    let field = if parameter.is_required {
        field
    } else {
        field.optional()
    };
    FormPart::Field(field.value(value).error_in(errors))
}

/// The values to choose from. A sent value that is not one of them stays in the list.
fn choices(parameter: &Parameter, value: &str, texts: &Texts) -> Vec<Choice> {
    let none = (!parameter.is_required).then_some("");
    let known = parameter.shape.values.iter().map(String::as_str);
    let mut values: Vec<&str> = none.into_iter().chain(known).collect();
    if !value.is_empty() && !values.contains(&value) {
        values.push(value);
    }
    let choice = |it: &str| Choice {
        value: it.to_owned(),
        label: if it.is_empty() {
            texts.say("try-any").to_owned()
        } else {
            it.to_owned()
        },
        is_chosen: it == value,
    };
    values.into_iter().map(choice).collect()
}

/// A description without the marks of code.
fn plain(description: &str) -> String {
    description.replace('`', "")
}
