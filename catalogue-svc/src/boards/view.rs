//! One moment of the boards: what readers answer from.

use time::OffsetDateTime;

use super::previous::PreviousRanks;
use super::standings::KindView;
use super::votable::Votable;
use crate::domain::listing::Mode;
use crate::domain::rankings::Hour;
use crate::index::{Creator, Game};

/// All boards as they are in an hour, after so many changes. Nothing in it changes.
#[derive(Debug, Clone)]
pub struct View {
    /// The hour that windows end with.
    pub(super) hour: Hour,
    pub(super) live: ModeView,
    pub(super) test: ModeView,
}

/// The boards of a mode.
#[derive(Debug, Clone, Default)]
pub struct ModeView {
    pub(super) games: KindView<Game>,
    pub(super) creators: KindView<Creator>,
    pub(super) previous: PreviousRanks,
}

impl View {
    /// The boards of a mode.
    pub fn dataset(&self, mode: Mode) -> &ModeView {
        match mode {
            Mode::Live => &self.live,
            Mode::Test => &self.test,
        }
    }

    /// When the clock changes them next.
    pub fn valid_until(&self) -> OffsetDateTime {
        self.hour.next().start()
    }
}

impl ModeView {
    /// Those of a kind.
    pub(crate) fn of<L: Votable>(&self) -> &KindView<L> {
        L::boards(self)
    }

    /// Ranks in the snapshot before the latest.
    pub fn previous(&self) -> &PreviousRanks {
        &self.previous
    }
}
