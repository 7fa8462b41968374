//! What the follower does with the changes that the kit hands it.

use std::sync::Arc;

use catalogue::feeds::listings::Follower;
use catalogue::index::{Catalogue, Snapshot};
use contracts::common::v1::Change;
use kit::Mode;
use kit::api::timestamp;
use kit::feed::{Consumer as _, Cursor, Rebuild};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::build::{
    EPOCH, SITE, game, game_change, keep_busy, one_blocking_thread, page, page_change,
};

/// A follower, and the position of its last change.
struct Following {
    follower: Follower,
    catalogue: Arc<Catalogue>,
    epoch: Uuid,
    seq: i64,
}

impl Following {
    /// A replica that starts when `head` is the newest `seq` of the feed.
    async fn start(head: i64) -> Self {
        let catalogue = Arc::new(Catalogue::default());
        let mut following = Self {
            follower: Follower::new(Arc::clone(&catalogue), SITE),
            catalogue,
            epoch: EPOCH,
            seq: 0,
        };
        following.rebuild(EPOCH, head).await;
        following
    }

    async fn rebuild(&mut self, epoch: Uuid, head: i64) {
        (self.epoch, self.seq) = (epoch, 0);
        let rebuild = Rebuild { epoch, head, head_at: OffsetDateTime::UNIX_EPOCH };
        self.follower.begin_rebuild(rebuild).await.unwrap();
    }

    async fn apply(&mut self, changes: Vec<Change>) {
        let (seqs, at) = (self.seq + 1.., Some(timestamp::encode(OffsetDateTime::UNIX_EPOCH)));
        let changes: Vec<Change> =
            seqs.zip(changes).map(|(seq, change)| Change { seq, at, ..change }).collect();
        self.seq = changes.last().unwrap().seq;
        let applied = self.follower.handle_batch(self.epoch, changes).await;
        applied.unwrap();
        let Cursor { position, .. } = self.follower.cursor().await.unwrap().unwrap();
        assert_eq!((position.epoch, position.seq), (self.epoch, self.seq));
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        self.catalogue.snapshot().unwrap()
    }

    /// The number of public games.
    fn games(&self) -> u64 {
        self.snapshot().dataset(Mode::Live).games.len()
    }
}

#[tokio::test]
async fn a_new_epoch_replaces_the_snapshot_when_it_is_complete() {
    let mut following = Following::start(0).await;
    // An empty feed is complete at once.
    assert_eq!((following.snapshot().position.epoch, following.games()), (EPOCH, 0));
    following.apply(vec![page_change(&page(0)), game_change(&game(1))]).await;
    following.apply(vec![game_change(&game(2))]).await;
    assert_eq!((following.snapshot().position.seq, following.games()), (3, 2));

    // The epoch changes when a backup is restored or a standby promoted.
    let restored = Uuid::from_u128(0xe1);
    following.rebuild(restored, 2).await;
    following.apply(vec![game_change(&game(2))]).await;
    assert_eq!((following.snapshot().position.epoch, following.games()), (EPOCH, 2));
    following.apply(vec![page_change(&page(0))]).await;
    let position = following.snapshot().position;
    assert_eq!((position.epoch, position.seq, following.games()), (restored, 2, 1));
}

#[tokio::test]
async fn a_replica_answers_when_it_has_read_the_feed_to_its_head() {
    let mut following = Following::start(4).await;
    // The feed has the same game twice; the later state wins.
    let renamed = contracts::listings::v1::Game { slug: "renamed".to_owned(), ..game(1) };
    let kind_of_tomorrow =
        Change { entity: "kind-of-tomorrow".to_owned(), ..page_change(&page(7)) };
    let changes = vec![game_change(&game(1)), kind_of_tomorrow, page_change(&page(0))];
    following.apply(changes).await;
    assert!(following.catalogue.snapshot().is_err());
    following.apply(vec![game_change(&renamed)]).await;
    let snapshot = following.snapshot();
    let games = &snapshot.dataset(Mode::Live).games;
    assert!(games.len() == 1 && games.get("renamed").is_some());
}

#[tokio::test]
async fn a_change_that_does_not_convert_is_skipped() {
    let bad = contracts::listings::v1::Game { created_at: None, ..game(2) };
    // A bad change during the first read of the feed, and one after it.
    let mut following = Following::start(2).await;
    following.apply(vec![page_change(&page(0)), game_change(&bad)]).await;
    following.apply(vec![game_change(&game(1)), game_change(&bad)]).await;
    following.apply(vec![game_change(&game(3))]).await;
    assert_eq!(following.games(), 2);
    following.apply(vec![game_change(&game(2))]).await;
    assert_eq!(following.games(), 3);
    // The last good state stays.
    following.apply(vec![game_change(&bad)]).await;
    assert_eq!(following.games(), 3);
}

/// A later release of listings-svc may hide a listing in a state that this one does not know, or with fields that it cannot convert.
#[tokio::test]
async fn a_hidden_listing_is_hidden_whatever_its_state_and_its_fields_are() {
    let hidden = |number| contracts::listings::v1::Game {
        state: 99,
        page_id: String::new(),
        created_at: None,
        ..game(number)
    };
    let mut following = Following::start(2).await;
    following.apply(vec![page_change(&page(0)), game_change(&game(1))]).await;
    following.apply(vec![game_change(&game(2))]).await;
    assert_eq!(following.games(), 2);
    for (number, left) in [(1, 1), (2, 0)] {
        following.apply(vec![game_change(&hidden(number))]).await;
        assert_eq!(following.games(), left);
    }
    // A change of its page does not bring it back; its own next change does.
    let renamed = contracts::listings::v1::Page { name: "Other maker".to_owned(), ..page(0) };
    following.apply(vec![page_change(&renamed)]).await;
    assert_eq!(following.games(), 0);
    following.apply(vec![game_change(&game(1))]).await;
    assert_eq!(following.games(), 1);
}

/// Applying can take long: a change of a page changes thousands of games, and many new words are indexed at once.
#[test]
fn changes_are_applied_on_the_blocking_pool() {
    one_blocking_thread().block_on(async {
        let mut following = Following::start(0).await;
        let busy = keep_busy();
        let mut applied = std::pin::pin!(following.apply(vec![page_change(&page(0))]));
        assert!(futures::poll!(&mut applied).is_pending());
        drop(busy);
        applied.await;
    });
}
