//! The fields of listings: between the form of the browser, the JSON of the API, and what is stored.

use contracts::listings::v1 as proto;
use contracts::listings::v1::get_own_listing_response::Listing;
use kit::Fault;
use pages::input::{Area, Checks, Choice, FormPart, Group, Select};
use pages::{Field, Fields};
use serde_json::{Map, Value, json};

use crate::domain::listing_kind::ListingKind;

/// What was typed: names and values, in the order of the form.
#[derive(Debug, Clone, Default)]
pub struct Typed(Vec<(String, String)>);

impl Typed {
    /// The fields that a browser sends. It writes line ends as CR LF.
    pub fn new(pairs: Vec<(String, String)>) -> Self {
        let pairs = pairs.into_iter();
        Self(pairs.map(|(name, value)| (name, value.replace("\r\n", "\n"))).collect())
    }

    pub fn get(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(it, _)| it == name);
        found.map_or("", |(_, value)| value)
    }

    fn all(&self, name: &str) -> Vec<&str> {
        let found = self.0.iter().filter(|(it, _)| it == name);
        found.map(|(_, value)| value.as_str()).collect()
    }

    pub fn set(&mut self, name: &str, value: &str) {
        self.0.retain(|(it, _)| it != name);
        self.push(name, value);
    }

    fn push(&mut self, name: &str, value: &str) {
        self.0.push((name.to_owned(), value.to_owned()));
    }

    /// Everything but the button that was pressed.
    pub fn without(&self, name: &str) -> Vec<(String, String)> {
        let rest = self.0.iter().filter(|(it, _)| it != name);
        rest.cloned().collect()
    }

    /// What the form of a stored listing shows at first.
    pub fn of(listing: &Listing, creator: &str) -> Self {
        let mut typed = Self::default();
        let links = match listing {
            Listing::Page(page) => {
                typed.push("name", &page.name);
                typed.push("kind", &page.kind);
                typed.push("roles", &page.roles.join(", "));
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
                typed.push("trailer_url", game.trailer_url.as_deref().unwrap_or_default());
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

    /// The body of the API call that submits what was typed. An empty optional field is null.
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
                ("roles", self.roles()),
                ("tagline", text("tagline")),
                ("bio", text("bio")),
                ("country_code", text("country_code")),
                ("city", optional("city")),
                ("links", self.links()),
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
                ("links", self.links()),
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
        let mut body: Map<String, Value> =
            fields.map(|(name, value)| (name.to_owned(), value)).collect();
        // Only a new page has a handle to choose.
        if !self.get("handle").trim().is_empty() {
            body.insert("handle".to_owned(), Value::from(self.get("handle").trim()));
        }
        body
    }

    fn roles(&self) -> Value {
        let roles = self.get("roles").split(',').map(str::trim);
        json!(roles.filter(|role| !role.is_empty()).collect::<Vec<_>>())
    }

    /// A number, or what was typed instead: the service says what is wrong with it.
    fn year(&self) -> Value {
        match self.get("release_year").trim() {
            "" => Value::Null,
            typed => typed.parse::<i32>().map_or_else(|_| Value::from(typed), Value::from),
        }
    }

    fn links(&self) -> Value {
        let links = self.0.iter().filter_map(|(name, url)| {
            let key = name.strip_prefix("links.")?;
            let url = url.trim();
            (!url.is_empty()).then(|| (key.to_owned(), Value::from(url)))
        });
        Value::Object(links.collect())
    }
}

/// The fields of a change: those that differ from what is stored.
pub fn changed(stored: &Map<String, Value>, mut typed: Map<String, Value>) -> Map<String, Value> {
    typed.retain(|name, value| stored.get(name) != Some(value));
    typed
}

/// The fault of a service with the names that the form has: an error of `genres.0` stands beside `genres`.
pub fn beside_fields(mut fault: Fault) -> Fault {
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

/// The names of the fields of a form.
pub fn names(kind: ListingKind, values: &proto::ListFieldValuesResponse) -> Vec<String> {
    let own: &[&str] = match kind {
        ListingKind::Page => &[
            "name", "handle", "kind", "roles", "tagline", "bio", "country_code", "city",
        ],
        ListingKind::Game => &[
            "creator", "title", "tagline", "description", "genres", "platforms", "stage",
            "release_year", "trailer_url",
        ],
        ListingKind::Event => &[
            "title", "kind", "starts_at", "ends_at", "country_code", "city", "website",
            "description",
        ],
    };
    let own = own.iter().map(|name| (*name).to_owned());
    let links = link_keys(kind, values).iter().map(|key| format!("links.{key}"));
    own.chain(links).collect()
}

fn link_keys(kind: ListingKind, values: &proto::ListFieldValuesResponse) -> &[String] {
    match kind {
        ListingKind::Page => &values.page_links,
        ListingKind::Game => &values.game_links,
        ListingKind::Event => &[],
    }
}

/// What the parts of a form are made of.
pub struct FormContext<'a> {
    pub kind: ListingKind,
    pub typed: &'a Typed,
    pub values: &'a proto::ListFieldValuesResponse,
    /// The pages that a game may stand under: handle and name.
    pub creators: &'a [(String, String)],
    pub is_new: bool,
    pub errors: &'a Fields,
}

impl FormContext<'_> {
    pub fn parts(&self) -> Vec<FormPart> {
        match self.kind {
            ListingKind::Page => self.page(),
            ListingKind::Game => self.game(),
            ListingKind::Event => self.event(),
        }
    }

    fn page(&self) -> Vec<FormPart> {
        let handle = self.line("handle", "Handle").optional();
        let handle = handle.hint("Small letters, digits and hyphens; it never changes. Without one it is made from the name.");
        let mut parts = vec![self.required("name", "Name", 120)];
        parts.extend(self.is_new.then_some(FormPart::Field(handle)));
        let roles = self.line("roles", "Roles").optional().max(400);
        let roles = roles.hint("For example developer, publisher; separated by commas.");
        parts.extend([
            self.select("kind", "Kind", plain(&self.values.page_kinds), ""),
            FormPart::Field(roles),
            self.tagline(),
            self.area("bio", "About"),
            self.country(),
            FormPart::Field(self.line("city", "City").optional().max(120)),
            self.links(),
        ]);
        parts
    }

    fn game(&self) -> Vec<FormPart> {
        let creators = self.creators.iter();
        let creators = creators.map(|(handle, name)| (handle.clone(), format!("{name} ({handle})")));
        let year = self.line("release_year", "Year of release").optional().digits();
        let trailer = self.line("trailer_url", "Trailer").optional().url();
        vec![
            self.select("creator", "Page", creators.collect(), ""),
            self.required("title", "Title", 120),
            self.tagline(),
            self.area("description", "Description"),
            self.checks("genres", "Genres", self.genres()),
            self.checks("platforms", "Platforms", plain(&self.values.platforms)),
            self.select("stage", "Stage", plain(&self.values.stages), ""),
            FormPart::Field(year.hint("Without one it is this year.")),
            FormPart::Field(trailer.hint("An https address of a video.")),
            self.links(),
        ]
    }

    fn event(&self) -> Vec<FormPart> {
        let begins = Field::date("starts_at", "First day").value(self.typed.get("starts_at"));
        let ends = Field::date("ends_at", "Last day").value(self.typed.get("ends_at"));
        let website = self.line("website", "Website").optional().url();
        vec![
            self.required("title", "Title", 120),
            self.select("kind", "Kind", plain(&self.values.event_kinds), ""),
            FormPart::Field(begins.error_in(self.errors)),
            FormPart::Field(ends.optional().error_in(self.errors)),
            self.country(),
            self.required("city", "City", 120),
            self.checks("online", "Place", vec![("yes".to_owned(), "Also online".to_owned())]),
            FormPart::Field(website),
            self.area("description", "Description"),
        ]
    }

    fn line(&self, name: &'static str, label: &'static str) -> Field {
        let field = Field::text(name, label).value(self.typed.get(name));
        field.error_in(self.errors)
    }

    fn required(&self, name: &'static str, label: &'static str, max: u32) -> FormPart {
        FormPart::Field(self.line(name, label).max(max))
    }

    fn tagline(&self) -> FormPart {
        let tagline = self.line("tagline", "Tagline").optional().max(160);
        FormPart::Field(tagline.hint("One sentence, at most 160 characters."))
    }

    fn area(&self, name: &'static str, label: &'static str) -> FormPart {
        let area = Area::new(name, label).rows(8, 10_000).optional();
        FormPart::Area(area.value(self.typed.get(name)).error_in(self.errors))
    }

    fn country(&self) -> FormPart {
        let countries = self.values.countries.iter();
        let countries = countries.map(|it| (it.code.clone(), it.name.clone()));
        self.select("country_code", "Country", countries.collect(), "Choose a country")
    }

    fn genres(&self) -> Vec<(String, String)> {
        let genres = self.values.genres.iter();
        genres.map(|genre| (genre.key.clone(), genre.name.clone())).collect()
    }

    /// A choice of one value. What is typed but is not among the values stays, and the service says what is wrong with it.
    fn select(
        &self,
        name: &'static str,
        label: &'static str,
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
        FormPart::Select(Select::new(name, label, choices.collect()).error_in(self.errors))
    }

    fn checks(
        &self,
        name: &'static str,
        legend: &'static str,
        mut values: Vec<(String, String)>,
    ) -> FormPart {
        let typed = self.typed.all(name);
        for one in &typed {
            if values.iter().all(|(value, _)| value != one) {
                values.push(((*one).to_owned(), (*one).to_owned()));
            }
        }
        let choices = values.into_iter().map(|(value, label)| Choice {
            is_chosen: typed.contains(&value.as_str()),
            value,
            label,
        });
        FormPart::Checks(Checks::new(name, legend, choices.collect()).error_in(self.errors))
    }

    fn links(&self) -> FormPart {
        let mut keys: Vec<&str> = link_keys(self.kind, self.values).iter().map(String::as_str).collect();
        for (name, _) in &self.typed.0 {
            let key = name.strip_prefix("links.").filter(|key| !keys.contains(key));
            keys.extend(key);
        }
        let fields = keys.into_iter().map(|key| {
            let name = format!("links.{key}");
            let value = self.typed.get(&name).to_owned();
            let field = Field::text(name, link_label(key)).optional().url();
            field.value(&value).error_in(self.errors)
        });
        FormPart::Group(Group {
            legend: "Links",
            fields: fields.collect(),
        })
    }
}

