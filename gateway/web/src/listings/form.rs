//! The fields of the forms of listings.

use std::collections::{HashMap, HashSet};

use contracts::listings::v1 as proto;
use kit::Fault;
use pages::input::{Area, Checks, Choice, FormPart, Group, PictureFile, Select};
use pages::{Field, Fields};

use super::links::NEW_LINKS;
use super::typed::{TypedListing, beside_fields};
use super::words::{link_label, value_name};
use super::{refused, words};
use crate::account::member_request::MemberRequest;
use crate::domain::listing_kind::ListingKind;
use crate::render::FormState;

/// The most genres of a game, which listings-svc checks.
const MOST_GENRES: u8 = 3;
/// The name of the field with the cover's file.
pub(super) const COVER: &str = "cover";

/// What a form needs of listings-svc: the values that its fields may have, and the writes of the day.
#[derive(Debug, Default)]
pub(super) struct Choices {
    pub(super) values: proto::ListFieldValuesResponse,
    /// The pages that a game may stand under: handle and name.
    pub(super) creators: Vec<(String, String)>,
    /// The handles of the account's public pages.
    public_pages: Vec<String>,
    /// The account's writes of the day; `None` while listings-svc is away.
    writes_today: Option<u32>,
}

impl Choices {
    pub(super) async fn load(request: &MemberRequest) -> Result<Self, Fault> {
        let listings = &request.app.listings;
        let pages = listings.pages(request.scope.id);
        let (values, own) = futures::try_join!(listings.field_values(), pages)?;
        let (mut creators, mut public_pages) = (Vec::new(), Vec::new());
        for page in own.pages {
            let state = page.state();
            if state == proto::State::Published {
                public_pages.push(page.handle.clone());
            }
            if matches!(state, proto::State::Pending | proto::State::Published) {
                creators.push((page.handle, page.name));
            }
        }
        Ok(Self {
            values,
            creators,
            public_pages,
            writes_today: Some(own.writes_today),
        })
    }

    /// How many writes of the day are left, on the form of a new listing or of the listing `name`. A new page is not one of them, and
    /// neither is a change of a page that is not public.
    pub(super) fn writes_left(
        &self,
        kind: ListingKind,
        name: Option<&str>,
        per_day: Option<u32>,
    ) -> String {
        let is_write = match (kind, name) {
            (ListingKind::Page, None) => false,
            (ListingKind::Page, Some(name)) => self.public_pages.iter().any(|page| page == name),
            (ListingKind::Game | ListingKind::Event, _) => true,
        };
        let today = self.writes_today.filter(|_| is_write);
        today.map_or_else(String::new, |today| words::writes_left(today, per_day))
    }

    /// The status and the errors of a refused form of this kind.
    pub(super) fn refusal(&self, kind: ListingKind, fault: Fault) -> FormState {
        let names = names(kind, &self.values);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        refused(&beside_fields(fault), &names)
    }
}

/// The names of the fields of a form.
fn names(kind: ListingKind, values: &proto::ListFieldValuesResponse) -> Vec<String> {
    let own = TypedListing::default().body(kind).into_iter();
    let own = own.map(|(name, _)| name).filter(|name| name != "links");
    let links = link_keys(kind, values);
    let links = links.iter().map(|key| format!("links.{key}"));
    let new_links = NEW_LINKS.map(ToOwned::to_owned);
    let others = ["handle", COVER].map(ToOwned::to_owned);
    own.chain(others).chain(links).chain(new_links).collect()
}

fn link_keys(kind: ListingKind, values: &proto::ListFieldValuesResponse) -> &[String] {
    match kind {
        ListingKind::Page => &values.page_links,
        ListingKind::Game => &values.game_links,
        ListingKind::Event => &[],
    }
}

