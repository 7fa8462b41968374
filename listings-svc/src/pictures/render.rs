//! Renders pixels to the files that are stored.
//!
//! The format is JPEG: every browser and every link preview shows it, and the available encoders for other formats are lossless, which
//! takes several times the space. JPEG has no transparency, so transparent pixels are blended with white.
//!
//! Pixels stay in a [`DynamicImage`]: its methods are compiled with the crate `image`, optimized even in a debug build. Generic functions
//! would be compiled with this crate.

use std::borrow::Cow;

use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::{DynamicImage, ImageResult, RgbImage};
use sha2::{Digest as _, Sha256};

use crate::domain::pictures::{EncodedPicture, FileName, PictureKind, PictureSizes, TargetSize};

/// Of 100.
const JPEG_QUALITY: u8 = 85;

/// Renders a picture in both sizes of its kind. Drops all metadata.
pub(super) fn render(picture: DynamicImage, kind: PictureKind) -> ImageResult<PictureSizes> {
    let large = scaled(&flatten_on_white(picture), kind.large());
    let small = encode(&scaled(&large, kind.small()))?;
    let large = encode(&large)?;
    // Of both: a cover and a screenshot may have the same large file, and differ in the small one.
    let hash = Sha256::new_with_prefix(&large.bytes).chain_update(&small.bytes);
    Ok(PictureSizes { name: FileName::from_digest(&hash.finalize().into()), large, small })
}

fn flatten_on_white(picture: DynamicImage) -> DynamicImage {
    if !picture.color().has_alpha() {
        return DynamicImage::ImageRgb8(picture.into_rgb8());
    }
    let picture = picture.into_rgba8();
    let flat = RgbImage::from_fn(picture.width(), picture.height(), |x, y| {
        let image::Rgba([red, green, blue, alpha]) = *picture.get_pixel(x, y);
        let over = |colour: u8| {
            let sum = u16::from(colour) * u16::from(alpha) + 255 * (255 - u16::from(alpha));
            // The sum is at most 255 * 255.
            u8::try_from((sum + 127) / 255).unwrap_or(u8::MAX)
        };
        image::Rgb([red, green, blue].map(over))
    });
    DynamicImage::ImageRgb8(flat)
}

fn scaled(picture: &DynamicImage, size: TargetSize) -> DynamicImage {
    let crop = size.crop((picture.width(), picture.height()));
    let whole = (crop.width, crop.height) == (picture.width(), picture.height());
    // A large picture is copied only to cut something off.
    let area = if whole {
        Cow::Borrowed(picture)
    } else {
        Cow::Owned(picture.crop_imm(crop.x, crop.y, crop.width, crop.height))
    };
    if crop.to == (crop.width, crop.height) {
        return area.into_owned();
    }
    area.resize_exact(crop.to.0, crop.to.1, FilterType::Lanczos3)
}

fn encode(picture: &DynamicImage) -> ImageResult<EncodedPicture> {
    let mut bytes = Vec::new();
    picture.write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY))?;
    Ok(EncodedPicture { width: picture.width(), height: picture.height(), bytes: bytes.into() })
}
