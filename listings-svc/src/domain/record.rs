//! What the service stores of an entity, and how an import row creates or changes it.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use time::OffsetDateTime;
use uuid::Uuid;

use super::FromImportRow;
use super::content::Content;
use super::entity::Entity;
use super::field_reader::Problems;
use super::import_merge::{self, RowFields};
use super::listing::{Listing, RowContent};
use super::mode::Mode;
use super::state::ListingState;

/// What an import may do besides what it always does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// Overwrite fields that were changed since the last import.
    pub overwrite: bool,
    /// Take over listings that accounts submitted.
    pub adopt: bool,
    /// The file is part of the binary: it leaves alone what staff imported of the gazetteer.
    pub is_bundled: bool,
}

/// A valid row of an import.
#[derive(Debug, Clone, Copy)]
pub struct ImportRow<'a, D> {
    pub parsed: &'a D,
    /// The fields that the row names.
    pub named: &'a BTreeSet<String>,
    /// For a listing: the content that the last import stated.
    pub last_stated: Option<&'a Map<String, Value>>,
    pub options: ImportOptions,
}

/// A record after an import of a row.
#[derive(Debug)]
pub struct Imported<T> {
    /// `None` when the row changes nothing.
    pub after: Option<T>,
    /// Fields that keep their values although the row states others, each with an explanation.
    pub not_overwritten: BTreeMap<String, String>,
}

/// An entity as it is stored, which an import row creates or changes.
pub trait Importable: Sized + Send + Sync + 'static {
    /// What an import row states of the entity.
    type Parsed: FromImportRow + Send + Sync + 'static;
    const ENTITY: Entity;

    fn row_key(parsed: &Self::Parsed) -> &str;
    fn key(&self) -> &str;
    fn revision(&self) -> i64;
    /// A new record. Kinds without an id ignore `id`.
    fn from_row(
        row: ImportRow<'_, Self::Parsed>,
        id: Uuid,
        mode: Mode,
        now: OffsetDateTime,
    ) -> Self;
    /// The record after an import of a row, or why the row is refused.
    fn import(
        &self,
        row: ImportRow<'_, Self::Parsed>,
        now: OffsetDateTime,
    ) -> Result<Imported<Self>, Problems>;
    /// Of a listing. Entries of the gazetteer have no id and no revisions.
    fn listing_id(&self) -> Option<Uuid> {
        None
    }
    /// For a listing: its content as the row states it.
    fn stated(_: &Self::Parsed) -> Map<String, Value> {
        Map::new()
    }
    /// For a listing: its state, and the account that submitted it.
    fn submission(&self) -> Option<(ListingState, Option<Uuid>)> {
        None
    }
}

/// An entry of the gazetteer: a genre, a country or a city.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GazetteerEntry<C> {
    pub revision: i64,
    /// Whether staff imported its content.
    pub by_staff: bool,
    #[serde(flatten)]
    pub content: C,
}

impl<C: Content + FromImportRow> Importable for GazetteerEntry<C> {
    type Parsed = C;
    const ENTITY: Entity = C::ENTITY;

    fn row_key(parsed: &C) -> &str {
        parsed.key()
    }

    fn key(&self) -> &str {
        self.content.key()
    }

    fn revision(&self) -> i64 {
        self.revision
    }

    fn from_row(row: ImportRow<'_, C>, _id: Uuid, _mode: Mode, _now: OffsetDateTime) -> Self {
        Self {
            revision: 1,
            by_staff: !row.options.is_bundled,
            content: row.parsed.clone(),
        }
    }

    fn import(&self, row: ImportRow<'_, C>, _: OffsetDateTime) -> Result<Imported<Self>, Problems> {
        let mut imported = Imported {
            after: None,
            not_overwritten: BTreeMap::new(),
        };
        // An entry of the build that staff import as it is becomes theirs.
        if self.content == *row.parsed && (self.by_staff || row.options.is_bundled) {
            return Ok(imported);
        }
        if self.by_staff && row.options.is_bundled {
            let reason = "Staff imported this entry, and it stays as it is.";
            imported
                .not_overwritten
                .insert("row".to_owned(), reason.to_owned());
        } else {
            imported.after = Some(Self {
                revision: self.revision + 1,
                by_staff: !row.options.is_bundled,
                content: row.parsed.clone(),
            });
        }
        Ok(imported)
    }
}

impl<C: Content + Serialize + DeserializeOwned> Importable for Listing<C>
where
    RowContent<C>: FromImportRow,
{
    type Parsed = RowContent<C>;
    const ENTITY: Entity = C::ENTITY;

    fn row_key(parsed: &RowContent<C>) -> &str {
        parsed.content.key()
    }

    fn key(&self) -> &str {
        self.content.key()
    }

    fn revision(&self) -> i64 {
        self.revision
    }

    fn from_row(
        row: ImportRow<'_, RowContent<C>>,
        id: Uuid,
        mode: Mode,
        now: OffsetDateTime,
    ) -> Self {
        Self::imported(id, mode, row.parsed.clone(), now)
    }

    fn import(
        &self,
        row: ImportRow<'_, RowContent<C>>,
        now: OffsetDateTime,
    ) -> Result<Imported<Self>, Problems> {
        let ImportRow {
            parsed, options, ..
        } = row;
        let is_submission = self.submitter.is_some() && row.last_stated.is_none();
        if is_submission {
            if !options.adopt {
                return Err(refused_submission::<C>(self.state));
            }
            let after = Some(self.adopt(parsed, now));
            return Ok(Imported {
                after,
                not_overwritten: BTreeMap::new(),
            });
        }
        let current = content_fields(&self.content);
        let fields = RowFields {
            content: &content_fields(&parsed.content),
            named: row.named,
            last_stated: row.last_stated,
        };
        let merged = import_merge::merge::<C>(fields, &current, options.overwrite);
        // A game that staff moved stays under its page, whose state hides it or not.
        let is_under_page_of_row = merged.content.get("page_id") == fields.content.get("page_id");
        let parsed = RowContent {
            content: serde_json::from_value(merged.content.into()).map_err(|error| {
                Problems::from([(
                    "row".to_owned(),
                    format!("The fields do not fit together: {error}."),
                )])
            })?,
            created_at: parsed.created_at,
            // The time of a change by an owner or staff stays.
            updated_at: (parsed.updated_at)
                .filter(|at| options.overwrite || *at >= self.updated_at),
            hidden_by_page: if is_under_page_of_row {
                parsed.hidden_by_page
            } else {
                self.hidden_by_page
            },
        };
        Ok(Imported {
            after: self.apply_import(&parsed, now),
            not_overwritten: merged.not_overwritten,
        })
    }

    fn listing_id(&self) -> Option<Uuid> {
        Some(self.id)
    }

    fn stated(parsed: &RowContent<C>) -> Map<String, Value> {
        content_fields(&parsed.content)
    }

    fn submission(&self) -> Option<(ListingState, Option<Uuid>)> {
        Some((self.state, self.submitter))
    }
}

/// Content as a JSON object.
pub(super) fn content_fields(content: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(content) {
        Ok(Value::Object(fields)) => fields,
        // Content is a struct whose map has keys of text.
        _ => Map::new(),
    }
}

/// Refuses a row that names a submission of an account.
fn refused_submission<C: Content>(state: ListingState) -> Problems
where
    RowContent<C>: FromImportRow,
{
    let state = state.phrase();
    let reason = format!(
        "An account submitted the listing with this name, which {state}. Use another name, or take the listing over with --adopt."
    );
    Problems::from([(RowContent::<C>::KEY_FIELD.to_owned(), reason)])
}
