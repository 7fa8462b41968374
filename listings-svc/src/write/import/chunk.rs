//! Parsed lines of a file, on their way to the writer.

use std::collections::BTreeSet;
use std::sync::Arc;

use contracts::listings::v1::ImportedRow;
use uuid::Uuid;

use super::Header;
use crate::domain::country::Country;
use crate::domain::event::Event;
use crate::domain::game::Game;
use crate::domain::gazetteer::City;
use crate::domain::genre::Genre;
use crate::domain::listing::RowContent;
use crate::domain::page::Page;

/// Consecutive lines of a file.
#[derive(Debug)]
pub struct Chunk {
    pub header: Arc<Header>,
    /// Id of the audit entry that the chunks of a file share.
    pub audit_id: Uuid,
    pub rows: Rows,
    /// Lines that are not valid rows, or repeat the name of an earlier row.
    pub refused: Vec<ImportedRow>,
}

/// A valid row.
#[derive(Debug, Clone)]
pub struct ParsedRow<D> {
    pub line: u64,
    /// What the row states.
    pub parsed: D,
    /// The fields that the row names.
    pub named: BTreeSet<String>,
}

#[derive(Debug)]
pub enum Rows {
    Genres(Vec<ParsedRow<Genre>>),
    Countries(Vec<ParsedRow<Country>>),
    Cities(Vec<ParsedRow<City>>),
    Pages(Vec<ParsedRow<RowContent<Page>>>),
    Games(Vec<ParsedRow<RowContent<Game>>>),
    Events(Vec<ParsedRow<RowContent<Event>>>),
}
