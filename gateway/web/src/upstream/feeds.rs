//! Lists the changes of one entity type on the feed of a service.

use std::time::Duration;

use contracts::common::v1 as proto;
use kit::Fault;
use kit::api::timestamp;
use kit::feed::Change;
use kit::rpc::client::Client;
use time::OffsetDateTime;

use super::call::{Calls, incomplete};

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
    /// Up to this time there is no other one.
    pub until: OffsetDateTime,
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
    /// The next changes of an entity type after a time. Without one there are no changes yet, only the time to begin with.
    pub async fn changes(
        &self,
        entity: &str,
        after: Option<OffsetDateTime>,
    ) -> Result<ListedChanges, Fault> {
        let request = proto::ListChangesRequest {
            entity: entity.to_owned(),
            after: after.map(timestamp::encode),
            limit: 0,
        };
        let listed = self.0.idempotent(request).await?;
        let until = listed.until.and_then(timestamp::decode_exact);
        Ok(ListedChanges { changes: listed.changes, until: until.ok_or_else(incomplete)? })
    }
}
