//! Keeps the addresses on the feed up to date.
//!
//! Listings travel with the address of their public page. When the setting `public_url` has changed, all of them are put on the feed
//! anew; they themselves are as they were, so that this is no revision and nobody is told.

use kit::Fault;
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::import::Importer;
use crate::write::{Done, Write};

/// Puts all listings on the feed with their addresses of now.
pub async fn move_all(importer: &Importer) -> Result<(), Fault> {
    for entity in Entity::ALL.into_iter().filter(|e| e.is_listing()) {
        let mut after = Some(Uuid::nil());
        while let Some(id) = after {
            let (done, _) = importer.writer().write(Write::Move(entity, id)).await?;
            after = match done {
                Done::Moved(last) => last,
                Done::Imported | Done::Turned | Done::Sent(_) | Done::Illustrated => None,
            };
        }
    }
    Ok(())
}
