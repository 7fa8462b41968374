//! Keeps the addresses on the feed up to date.
//!
//! Listings travel with the address of their public page. When the setting `public_url` has changed, all of them are put on the feed
//! anew; they themselves are as they were, so that this is no revision and nobody is told.

use std::time::Duration;

use kit::{Code, Fault};
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::write::import::Importer;
use crate::write::{Done, Write};

/// Pause before listings are tried again of which somebody else has one locked.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Puts all listings on the feed with their addresses of now. None is passed over: while somebody else has one of a portion locked,
/// that portion is tried again.
pub async fn republish_all(importer: &Importer) -> Result<(), Fault> {
    for entity in Entity::ALL.into_iter().filter(|e| e.is_listing()) {
        let mut after = Some(Uuid::nil());
        while let Some(id) = after {
            after = match importer.writer().write(Write::Republish(entity, id)).await {
                Ok((Done::Republished(last), _)) => last,
                Ok(_) => None,
                Err(fault) if fault.code == Code::Unavailable => {
                    tracing::warn!(entity = entity.as_str(), after = %id, %fault, "addresses are moved on later");
                    tokio::time::sleep(RETRY_DELAY).await;
                    Some(id)
                }
                Err(fault) => return Err(fault),
            };
        }
    }
    Ok(())
}
