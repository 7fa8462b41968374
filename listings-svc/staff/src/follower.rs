//! `staff follower …`: which services follow which feeds, and how far they have come

use std::num::NonZeroI64;

use clap::Subcommand;
use contracts::common::v1 as proto;
use contracts::json;
use prost_types::Timestamp;
use serde::Serialize;
use strum::VariantArray as _;

use crate::dead_letter::client;
use crate::error::{Error, UnreachableService};
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::service::Service;
use crate::table::Column;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the followers of each feed: position, lag, dead letters
    ///
    /// The position is the number of the newest change that the follower has applied. `not yet`: it has never read the feed. `own feed`: the
    /// service reads its own feed, under another name; this row has only the dead letters.
    List,
    /// Remove a follower that has left, so that its feed need not keep all rows for it
    ///
    /// A follower that comes back rebuilds its rows from the whole feed. One that was seen within a minute is not removed.
    Forget {
        /// The service whose feed it is
        feed: Service,
        /// Its name, from `staff follower list`
        follower: String,
    },
    /// Let a service read a feed again from a change on, after its rows were lost or damaged
    ///
    /// It begins within ten seconds. The rows are written again; no message is sent twice.
    Replay {
        /// The service that follows
        service: Service,
        /// The service whose feed it reads
        feed: Service,
        /// The number of the first change that it reads again
        from: NonZeroI64,
    },
}

#[derive(Debug, Serialize)]
struct Row {
    feed: String,
    follower: String,
    /// The newest change that it has applied; `None` when it has never read the feed, or the feed is its own.
    position: Option<i64>,
    lag: Option<i64>,
    dead_letters: Option<i64>,
    #[serde(serialize_with = "json::timestamp")]
    seen_at: Option<Timestamp>,
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    match command {
        Command::List => list(fleet, output).await,
        Command::Forget { feed, follower } => {
            let mut client = client(feed, fleet).await?;
            let request = proto::ForgetFollowerRequest {
                name: follower.clone(),
            };
            client.forget_follower(request).await?;
            let document = serde_json::json!({ "feed": feed.as_str(), "follower": follower });
            output.line(&document, &format!("removed: {follower}"))
        }
        Command::Replay {
            service,
            feed,
            from,
        } => {
            let mut client = client(service, fleet).await?;
            let request = proto::ReplayFeedRequest {
                producer: feed.as_str().to_owned(),
                from_seq: from.get(),
            };
            let to = client.replay_feed(request).await?.into_inner().to_seq;
            let document = serde_json::json!({ "from_seq": from.get(), "to_seq": to });
            output.line(&document, &format!("reads again: {from} to {to}"))
        }
    }
}

async fn list(fleet: &Fleet, output: Output) -> Result<(), Error> {
    let (mut services, mut unreachable) = (Vec::new(), UnreachableService::default());
    for &service in Service::VARIANTS.iter().filter(|it| it.has_feeds()) {
        let read = async {
            let request = proto::ListFollowersRequest {};
            let mut client = client(service, fleet).await?;
            Ok(client.list_followers(request).await?.into_inner())
        };
        // The feeds of the others know how far a service that is away is behind.
        if let Some(response) = unreachable.skip(service, read.await)? {
            services.push((service.as_str(), response));
        }
    }
    let followers = followers(services);
    output.rows("followers", &followers, COLUMNS)?;
    unreachable.result()
}

const COLUMNS: &[Column<Row>] = &[
    ("feed", |it| it.feed.clone()),
    ("follower", |it| it.follower.clone()),
    ("position", position),
    ("lag", |it| number(it.lag)),
    ("dead letters", |it| number(it.dead_letters)),
    ("seen at", |it| output::format_time(it.seen_at)),
];

fn position(row: &Row) -> String {
    match row.position {
        Some(position) => position.to_string(),
        None if row.feed == row.follower => "own feed".to_owned(),
        None => "not yet".to_owned(),
    }
}

fn number(number: Option<i64>) -> String {
    number.map_or_else(String::new, |it| it.to_string())
}

/// One row for each follower: a feed knows its lag, and the follower its dead letters.
fn followers(services: Vec<(&str, proto::ListFollowersResponse)>) -> Vec<Row> {
    let mut rows = Vec::new();
    for (feed, response) in &services {
        rows.extend(response.followers.iter().map(|follower| Row {
            feed: (*feed).to_owned(),
            follower: follower.name.clone(),
            position: Some(follower.seq),
            lag: Some(follower.lag),
            dead_letters: None,
            seen_at: follower.seen_at,
        }));
    }
    for (service, response) in services {
        for followed in response.followed {
            let is_same = |row: &&mut Row| {
                row.feed == followed.producer
                    && row.follower.strip_suffix("-svc").unwrap_or(&row.follower) == service
            };
            if let Some(row) = rows.iter_mut().find(is_same) {
                row.dead_letters = Some(followed.dead_letters);
            } else {
                // It has not registered yet, has expired, or reads its own feed.
                rows.push(Row {
                    feed: followed.producer,
                    follower: service.to_owned(),
                    position: followed.seq,
                    lag: None,
                    dead_letters: Some(followed.dead_letters),
                    seen_at: None,
                });
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lag_of_a_feed_and_the_dead_letters_of_its_follower_are_one_row() {
        let listings = proto::ListFollowersResponse {
            followers: vec![proto::Follower {
                name: "webhook-svc".to_owned(),
                seq: 7,
                lag: 2,
                seen_at: None,
            }],
            followed: Vec::new(),
        };
        let followed = |producer: &str, dead_letters| proto::FollowedFeed {
            producer: producer.to_owned(),
            seq: Some(7),
            dead_letters,
        };
        let webhook = proto::ListFollowersResponse {
            followers: Vec::new(),
            followed: vec![followed("listings", 3), followed("gateway", 0)],
        };
        let rows = followers(vec![("listings", listings), ("webhook", webhook)]);
        let row = |row: &Row| (row.feed.clone(), row.lag, row.dead_letters);
        assert_eq!(
            rows.iter().map(row).collect::<Vec<_>>(),
            [
                ("listings".to_owned(), Some(2), Some(3)),
                ("gateway".to_owned(), None, Some(0)),
            ]
        );
    }

    #[test]
    fn a_row_without_a_position_says_why() {
        let followed = ["catalogue", "listings"].map(|producer| proto::FollowedFeed {
            producer: producer.to_owned(),
            seq: None,
            dead_letters: 0,
        });
        let catalogue = proto::ListFollowersResponse {
            followers: Vec::new(),
            followed: followed.into(),
        };
        let rows = followers(vec![("catalogue", catalogue)]);
        let cells = |row| COLUMNS.iter().map(|(_, text)| text(row)).collect();
        let cells: Vec<Vec<String>> = rows.iter().map(cells).collect();
        assert_eq!(
            cells,
            [
                ["catalogue", "catalogue", "own feed", "", "0", ""],
                ["listings", "catalogue", "not yet", "", "0", ""],
            ]
        );
    }
}