/// Values that are shown as they are, with spaces.
fn plain(values: &[String]) -> Vec<(String, String)> {
    let values = values.iter();
    values.map(|value| (value.clone(), value.replace('_', " "))).collect()
}

fn link_label(key: &str) -> String {
    match key {
        "play" => "Play in the browser",
        "playStore" => "Google Play",
        "appStore" => "App Store",
        "itch" => "itch.io",
        "epic" => "Epic Games",
        "steam" => "Steam",
        "xbox" => "Xbox",
        "playstation" => "PlayStation",
        "nintendo" => "Nintendo",
        "website" => "Website",
        "facebook" => "Facebook",
        "instagram" => "Instagram",
        "x" => "X",
        "youtube" => "YouTube",
        "other" => "Other",
        key => key,
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(pairs: &[(&str, &str)]) -> Typed {
        let pairs = pairs.iter();
        Typed::new(pairs.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
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

    #[test]
    fn only_what_differs_is_sent() {
        let game = proto::Game {
            title: "Okoto".to_owned(),
            genres: vec!["puzzle".to_owned()],
            release_year: 2026,
            ..proto::Game::default()
        };
        let stored = Typed::of(&Listing::Game(game), "studio");
        let kind = ListingKind::Game;
        assert_eq!(changed(&stored.body(kind), stored.body(kind)), Map::new());
        let mut new = stored.clone();
        new.set("title", "Okoto 2");
        new.set("links.play", "https://play.example");
        let change = changed(&stored.body(kind), new.body(kind));
        assert_eq!(change.keys().collect::<Vec<_>>(), ["links", "title"]);
    }

    #[test]
    fn an_error_of_an_item_stands_beside_its_field() {
        let paths = ["genres.0", "links.play", "title"];
        let reasons = paths.map(|path| (path.to_owned(), "No.".to_owned()));
        let fault = beside_fields(Fault::invalid(reasons.into()));
        assert_eq!(fault.fields.keys().collect::<Vec<_>>(), ["genres", "links.play", "title"]);
    }
}
