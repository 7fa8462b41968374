//! The fields of the forms of listings.

use std::collections::{HashMap, HashSet};

use pages::form::{Group, Part};
use pages::site::sort_key;
use pages::{Choice, Field, Fields};

use super::choices::{Choices, link_keys};
use super::fields::{Input, ListingField, ValueGroup, fields};
use super::typed::TypedListing;
use super::words::link_label;
use crate::domain::listing_kind::ListingKind;
use crate::english::{say, texts};

/// The roles that a page may choose. The API takes others too, which stay where a page has them.
const ROLES: [&str; 15] = [
    "artist",
    "community",
    "composer",
    "designer",
    "developer",
    "educational",
    "founder",
    "mobile",
    "producer",
    "programmer",
    "publisher",
    "serious-games",
    "web",
    "writer",
    "xr",
];

/// The data from which the parts of a form are made.
pub(super) struct FormContext<'a> {
    pub(super) kind: ListingKind,
    pub(super) typed: &'a TypedListing,
    pub(super) choices: &'a Choices,
    pub(super) is_new: bool,
    pub(super) errors: &'a Fields,
}

impl FormContext<'_> {
    pub(super) fn form_parts(&self) -> Vec<Part> {
        let fields = fields(self.kind).into_iter();
        fields.filter_map(|field| self.part(&field)).collect()
    }

    /// The input of a field; `None` if the form does not have it.
    fn part(&self, field: &ListingField) -> Option<Part> {
        let name = field.name;
        Some(match field.input {
            Input::Shown => return None,
            Input::Handle if !self.is_new => return None,
            Input::Title | Input::Line => Part::Field(self.line(name)),
            Input::Handle | Input::OptionalLine | Input::NullableLine => {
                Part::Field(self.line(name).optional())
            }
            Input::Year => {
                let year = Field::digits(name, label(name));
                Part::Field(self.filled(name, year).optional())
            }
            Input::Address => {
                let address = Field::url(name, label(name));
                Part::Field(self.filled(name, address).optional())
            }
            Input::Day => Part::Field(self.day(name)),
            Input::NullableDay => Part::Field(self.day(name).optional()),
            Input::Paragraphs => self.area(name, "field-text-hint", 8),
            Input::Credits => self.area(name, "field-credits-hint", 6),
            Input::Creator => self.select(name, self.creators()),
            Input::Select(group) => self.select(name, self.values(group)),
            Input::Checks(group, most) => self.checks(name, self.values(group), most),
            Input::Switch => {
                let yes = ("yes".to_owned(), label(name).to_owned());
                self.checks(name, vec![yes], 0)
            }
            Input::Links => self.links(),
        })
    }

    fn line(&self, name: &'static str) -> Field {
        self.filled(name, Field::text(name, label(name)))
    }

    fn day(&self, name: &'static str) -> Field {
        self.filled(name, Field::date(name, label(name)))
    }

    /// A field with its hint, if it has one, with what was typed and with its error.
    fn filled(&self, name: &str, field: Field) -> Field {
        let hint = text_of(name, "hint", "");
        let field = field.hint(hint).value(self.typed.get(name));
        field.error_in(self.errors)
    }

    fn area(&self, name: &'static str, hint: &'static str, rows: u8) -> Part {
        let area = Field::area(name, label(name), rows)
            .optional()
            .hint(say(hint))
            .value(self.typed.get(name));
        Part::Field(area.error_in(self.errors))
    }

    fn creators(&self) -> Vec<(String, String)> {
        let creators = self.choices.creators.iter();
        creators.map(|(handle, name)| (handle.clone(), format!("{name} ({handle})"))).collect()
    }

    /// The values of a group with the names that the public site has for them. A value that it does not know has the name that listings-svc
    /// gives.
    fn values(&self, group: ValueGroup) -> Vec<(String, String)> {
        let values = &self.choices.values;
        let values: Vec<(&str, &str)> = match group {
            ValueGroup::Country => {
                let countries = values.countries.iter();
                countries.map(|it| (&*it.code, &*it.name)).collect()
            }
            ValueGroup::Genre => {
                let genres = values.genres.iter();
                genres.map(|it| (&*it.key, &*it.name)).collect()
            }
            ValueGroup::Role => ROLES.map(|role| (role, role)).into(),
            ValueGroup::CreatorKind => unnamed(&values.page_kinds),
            ValueGroup::EventKind => unnamed(&values.event_kinds),
            ValueGroup::Platform => unnamed(&values.platforms),
            ValueGroup::Stage => unnamed(&values.stages),
        };
        let mut named: Vec<(String, String)> = values
            .into_iter()
            .map(|(value, name)| {
                let name = texts().value(group.into(), value, name);
                (value.to_owned(), name.to_owned())
            })
            .collect();
        if matches!(group, ValueGroup::Country | ValueGroup::Genre | ValueGroup::Role) {
            named.sort_by_cached_key(|(_, name)| sort_key(name));
        }
        named
    }

    fn select(&self, name: &'static str, mut values: Vec<(String, String)>) -> Part {
        let empty = text_of(name, "choose", "");
        if !empty.is_empty() && self.typed.get(name).is_empty() {
            values.insert(0, (String::new(), empty.to_owned()));
        }
        let select = Field::select(name, label(name), self.choices_of(name, values));
        Part::Field(select.error_in(self.errors))
    }

    fn checks(&self, name: &'static str, values: Vec<(String, String)>, most: u8) -> Part {
        let legend = text_of(name, "legend", label(name));
        let checks = Field::checks(name, legend, self.choices_of(name, values), most);
        Part::Field(checks.optional().error_in(self.errors))
    }

    /// Marks the typed values as chosen. A typed value that is not in the list stays, and the service reports its error.
    fn choices_of(&self, name: &str, mut values: Vec<(String, String)>) -> Vec<Choice> {
        let typed = self.typed.all(name);
        let chosen: HashSet<&str> = typed.iter().copied().collect();
        let mut known: HashSet<String> = values.iter().map(|(value, _)| value.clone()).collect();
        for one in typed {
            if !one.is_empty() && known.insert(one.to_owned()) {
                values.push((one.to_owned(), one.to_owned()));
            }
        }
        let choices = values.into_iter().map(|(value, label)| Choice {
            is_chosen: chosen.contains(value.as_str()),
            value,
            label,
        });
        choices.collect()
    }

    /// The links that the listing has, and folded the fields of the other kinds.
    fn links(&self) -> Part {
        let known = link_keys(self.kind, &self.choices.values).iter().map(String::as_str);
        let typed: HashMap<&str, &str> = self.typed.links().collect();
        let mut seen = HashSet::new();
        let keys = known.chain(self.typed.links().map(|(key, _)| key));
        let (mut fields, mut more) = (Vec::new(), Vec::new());
        for key in keys.filter(|key| seen.insert(*key)) {
            let value = typed.get(key).copied().unwrap_or_default();
            let name = format!("links.{key}");
            let is_shown = !value.is_empty() || self.errors.of(&name).is_some();
            let field =
                Field::url(name, link_label(key)).optional().value(value).error_in(self.errors);
            if is_shown {
                fields.push(field);
            } else {
                more.push(field);
            }
        }
        Part::Group(Group {
            legend: say("field-links"),
            hint: say("field-links-hint"),
            fields,
            more,
            more_label: say("field-links-more"),
        })
    }
}

/// The label of a field.
fn label(name: &'static str) -> &'static str {
    texts().value("field", name, name)
}

/// A further text about a field, if it has one.
fn text_of(name: &str, what: &str, otherwise: &'static str) -> &'static str {
    let key = format!("{name}-{what}");
    texts().value("field", &key, otherwise)
}

/// Values for which listings-svc gives no names.
fn unnamed(values: &[String]) -> Vec<(&str, &str)> {
    values.iter().map(|it| (&**it, &**it)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listings::words::value_name;

    #[test]
    fn every_role_has_a_name() {
        for role in ROLES {
            assert_ne!(value_name("role", role), role);
        }
    }
}
