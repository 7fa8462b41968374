//! What a change of pictures does to a listing, and the purge of a picture from one.

use kit::rpc::staff::Member;
use kit::{Code, Fault};
use serde_json::Map;

use super::CommandDependencies;
use super::absent::listing_not_found;
use super::record_change::{StaffChange, update_by_staff};
use crate::domain::array_fields::{MAX_ITEMS, Screenshot};
use crate::domain::audit_action::AuditAction;
use crate::domain::listing::Content;
use crate::domain::listing_name::ListingName;
use crate::domain::pictures::{FileName, StoredPicture};
use crate::feed::listing_change;
use crate::store::listings;

/// A purge of a picture from a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureEdit {
    /// A page or a game, also one that was taken down: a restore must not show the picture.
    pub listing: ListingName,
    pub purged: FileName,
    /// For the record.
    pub reason: String,
    pub by: Member,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PictureOperation {
    SetCover(StoredPicture),
    SetAvatar(StoredPicture),
    /// After the others.
    AddScreenshot(StoredPicture),
    RemoveCover,
    RemoveAvatar,
    /// The screenshot with this address, as listings store it.
    RemoveScreenshot(String),
    /// All screenshots in a new order: the address, as listings store it, and the alternative text.
    ArrangeScreenshots(Vec<(String, String)>),
    /// The picture, wherever the listing has it.
    Purge(FileName),
}

/// The content of a listing after a change of its pictures.
///
/// # Errors
/// The game has the maximum number of screenshots, or the arrangement names other screenshots than the game has.
pub(super) fn with_pictures(
    content: &Content,
    operation: &PictureOperation,
) -> Result<Content, Fault> {
    let mut content = content.clone();
    match (&mut content, operation) {
        (Content::Page(page), PictureOperation::SetAvatar(picture)) => {
            page.avatar_url = Some(picture.name.address());
        }
        (Content::Page(page), PictureOperation::RemoveAvatar) => page.avatar_url = None,
        (Content::Page(page), PictureOperation::Purge(name)) => {
            page.avatar_url.take_if(|url| names(url, name));
        }
        (Content::Game(game), PictureOperation::SetCover(picture)) => {
            game.cover_url = Some(picture.name.address());
        }
        (Content::Game(game), PictureOperation::RemoveCover) => game.cover_url = None,
        (Content::Game(game), PictureOperation::AddScreenshot(picture)) => {
            add_screenshot(&mut game.screenshots, picture)?;
        }
        (Content::Game(game), PictureOperation::RemoveScreenshot(url)) => {
            game.screenshots.retain(|screenshot| screenshot.url != *url);
        }
        (Content::Game(game), PictureOperation::ArrangeScreenshots(order)) => {
            game.screenshots = arrange(&game.screenshots, order)?;
        }
        (Content::Game(game), PictureOperation::Purge(name)) => {
            game.cover_url.take_if(|url| names(url, name));
            game.screenshots.retain(|shot| !names(&shot.url, name));
        }
        _ => {}
    }
    Ok(content)
}

/// Whether a stored address names a picture.
fn names(url: &str, picture: &FileName) -> bool {
    url == picture.address()
}

/// Adds a screenshot after the others; one that the game has stays as it is.
fn add_screenshot(screenshots: &mut Vec<Screenshot>, picture: &StoredPicture) -> Result<(), Fault> {
    let url = picture.name.address();
    if screenshots.iter().any(|it| it.url == url) {
        return Ok(());
    }
    if screenshots.len() >= MAX_ITEMS {
        return Err(Fault::invalid_field(
            "name",
            format!(
                "This game has {MAX_ITEMS} screenshots, which is the maximum: remove one first."
            ),
        ));
    }
    screenshots.push(Screenshot {
        url,
        width: picture.width,
        height: picture.height,
        alt: String::new(),
        rest: Map::new(),
    });
    Ok(())
}

