//! What pages, games and events have in common, and what a change makes of them.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use time::serde::rfc3339;
use uuid::Uuid;

use super::mode::Mode;
use super::state::State;

/// A listing with its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing<C> {
    /// Never public.
    pub id: Uuid,
    /// Its world.
    pub mode: Mode,
    /// Where it stands.
    pub state: State,
    /// Counts its changes.
    pub revision: i64,
    /// The account that sent it in; `None` for what was imported.
    pub submitter: Option<Uuid>,
    /// Since when it waits for its review, while it is pending.
    #[serde(with = "rfc3339::option")]
    pub waiting_since: Option<OffsetDateTime>,
    /// When it was sent in or, for what was imported, when it was listed.
    #[serde(with = "rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it was published for the first time; `None` until it is.
    #[serde(default, with = "rfc3339::option")]
    pub first_published_at: Option<OffsetDateTime>,
    /// When it last changed.
    #[serde(with = "rfc3339")]
    pub updated_at: OffsetDateTime,
    /// What its owner says.
    #[serde(flatten)]
    pub content: C,
}

/// A listing as a row of a file states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft<C> {
    /// The whole content: what a row leaves out is empty.
    pub content: C,
    /// When the row says that it was listed.
    pub created_at: Option<OffsetDateTime>,
    /// When the row says that it last changed.
    pub updated_at: Option<OffsetDateTime>,
}

