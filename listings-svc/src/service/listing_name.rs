//! Names of listings in calls of staff, and the reasons that staff give.

use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use kit::Fault;

use crate::domain::entity::Entity;
pub(super) use crate::domain::fields::Problems;
use crate::domain::mode::Mode;
use crate::feed;

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

/// The kind and the name for the audit, not validated.
pub(super) fn audit_subject(name: Option<&proto::ListingName>) -> (&str, &str) {
    name.map(|name| (name.kind.as_str(), name.name.as_str()))
        .unwrap_or_default()
}

/// Reads a name; `None` when it is invalid.
pub(super) fn read(
    name: Option<proto::ListingName>,
    problems: &mut Problems,
) -> Option<ListingName> {
    let name = name.unwrap_or_default();
    let entity = Entity::parse(&name.kind).filter(|entity| entity.is_listing());
    if entity.is_none() {
        problems.insert("kind".to_owned(), "Give page, game or event.".to_owned());
    }
    let mode = read_mode(name.mode(), problems);
    // PostgreSQL does not accept NUL, and no name has one.
    if name.name.contains('\0') {
        problems.insert("name".to_owned(), "Give a slug or a handle.".to_owned());
    }
    Some(ListingName {
        entity: entity?,
        mode: mode?,
        key: name.name,
    })
}

pub(super) fn read_mode(mode: common::Mode, problems: &mut Problems) -> Option<Mode> {
    match mode {
        common::Mode::Live => Some(Mode::Live),
        common::Mode::Test => Some(Mode::Test),
        common::Mode::Unspecified => {
            problems.insert("mode".to_owned(), "Give live or test.".to_owned());
            None
        }
    }
}

/// Reads a reason. With `required`, an empty reason is an error.
pub(super) fn reason(raw: &str, required: bool, problems: &mut Problems) -> String {
    match kit::audit::reason(raw) {
        Ok(reason) => {
            if required && reason.is_empty() {
                let problem = "Give a reason: it is recorded, and the account of a rejected listing or claim sees it.";
                problems.insert("reason".to_owned(), problem.to_owned());
            }
            reason
        }
        Err(fault) => {
            problems.extend(fault.fields);
            String::new()
        }
    }
}

/// Returns `read`, unless there are problems.
pub(super) fn finish<T>(read: Option<T>, problems: Problems) -> Result<T, Fault> {
    match read {
        Some(read) if problems.is_empty() => Ok(read),
        _ => Err(Fault::invalid(problems)),
    }
}
