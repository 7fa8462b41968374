//! The typed fields of a listing's form, with conversions from the browser's form, from a stored listing, and to the JSON of the API.

use contracts::listings::v1 as proto;
use contracts::listings::v1::get_own_listing_response::Listing;
use kit::Fault;
use kit::bad_fields::BadFields;
use serde_json::{Map, Value, json};

use crate::domain::listing_kind::ListingKind;
use crate::page_language::PageLanguage;

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
            pairs: pairs
                .map(|(name, value)| (name, value.replace("\r\n", "\n")))
                .collect(),
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
        self.pairs.retain(|(it, _)| it != name);
        self.push(name, value);
    }

    /// Replaces the values for which `new` has another one.
    pub(super) fn map_values(&mut self, new: impl Fn(&str, &str) -> Option<String>) {
        for (name, value) in &mut self.pairs {
            if let Some(new) = new(name, value) {
                *value = new;
            }
        }
    }

    /// Replaces the values of a field with those of another form.
    pub(super) fn replace(&mut self, name: &str, other: &Self) {
        self.pairs.retain(|(it, _)| it != name);
        for value in other.all(name) {
            self.push(name, value);
        }
    }

    pub(super) fn pairs(&self) -> impl Iterator<Item = &(String, String)> {
        self.pairs.iter()
    }

    fn push(&mut self, name: &str, value: &str) {
        self.pairs.push((name.to_owned(), value.to_owned()));
    }

    /// The links that have a field: key and typed address.
    pub(super) fn links(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.pairs.iter();
        pairs.filter_map(|(name, value)| Some((name.strip_prefix("links.")?, value.as_str())))
    }

    /// Everything but the button that was pressed.
    pub(super) fn without(&self, name: &str) -> Vec<(String, String)> {
        let rest = self.pairs.iter().filter(|(it, _)| it != name);
        rest.cloned().collect()
    }

    /// The fields of the form of a stored listing, before a change.
    pub(super) fn of(listing: &Listing, creator: &str) -> Self {
        let mut typed = Self::default();
        let links = match listing {
            Listing::Page(page) => {
                typed.push("name", &page.name);
                typed.push("kind", &page.kind);
                for role in &page.roles {
                    typed.push("roles", role);
                }
                typed.push("tagline", &page.tagline);
                typed.push("bio", &page.bio);
                typed.push("country_code", &page.country_code);
                typed.push("city", &page.city);
                Some(&page.links)
            }
            Listing::Game(game) => {
                typed.push("creator", creator);
                typed.push("title", &game.title);
                typed.push("tagline", &game.tagline);
                typed.push("description", &game.description);
                for genre in &game.genres {
                    typed.push("genres", genre);
                }
                for platform in &game.platforms {
                    typed.push("platforms", platform);
                }
                typed.push("stage", &game.stage);
                typed.push("release_year", &game.release_year.to_string());
                typed.push(
                    "trailer_url",
                    game.trailer_url.as_deref().unwrap_or_default(),
                );
                typed.push("credits", &credit_lines(&game.credits));
                typed.stored_credits.clone_from(&game.credits);
                Some(&game.links)
            }
            Listing::Event(event) => {
                typed.push("title", &event.title);
                typed.push("kind", &event.kind);
                typed.push("starts_at", &event.starts_at);
                typed.push("ends_at", event.ends_at.as_deref().unwrap_or_default());
                typed.push("country_code", &event.country_code);
                typed.push("city", &event.city);
                if event.online {
                    typed.push("online", "yes");
                }
                typed.push("website", event.website.as_deref().unwrap_or_default());
                typed.push("description", &event.description);
                None
            }
        };
        let links = links.into_iter().flatten();
        let mut links: Vec<(&String, &String)> = links.collect();
        links.sort();
        for (key, url) in links {
            typed.push(&format!("links.{key}"), url);
        }
        typed
    }

    /// The body of the API call that submits the typed fields. An empty optional field is null.
    pub fn body(&self, kind: ListingKind) -> Map<String, Value> {
        let text = |name: &str| Value::from(self.get(name));
        let optional = |name: &str| match self.get(name).trim() {
            "" => Value::Null,
            value => Value::from(value),
        };
        let fields = match kind {
            ListingKind::Page => vec![
                ("name", text("name")),
                ("kind", text("kind")),
                ("roles", json!(self.all("roles"))),
                ("tagline", text("tagline")),
                ("bio", text("bio")),
                ("country_code", text("country_code")),
                ("city", optional("city")),
                ("links", self.link_values()),
            ],
            ListingKind::Game => vec![
                ("creator", text("creator")),
                ("title", text("title")),
                ("tagline", text("tagline")),
                ("description", text("description")),
                ("genres", json!(self.all("genres"))),
                ("platforms", json!(self.all("platforms"))),
                ("stage", text("stage")),
                ("release_year", self.year()),
                ("trailer_url", optional("trailer_url")),
                ("links", self.link_values()),
            ],
            ListingKind::Event => vec![
                ("title", text("title")),
                ("kind", text("kind")),
                ("starts_at", text("starts_at")),
                ("ends_at", optional("ends_at")),
                ("country_code", text("country_code")),
                ("city", text("city")),
                ("online", Value::from(!self.get("online").is_empty())),
                ("website", optional("website")),
                ("description", text("description")),
            ],
        };
        let fields = fields.into_iter();
        let mut body: Map<String, Value> = fields
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        if kind == ListingKind::Game && self.pairs.iter().any(|(name, _)| name == "credits") {
            body.insert("credits".to_owned(), self.credits());
        }
        // Only a new page has a handle to choose.
        if !self.get("handle").trim().is_empty() {
            body.insert("handle".to_owned(), Value::from(self.get("handle").trim()));
        }
        body
    }

    /// A number, or the typed text if it is not a number: the service reports the error.
    fn year(&self) -> Value {
        match self.get("release_year").trim() {
            "" => Value::Null,
            typed => typed
                .parse::<i32>()
                .map_or_else(|_| Value::from(typed), Value::from),
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

    /// Sorts the links and checks what the service could not explain at the fields of the form.
    ///
    /// # Errors
    /// `invalid`, with every such field and the reason in the language of the form.
    pub(super) fn prepare(
        &mut self,
        language: PageLanguage,
        kind: ListingKind,
    ) -> Result<(), Fault> {
        let mut bad = BadFields::default();
        bad.take(self.sort_links(language, kind));
        let is_stored = |line: &str| {
            let mut stored = self.stored_credits.iter();
            stored.any(|credit| credit_line(credit) == line)
        };
        let mut lines = self.get("credits").lines().map(str::trim);
        if lines.any(|line| line.starts_with('|') && !is_stored(line)) {
            bad.add("credits", language.say("field-credits-name"));
        }
        bad.check()
    }

    fn link_values(&self) -> Value {
        let links = self.links().map(|(key, url)| (key, url.trim()));
        let links = links.filter(|(_, url)| !url.is_empty());
        Value::Object(
            links
                .map(|(key, url)| (key.to_owned(), Value::from(url)))
                .collect(),
        )
    }
}

/// Credits as the form has them, one a line.
pub(super) fn credit_lines(credits: &[proto::Credit]) -> String {
    credits
        .iter()
        .map(credit_line)
        .collect::<Vec<_>>()
        .join("\n")
}

fn credit_line(credit: &proto::Credit) -> String {
    let proto::Credit { handle, name, role } = credit;
    match handle {
        Some(handle) => format!("{name} | {role} | {handle}"),
        None if role.is_empty() => name.clone(),
        None => format!("{name} | {role}"),
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

    fn typed(pairs: &[(&str, &str)]) -> TypedListing {
        let pairs = pairs.iter();
        TypedListing::new(
            pairs
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
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
        assert_eq!(
            body["release_year"], "soon",
            "the service says what is wrong with it"
        );
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
    fn credits_are_lines() {
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
    fn the_errors_of_the_form_and_of_the_service_come_together() {
        let mut form = typed(&[("credits", "Ada\n|||"), ("link-1", "not a link")]);
        let found = form.prepare(PageLanguage::default(), ListingKind::Game);
        let reasons = ["title", "credits.1.name"].map(|path| (path.to_owned(), "No.".to_owned()));
        let of_service = Err::<(), _>(Fault::invalid(reasons.into()));
        let fields = with_errors_of_service(found.unwrap_err(), of_service).fields;
        assert!(
            fields.keys().eq(["credits", "link-1", "title"]),
            "{fields:?}"
        );
        assert_eq!(fields["credits"], "Begin each line with a name.");
        assert_eq!(fields["title"], "No.");
    }

    #[test]
    fn an_error_of_an_item_stands_beside_its_field() {
        let paths = ["genres.0", "links.play", "title"];
        let reasons = paths.map(|path| (path.to_owned(), "No.".to_owned()));
        let fault = beside_fields(Fault::invalid(reasons.into()));
        assert_eq!(
            fault.fields.keys().collect::<Vec<_>>(),
            ["genres", "links.play", "title"]
        );
    }
}
