//! Republishes every listing after a change of the public URL.
//!
//! The feed carries the URL of each listing's public page. When the setting `public_url` changes, all listings are published again. The
//! listings themselves do not change, so there is no revision and no announcement.

use kit::Fault;
use strum::VariantArray as _;
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::write::CommandDependencies;
use crate::write::republish::republish;

/// Publishes all listings with their current URLs.
pub async fn run(commands: &CommandDependencies) -> Result<(), Fault> {
    for &entity in Entity::VARIANTS.iter().filter(|e| e.is_listing()) {
        let mut after = Some(Uuid::nil());
        while let Some(id) = after {
            after = republish(commands, entity, id).await?;
        }
    }
    Ok(())
}
