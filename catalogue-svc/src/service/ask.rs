//! From the message of a list call to a question, with all bad fields named at once (§4.1).

use std::collections::BTreeMap;

use contracts::catalogue::v1::ListGamesRequest;
use contracts::common::v1 as common;
use kit::Fault;
use kit::cursor::Binding;

use crate::domain::facet::{Facet, PLATFORMS, STAGES};
use crate::domain::listing::Mode;
use crate::domain::order::{Key, Mark};
use crate::domain::words;
use crate::memory::{Question, State};

const DEFAULT_LIMIT: u32 = 20;
const MAX_LIMIT: u32 = 100;

/// A list call that can be answered.
#[derive(Debug)]
pub(super) struct Ask {
    pub(super) mode: Mode,
    pub(super) form: common::Form,
    pub(super) question: Question,
    /// What cursors of this list belong to.
    pub(super) binding: Binding,
}

impl Ask {
    /// Reads a message. Which genres and countries there are, `state` says.
    pub(super) fn read(request: ListGamesRequest, state: &State) -> Result<Self, Fault> {
        let mut bad = BTreeMap::new();
        let mode = note(&mut bad, "mode", mode(request.mode));
        let form = note(&mut bad, "form", form(request.form));
        let page = request.page.unwrap_or_default();
        let limit = note(&mut bad, "limit", limit(page.limit));

        let country = request.country.map(|code| code.to_ascii_uppercase());
        let q = request
            .q
            .as_deref()
            .map(str::trim)
            .filter(|q| !q.is_empty());
        let mut facets = Vec::new();
        let mut filter = |name, value: Option<&str>, find: &dyn Fn(&str) -> Found| {
            if let Some(found) = value.map(find) {
                facets.extend(note(&mut bad, name, found));
            }
        };
        filter("genre", request.genre.as_deref(), &|key| genre(key, state));
        filter("platform", request.platform.as_deref(), &|key| {
            Facet::platform(key).ok_or_else(|| accepted("a platform", &PLATFORMS))
        });
        filter("country", country.as_deref(), &|code| {
            country_of(code, state)
        });
        filter("stage", request.stage.as_deref(), &|key| {
            Facet::stage(key).ok_or_else(|| accepted("a stage", &STAGES))
        });

        let binding = Binding::new(
            "games",
            [
                mode.map(Mode::as_str),
                request.genre.as_deref(),
                request.platform.as_deref(),
                country.as_deref(),
                request.stage.as_deref(),
                request.creator.as_deref(),
                q,
            ],
        );
        let after = note(&mut bad, "cursor", after(&page.cursor, binding)).flatten();
        let question = Question {
            facets,
            words: q.map(words::of_question),
            creator: request.creator,
            after,
            limit: limit.unwrap_or_default(),
        };
        match (mode, form) {
            (Some(mode), Some(form)) if bad.is_empty() => Ok(Self {
                mode,
                form,
                question,
                binding,
            }),
            _ => Err(Fault::invalid(bad)),
        }
    }
}

type Found = Result<Facet, String>;

/// Keeps the value, or the reason why there is none.
fn note<T>(bad: &mut BTreeMap<String, String>, field: &str, value: Result<T, String>) -> Option<T> {
    value
        .map_err(|reason| bad.insert(field.to_owned(), reason))
        .ok()
}

pub(super) fn mode(mode: i32) -> Result<Mode, String> {
    match common::Mode::try_from(mode) {
        Ok(common::Mode::Live) => Ok(Mode::Live),
        Ok(common::Mode::Test) => Ok(Mode::Test),
        Ok(common::Mode::Unspecified) | Err(_) => Err("MODE_LIVE or MODE_TEST".to_owned()),
    }
}

pub(super) fn form(form: i32) -> Result<common::Form, String> {
    let known = common::Form::try_from(form).ok();
    known.ok_or_else(|| "FORM_UNSPECIFIED or FORM_JSON".to_owned())
}

fn limit(limit: u32) -> Result<usize, String> {
    let limit = if limit == 0 { DEFAULT_LIMIT } else { limit };
    usize::try_from(limit)
        .ok()
        .filter(|_| limit <= MAX_LIMIT)
        .ok_or_else(|| format!("a number from 1 to {MAX_LIMIT}"))
}

fn after(cursor: &str, binding: Binding) -> Result<Option<Key>, String> {
    if cursor.is_empty() {
        return Ok(None);
    }
    match binding.decode::<Mark>(cursor) {
        Some(mark) => Ok(Some(mark.into())),
        None => Err("not a cursor of this list; send `meta.next_cursor` of the page before, with the same filters".to_owned()),
    }
}

/// A genre that no game has is still one: it filters everything away.
fn genre(key: &str, state: &State) -> Found {
    let keys = state.genres.keys();
    if keys.binary_search(&key).is_err() {
        return Err(accepted("a genre", &keys));
    }
    Ok(state.genres.facet(key).unwrap_or(Facet::Genre(u32::MAX)))
}

fn country_of(code: &str, state: &State) -> Found {
    let codes = state.countries();
    let known = codes.binary_search(&code).is_ok();
    Facet::country(code)
        .filter(|_| known)
        .ok_or_else(|| accepted("an African country", &codes))
}

/// The reason why a value of a fixed set is refused. The value is not repeated: it may be anything.
fn accepted(what: &str, values: &[&str]) -> String {
    format!("not {what} of the directory; one of {}", values.join(", "))
}