impl<C> Draft<C> {
    /// The draft with another content.
    #[must_use]
    pub fn with_content(&self, content: C) -> Self {
        Self {
            content,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

impl<C: Clone + PartialEq> Listing<C> {
    /// A new listing by import: public at once.
    pub fn imported(id: Uuid, mode: Mode, draft: Draft<C>, now: OffsetDateTime) -> Self {
        let created_at = draft.created_at.unwrap_or(now);
        Self {
            id,
            mode,
            state: State::Published,
            revision: 1,
            submitter: None,
            waiting_since: None,
            created_at,
            first_published_at: Some(created_at),
            updated_at: draft.updated_at.unwrap_or(created_at),
            content: draft.content,
        }
    }

    /// The listing after an import over it; `None` when the row says nothing new. It stays where it stands: what was taken down is
    /// not brought back by a file.
    pub fn apply_import(&self, draft: &Draft<C>, now: OffsetDateTime) -> Option<Self> {
        let created_at = draft.created_at.unwrap_or(self.created_at);
        let same = draft.content == self.content
            && created_at == self.created_at
            && draft.updated_at.is_none_or(|at| at == self.updated_at);
        (!same).then(|| Self {
            revision: self.revision + 1,
            created_at,
            // What was imported was published when it was listed: where the file corrects the one, it corrects the other.
            first_published_at: self.first_published_at.map(|at| {
                if at == self.created_at {
                    created_at
                } else {
                    at
                }
            }),
            updated_at: draft.updated_at.unwrap_or_else(|| now.max(created_at)),
            ..self.with_content(draft.content.clone())
        })
    }

    /// The listing once staff have moved it; `None` when it stands there already. Its content is as it was, and so is the time of
    /// its last edit. Whatever staff decide, it waits no longer.
    pub fn with_state(&self, state: State, now: OffsetDateTime) -> Option<Self> {
        let published_now = (state == State::Published).then_some(now);
        (state != self.state).then(|| Self {
            state,
            waiting_since: None,
            first_published_at: self.first_published_at.or(published_now),
            revision: self.revision + 1,
            ..self.clone()
        })
    }

    /// The listing once staff have given it to an account; `None` when it is of that account already. What it says is as it was.
    pub fn assign_to(&self, account: Uuid) -> Option<Self> {
        (self.submitter != Some(account)).then(|| Self {
            submitter: Some(account),
            revision: self.revision + 1,
            ..self.clone()
        })
    }

    /// The listing once staff have changed its content; `None` when nothing differs. It stays where it stands.
    pub fn apply_staff_edit(&self, content: C, now: OffsetDateTime) -> Option<Self> {
        (content != self.content).then(|| Self {
            revision: self.revision + 1,
            updated_at: now.max(self.created_at),
            ..self.with_content(content)
        })
    }

    /// A new listing as its account sends it in: it waits for its review.
    pub fn submitted(id: Uuid, account: Uuid, content: C, now: OffsetDateTime) -> Self {
        Self {
            id,
            mode: Mode::Live,
            state: State::Pending,
            revision: 1,
            submitter: Some(account),
            waiting_since: Some(now),
            created_at: now,
            first_published_at: None,
            updated_at: now,
            content,
        }
    }

    /// The listing once its account has changed it; `None` when nothing differs. What was rejected waits for its review again.
    pub fn apply_account_edit(&self, content: C, now: OffsetDateTime) -> Option<Self> {
        if content == self.content {
            return None;
        }
        let state = self.state.after_account_edit();
        let waits = state == State::Pending;
        Some(Self {
            state,
            waiting_since: waits.then(|| self.waiting_since.unwrap_or(now)),
            revision: self.revision + 1,
            updated_at: now.max(self.created_at),
            ..self.with_content(content)
        })
    }

    /// The listing with another content, and all else as it is.
    fn with_content(&self, content: C) -> Self {
        Self {
            id: self.id,
            mode: self.mode,
            state: self.state,
            revision: self.revision,
            submitter: self.submitter,
            waiting_since: self.waiting_since,
            created_at: self.created_at,
            first_published_at: self.first_published_at,
            updated_at: self.updated_at,
            content,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    const NOW: OffsetDateTime = datetime!(2026-05-01 12:00 UTC);
    const LATER: OffsetDateTime = datetime!(2026-06-01 12:00 UTC);

    fn draft(content: &str) -> Draft<String> {
        Draft {
            content: content.to_owned(),
            created_at: None,
            updated_at: None,
        }
    }

    #[test]
    fn the_same_again_is_no_change() {
        let listing = Listing::imported(Uuid::nil(), Mode::Live, draft("a"), NOW);
        assert_eq!(listing.created_at, NOW);
        assert_eq!(listing.apply_import(&draft("a"), LATER), None);
    }

    #[test]
    fn a_change_is_a_revision_of_the_same_listing() {
        let listing = Listing::imported(Uuid::nil(), Mode::Live, draft("a"), NOW);
        let removed = Listing {
            state: State::Removed,
            ..listing
        };
        let amended = removed.apply_import(&draft("b"), LATER).unwrap();
        assert_eq!(amended.revision, 2);
        assert_eq!(amended.created_at, NOW);
        assert_eq!(amended.updated_at, LATER);
        assert_eq!(amended.state, State::Removed);
    }

    #[test]
    fn a_move_is_a_revision_and_no_edit() {
        let listing = Listing::imported(Uuid::nil(), Mode::Live, draft("a"), NOW);
        assert_eq!(listing.with_state(State::Published, LATER), None);
        let removed = listing.with_state(State::Removed, LATER).unwrap();
        assert_eq!((removed.state, removed.revision), (State::Removed, 2));
        let restored = removed.with_state(State::Published, LATER).unwrap();
        assert_eq!(
            restored,
            Listing {
                revision: 3,
                ..listing
            }
        );
    }

    #[test]
    fn what_staff_change_stays_where_it_stands() {
        let sent = Listing::submitted(Uuid::nil(), Uuid::max(), "a".to_owned(), NOW);
        let rejected = sent.with_state(State::Rejected, LATER).unwrap();
        assert_eq!(rejected.apply_staff_edit("a".to_owned(), LATER), None);
        let apply_staff_edit = rejected.apply_staff_edit("b".to_owned(), LATER).unwrap();
        assert_eq!(
            (
                apply_staff_edit.state,
                apply_staff_edit.revision,
                apply_staff_edit.updated_at
            ),
            (State::Rejected, 3, LATER)
        );
    }

    #[test]
    fn what_is_sent_in_waits_until_staff_decide() {
        let account = Uuid::max();
        let sent = Listing::submitted(Uuid::nil(), account, "a".to_owned(), NOW);
        assert_eq!(
            (sent.state, sent.waiting_since),
            (State::Pending, Some(NOW))
        );
        assert_eq!(sent.apply_account_edit("a".to_owned(), LATER), None);
        let edited = sent.apply_account_edit("b".to_owned(), LATER).unwrap();
        assert_eq!(
            (edited.state, edited.waiting_since),
            (State::Pending, Some(NOW))
        );
        let rejected = edited.with_state(State::Rejected, LATER).unwrap();
        assert_eq!(rejected.waiting_since, None);
        assert_eq!(rejected.apply_account_edit("b".to_owned(), LATER), None);
        let again = rejected.apply_account_edit("c".to_owned(), LATER).unwrap();
        assert_eq!(
            (again.state, again.waiting_since),
            (State::Pending, Some(LATER))
        );
        assert_eq!((again.submitter, again.revision), (Some(account), 4));
        let public = again.with_state(State::Published, LATER).unwrap();
        let changed = public.apply_account_edit("d".to_owned(), LATER).unwrap();
        assert_eq!(
            (changed.state, changed.waiting_since),
            (State::Published, None)
        );
    }

    #[test]
    fn the_first_publication_is_when_it_was_approved_and_stays() {
        let much_later = datetime!(2027-01-01 12:00 UTC);
        let sent = Listing::submitted(Uuid::nil(), Uuid::max(), "a".to_owned(), NOW);
        assert_eq!(sent.first_published_at, None);
        let rejected = sent.with_state(State::Rejected, LATER).unwrap();
        assert_eq!(rejected.first_published_at, None);
        let public = sent.with_state(State::Published, LATER).unwrap();
        let removed = public.with_state(State::Removed, much_later).unwrap();
        let restored = removed.with_state(State::Published, much_later).unwrap();
        let amended = restored.apply_import(&draft("b"), much_later).unwrap();
        for listing in [public, removed, restored, amended] {
            assert_eq!(listing.first_published_at, Some(LATER));
        }
        // An import is public at once, and was when its row says that it was listed.
        let imported = Listing::imported(Uuid::nil(), Mode::Live, draft("a"), LATER);
        assert_eq!(imported.first_published_at, Some(LATER));
        let corrected = Draft {
            created_at: Some(NOW),
            ..draft("a")
        };
        let corrected = imported.apply_import(&corrected, much_later).unwrap();
        assert_eq!(corrected.first_published_at, Some(NOW));
    }

    #[test]
    fn times_that_a_row_gives_are_kept() {
        let stated = Draft {
            created_at: Some(NOW),
            ..draft("a")
        };
        let listing = Listing::imported(Uuid::nil(), Mode::Test, stated.clone(), LATER);
        assert_eq!((listing.created_at, listing.updated_at), (NOW, NOW));
        assert_eq!(listing.apply_import(&stated, LATER), None);
    }
}