/// Reorders the screenshots and sets their texts. `order` must name each of them once.
fn arrange(
    screenshots: &[Screenshot],
    order: &[(String, String)],
) -> Result<Vec<Screenshot>, Fault> {
    let changed = || {
        let text =
            "The game has other screenshots now. Read it again, then name each of them once.";
        Fault::new(Code::PreconditionFailed, text)
    };
    let mut rest = screenshots.to_vec();
    let mut arranged = Vec::with_capacity(rest.len());
    for (url, alt) in order {
        let at = rest.iter().position(|it| it.url == *url);
        let screenshot = rest.remove(at.ok_or_else(changed)?);
        arranged.push(Screenshot { alt: alt.clone(), ..screenshot });
    }
    if rest.is_empty() { Ok(arranged) } else { Err(changed()) }
}

pub async fn apply(commands: &CommandDependencies, edit: &PictureEdit) -> Result<(), Fault> {
    let mut transaction = commands.producer.begin().await?;
    let locked = listings::lock(&mut transaction, &edit.listing).await?;
    let before = locked.ok_or_else(listing_not_found)?;
    let purge = PictureOperation::Purge(edit.purged.clone());
    let content = with_pictures(&before.content, &purge)?;
    let Some(after) = before.apply_staff_edit(content, transaction.now) else {
        return transaction.commit(&[]).await;
    };
    let change = StaffChange {
        by: &edit.by,
        action: AuditAction::PurgePicture,
        reason: &edit.reason,
        now: transaction.now,
    };
    update_by_staff(&mut transaction, &before, &after, change).await?;
    let owners = listings::owners(&mut transaction, after.id).await?;
    let change = listing_change(Some(&before), &after, &owners);
    transaction.commit(&[change]).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screenshot(name: &str, alt: &str) -> Screenshot {
        let rest = Map::from_iter([("blur".to_owned(), name.into())]);
        Screenshot { url: name.to_owned(), width: 640, height: 480, alt: alt.to_owned(), rest }
    }

    fn picture(n: u8) -> StoredPicture {
        StoredPicture { name: FileName::from_digest(&[n; 32]), width: 640, height: 480 }
    }

    #[test]
    fn a_new_screenshot_is_appended_and_a_repeated_one_is_not() {
        let mut screenshots = vec![screenshot("a", "A hill")];
        for n in [2, 1, 2] {
            add_screenshot(&mut screenshots, &picture(n)).unwrap();
        }
        let urls = screenshots.iter().map(|it| it.url.as_str());
        let [one, two] = [1, 2].map(|n| picture(n).name.address());
        assert!(urls.eq(["a", &two, &one]));
    }

    #[test]
    fn an_arrangement_names_every_screenshot_once() {
        let screenshots = [screenshot("a", "A"), screenshot("b", "B")];
        let arranged = |order: &[(&str, &str)]| {
            let order: Vec<(String, String)> =
                (order.iter()).map(|(url, alt)| ((*url).to_owned(), (*alt).to_owned())).collect();
            arrange(&screenshots, &order)
        };
        let new = arranged(&[("b", "B"), ("a", "A hill")]).unwrap();
        assert_eq!(new, [screenshot("b", "B"), screenshot("a", "A hill")]);
        for wrong in [&[("a", "")][..], &[("a", ""), ("a", "")], &[("a", ""), ("b", ""), ("c", "")]]
        {
            assert_eq!(arranged(wrong).unwrap_err().code, Code::PreconditionFailed);
        }
    }

    #[test]
    fn the_number_of_screenshots_is_limited() {
        let mut screenshots = Vec::new();
        for n in 0..=u8::MAX {
            let added = add_screenshot(&mut screenshots, &picture(n));
            assert_eq!(added.is_ok(), usize::from(n) < MAX_ITEMS, "{n}");
        }
        assert!(add_screenshot(&mut screenshots, &picture(7)).is_ok());
    }
}
