//! Writes rows of genres, countries and cities. They are entries of the gazetteer, which have no revisions.

use std::collections::HashMap;

use contracts::listings::v1::ImportedRow;
use serde::Serialize;
use serde_json::Value;

use super::apply::{WriteResult, audit, new_report};
use super::{Chunk, ParsedRow};
use crate::domain::content::Content;
use crate::domain::record::GazetteerEntry;
use crate::feed::ChangeKind;
use crate::feed::gazetteer::{Publish, change};
use crate::store::{RecordTable, imports, to_json_row};
use crate::write::CommandContext;

pub(super) async fn write<C: Content>(
    context: &mut CommandContext,
    chunk: &Chunk,
    rows: &[ParsedRow<C>],
) -> WriteResult
where
    GazetteerEntry<C>: RecordTable + Publish + Serialize,
{
    let header = &*chunk.header;
    let names: Vec<String> = rows.iter().map(|row| row.parsed.key().to_owned()).collect();
    let existing = GazetteerEntry::<C>::lock(&mut context.connection, header.mode, &names).await?;
    let mut existing: HashMap<String, GazetteerEntry<C>> = existing
        .into_iter()
        .map(|entry| (entry.content.key().to_owned(), entry))
        .collect();
    let mut report = new_report(chunk);
    let (mut saved, mut changes) = (Vec::<Value>::new(), Vec::new());
    for ParsedRow { line, parsed } in rows {
        let before = existing.remove(parsed.key());
        let (after, kind) = match &before {
            None => {
                report.created += 1;
                let content = parsed.clone();
                (
                    Some(GazetteerEntry {
                        revision: 1,
                        content,
                    }),
                    ChangeKind::Created,
                )
            }
            Some(before) if header.replaces() => (before.replaced(parsed), ChangeKind::Updated),
            Some(_) => {
                report.existing.push(ImportedRow {
                    line: *line,
                    name: parsed.key().to_owned(),
                    fields: HashMap::new(),
                });
                (None, ChangeKind::Updated)
            }
        };
        let Some(after) = after else {
            report.unchanged += 1;
            continue;
        };
        report.updated += u64::from(before.is_some());
        changes.push(change(&after, kind));
        saved.push(to_json_row(&after)?);
    }
    if !changes.is_empty() {
        GazetteerEntry::<C>::save(&mut context.connection, &saved.into()).await?;
        imports::raise_version(&mut context.connection, header.entity, header.mode).await?;
        audit(context, chunk, &report).await?;
    }
    Ok((report, changes))
}
