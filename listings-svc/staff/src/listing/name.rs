//! How a command line names listings.

use clap::{Args, ValueEnum};
use contracts::listings::v1 as proto;

pub(crate) use kit::Mode as ListingMode;

/// The kind of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum ListingKind {
    Page,
    Game,
    Event,
}

/// One listing or more of a kind.
#[derive(Debug, Clone, Args)]
pub(crate) struct Slugs {
    /// Slugs, or the handles of pages
    #[arg(required = true)]
    pub(crate) slugs: Vec<String>,
    /// Real listings or samples
    #[arg(long, default_value = "live")]
    mode: ListingMode,
}

impl ListingKind {
    /// The name of the kind in commands, in messages and on the wire.
    pub(crate) fn as_str(self) -> &'static str {
        self.into()
    }

    pub(crate) fn named(self, mode: ListingMode, slug: String) -> proto::ListingName {
        proto::ListingName { kind: self.as_str().to_owned(), mode: mode.into(), name: slug }
    }
}

impl Slugs {
    pub(crate) fn into_names(self, kind: ListingKind) -> Vec<proto::ListingName> {
        let named = |slug| kind.named(self.mode, slug);
        self.slugs.into_iter().map(named).collect()
    }
}

/// The name of a state in a text.
pub(crate) fn state(state: proto::State) -> String {
    let name = state.as_str_name();
    name.strip_prefix("STATE_").unwrap_or(name).to_lowercase()
}
