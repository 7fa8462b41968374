//! Pictures of listings: calls of the public, of accounts and of staff.

pub(super) mod owner;
mod public;
mod purge;
pub(super) mod staff;
mod upload;

use contracts::listings::v1 as proto;
use kit::Fault;

use crate::domain::array_fields::MAX_ITEMS;
use crate::domain::pictures::{FileName, PictureFile, PictureKind, StoredPicture};
use crate::feed::PublicUrl;
use crate::write::pictures::PictureOperation;

pub(super) fn message(file: &PictureFile, public_url: &PublicUrl) -> proto::Picture {
    proto::Picture {
        url: public_url.picture(&file.name.address()),
        width: file.width,
        height: file.height,
        size: u64::try_from(file.bytes.len()).unwrap_or(u64::MAX),
    }
}

/// Gives a listing a picture. Only a screenshot has an alternative text and a position.
pub(super) fn operation(
    kind: PictureKind,
    picture: StoredPicture,
    alt: &str,
    position: Option<usize>,
) -> PictureOperation {
    match kind {
        PictureKind::Cover => PictureOperation::SetCover(picture),
        PictureKind::Avatar => PictureOperation::SetAvatar(picture),
        PictureKind::Screenshot => PictureOperation::AddScreenshot {
            picture,
            alt: alt.to_owned(),
            position,
        },
    }
}

/// The position of a screenshot. One beyond the others is the end.
pub(super) fn position(place: Option<u32>) -> Option<usize> {
    place.map(|place| usize::try_from(place).unwrap_or(MAX_ITEMS))
}

pub(super) fn kind(kind: proto::PictureKind) -> Result<PictureKind, Fault> {
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
pub(super) fn removal(kind: PictureKind, url: &str, public_url: &PublicUrl) -> PictureOperation {
    match kind {
        PictureKind::Cover => PictureOperation::RemoveCover,
        PictureKind::Avatar => PictureOperation::RemoveAvatar,
        PictureKind::Screenshot => {
            PictureOperation::RemoveScreenshot(stored_address(url, public_url))
        }
    }
}

/// The address as listings store it, of a public URL or a file name.
pub(super) fn stored_address(url: &str, public_url: &PublicUrl) -> String {
    let ours = url.strip_prefix(public_url.as_str());
    let name = FileName::parse(url).or_else(|| FileName::in_address(ours.unwrap_or(url)));
    name.map_or_else(|| url.to_owned(), |name| name.address())
}
