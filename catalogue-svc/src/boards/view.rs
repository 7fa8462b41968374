//! A snapshot of the boards, from which reads are answered.

use time::OffsetDateTime;

use super::previous::PreviousRanks;
use super::standings::KindView;
use super::votable::Votable;
use crate::domain::listing::Mode;
use crate::domain::rankings::Hour;
use crate::index::{Creator, Game};

/// All boards in one hour. It is immutable.
#[derive(Debug, Clone)]
pub struct View {
    /// The last hour of every window.
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

    /// The time at which the windows move next.
    pub fn valid_until(&self) -> OffsetDateTime {
        self.hour.next().start()
    }
}

/// A listing whose kind has boards.
pub trait Ranked: Votable {
    /// The boards of its kind.
    fn boards(view: &ModeView) -> &KindView<Self>;
}

impl Ranked for Game {
    fn boards(view: &ModeView) -> &KindView<Self> {
        &view.games
    }
}

impl Ranked for Creator {
    fn boards(view: &ModeView) -> &KindView<Self> {
        &view.creators
    }
}

impl ModeView {
    /// The boards of a kind.
    pub(crate) fn of<L: Ranked>(&self) -> &KindView<L> {
        L::boards(self)
    }

    /// The ranks in the snapshot before the latest.
    pub fn previous(&self) -> &PreviousRanks {
        &self.previous
    }
}
