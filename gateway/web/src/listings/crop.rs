//! The page of a prepared picture: its crop, before the listing has it.

use axum::response::Response;
use contracts::listings::v1 as proto;
use kit::Fault;
use pages::Field;
use pages::listings::pictures::{Crop, CropPage};
use serde::Deserialize;

use super::gallery::{image, note_of};
use super::picture_target::PictureTarget;
use crate::account::member_request::MemberRequest;
use crate::account::page_frame::AccountFrame;
use crate::render::{FormState, html};

/// The form of that page.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct UseForm {
    pub(super) id: String,
    src: String,
    crop: String,
    pub(super) alt: String,
    pub(super) place: String,
}

/// A prepared picture, and the typed crop and texts.
pub(super) struct Prepared {
    id: String,
    /// The name of the file.
    file: String,
    size: (u32, u32),
    crop: Crop,
    alt: String,
    place: String,
}

impl Prepared {
    pub(super) fn of(picture: proto::PreparedPicture) -> Self {
        let large = picture.picture.unwrap_or_default();
        let (_, file) = large.url.rsplit_once('/').unwrap_or_default();
        Self {
            id: picture.id,
            file: file.to_owned(),
            size: (large.width, large.height),
            crop: Crop {
                file: (picture.file_width, picture.file_height),
                x: picture.crop_x,
                y: picture.crop_y,
                width: picture.crop_width,
                height: picture.crop_height,
            },
            alt: String::new(),
            place: String::new(),
        }
    }

    /// Parses the fields of the last page's form, and ignores other fields.
    pub(super) fn typed(form: &UseForm) -> Self {
        let (_, file) = form.src.rsplit_once('/').unwrap_or_default();
        let numbers: Vec<u32> = form
            .crop
            .split(' ')
            .filter_map(|it| it.parse().ok())
            .collect();
        let crop = match numbers[..] {
            [width, height, x, y, w, h] => Crop {
                file: (width, height),
                x,
                y,
                width: w,
                height: h,
            },
            _ => Crop {
                file: (0, 0),
                x: 0,
                y: 0,
                width: 0,
                height: 0,
            },
        };
        Self {
            id: form.id.clone(),
            file: file.to_owned(),
            size: (0, 0),
            crop,
            alt: form.alt.clone(),
            place: form.place.clone(),
        }
    }
}

/// The page that shows a prepared picture before the listing has it, or after its form was refused.
pub(super) async fn crop_page(
    request: &MemberRequest,
    frame: AccountFrame,
    target: PictureTarget<'_>,
    prepared: Prepared,
    refusal: Option<&Fault>,
) -> Response {
    // While changes are closed, the refusal says so.
    let note = match frame.closed() {
        Some(_) => String::new(),
        None => note_of(request, &frame, target.listing, refusal).await,
    };
    let language = request.language();
    let state = refusal.map(|fault| language.refused(fault, &["alt", "place"], &[]));
    let state = state.unwrap_or_default();
    let FormState { status, errors } = state.in_language(language.language);
    let (listing, picture) = (target.listing, target.picture);
    let alt = Field::text("alt", language.say("picture-alt"))
        .optional()
        .max(300)
        .hint(language.say("picture-alt-hint"))
        .value(&prepared.alt);
    let place = Field::text("place", language.say("picture-place"))
        .optional()
        .digits()
        .max(4)
        .hint(language.say("picture-place-hint"))
        .value(&prepared.place);
    let heading = match picture {
        "cover" => "picture-new-cover",
        "avatar" => "picture-new-avatar",
        _ => "picture-new-screenshot",
    };
    let page = CropPage {
        base: request.listing_path(listing.kind, listing.name),
        kind: picture,
        heading: language.say(heading),
        id: prepared.id,
        image: image(
            request,
            &format!("/{}", prepared.file),
            language.say("picture-uploaded"),
            prepared.size.0,
            prepared.size.1,
        ),
        crop: prepared.crop,
        note,
        screenshot: (picture == "screenshot")
            .then(|| (alt.error_in(&errors), place.error_in(&errors))),
        shell: frame.shell,
        errors,
    };
    html(status, &page)
}
