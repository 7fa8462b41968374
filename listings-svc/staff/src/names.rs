//! Listings as staff name them on a command line.

use clap::{Args, ValueEnum};
use contracts::common::v1 as common;
use contracts::listings::v1 as proto;

/// One listing.
#[derive(Debug, Clone, Args)]
pub(crate) struct Name {
    /// What it is
    pub(crate) kind: Kind,
    /// Its slug, or the handle of a creator
    pub(crate) slug: String,
    /// A real listing or a sample
    #[arg(long, default_value = "live")]
    pub(crate) mode: Mode,
}

/// One listing or more, all of a kind.
#[derive(Debug, Clone, Args)]
pub(crate) struct Names {
    /// What they are
    kind: Kind,
    /// Their slugs, or the handles of creators
    #[arg(required = true)]
    slugs: Vec<String>,
    /// Real listings or samples
    #[arg(long, default_value = "live")]
    mode: Mode,
}

/// One live listing.
#[derive(Debug, Clone, Args)]
pub(crate) struct LiveName {
    /// What it is
    pub(crate) kind: Kind,
    /// Its slug, or the handle of a creator
    pub(crate) slug: String,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Kind {
    #[value(alias = "page")]
    Creator,
    Game,
    Event,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Mode {
    Live,
    Test,
}

impl Kind {
    /// As the service calls it.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Creator => "page",
            Self::Game => "game",
            Self::Event => "event",
        }
    }

    fn named(self, mode: Mode, name: String) -> proto::ListingName {
        let mode = match mode {
            Mode::Live => common::Mode::Live,
            Mode::Test => common::Mode::Test,
        };
        proto::ListingName {
            kind: self.as_str().to_owned(),
            mode: mode.into(),
            name,
        }
    }
}

impl From<Name> for proto::ListingName {
    fn from(name: Name) -> Self {
        name.kind.named(name.mode, name.slug)
    }
}

impl From<LiveName> for proto::ListingName {
    fn from(name: LiveName) -> Self {
        name.kind.named(Mode::Live, name.slug)
    }
}

impl Names {
    pub(crate) fn into_messages(self) -> Vec<proto::ListingName> {
        let named = |slug| self.kind.named(self.mode, slug);
        self.slugs.into_iter().map(named).collect()
    }
}

/// Whether it is a real listing.
pub(crate) fn is_live(name: &proto::ListingName) -> bool {
    name.mode() == common::Mode::Live
}

/// A state for people and documents.
pub(crate) const fn state(state: proto::State) -> &'static str {
    match state {
        proto::State::Unspecified => "",
        proto::State::Pending => "pending",
        proto::State::Published => "published",
        proto::State::Rejected => "rejected",
        proto::State::Removed => "removed",
    }
}

/// A mode for people and documents.
pub(crate) const fn mode(mode: common::Mode) -> &'static str {
    match mode {
        common::Mode::Test => "test",
        common::Mode::Live | common::Mode::Unspecified => "live",
    }
}
