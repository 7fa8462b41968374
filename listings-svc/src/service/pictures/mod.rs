//! Pictures of listings: calls of the public, of accounts and of staff.

pub(super) mod owner;
mod public;
mod purge;
mod staff;
mod upload;

use contracts::listings::v1 as proto;
use kit::Fault;

use crate::domain::pictures::{FileName, PictureKind, StoredPicture};
use crate::feed::PublicUrl;
use crate::write::pictures::PictureOperation;

/// Gives a listing a picture.
fn addition(kind: PictureKind, picture: StoredPicture) -> PictureOperation {
    match kind {
        PictureKind::Cover => PictureOperation::SetCover(picture),
        PictureKind::Avatar => PictureOperation::SetAvatar(picture),
        PictureKind::Screenshot => PictureOperation::AddScreenshot(picture),
    }
}

fn kind(kind: proto::PictureKind) -> Result<PictureKind, Fault> {
    match kind {
        proto::PictureKind::Cover => Ok(PictureKind::Cover),
        proto::PictureKind::Avatar => Ok(PictureKind::Avatar),
        proto::PictureKind::Screenshot => Ok(PictureKind::Screenshot),
        proto::PictureKind::Unspecified => Err(Fault::invalid_field(
            "kind",
            "Give cover, avatar or screenshot.",
        )),
    }
}

/// Takes a picture from a listing. Only a screenshot is named by its address.
fn removal(kind: PictureKind, url: &str, public_url: &PublicUrl) -> PictureOperation {
    match kind {
        PictureKind::Cover => PictureOperation::RemoveCover,
        PictureKind::Avatar => PictureOperation::RemoveAvatar,
        PictureKind::Screenshot => {
            PictureOperation::RemoveScreenshot(stored_address(url, public_url))
        }
    }
}

/// The address as listings store it, of a public URL or a file name.
fn stored_address(url: &str, public_url: &PublicUrl) -> String {
    let uploaded = FileName::read(url, public_url.as_str());
    uploaded.map_or_else(|| url.to_owned(), |name| name.address())
}
