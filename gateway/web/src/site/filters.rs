//! Lists with filters: the request, and the filters as choices of a form.

use contracts::common::v1::PageRequest;
use contracts::public::{CountryRow, GenreRow};
use kit::Fault;
use pages::site::list::{self, Filter, FilteredPage, Filters, Pager};
use pages::{ApiCall, Choice, Frame, Head};

use super::{ROWS, cards};
use crate::query::{Query, address};
use crate::upstream::catalogue::{Rows, page};

/// A filter of a list: its parameter, and the keys of its label and of the names of its values.
#[derive(Debug, Clone, Copy)]
pub(super) struct FixedFilter {
    pub(super) name: &'static str,
    pub(super) label: &'static str,
    pub(super) group: &'static str,
    pub(super) values: &'static [&'static str],
}

/// The names behind filters whose values are parts of addresses, as the rows of the list have them.
#[derive(Debug, Default)]
pub(super) struct RowNames {
    pub(super) creator: Option<String>,
    pub(super) city: Option<String>,
}

/// A list with filters.
#[derive(Debug, Clone, Copy)]
pub(super) struct FilteredList {
    pub(super) path: &'static str,
    /// The parameters of its filters.
    pub(super) filters: &'static [&'static str],
    /// The keys of its title and of its description.
    pub(super) title: &'static str,
    pub(super) description: &'static str,
}

/// The request of a list: the filters that are set, and the cursor of the page.
#[derive(Debug)]
pub(super) struct ListRequest<'q> {
    list: FilteredList,
    query: &'q Query,
}

impl<'q> ListRequest<'q> {
    pub(super) fn new(list: FilteredList, query: &'q Query) -> Self {
        Self { list, query }
    }

    pub(super) fn get(&self, name: &str) -> Option<&'q str> {
        self.query.get(name)
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.query.text(name)
    }

    fn cursor(&self) -> Option<&'q str> {
        self.query.get("cursor")
    }

    pub(super) fn page(&self) -> PageRequest {
        page(ROWS, self.cursor())
    }

    fn set(&self) -> Vec<(&'static str, Option<&'q str>)> {
        let names = self.list.filters.iter();
        // Without a filter, the list has upcoming events.
        let value = |name: &str| self.get(name).filter(|it| (name, *it) != ("when", "upcoming"));
        names.map(|name| (*name, value(name))).collect()
    }

    /// Path and query of this page.
    pub(super) fn address(&self) -> String {
        let mut parameters = self.set();
        parameters.push(("cursor", self.cursor()));
        address(self.list.path, &parameters)
    }

    /// The filters that are set, in words.
    fn set_filters(&self, frame: &Frame, choices: &[Filter], names: &RowNames) -> Vec<String> {
        let set = self.set().into_iter();
        let named = set.filter_map(|(name, value)| {
            let value = value?;
            let choice = choices.iter().find(|choice| choice.name == name);
            let chosen = choice.and_then(chosen_label);
            let texts = frame.texts();
            let label = match (chosen, name) {
                (Some(chosen), _) => chosen.to_owned(),
                (None, "creator") => names.creator.clone().unwrap_or_else(|| value.to_owned()),
                (None, "city") => names.city.clone().unwrap_or_else(|| value.to_owned()),
                (None, "country") => cards::country(texts, value),
                (None, "role") => texts.value("role", value, value).to_owned(),
                (None, "from" | "to") => texts.day(value),
                (None, _) => value.to_owned(),
            };
            Some(label)
        });
        named.collect()
    }

    /// Fills the head of the page, and names the API call that returns the same. The title has the list and each filter. Search engines do not
    /// list a page without rows.
    pub(super) fn describe(
        &self,
        frame: &mut Frame,
        choices: &[Filter],
        names: &RowNames,
        total: u64,
    ) {
        let set_filters = self.set_filters(frame, choices, names);
        let names = std::iter::once(frame.say(self.list.title).to_owned()).chain(set_filters);
        let title = names.collect::<Vec<_>>().join(" · ");
        let set = self.set();
        let description = if set.iter().all(|(_, value)| value.is_none()) {
            frame.say(self.list.description).to_owned()
        } else {
            frame.say_of("list-description", &title)
        };
        let is_indexed = total > 0 && is_indexed(&set, self.cursor());
        frame.head = Head::new(title, description).indexed_if(is_indexed);
        frame.api_call = Some(ApiCall::same(format!("GET /v1{}", address(self.list.path, &set))));
    }

    pub(super) fn fixed(&self, frame: &Frame, filter: FixedFilter) -> Filter {
        let values = filter.values.iter().map(|value| {
            let name = frame.texts().value(filter.group, value, value);
            ((*value).to_owned(), name.to_owned())
        });
        let chosen = self.get(filter.name);
        choice(frame, filter.name, filter.label, values.collect(), chosen)
    }

    /// The genres that games have.
    pub(super) fn genres(&self, frame: &Frame, rows: &Rows) -> Result<Filter, Fault> {
        let chosen = self.get("genre");
        let mut rows: Vec<GenreRow> = rows.parse()?;
        rows.retain(|row| row.games > 0 || chosen == Some(row.key.as_str()));
        let named = rows.into_iter().map(|row| {
            let name = frame.texts().value("genre", &row.key, &row.name).to_owned();
            (row.key, name)
        });
        let values = by_name(named.collect());
        Ok(choice(frame, "genre", "filter-genre", values, chosen))
    }

    /// The countries with listings.
    pub(super) fn countries(&self, frame: &Frame, rows: &Rows) -> Result<Filter, Fault> {
        let chosen = self.get("country");
        let rows: Vec<CountryRow> = rows.parse()?;
        let mut codes: Vec<String> = rows.into_iter().map(|row| row.code).collect();
        codes.extend(chosen.map(ToOwned::to_owned));
        codes.sort_unstable();
        codes.dedup();
        let named = codes.into_iter().map(|code| {
            let name = cards::country(frame.texts(), &code);
            (code, name)
        });
        let values = by_name(named.collect());
        Ok(choice(frame, "country", "filter-country", values, chosen))
    }

    /// The page of the list.
    pub(super) fn list_page(
        &self,
        mut frame: Frame,
        choices: Vec<Filter>,
        names: &RowNames,
        rows: &Rows,
        cards: list::Rows,
    ) -> FilteredPage {
        self.describe(&mut frame, &choices, names, rows.page.total);
        let count = match &cards {
            list::Rows::Games(_) => "games-count",
            list::Rows::Creators(_) => "creators-count",
            list::Rows::Events(_) => "events-count",
        };
        FilteredPage {
            filters: form(&frame, self.list.path, choices, &self.set()),
            rows: cards,
            count: frame.count(count, &rows.page.total),
            pager: self.pager(&frame, rows),
            frame,
        }
    }

    pub(super) fn pager(&self, frame: &Frame, rows: &Rows) -> Pager {
        pager(frame, self.list.path, &self.set(), self.cursor(), rows)
    }
}

