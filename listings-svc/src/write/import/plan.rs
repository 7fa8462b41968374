//! Plans what the rows of a chunk do, from the records that they name.

use std::collections::HashMap;

use contracts::listings::v1::{ImportResponse, ImportedRow};
use kit::ids;
use serde::Serialize;
use serde_json::{Map, Value};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::Header;
use super::chunk::ParsedRow;
use super::report::reported_row;
use crate::domain::difference::{self, Difference};
use crate::domain::field_reader::Problems;
use crate::domain::record::{ImportRow, Importable};
use crate::domain::state::ListingState;
use crate::domain::text::clip;
use crate::feed::{ChangeKind, Publish};
use crate::store::{RecordTable, history, to_json_row};

/// A record that an import reads, decides on, saves and publishes.
pub(super) trait ImportTarget: Importable + RecordTable + Publish + Serialize {}
impl<T: Importable + RecordTable + Publish + Serialize> ImportTarget for T {}

/// A record that a row creates or changes.
pub(super) struct RecordChange<T> {
    pub(super) line: u64,
    pub(super) before: Option<T>,
    pub(super) after: T,
}

impl<T: Importable> RecordChange<T> {
    /// The account that submitted the listing, if the import takes it over.
    pub(super) fn adopted_from(&self) -> Option<Uuid> {
        let (_, before) = self.before.as_ref()?.submission()?;
        let (_, after) = self.after.submission()?;
        before.filter(|_| after.is_none())
    }

    pub(super) fn kind(&self) -> ChangeKind {
        let state = |record: &T| record.submission().map(|(state, _)| state);
        match &self.before {
            // A listing that an import brings in is public at once.
            None if T::ENTITY.is_listing() => ChangeKind::Approved,
            None => ChangeKind::Created,
            Some(before)
                if state(before) != state(&self.after)
                    && state(&self.after) == Some(ListingState::Published) =>
            {
                ChangeKind::Approved
            }
            Some(_) => ChangeKind::Updated,
        }
    }
}

/// What the rows of a chunk do.
pub(super) struct Plan<T> {
    pub(super) changes: Vec<RecordChange<T>>,
    /// The content that rows state of existing listings, where it differs from what the last import stated.
    pub(super) stated: Vec<(u64, Uuid, Map<String, Value>)>,
}

/// Plans what the rows do to the records that exist, by what the last import stated of these.
pub(super) fn plan<T: ImportTarget>(
    header: &Header,
    rows: &[ParsedRow<T::Parsed>],
    existing: Vec<T>,
    last_stated: &HashMap<Uuid, Map<String, Value>>,
    now: OffsetDateTime,
    report: &mut ImportResponse,
) -> Plan<T> {
    let mut existing: HashMap<String, T> = existing
        .into_iter()
        .map(|record| (record.key().to_owned(), record))
        .collect();
    let mut plan = Plan {
        changes: Vec::new(),
        stated: Vec::new(),
    };
    for ParsedRow {
        line,
        parsed,
        named,
    } in rows
    {
        let (line, name) = (*line, T::row_key(parsed));
        let mut row = ImportRow {
            parsed,
            named,
            last_stated: None,
            options: header.options,
        };
        let Some(before) = existing.remove(name) else {
            let after = T::from_row(row, ids::row_id(), header.mode, now);
            let stated = after.listing_id().map(|id| (line, id, T::stated(parsed)));
            plan.stated.extend(stated);
            plan.changes.push(RecordChange {
                line,
                before: None,
                after,
            });
            continue;
        };
        let id = before.listing_id();
        let last_stated = id.and_then(|id| last_stated.get(&id));
        row.last_stated = last_stated;
        let imported = match before.import(row, now) {
            Ok(imported) => imported,
            Err(fields) => {
                report.refused.push(reported_row(line, name, fields));
                continue;
            }
        };
        if !imported.not_overwritten.is_empty() {
            report
                .kept
                .push(reported_row(line, name, imported.not_overwritten));
        }
        let stated = id.map(|id| (line, id, T::stated(parsed)));
        let stated = stated.filter(|(_, _, stated)| last_stated != Some(stated));
        plan.stated.extend(stated);
        match imported.after {
            Some(after) => plan.changes.push(RecordChange {
                line,
                before: Some(before),
                after,
            }),
            None => report.unchanged += 1,
        }
    }
    plan
}

/// The rows of a dry run that change something, each with its changed fields; a new record has none.
pub(super) async fn differences<T: ImportTarget>(
    connection: &mut PgConnection,
    changes: &[RecordChange<T>],
) -> Result<Vec<ImportedRow>, sqlx::Error> {
    let mut rows = Vec::with_capacity(changes.len());
    for change in changes {
        let mut fields = Problems::new();
        if let Some(before) = &change.before {
            let mut content = [
                difference::content(&to_json_row(before)?),
                difference::content(&to_json_row(&change.after)?),
            ];
            history::name_pages(&mut *connection, &mut content).await?;
            let [before, after] = content;
            let differences = difference::between(&before, &after).into_iter();
            fields.extend(differences.map(|it| (it.path.clone(), arrow(&it))));
            // Only a time, or the account of a listing that is taken over.
            if fields.is_empty() {
                fields.insert(
                    "row".to_owned(),
                    "Only its state or times change.".to_owned(),
                );
            }
        }
        rows.push(reported_row(change.line, change.after.key(), fields));
    }
    Ok(rows)
}

fn arrow(difference: &Difference) -> String {
    let text = |value: &Option<Value>| match value {
        Some(value) => clip(&value.to_string()),
        None => "nothing".to_owned(),
    };
    format!("{} → {}", text(&difference.before), text(&difference.after))
}
