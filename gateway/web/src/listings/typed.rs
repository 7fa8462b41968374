//! The typed fields of a listing's form, with conversions from the browser's form, from a stored listing, and to the JSON of the API.

use contracts::listings::v1 as proto;
use contracts::listings::v1::get_own_listing_response::Listing;
use kit::Fault;
use serde_json::{Map, Value, json};

use super::fields::{Input, ListingField, credit_line, fields, fields_of};
use crate::domain::listing_kind::ListingKind;
use crate::english::say;

/// What the names of fields of links begin with.
pub(super) const LINKS: &str = "links.";

/// The typed fields.
#[derive(Debug, Clone, Default)]
pub struct TypedListing {
    /// Names and values, in the order of the form.
    pairs: Vec<(String, String)>,
    /// The credits of the stored listing.
    stored_credits: Vec<proto::Credit>,
}

impl TypedListing {
    /// The fields that a browser sends. It writes line ends as CR LF.
    pub fn new(pairs: Vec<(String, String)>) -> Self {
        let pairs = pairs.into_iter();
        Self {
            pairs: pairs.map(|(name, value)| (name, value.replace("\r\n", "\n"))).collect(),
            stored_credits: Vec::new(),
        }
    }

    /// Takes over the credits of the stored listing, whose lines a browser has sent back.
    pub(super) fn take_credits_of(&mut self, stored: &Self) {
        self.stored_credits.clone_from(&stored.stored_credits);
    }

    pub(super) fn get(&self, name: &str) -> &str {
        let found = self.pairs.iter().find(|(it, _)| it == name);
        found.map_or("", |(_, value)| value)
    }

    pub(super) fn all(&self, name: &str) -> Vec<&str> {
        let found = self.pairs.iter().filter(|(it, _)| it == name);
        found.map(|(_, value)| value.as_str()).collect()
    }

    pub(super) fn set(&mut self, name: &str, value: &str) {
        self.remove(name);
        self.push(name, value);
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.pairs.retain(|(it, _)| it != name);
    }

    /// Replaces the values for which `new` has another one.
    pub(super) fn map_values(&mut self, new: impl Fn(&str, &str) -> Option<String>) {
        for (name, value) in &mut self.pairs {
            if let Some(new) = new(name, value) {
                *value = new;
            }
        }
    }

    #[cfg(test)]
    pub(super) fn pairs(&self) -> impl Iterator<Item = &(String, String)> {
        self.pairs.iter()
    }

    pub(super) fn push(&mut self, name: &str, value: &str) {
        self.pairs.push((name.to_owned(), value.to_owned()));
    }

    /// The links that have a field: key and typed address.
    pub(super) fn links(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.pairs.iter();
        pairs.filter_map(|(name, value)| Some((name.strip_prefix(LINKS)?, value.as_str())))
    }

    /// The fields of the form of a stored listing, before a change.
    pub(super) fn of(listing: &Listing, creator: &str) -> Self {
        let mut typed = Self::default();
        for field in fields_of(listing, creator) {
            let name = field.name;
            match field.stored {
                // The form of a change does not have these inputs.
                _ if matches!(field.input, Input::Handle | Input::Shown) => {}
                Value::Null | Value::Bool(false) => {}
                Value::Bool(true) => typed.push(name, "yes"),
                Value::Number(number) => typed.push(name, &number.to_string()),
                Value::String(text) => typed.push(name, &text),
                Value::Array(values) => {
                    for value in values.iter().filter_map(Value::as_str) {
                        typed.push(name, value);
                    }
                }
                Value::Object(links) => {
                    for (key, url) in &links {
                        typed.push(&format!("{name}.{key}"), url.as_str().unwrap_or_default());
                    }
                }
            }
        }
        if let Listing::Game(game) = listing {
            typed.stored_credits.clone_from(&game.credits);
        }
        typed
    }

    /// The body of the API call that submits the typed fields.
    pub fn body(&self, kind: ListingKind) -> Map<String, Value> {
        let fields = fields(kind).into_iter();
        fields.filter_map(|field| Some((field.name.to_owned(), self.value(&field)?))).collect()
    }

    /// The value of a field in the body; `None` for a field that the body leaves out.
    fn value(&self, field: &ListingField) -> Option<Value> {
        let typed = self.get(field.name);
        let nullable = match typed.trim() {
            "" => Value::Null,
            typed => Value::from(typed),
        };
        match field.input {
            Input::Shown => None,
            Input::Handle => Some(nullable).filter(|handle| !handle.is_null()),
            Input::Credits => (!self.all(field.name).is_empty()).then(|| self.credits()),
            // A text that is not a number stays, and the service reports the error.
            Input::Year => Some(typed.trim().parse::<i32>().map_or(nullable, Value::from)),
            Input::NullableLine | Input::NullableDay | Input::Address => Some(nullable),
            Input::Checks(..) => Some(json!(self.all(field.name))),
            Input::Switch => Some(Value::from(!typed.is_empty())),
            Input::Links => Some(self.link_values()),
            _ => Some(Value::from(typed)),
        }
    }

    /// Each line has a name and, after a `|` each, a role and the handle of a page. The line of a stored credit is that credit: a `|` in its
    /// name or its role does not split it when the person edits another line.
    fn credits(&self) -> Value {
        let stored = self.stored_credits.iter();
        let mut stored: Vec<(String, &proto::Credit)> =
            stored.map(|credit| (credit_line(credit), credit)).collect();
        let lines = self.get("credits").lines().map(str::trim);
        let credit = |line: &str| {
            if let Some(index) = stored.iter().position(|(it, _)| it == line) {
                // Two credits may have the same line.
                let (_, credit) = stored.remove(index);
                return json!({ "name": credit.name, "role": credit.role, "handle": credit.handle });
            }
            let mut parts = line.splitn(3, '|').map(str::trim);
            let mut part = || parts.next().unwrap_or_default();
            let (name, role, handle) = (part(), part(), part());
            let handle = Some(handle).filter(|handle| !handle.is_empty());
            json!({ "name": name, "role": role, "handle": handle })
        };
        Value::Array(lines.filter(|line| !line.is_empty()).map(credit).collect())
    }

