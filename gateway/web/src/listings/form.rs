//! The fields of the forms of listings.

use std::collections::{HashMap, HashSet};

use pages::input::{Area, Checks, Choice, FormPart, Group, PictureFile, Select};
use pages::site::sort_key;
use pages::{Field, Fields};

use super::choices::{Choices, link_keys};
use super::links::NEW_LINKS;
use super::typed::TypedListing;
use super::words::{link_label, value_name};
use crate::domain::listing_kind::ListingKind;
use crate::page_language::PageLanguage;

/// The most genres of a game, which listings-svc checks.
const MOST_GENRES: u8 = 3;
/// The name of the field with the cover's file.
pub(super) const COVER: &str = "cover";

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
    pub(super) language: PageLanguage,
    pub(super) kind: ListingKind,
    pub(super) typed: &'a TypedListing,
    pub(super) choices: &'a Choices,
    pub(super) is_new: bool,
    /// The form was sent with a file, which has to be chosen again.
    pub(super) had_file: bool,
    pub(super) errors: &'a Fields,
}

impl FormContext<'_> {
    pub(super) fn form_parts(&self) -> Vec<FormPart> {
        match self.kind {
            ListingKind::Page => self.page(),
            ListingKind::Game => self.game(),
            ListingKind::Event => self.event(),
        }
    }

    /// A text in the language of the form.
    fn say(&self, key: &'static str) -> &'static str {
        self.language.say(key)
    }

    /// The label of a field, which the history of changes has as well.
    fn label(&self, name: &'static str) -> &'static str {
        self.language.texts().value("field", name, name)
    }

    fn page(&self) -> Vec<FormPart> {
        let handle = FormPart::Field(self.line("handle").optional());
        let mut parts = vec![self.required("name", 120)];
        parts.extend(self.is_new.then_some(handle));
        parts.extend([
            self.select(
                "kind",
                self.named("creator-kind", &self.choices.values.page_kinds),
                "",
            ),
            FormPart::Checks(
                self.checked("roles", "field-roles", self.roles())
                    .optional(),
            ),
            self.optional("tagline", 160),
            self.text("bio"),
            self.country(),
            self.optional("city", 120),
            self.links(),
        ]);
        parts
    }

    fn game(&self) -> Vec<FormPart> {
        let creators = self.choices.creators.iter();
        let creators =
            creators.map(|(handle, name)| (handle.clone(), format!("{name} ({handle})")));
        let year = self.line("release_year").optional().digits();
        let trailer = self.line("trailer_url").optional().url();
        let cover = self.is_new.then(|| self.cover());
        let genres = self.checked("genres", "field-genres-most", self.genres());
        let platforms = self.named("platform", &self.choices.values.platforms);
        let fields = [
            self.select("creator", creators.collect(), ""),
            self.required("title", 120),
            self.optional("tagline", 160),
            self.text("description"),
            FormPart::Checks(genres.most(MOST_GENRES).optional()),
            FormPart::Checks(
                self.checked("platforms", "field-platforms", platforms)
                    .optional(),
            ),
            self.select(
                "stage",
                self.named("stage", &self.choices.values.stages),
                self.say("field-stage-choose"),
            ),
            FormPart::Field(year),
            FormPart::Field(trailer),
            self.links(),
            self.area("credits", "field-credits-hint", 6, 70_000),
        ];
        cover.into_iter().chain(fields).collect()
    }

    fn cover(&self) -> FormPart {
        let hint = if self.had_file {
            "field-cover-again"
        } else {
            "field-cover-hint"
        };
        FormPart::File(PictureFile {
            name: COVER,
            label: self.say("field-cover_url"),
            hint: self.say(hint),
            error: self.errors.error(COVER),
            language: self.errors.language,
        })
    }

    fn event(&self) -> Vec<FormPart> {
        let website = self.line("website").optional().url();
        let online = ("yes".to_owned(), self.label("online").to_owned());
        vec![
            self.required("title", 120),
            self.select(
                "kind",
                self.named("event-kind", &self.choices.values.event_kinds),
                "",
            ),
            FormPart::Field(self.day("starts_at")),
            FormPart::Field(self.day("ends_at").optional()),
            self.country(),
            self.required("city", 120),
            FormPart::Checks(
                self.checked("online", "field-place", vec![online])
                    .optional(),
            ),
            FormPart::Field(website),
            self.text("description"),
        ]
    }

    fn line(&self, name: &'static str) -> Field {
        self.filled(name, Field::text(name, self.label(name)))
    }

    fn day(&self, name: &'static str) -> Field {
        self.filled(name, Field::date(name, self.label(name)))
    }

    /// A field with its hint, if it has one, with what was typed and with its error.
    fn filled(&self, name: &str, field: Field) -> Field {
        let texts = self.language.texts();
        let hint = texts.value("field", &format!("{name}-hint"), "");
        let field = field.hint(hint).value(self.typed.get(name));
        field.error_in(self.errors)
    }

    fn required(&self, name: &'static str, max: u32) -> FormPart {
        FormPart::Field(self.line(name).max(max))
    }

    fn optional(&self, name: &'static str, max: u32) -> FormPart {
        FormPart::Field(self.line(name).max(max).optional())
    }

    /// A text of several paragraphs.
    fn text(&self, name: &'static str) -> FormPart {
        self.area(name, "field-text-hint", 8, 10_000)
    }

    fn area(&self, name: &'static str, hint: &'static str, rows: u8, max: u32) -> FormPart {
        let area = Area::new(name, self.label(name)).rows(rows, max);
        let area = area.optional().hint(self.say(hint));
        let area = area.value(self.typed.get(name));
        FormPart::Area(area.error_in(self.errors))
    }

    fn country(&self) -> FormPart {
        let countries = self.choices.values.countries.iter();
        let countries = countries.map(|it| (it.code.as_str(), it.name.as_str()));
        let countries = self.translated("country", countries);
        self.select("country_code", countries, self.say("field-country-choose"))
    }

    fn genres(&self) -> Vec<(String, String)> {
        let genres = self.choices.values.genres.iter();
        let genres = genres.map(|it| (it.key.as_str(), it.name.as_str()));
        self.translated("genre", genres)
    }

    fn roles(&self) -> Vec<(String, String)> {
        self.translated("role", ROLES.into_iter().map(|role| (role, role)))
    }

    /// Values of the directory, in the order of the names that the public site has for them. A value that it does not know has the name that
    /// listings-svc gives.
    fn translated<'b>(
        &self,
        group: &str,
        values: impl Iterator<Item = (&'b str, &'b str)>,
    ) -> Vec<(String, String)> {
        let texts = self.language.texts();
        let named = values.map(|(value, name)| {
            let name = texts.value(group, value, name);
            (value.to_owned(), name.to_owned())
        });
        let mut named: Vec<(String, String)> = named.collect();
        named.sort_by_cached_key(|(_, name)| sort_key(name));
        named
    }

    /// Values with their names.
    fn named(&self, group: &str, values: &[String]) -> Vec<(String, String)> {
        let texts = self.language.texts();
        let values = values.iter();
        values
            .map(|value| (value.clone(), value_name(texts, group, value)))
            .collect()
    }

    /// A choice of one value. A typed value that is not in the list stays, and the service reports its error.
    fn select(
        &self,
        name: &'static str,
        mut values: Vec<(String, String)>,
        empty: &str,
    ) -> FormPart {
        let typed = self.typed.get(name);
        if !typed.is_empty() && values.iter().all(|(value, _)| value != typed) {
            values.push((typed.to_owned(), typed.to_owned()));
        }
        if !empty.is_empty() && typed.is_empty() {
            values.insert(0, (String::new(), empty.to_owned()));
        }
        let choices = values.into_iter().map(|(value, label)| Choice {
            is_chosen: value == typed,
            value,
            label,
        });
        let select = Select::new(name, self.label(name), choices.collect());
        FormPart::Select(select.error_in(self.errors))
    }

    fn checked(
        &self,
        name: &'static str,
        legend: &'static str,
        mut values: Vec<(String, String)>,
    ) -> Checks {
        let typed = self.typed.all(name);
        let ticked: HashSet<&str> = typed.iter().copied().collect();
        let mut known: HashSet<String> = values.iter().map(|(value, _)| value.clone()).collect();
        for one in typed {
            if known.insert(one.to_owned()) {
                values.push((one.to_owned(), one.to_owned()));
            }
        }
        let choices = values.into_iter().map(|(value, label)| Choice {
            is_chosen: ticked.contains(value.as_str()),
            value,
            label,
        });
        Checks::new(name, self.say(legend), choices.collect()).error_in(self.errors)
    }

    /// The links that the listing has, fields for new ones of any kind, and folded the fields of the other kinds.
    fn links(&self) -> FormPart {
        let texts = self.language.texts();
        let known = link_keys(self.kind, &self.choices.values);
        let known = known.iter().map(String::as_str);
        let typed: HashMap<&str, &str> = self.typed.links().collect();
        let mut seen = HashSet::new();
        let keys = known.chain(self.typed.links().map(|(key, _)| key));
        let (mut fields, mut more) = (Vec::new(), Vec::new());
        for key in keys.filter(|key| seen.insert(*key)) {
            let value = typed.get(key).copied().unwrap_or_default();
            let name = format!("links.{key}");
            let is_shown = !value.is_empty() || self.errors.of(&name).is_some();
            let field = Field::text(name, link_label(texts, key)).optional();
            let field = field.url().value(value).error_in(self.errors);
            if is_shown {
                fields.push(field);
            } else {
                more.push(field);
            }
        }
        fields.extend(NEW_LINKS.map(|name| self.line(name).optional().url()));
        FormPart::Group(Group {
            legend: self.say("field-links"),
            hint: self.say("field-links-hint"),
            fields,
            more,
            more_label: self.say("field-links-more"),
        })
    }
}

#[cfg(test)]
mod tests {
    use pages::site::{Language, Texts};

    use super::*;

    #[test]
    fn every_role_has_a_name_in_every_language() {
        for texts in Language::ALL.map(Texts::of) {
            for role in ROLES {
                assert_ne!(value_name(texts, "role", role), role);
            }
        }
    }
}
