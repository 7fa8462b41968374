//! From pixels to the files that are stored.
//!
//! They are JPEG: every browser and every preview of a link shows it, and a photograph or a screenshot takes a fraction of what it takes
//! without loss, which the encoders at hand for other formats would be. It has no transparency: what can be seen through stands on white.

use image::codecs::jpeg::JpegEncoder;
use image::imageops::{self, FilterType};
use image::{DynamicImage, ImageResult, RgbImage};
use sha2::{Digest as _, Sha256};

use crate::domain::picture::{Kind, Made, Name, Pair, Size};

/// Of 100.
const QUALITY: u8 = 85;

/// Draws a picture in the sizes of its kind. Nothing but its pixels goes over.
pub(super) fn draw(picture: DynamicImage, kind: Kind) -> ImageResult<Pair> {
    let large = scaled(&on_white(picture), kind.large());
    let small = scaled(&large, kind.small());
    Ok(Pair {
        large: made(&large)?,
        small: made(&small)?,
    })
}

fn on_white(picture: DynamicImage) -> RgbImage {
    if !picture.color().has_alpha() {
        return picture.into_rgb8();
    }
    let picture = picture.into_rgba8();
    RgbImage::from_fn(picture.width(), picture.height(), |x, y| {
        let image::Rgba([red, green, blue, alpha]) = *picture.get_pixel(x, y);
        let over = |colour: u8| {
            let sum = u16::from(colour) * u16::from(alpha) + 255 * (255 - u16::from(alpha));
            // The sum has 255 times 255 at most.
            u8::try_from((sum + 127) / 255).unwrap_or(u8::MAX)
        };
        image::Rgb([red, green, blue].map(over))
    })
}

fn scaled(picture: &RgbImage, size: Size) -> RgbImage {
    let drawn = size.of(picture.dimensions());
    let part = imageops::crop_imm(picture, drawn.x, drawn.y, drawn.width, drawn.height);
    if drawn.to == (drawn.width, drawn.height) {
        return part.to_image();
    }
    imageops::resize(&*part, drawn.to.0, drawn.to.1, FilterType::Lanczos3)
}

fn made(picture: &RgbImage) -> ImageResult<Made> {
    let mut bytes = Vec::new();
    picture.write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, QUALITY))?;
    Ok(Made {
        name: Name::of(&Sha256::digest(&bytes).into()),
        width: picture.width(),
        height: picture.height(),
        bytes: bytes.into(),
    })
}
