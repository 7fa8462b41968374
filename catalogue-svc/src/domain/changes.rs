//! The order in which listings changed (§10.15), and the position of a mirror in it.
//!
//! A listing comes once, at the position of its last change on the feed of listings-svc. All replicas have the same feed, and therefore the
//! same order, also after a restart.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The kind of a listing. If one change is of a creator and its games, the creator comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ListingKind {
    /// Studios and persons.
    Creators,
    /// Games.
    Games,
    /// Events.
    Events,
}

impl ListingKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Games, Self::Creators, Self::Events];

    /// Its name in the API and in cursors.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Creators => "creators",
            Self::Games => "games",
            Self::Events => "events",
        }
    }
}

/// The last change of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastChange {
    /// The position of the change on the feed.
    pub seq: i64,
    /// Whether the listing is or was ever public. A listing that never was is not in the list of changes.
    pub was_visible: bool,
    /// Whether the listing was edited since it was first published.
    pub is_edited: bool,
}

impl LastChange {
    /// The last change of a game whose page has the last change `page`: a game shows its page's name and place, and is public only while the
    /// page is.
    #[must_use]
    pub fn under(self, page: Self) -> Self {
        let later = if page.seq > self.seq { page } else { self };
        Self {
            seq: later.seq,
            is_edited: self.is_edited || later.is_edited,
            // The game may have been public under another page.
            was_visible: self.was_visible,
        }
    }
}

/// The position of a mirror, which has read all changes before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MirrorCursor {
    /// The epoch of the feed that the numbers belong to.
    pub epoch: Uuid,
    /// The newest change when the mirror began. Up to this change it needs no removals, since it never had these listings.
    pub began_at: i64,
    /// The mirror has read all changes before this one.
    pub seq: i64,
    /// The mirror has read the listings of this change up to this one; `None`: all of them. A change of a page is also one of its games.
    pub listing: Option<(ListingKind, String)>,
}

impl MirrorCursor {
    /// The cursor of a mirror that begins when the newest change is `newest`.
    pub fn beginning(epoch: Uuid, newest: i64) -> Self {
        Self {
            epoch,
            began_at: newest,
            seq: BEFORE_ALL,
            listing: None,
        }
    }

    /// The cursor of a mirror that has read everything up to the change `newest`.
    pub fn end(epoch: Uuid, newest: i64) -> Self {
        Self {
            seq: newest,
            ..Self::beginning(epoch, newest)
        }
    }

    /// The newest change that a replica must have to continue from this cursor.
    pub fn newest_seen(&self) -> i64 {
        self.seq.max(self.began_at)
    }
}

/// Before the first change.
pub const BEFORE_ALL: i64 = -1;

#[cfg(test)]
mod tests {
    use super::*;

    fn change(seq: i64, was_visible: bool, is_edited: bool) -> LastChange {
        LastChange {
            seq,
            was_visible,
            is_edited,
        }
    }

    #[test]
    fn a_game_changes_with_its_page() {
        let game = change(5, true, false);
        assert_eq!(game.under(change(3, true, true)), game);
        let renamed = change(7, true, true);
        assert_eq!(game.under(renamed), renamed);
        // It is published by the approval of its page.
        assert_eq!(game.under(change(7, true, false)).seq, 7);
        assert!(!game.under(change(7, true, false)).is_edited);
        // An edited game stays one when its page changes owners, which is no edit.
        assert!(
            change(5, true, true)
                .under(change(7, true, false))
                .is_edited
        );
    }

    #[test]
    fn a_game_that_was_seen_may_move_under_a_page_that_never_was() {
        let seen = change(1, true, false);
        let unseen = change(2, false, false);
        assert!(seen.under(unseen).was_visible);
        assert!(!unseen.under(seen).was_visible);
    }

    #[test]
    fn a_mirror_that_begins_needs_a_replica_that_has_seen_as_much() {
        let epoch = Uuid::nil();
        assert_eq!(MirrorCursor::beginning(epoch, 9).newest_seen(), 9);
        let later = MirrorCursor {
            seq: 12,
            ..MirrorCursor::end(epoch, 9)
        };
        assert_eq!(later.newest_seen(), 12);
    }
}