/// The data from which the parts of a form are made.
pub(super) struct FormContext<'a> {
    pub(super) kind: ListingKind,
    pub(super) typed: &'a TypedListing,
    pub(super) choices: &'a Choices,
    pub(super) is_new: bool,
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

    fn page(&self) -> Vec<FormPart> {
        let handle = self.line("handle", "Handle").optional();
        let handle = handle.hint("Lower-case letters, digits and hyphens; it never changes. Without one it is made from the name.");
        let mut parts = vec![self.required("name", "Name", 120)];
        parts.extend(self.is_new.then_some(FormPart::Field(handle)));
        let roles = self.line("roles", "Roles").optional().max(400);
        let roles = roles.hint("For example developer, publisher; separated by commas.");
        parts.extend([
            self.select(
                "kind",
                "Kind",
                named("creator-kind", &self.choices.values.page_kinds),
                "",
            ),
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
        let creators = self.choices.creators.iter();
        let creators =
            creators.map(|(handle, name)| (handle.clone(), format!("{name} ({handle})")));
        let year = self
            .line("release_year", "Year of release")
            .optional()
            .digits();
        let trailer = self.line("trailer_url", "Trailer").optional().url();
        let cover = self.is_new.then(|| self.cover());
        let genres = self.checked("genres", "Genres (up to three)", self.genres());
        let fields = [
            self.select("creator", "Page", creators.collect(), ""),
            self.required("title", "Title", 120),
            self.tagline(),
            self.area("description", "Description"),
            FormPart::Checks(genres.most(MOST_GENRES)),
            self.checks(
                "platforms",
                "Platforms",
                named("platform", &self.choices.values.platforms),
            ),
            self.select(
                "stage",
                "Stage",
                named("stage", &self.choices.values.stages),
                "Choose a stage",
            ),
            FormPart::Field(year.hint("Without one it is this year.")),
            FormPart::Field(trailer.hint("The address of a video.")),
            self.links(),
            self.credits(),
        ];
        cover.into_iter().chain(fields).collect()
    }

    fn cover(&self) -> FormPart {
        let hint = if self.errors.is_empty() {
            "JPEG, PNG or WebP, at most 10 MB. It is cut to 16 by 9 from its middle, and needs at least 600 by 338 pixels."
        } else {
            "Choose the file again: a browser does not keep it. JPEG, PNG or WebP, at most 10 MB, at least 600 by 338 pixels."
        };
        FormPart::File(PictureFile {
            name: COVER,
            label: "Cover",
            hint,
            error: self.errors.error(COVER),
            language: self.errors.language,
        })
    }

    fn event(&self) -> Vec<FormPart> {
        let begins = Field::date("starts_at", "First day").value(self.typed.get("starts_at"));
        let ends = Field::date("ends_at", "Last day").value(self.typed.get("ends_at"));
        let website = self.line("website", "Website").optional().url();
        vec![
            self.required("title", "Title", 120),
            self.select(
                "kind",
                "Kind",
                named("event-kind", &self.choices.values.event_kinds),
                "",
            ),
            FormPart::Field(begins.error_in(self.errors)),
            FormPart::Field(ends.optional().error_in(self.errors)),
            self.country(),
            self.required("city", "City", 120),
            self.checks(
                "online",
                "Place",
                vec![("yes".to_owned(), "Also online".to_owned())],
            ),
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
        let area = area.hint("Plain text. An empty line begins a paragraph; links and lists are shown as you type them.");
        FormPart::Area(area.value(self.typed.get(name)).error_in(self.errors))
    }

    fn credits(&self) -> FormPart {
        let area = Area::new("credits", "Credits").rows(6, 70_000).optional();
        let area = area.hint("One person or studio a line: the name, and after a | each the role and the handle of the page here, such as: Ada | Code | ada.");
        FormPart::Area(area.value(self.typed.get("credits")).error_in(self.errors))
    }

    fn country(&self) -> FormPart {
        let countries = self.choices.values.countries.iter();
        let countries = countries.map(|it| (it.code.clone(), it.name.clone()));
        self.select(
            "country_code",
            "Country",
            countries.collect(),
            "Choose a country",
        )
    }

    fn genres(&self) -> Vec<(String, String)> {
        let genres = self.choices.values.genres.iter();
        genres
            .map(|genre| (genre.key.clone(), genre.name.clone()))
            .collect()
    }

    /// A choice of one value. A typed value that is not in the list stays, and the service reports its error.
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
        values: Vec<(String, String)>,
    ) -> FormPart {
        FormPart::Checks(self.checked(name, legend, values))
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
        Checks::new(name, legend, choices.collect()).error_in(self.errors)
    }

    /// The links that the listing has, fields for new ones of any kind, and folded the fields of the other kinds.
    fn links(&self) -> FormPart {
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
            let field = Field::text(name, link_label(key)).optional().url();
            let field = field.value(value).error_in(self.errors);
            if is_shown {
                fields.push(field);
            } else {
                more.push(field);
            }
        }
        let labels = ["Address", "Another address", "A third address"];
        for (name, label) in NEW_LINKS.into_iter().zip(labels) {
            fields.push(self.line(name, label).optional().url());
        }
        FormPart::Group(Group {
            legend: "Links",
            hint: "Paste addresses of stores and sites. Their hosts tell what they are, and http becomes https.",
            fields,
            more,
            more_label: "Choose the kind of a link yourself",
        })
    }
}

/// Values with their names.
fn named(group: &str, values: &[String]) -> Vec<(String, String)> {
    let values = values.iter();
    values
        .map(|value| (value.clone(), value_name(group, value)))
        .collect()
}
