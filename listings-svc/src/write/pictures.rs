//! Edits of the pictures of listings by staff, and what a change of pictures does to a listing.

use kit::Fault;
use kit::rpc::staff::Member;
use serde::Serialize;

use super::absent::listing_not_found;
use super::record_change::{StaffChange, update_by_staff};
use super::{CommandDependencies, follow_page, lock_listing};
use crate::domain::array_fields::{MAX_ITEMS, Screenshot};
use crate::domain::audit_action::AuditAction;
use crate::domain::content::Content;
use crate::domain::entity::Entity;
use crate::domain::game::Game;
use crate::domain::listing::Listing;
use crate::domain::listing_name::ListingName;
use crate::domain::page::Page;
use crate::domain::pictures::{FileName, StoredPicture};
use crate::domain::state::ListingState;
use crate::feed::{ChangeKind, Publish, listing_change};
use crate::store::{ListingTable, pictures};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureEdit {
    /// A page or a game.
    pub listing: ListingName,
    pub operation: PictureOperation,
    /// For the record; may be empty.
    pub reason: String,
    pub by: Member,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PictureOperation {
    SetCover(StoredPicture),
    SetAvatar(StoredPicture),
    AddScreenshot {
        picture: StoredPicture,
        /// Alternative text.
        alt: String,
        /// Position among the screenshots; `None` for the end.
        position: Option<usize>,
    },
    RemoveCover,
    RemoveAvatar,
    /// The screenshot with this address, as listings store it.
    RemoveScreenshot(String),
    /// All screenshots in a new order: the address, as listings store it, and the alternative text.
    ArrangeScreenshots(Vec<(String, String)>),
    /// All pictures with these addresses, also from a listing that was taken down: a restore must not show them.
    Purge(Vec<String>),
}

impl PictureOperation {
    /// The files that the listing names after the edit.
    pub(super) fn files(&self) -> Vec<FileName> {
        match self {
            Self::SetCover(picture)
            | Self::SetAvatar(picture)
            | Self::AddScreenshot { picture, .. } => {
                vec![picture.large.clone(), picture.small.clone()]
            }
            Self::RemoveCover
            | Self::RemoveAvatar
            | Self::RemoveScreenshot(_)
            | Self::ArrangeScreenshots(_)
            | Self::Purge(_) => Vec::new(),
        }
    }

    const fn is_purge(&self) -> bool {
        matches!(self, Self::Purge(_))
    }
}

pub(super) trait HasPictures: Clone {
    /// The content after an edit.
    ///
    /// # Errors
    /// The game has the maximum number of screenshots, or other screenshots than those that are arranged.
    fn with_pictures(&self, operation: &PictureOperation) -> Result<Self, Fault>;
}

impl HasPictures for Page {
    fn with_pictures(&self, operation: &PictureOperation) -> Result<Self, Fault> {
        let mut page = self.clone();
        match operation {
            PictureOperation::SetAvatar(picture) => {
                page.avatar_url = Some(picture.large.address());
            }
            PictureOperation::RemoveAvatar => page.avatar_url = None,
            PictureOperation::Purge(addresses) => {
                page.avatar_url = page.avatar_url.filter(|url| !addresses.contains(url));
            }
            _ => {}
        }
        Ok(page)
    }
}

impl HasPictures for Game {
    fn with_pictures(&self, operation: &PictureOperation) -> Result<Self, Fault> {
        let mut game = self.clone();
        match operation {
            PictureOperation::SetCover(picture) => {
                game.cover_url = Some(picture.large.address());
            }
            PictureOperation::RemoveCover => game.cover_url = None,
            PictureOperation::AddScreenshot {
                picture,
                alt,
                position,
            } => {
                let screenshot = Screenshot {
                    url: picture.large.address(),
                    width: picture.width,
                    height: picture.height,
                    alt: alt.clone(),
                };
                insert_screenshot(&mut game.screenshots, screenshot, *position)?;
            }
            PictureOperation::RemoveScreenshot(url) => {
                // The last part of an address stands for it.
                game.screenshots.retain(|screenshot| {
                    screenshot.url != *url
                        && screenshot.url.rsplit('/').next() != Some(url.as_str())
                });
            }
            PictureOperation::ArrangeScreenshots(order) => {
                game.screenshots = arrange(&game.screenshots, order)?;
            }
            PictureOperation::Purge(addresses) => {
                game.cover_url = game.cover_url.filter(|url| !addresses.contains(url));
                game.screenshots
                    .retain(|screenshot| !addresses.contains(&screenshot.url));
            }
            PictureOperation::SetAvatar(_) | PictureOperation::RemoveAvatar => {}
        }
        Ok(game)
    }
}

/// Inserts a screenshot at a position. A screenshot that is there already moves; without a position it stays in place.
fn insert_screenshot(
    screenshots: &mut Vec<Screenshot>,
    screenshot: Screenshot,
    position: Option<usize>,
) -> Result<(), Fault> {
    let before = screenshots.iter().position(|it| it.url == screenshot.url);
    if let Some(at) = before {
        screenshots.remove(at);
    }
    if screenshots.len() >= MAX_ITEMS {
        return Err(Fault::invalid_field(
            "name",
            format!(
                "This game has {MAX_ITEMS} screenshots, which is the maximum: remove one first."
            ),
        ));
    }
    let at = position.or(before).unwrap_or(screenshots.len());
    screenshots.insert(at.min(screenshots.len()), screenshot);
    Ok(())
}

/// The screenshots in an order that names each of them once, with new texts.
fn arrange(
    screenshots: &[Screenshot],
    order: &[(String, String)],
) -> Result<Vec<Screenshot>, Fault> {
    let changed = || {
        let reason = "The screenshots have changed since you read them: read them again.";
        Fault::invalid_field("screenshots", reason)
    };
    let mut rest = screenshots.to_vec();
    let mut arranged = Vec::with_capacity(rest.len());
    for (url, alt) in order {
        let at = rest.iter().position(|it| it.url == *url);
        let screenshot = rest.remove(at.ok_or_else(changed)?);
        arranged.push(Screenshot {
            alt: alt.clone(),
            ..screenshot
        });
    }
    if rest.is_empty() {
        Ok(arranged)
    } else {
        Err(changed())
    }
}

pub async fn apply(commands: &CommandDependencies, edit: &PictureEdit) -> Result<(), Fault> {
    match edit.listing.entity {
        Entity::Page => edit_listing::<Page>(commands, edit).await,
        _ => edit_listing::<Game>(commands, edit).await,
    }
}

async fn edit_listing<C>(commands: &CommandDependencies, edit: &PictureEdit) -> Result<(), Fault>
where
    C: Content + HasPictures,
    Listing<C>: ListingTable + Publish + Serialize,
{
    let mut context = commands.begin().await?;
    let ListingName { mode, key, .. } = &edit.listing;
    let locked = lock_listing::<C>(&mut context.connection, *mode, key).await?;
    // A listing that was taken down cannot get pictures until staff restore it.
    let editable =
        locked.filter(|it| it.state != ListingState::Removed || edit.operation.is_purge());
    let before = editable.ok_or_else(listing_not_found)?;
    let content = before.content.with_pictures(&edit.operation)?;
    let current = follow_page::under_its_page(&mut context, &before).await?;
    let Some(after) = current.apply_staff_edit(content, context.now) else {
        // Staff must not believe that a picture is gone which is still there.
        if let PictureOperation::RemoveScreenshot(_) = edit.operation {
            let reason =
                "This game has no such screenshot: give its address as `game edit` shows it.";
            return Err(Fault::invalid_field("url", reason));
        }
        return context.commit(Vec::new()).await;
    };
    if !pictures::mark_used(&mut context.connection, &edit.operation.files()).await? {
        return Err(files_removed());
    }
    let change = StaffChange {
        by: &edit.by,
        action: if edit.operation.is_purge() {
            AuditAction::PurgePicture
        } else {
            AuditAction::Edit
        },
        reason: &edit.reason,
        now: context.now,
    };
    update_by_staff(&mut context.connection, &before, &after, change).await?;
    let (kind, public_url) = (ChangeKind::Updated, &commands.public_url);
    let change = listing_change(Some(&before), &after, kind, public_url);
    context.commit(vec![change]).await
}

/// The sweep has deleted the files of an upload that took too long.
fn files_removed() -> Fault {
    Fault::unavailable("the picture files, which the sweep has deleted")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screenshot(name: &str, alt: &str) -> Screenshot {
        Screenshot {
            url: name.to_owned(),
            width: 640,
            height: 480,
            alt: alt.to_owned(),
        }
    }

    fn order(screenshots: &[Screenshot]) -> String {
        screenshots.iter().map(|it| it.url.as_str()).collect()
    }

    #[test]
    fn a_screenshot_has_its_position_and_is_there_once() {
        let mut screenshots = Vec::new();
        for (name, position, expected) in [
            ("a", None, "a"),
            ("b", None, "ab"),
            ("c", Some(0), "cab"),
            ("d", Some(99), "cabd"),
            ("a", None, "cabd"),
            ("d", Some(1), "cdab"),
        ] {
            insert_screenshot(&mut screenshots, screenshot(name, ""), position).unwrap();
            assert_eq!(order(&screenshots), expected);
        }
        insert_screenshot(&mut screenshots, screenshot("b", "A hill"), None).unwrap();
        assert_eq!(screenshots[3], screenshot("b", "A hill"));
    }

    #[test]
    fn an_arrangement_names_every_screenshot_once() {
        let screenshots = [screenshot("a", "A"), screenshot("b", "B")];
        let arranged = |order: &[(&str, &str)]| {
            let order: Vec<(String, String)> = (order.iter())
                .map(|(url, alt)| ((*url).to_owned(), (*alt).to_owned()))
                .collect();
            arrange(&screenshots, &order)
        };
        let new = arranged(&[("b", "B"), ("a", "A hill")]).unwrap();
        assert_eq!(new, [screenshot("b", "B"), screenshot("a", "A hill")]);
        for wrong in [
            &[("a", "")][..],
            &[("a", ""), ("a", "")],
            &[("a", ""), ("b", ""), ("c", "")],
        ] {
            assert!(
                arranged(wrong)
                    .unwrap_err()
                    .fields
                    .contains_key("screenshots")
            );
        }
    }

    #[test]
    fn the_number_of_screenshots_is_limited() {
        let mut screenshots: Vec<Screenshot> = (0..MAX_ITEMS)
            .map(|n| screenshot(&n.to_string(), ""))
            .collect();
        assert!(insert_screenshot(&mut screenshots, screenshot("one more", ""), None).is_err());
        assert!(insert_screenshot(&mut screenshots, screenshot("7", "Again"), None).is_ok());
    }
}
