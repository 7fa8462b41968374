//! The order in which listings changed (§10.15), and where a reader of it stands.
//!
//! A listing has one place: that of the change, on the feed of listings-svc, after which it is as it is now. Every replica has the same
//! feed, so every replica has the same order, before and after a restart.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// What a listing is. A creator comes before its games, where both have changed at once.
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

    /// As it is written.
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
    /// Where it is on the feed.
    pub seq: i64,
    /// Whether the public sees the listing, or saw it at some time. A listing that nobody ever saw is not named.
    pub was_visible: bool,
    /// Whether the listing was edited since it was first published.
    pub is_edited: bool,
}

impl LastChange {
    /// Of a game, under a page whose last change is `page`: a game shows its page's name and place, and is public only while it is.
    #[must_use]
    pub fn under(self, page: Self) -> Self {
        let later = if page.seq > self.seq { page } else { self };
        Self {
            seq: later.seq,
            is_edited: later.is_edited,
            // Its page may be another than it had when the public saw it.
            was_visible: self.was_visible,
        }
    }
}

/// Where a mirror stands. It has all changes before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MirrorCursor {
    /// The epoch of the feed that the numbers belong to.
    pub epoch: Uuid,
    /// The newest change when the mirror began: until it has come there, it needs no removals of what it never had.
    pub began_at: i64,
    /// It has all changes before this one.
    pub seq: i64,
    /// And of this one the listings up to here; `None`: all of them. With a page change its games, too.
    pub listing: Option<(ListingKind, String)>,
}

impl MirrorCursor {
    /// Of a mirror that has nothing, when the newest change is `newest`.
    pub fn beginning(epoch: Uuid, newest: i64) -> Self {
        Self {
            epoch,
            began_at: newest,
            seq: BEFORE_ALL,
            listing: None,
        }
    }

    /// Of a mirror that has everything up to the change `newest`.
    pub fn end(epoch: Uuid, newest: i64) -> Self {
        Self {
            seq: newest,
            ..Self::beginning(epoch, newest)
        }
    }

    /// The newest change that a replica must have to go on from here.
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
