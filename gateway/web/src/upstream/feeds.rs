//! Lists the changes of one entity type on the feed of a service.

use std::time::Duration;

use contracts::common::v1 as proto;
use kit::Fault;
use kit::feed::{Change, Position};
use kit::rpc::client::Client;

use super::call::{Calls, incomplete};
use super::clients::FeedChanges;

/// The feeds whose changes web turns into mails.
#[derive(Debug, Clone)]
pub struct Feeds {
    pub gateway: Feed,
    pub listings: Feed,
    pub economy: Feed,
    pub webhooks: Feed,
}

/// The feed of a service.
#[derive(Debug, Clone)]
pub struct Feed(Calls);

/// The next changes of an entity type.
#[derive(Debug, Clone)]
pub struct ListedChanges {
    pub changes: Vec<Change>,
    /// Up to here there is no other one.
    pub position: Position,
}

impl Feeds {
    pub fn new(
        gateway: &Client,
        listings: &Client,
        economy: &Client,
        webhooks: &Client,
        deadline: Duration,
    ) -> Self {
        let feed = |client: &Client| {
            let client = client.clone();
            Feed(Calls { client, deadline })
        };
        Self {
            gateway: feed(gateway),
            listings: feed(listings),
            economy: feed(economy),
            webhooks: feed(webhooks),
        }
    }
}

impl Feed {
    /// The next changes of an entity type after a position. Without one there are no changes yet, only the position to begin with.
    pub async fn changes(
        &self,
        entity: &str,
        after: Option<Position>,
    ) -> Result<ListedChanges, Fault> {
        let request = proto::ListChangesRequest {
            entity: entity.to_owned(),
            after: after.map(Into::into),
            limit: 0,
        };
        let listed = self.0.read(FeedChanges::list_changes, request).await?;
        let position = listed.position.as_ref();
        let position = position.and_then(|position| Position::try_from(position).ok());
        Ok(ListedChanges {
            changes: listed.changes,
            position: position.ok_or_else(incomplete)?,
        })
    }
}
