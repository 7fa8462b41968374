//! Parsed lines of a file, on their way to the writer.

use std::collections::BTreeSet;

use contracts::listings::v1::ImportedRow;
use kit::rpc::staff::Member;
use uuid::Uuid;

use crate::domain::country::Country;
use crate::domain::entity::Entity;
use crate::domain::event::Event;
use crate::domain::game::Game;
use crate::domain::gazetteer::City;
use crate::domain::genre::Genre;
use crate::domain::listing::Draft;
use crate::domain::mode::Mode;
use crate::domain::page::Page;
use crate::domain::record::ImportOptions;

/// Consecutive lines of a file.
#[derive(Debug)]
pub struct Chunk {
    pub mode: Mode,
    pub rows: Rows,
    /// Lines that are not valid rows, or repeat the name of an earlier row.
    pub refused: Vec<ImportedRow>,
    pub file_name: String,
    /// Whether the changes are announced.
    pub announce: bool,
    pub options: ImportOptions,
    /// Whether the rows are only reported, and nothing is written.
    pub dry_run: bool,
    /// For the audit; `None` at startup.
    pub staff_call: Option<StaffCall>,
}

/// A call of staff that imports a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaffCall {
    pub id: Uuid,
    pub by: Member,
}

/// A valid row.
#[derive(Debug, Clone)]
pub struct ParsedRow<D> {
    pub line: u64,
    pub draft: D,
    /// The fields that the row names.
    pub named: BTreeSet<String>,
}

#[derive(Debug)]
pub enum Rows {
    Genres(Vec<ParsedRow<Genre>>),
    Countries(Vec<ParsedRow<Country>>),
    Cities(Vec<ParsedRow<City>>),
    Pages(Vec<ParsedRow<Draft<Page>>>),
    Games(Vec<ParsedRow<Draft<Game>>>),
    Events(Vec<ParsedRow<Draft<Event>>>),
}

impl Rows {
    pub fn entity(&self) -> Entity {
        match self {
            Self::Genres(_) => Entity::Genre,
            Self::Countries(_) => Entity::Country,
            Self::Cities(_) => Entity::City,
            Self::Pages(_) => Entity::Page,
            Self::Games(_) => Entity::Game,
            Self::Events(_) => Entity::Event,
        }
    }
}
