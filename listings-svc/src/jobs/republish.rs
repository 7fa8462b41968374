//! Republishes every listing after a change of the public URL.
//!
//! The feed carries the URL of each listing's public page. When the setting `public_url` changes, all listings are published again. The
//! listings themselves do not change, so there is no revision and no announcement.

use std::time::Duration;

use kit::feed::Writer;
use kit::{Code, Fault};
use strum::VariantArray as _;
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::write::{Command, CommandHandler, Outcome};

/// Delay before a retry when another transaction has locked a listing.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Publishes all listings with their current URLs. Retries a batch while another transaction has locked one of its listings, so that no
/// listing is skipped.
pub async fn run(writer: &Writer<CommandHandler>) -> Result<(), Fault> {
    for &entity in Entity::VARIANTS.iter().filter(|e| e.is_listing()) {
        let mut after = Some(Uuid::nil());
        while let Some(id) = after {
            after = match writer.write(Command::Republish(entity, id)).await {
                Ok((Outcome::Republished(last), _)) => last,
                Ok(_) => None,
                Err(fault) if fault.code == Code::Unavailable => {
                    tracing::warn!(entity = entity.as_str(), after = %id, %fault, "another transaction has locked a listing; republishing is tried again");
                    tokio::time::sleep(RETRY_DELAY).await;
                    Some(id)
                }
                Err(fault) => return Err(fault),
            };
        }
    }
    Ok(())
}
