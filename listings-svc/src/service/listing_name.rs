//! Listings as staff name them, and the reasons that they give.

use std::collections::BTreeMap;

use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use kit::Fault;

use crate::domain::entity::Entity;
use crate::domain::mode::Mode;
use crate::domain::text;
use crate::feed;

/// Field to reason.
pub(super) type Problems = BTreeMap<String, String>;

/// A listing as staff name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListingName {
    pub(super) entity: Entity,
    pub(super) mode: Mode,
    /// A slug, or a handle.
    pub(super) key: String,
}

impl From<&ListingName> for proto::ListingName {
    fn from(name: &ListingName) -> Self {
        Self {
            kind: name.entity.as_str().to_owned(),
            mode: feed::mode(name.mode),
            name: name.key.clone(),
        }
    }
}

/// The kind and name of what a call is about, as it came.
pub(super) fn audit_subject(name: Option<&proto::ListingName>) -> (&str, &str) {
    name.map(|name| (name.kind.as_str(), name.name.as_str()))
        .unwrap_or_default()
}

/// Reads a name; `None` when there is a problem with it.
pub(super) fn read(
    name: Option<proto::ListingName>,
    problems: &mut Problems,
) -> Option<ListingName> {
    let name = name.unwrap_or_default();
    let entity = Entity::parse(&name.kind).filter(|entity| entity.is_listing());
    if entity.is_none() {
        problems.insert("kind".to_owned(), "page, game or event".to_owned());
    }
    let mode = read_mode(name.mode(), problems);
    // PostgreSQL takes no NUL, and no name has one.
    if name.name.contains('\0') {
        problems.insert("name".to_owned(), "a slug or a handle".to_owned());
    }
    Some(ListingName {
        entity: entity?,
        mode: mode?,
        key: name.name,
    })
}

/// Reads which world a listing belongs to.
pub(super) fn read_mode(mode: common::Mode, problems: &mut Problems) -> Option<Mode> {
    match mode {
        common::Mode::Live => Some(Mode::Live),
        common::Mode::Test => Some(Mode::Test),
        common::Mode::Unspecified => {
            problems.insert("mode".to_owned(), "live or test".to_owned());
            None
        }
    }
}

/// Reads a reason of one line or more, up to `longest` characters. With `required`, it is not empty.
pub(super) fn reason(raw: &str, longest: usize, required: bool, problems: &mut Problems) -> String {
    let read = text::paragraphs(raw, longest).and_then(|reason| {
        if required && reason.is_empty() {
            Err("Say why, for the record.".to_owned())
        } else {
            Ok(reason)
        }
    });
    read.unwrap_or_else(|problem| {
        problems.insert("reason".to_owned(), problem);
        String::new()
    })
}

/// The name, unless there are problems.
pub(super) fn finish<T>(read: Option<T>, problems: Problems) -> Result<T, Fault> {
    match read {
        Some(read) if problems.is_empty() => Ok(read),
        _ => Err(Fault::invalid(problems)),
    }
}
