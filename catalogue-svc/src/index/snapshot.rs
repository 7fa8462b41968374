//! The catalogue at one position of the feed, from which readers answer.

use kit::feed::Position;

use super::cities::City;
use super::creators::Creator;
use super::events::Event;
use super::games::Game;
use super::list::Index;
use kit::Mode;

/// The catalogue at one position of the listings feed. It is immutable: the writer publishes a new one.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The last change of the feed that it includes.
    pub position: Position,
    live: Dataset,
    test: Dataset,
}

/// The public listings of one mode.
#[derive(Debug, Clone)]
pub struct Dataset {
    pub games: Index<Game>,
    pub creators: Index<Creator>,
    pub events: Index<Event>,
    /// Cities that have creators.
    pub cities: Index<City>,
}

impl Snapshot {
    pub(super) fn new(position: Position) -> Self {
        Self { position, live: Dataset::new(), test: Dataset::new() }
    }

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
