//! Lines of a file, read, on their way to the writer.

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
use crate::store::imports::Refusal;
use crate::store::revisions::Actor;

/// Consecutive lines of a file.
#[derive(Debug)]
pub struct Chunk {
    /// The import they belong to.
    pub import: Uuid,
    /// Which world they belong to.
    pub mode: Mode,
    /// The number of the first.
    pub first_line: u64,
    /// The number of the line after the last.
    pub next_line: u64,
    /// Those that could be read.
    pub rows: Rows,
    /// Those that could not.
    pub refused: Vec<Refusal>,
    /// Who stands for the changes.
    pub actor: Actor,
    /// Whether the world is told.
    pub announce: bool,
    /// The call of staff that sent them.
    pub staff_call: Option<StaffCall>,
}

/// A call of staff that loads a file, for the audit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaffCall {
    /// Which one.
    pub id: Uuid,
    /// Who made it.
    pub by: Member,
}

/// A row that could be read.
#[derive(Debug, Clone)]
pub struct ParsedRow<D> {
    /// Its line.
    pub line: u64,
    /// What it states.
    pub draft: D,
}

/// Rows of one kind.
#[derive(Debug)]
pub enum Rows {
    /// Genres.
    Genres(Vec<ParsedRow<Genre>>),
    /// Countries.
    Countries(Vec<ParsedRow<Country>>),
    /// Cities.
    Cities(Vec<ParsedRow<City>>),
    /// Creators.
    Pages(Vec<ParsedRow<Draft<Page>>>),
    /// Games.
    Games(Vec<ParsedRow<Draft<Game>>>),
    /// Events.
    Events(Vec<ParsedRow<Draft<Event>>>),
}

impl Rows {
    /// Their kind.
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