/// A filter: its parameter, the key of its label, its values with their names, and the one that is chosen.
pub(super) fn choice(
    frame: &Frame,
    name: &'static str,
    label: &str,
    values: Vec<(String, String)>,
    chosen: Option<&str>,
) -> Filter {
    let any = if name == "platform" { "list-any-feminine" } else { "list-any" };
    let any = Choice {
        value: String::new(),
        label: frame.say(any).to_owned(),
        is_chosen: chosen.is_none(),
    };
    let options = values.into_iter().map(|(value, label)| Choice {
        is_chosen: chosen == Some(value.as_str()),
        value,
        label,
    });
    Filter {
        name,
        label: frame.say(label).to_owned(),
        options: std::iter::once(any).chain(options).collect(),
    }
}

/// The name of the chosen value.
fn chosen_label(choice: &Filter) -> Option<&str> {
    let mut options = choice.options.iter();
    let option = options.find(|it| it.is_chosen && !it.value.is_empty())?;
    Some(&option.label)
}

/// Sorts values by their names, ignoring accents: `Égypte` is at E.
pub(super) fn by_name(mut values: Vec<(String, String)>) -> Vec<(String, String)> {
    values.sort_by_cached_key(|(_, name)| pages::site::sort_key(name));
    values
}

/// Whether search engines may list a page of a list: the first page of all, or by genre, country, platform, or genre and country. Other
/// pages have too many combinations, or change with each new listing; the sitemap leads to all listings.
pub(super) fn is_indexed(set: &[(&'static str, Option<&str>)], cursor: Option<&str>) -> bool {
    let used: Vec<&str> =
        set.iter().filter(|(_, value)| value.is_some()).map(|(name, _)| *name).collect();
    let is_landing_page =
        matches!(used.as_slice(), [] | ["genre" | "country" | "platform"] | ["genre", "country"]);
    cursor.is_none() && is_landing_page
}

/// The form and the pager of a list. `set` are the filters that have a value.
pub(super) fn form(
    frame: &Frame,
    path: &str,
    choices: Vec<Filter>,
    set: &[(&'static str, Option<&str>)],
) -> Filters {
    let is_choice = |name: &str| choices.iter().any(|choice| choice.name == name);
    let hidden = set
        .iter()
        .filter(|(name, _)| !is_choice(name))
        .filter_map(|(name, value)| Some((*name, (*value)?.to_owned())));
    Filters {
        action: frame.href(path),
        hidden: hidden.collect(),
        is_filtered: set.iter().any(|(_, value)| value.is_some()),
        choices,
    }
}

/// The first and the next page of a list with these filters.
pub(super) fn pager(
    frame: &Frame,
    path: &str,
    set: &[(&'static str, Option<&str>)],
    cursor: Option<&str>,
    rows: &Rows,
) -> Pager {
    let next = rows.page.next_cursor.as_deref().map(|next| {
        let mut parameters = set.to_vec();
        parameters.push(("cursor", Some(next)));
        frame.href(&address(path, &parameters))
    });
    Pager { first: cursor.map(|_| frame.href(&address(path, set))), next }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lists_with_few_filters_are_indexed() {
        let no = ("stage", None);
        let (genre, country) = (("genre", Some("rpg")), ("country", Some("NG")));
        for (set, cursor, indexed) in [
            (vec![no], None, true),
            (vec![genre, no, country], None, true),
            (vec![("platform", Some("web"))], None, true),
            (vec![("platform", Some("web")), country], None, false),
            (vec![("stage", Some("released"))], None, false),
            (vec![("creator", Some("zzz"))], None, false),
            (vec![genre], Some("abc"), false),
            (vec![genre, country, ("platform", Some("web"))], None, false),
            (vec![no, ("q", Some("stone"))], None, false),
            (vec![("from", Some("2026-01-01"))], None, false),
        ] {
            assert_eq!(is_indexed(&set, cursor), indexed, "{set:?}");
        }
    }
}
