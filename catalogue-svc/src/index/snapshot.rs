//! The catalogue at one position of the feed, from which readers answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use contracts::listings::v1 as listings;
use kit::feed::Position;

use super::cities::City;
use super::creators::Creator;
use super::events::Event;
use super::games::Game;
use super::list::Index;
use crate::domain::facet::Facet;
use crate::domain::listing::Mode;

/// The catalogue at one position of the listings feed. It is immutable: the writer publishes a new one.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The last change of the feed that it includes.
    pub position: Position,
    /// Genres.
    pub genres: Genres,
    /// Countries, by the producer's id.
    pub(super) countries: Arc<BTreeMap<String, listings::Country>>,
    live: Dataset,
    test: Dataset,
}

/// The public listings of one mode.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// Games.
    pub games: Index<Game>,
    /// Studios and persons.
    pub creators: Index<Creator>,
    /// Events, past and to come.
    pub events: Index<Event>,
    /// Cities that have creators.
    pub cities: Index<City>,
}

impl Snapshot {
    /// An empty snapshot at `position`.
    pub(super) fn new(position: Position) -> Self {
        Self {
            position,
            genres: Genres::default(),
            countries: Arc::default(),
            live: Dataset::new(),
            test: Dataset::new(),
        }
    }

    /// The public listings of a mode.
    pub fn dataset(&self, mode: Mode) -> &Dataset {
        match mode {
            Mode::Live => &self.live,
            Mode::Test => &self.test,
        }
    }

    pub(super) fn dataset_mut(&mut self, mode: Mode) -> &mut Dataset {
        match mode {
            Mode::Live => &mut self.live,
            Mode::Test => &mut self.test,
        }
    }

    /// The codes of all countries, in upper case and in order.
    pub fn countries(&self) -> Vec<&str> {
        let mut codes: Vec<&str> = self.countries.values().map(|c| &*c.code).collect();
        codes.sort_unstable();
        codes
    }
}

impl Dataset {
    fn new() -> Self {
        Self {
            games: Index::new(),
            creators: Index::new(),
            events: Index::new(),
            cities: Index::new(),
        }
    }

    /// Flushes the indexes after a batch of changes.
    pub(super) fn flush(&mut self) -> Result<(), fst::Error> {
        self.games.flush()?;
        self.creators.flush()?;
        self.events.flush()?;
        self.cities.flush()
    }
}

/// All genres, and a number for each key that a game ever had.
#[derive(Debug, Clone, Default)]
pub struct Genres {
    /// By the producer's id.
    pub(super) listed: Arc<BTreeMap<String, listings::Genre>>,
    numbers: Arc<BTreeMap<String, u32>>,
}

impl Genres {
    /// The keys of all genres, in order.
    pub fn keys(&self) -> Vec<&str> {
        let mut keys: Vec<&str> = self.listed.values().map(|genre| &*genre.key).collect();
        keys.sort_unstable();
        keys
    }

    /// The facet of games with the genre `key`. `None`: no game ever had it.
    pub fn facet(&self, key: &str) -> Option<Facet> {
        self.numbers.get(key).copied().map(Facet::Genre)
    }

    /// The number of the genre `key`, which gets one if it is new.
    pub(super) fn intern(&mut self, key: &str) -> u32 {
        self.numbers.get(key).copied().unwrap_or_else(|| {
            let numbers = Arc::make_mut(&mut self.numbers);
            // As many genres as fit into memory fit into a number.
            let number = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            numbers.insert(key.to_owned(), number);
            number
        })
    }
}