    /// Completes the addresses, and checks what the service could not explain at the fields of the form.
    ///
    /// # Errors
    /// `invalid`, with the reason in the language of the form.
    pub(super) fn prepare(&mut self, kind: ListingKind) -> Result<(), Fault> {
        self.complete_addresses(kind);
        let is_stored = |line: &str| {
            let mut stored = self.stored_credits.iter();
            stored.any(|credit| credit_line(credit) == line)
        };
        let mut lines = self.get("credits").lines().map(str::trim);
        if lines.any(|line| line.starts_with('|') && !is_stored(line)) {
            let reason = say("field-credits-name");
            return Err(Fault::invalid_field("credits", reason));
        }
        Ok(())
    }

    fn link_values(&self) -> Value {
        let links =
            self.links().map(|(key, url)| (key, url.trim())).filter(|(_, url)| !url.is_empty());
        Value::Object(links.map(|(key, url)| (key.to_owned(), Value::from(url))).collect())
    }
}

/// The errors that the form has found, with those of the service for the other fields, so that a person sees all at once.
pub(super) fn with_errors_of_service<T>(mut found: Fault, checked: Result<T, Fault>) -> Fault {
    let others = checked.err().map(|fault| beside_fields(fault).fields);
    for (field, reason) in others.into_iter().flatten() {
        found.fields.entry(field).or_insert(reason);
    }
    found
}

/// Renames the fields in a service's fault to those of the form: an error of `genres.0` becomes one of `genres`.
pub(super) fn beside_fields(mut fault: Fault) -> Fault {
    fault.fields = fault
        .fields
        .into_iter()
        .map(|(path, reason)| match path.split_once('.') {
            Some((field, _)) if field != "links" => (field.to_owned(), reason),
            _ => (path, reason),
        })
        .collect();
    fault
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listings::fields::credit_lines;

    fn typed(pairs: &[(&str, &str)]) -> TypedListing {
        let pairs = pairs.iter();
        TypedListing::new(
            pairs.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        )
    }

    #[test]
    fn a_form_becomes_the_body_of_the_api() {
        let typed = typed(&[
            ("creator", "studio"),
            ("title", "Okoto"),
            ("description", "One\r\ntwo"),
            ("genres", "puzzle"),
            ("genres", "runner"),
            ("release_year", "soon"),
            ("links.play", " https://play.example "),
            ("links.itch", ""),
        ]);
        let body = typed.body(ListingKind::Game);
        assert_eq!(body["description"], "One\ntwo");
        assert_eq!(body["genres"], json!(["puzzle", "runner"]));
        assert_eq!(body["release_year"], "soon", "the service says what is wrong with it");
        assert_eq!(body["links"], json!({"play": "https://play.example"}));
        assert_eq!(body["trailer_url"], Value::Null);
        assert!(!body.contains_key("handle"));
    }

    fn credit(name: &str, role: &str, handle: Option<&str>) -> proto::Credit {
        proto::Credit {
            name: name.to_owned(),
            role: role.to_owned(),
            handle: handle.map(ToOwned::to_owned),
        }
    }

    #[test]
    fn credits_are_edited_as_lines() {
        let credits = [
            credit("Ada", "Code", Some("ada")),
            credit("Bob", "", None),
            credit("Eve", "", Some("eve")),
        ];
        let lines = credit_lines(&credits);
        assert_eq!(lines, "Ada | Code | ada\nBob\nEve |  | eve");
        let body = typed(&[("credits", &lines)]).body(ListingKind::Game);
        assert_eq!(
            body["credits"],
            json!([
                {"name": "Ada", "role": "Code", "handle": "ada"},
                {"name": "Bob", "role": "", "handle": null},
                {"name": "Eve", "role": "", "handle": "eve"},
            ])
        );
        let none = typed(&[("title", "Okoto")]).body(ListingKind::Game);
        assert!(!none.contains_key("credits"), "the form had no such field");
    }

    #[test]
    fn a_credit_with_the_separator_stays_whole_while_another_is_edited() {
        let game = proto::Game {
            credits: vec![
                credit("Ada | Eve", "Code | Art", Some("ada")),
                credit("Bob", "", None),
                credit("Sound |", "", None),
            ],
            ..proto::Game::default()
        };
        let stored = TypedListing::of(&Listing::Game(game), "studio");
        let lines = stored.get("credits").replace("Bob", "Bob | Music");
        let mut form = typed(&[("credits", &lines)]);
        form.take_credits_of(&stored);
        assert_eq!(
            form.body(ListingKind::Game)["credits"],
            json!([
                {"name": "Ada | Eve", "role": "Code | Art", "handle": "ada"},
                {"name": "Bob", "role": "Music", "handle": null},
                {"name": "Sound |", "role": "", "handle": null},
            ])
        );
    }

    #[test]
    fn an_error_of_an_item_is_shown_at_its_field() {
        let paths = ["genres.0", "links.play", "title"];
        let reasons = paths.map(|path| (path.to_owned(), "No.".to_owned()));
        let fault = beside_fields(Fault::invalid(reasons.into()));
        assert_eq!(fault.fields.keys().collect::<Vec<_>>(), ["genres", "links.play", "title"]);
    }
}
