//! Decodes a file into pixels of sRGB. Checks the dimensions before it decompresses anything.

use std::io::Cursor;

use image::codecs::jpeg::JpegDecoder;
use image::codecs::png::PngDecoder;
use image::codecs::webp::WebPDecoder;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageError, ImageFormat, Limits};

use super::{colour_profile, jpeg};

/// In pixels.
const MAX_SIDE: u32 = 10_000;
/// Enough for the pictures of large cameras.
const MAX_PIXELS: u64 = 32_000_000;
/// Maximum size of the decoded pixels, in bytes. A picture with four channels of 16 bits exceeds it before [`MAX_PIXELS`].
const MAX_DECODED_BYTES: u64 = 192 * 1024 * 1024;

/// Decodes a file and applies its orientation. The error is a sentence for the uploader.
pub(super) fn decode(file: &[u8], min_size: (u32, u32)) -> Result<DynamicImage, String> {
    if file.is_empty() {
        return Err("The file is empty.".to_owned());
    }
    let animated = "This is an animation: send a still picture.";
    let read = Cursor::new(file);
    match image::guess_format(file) {
        Ok(ImageFormat::Jpeg) => {
            jpeg::check(file).map_err(|wrong| match wrong {
                jpeg::JpegError::Truncated => damaged(),
                jpeg::JpegError::TooManyScans => {
                    "This JPEG has too many scans: save the picture again in an image editor.".to_owned()
                }
                jpeg::JpegError::Cmyk => {
                    "This JPEG has the colours of print (CMYK): save the picture as RGB in an image editor.".to_owned()
                }
            })?;
            let decoder = JpegDecoder::new(read).map_err(|error| decode_error(&error))?;
            pixels(decoder, min_size)
        }
        Ok(ImageFormat::Png) => {
            let decoder =
                PngDecoder::with_limits(read, limits()).map_err(|error| decode_error(&error))?;
            if decoder.is_apng().map_err(|error| decode_error(&error))? {
                return Err(animated.to_owned());
            }
            pixels(decoder, min_size)
        }
        Ok(ImageFormat::WebP) => {
            let decoder = WebPDecoder::new(read).map_err(|error| decode_error(&error))?;
            if decoder.has_animation() {
                return Err(animated.to_owned());
            }
            pixels(decoder, min_size)
        }
        _ => Err(
            "Send a JPEG, a PNG or a WebP: the content of this file is something else, whatever its name says."
                .to_owned(),
        ),
    }
}

fn pixels(mut decoder: impl ImageDecoder, min_size: (u32, u32)) -> Result<DynamicImage, String> {
    let (width, height) = decoder.dimensions();
    if width > MAX_SIDE || height > MAX_SIDE {
        return Err(side_too_long());
    }
    let count = u64::from(width) * u64::from(height);
    if count > MAX_PIXELS {
        return Err(format!(
            "Make it smaller: {width} by {height} pixels are too many, and the maximum is {MAX_PIXELS}."
        ));
    }
    if count == 0 {
        return Err("The picture has no pixels.".to_owned());
    }
    if decoder.total_bytes() > MAX_DECODED_BYTES {
        return Err(
            "Make it smaller, or save it with 8 bits per channel: its pixels take too much memory."
                .to_owned(),
        );
    }
    let failed = |error| decode_error(&error);
    decoder.set_limits(limits()).map_err(failed)?;
    let orientation = decoder.orientation().map_err(failed)?;
    let (width, height) = rotated((width, height), orientation);
    if width < min_size.0 || height < min_size.1 {
        return Err(format!(
            "Send a larger one: it has {width} by {height} pixels, and the minimum is {} by {}.",
            min_size.0, min_size.1
        ));
    }
    let profile = decoder.icc_profile().map_err(failed)?;
    let mut picture = DynamicImage::from_decoder(decoder).map_err(failed)?;
    if let Some(profile) = profile {
        picture = colour_profile::to_srgb(picture, &profile);
    }
    picture.apply_orientation(orientation);
    Ok(picture)
}

/// The dimensions of a picture after its orientation is applied.
fn rotated((width, height): (u32, u32), orientation: Orientation) -> (u32, u32) {
    use Orientation::{Rotate90, Rotate90FlipH, Rotate270, Rotate270FlipH};
    match orientation {
        Rotate90 | Rotate90FlipH | Rotate270 | Rotate270FlipH => (height, width),
        _ => (width, height),
    }
}

fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(MAX_DECODED_BYTES);
    limits
}

fn decode_error(error: &ImageError) -> String {
    use image::error::LimitErrorKind;
    match error {
        ImageError::Limits(limit) if matches!(limit.kind(), LimitErrorKind::DimensionError) => {
            side_too_long()
        }
        ImageError::Limits(_) => {
            "Make it smaller: reading this file takes too much memory.".to_owned()
        }
        ImageError::Unsupported(_) => {
            "This variant of the format is not supported: save the picture as an ordinary JPEG, PNG or WebP."
                .to_owned()
        }
        _ => damaged(),
    }
}

fn damaged() -> String {
    "The file is damaged or incomplete: upload it again, or save the picture again.".to_owned()
}

fn side_too_long() -> String {
    format!("Make it smaller: a side has {MAX_SIDE} pixels at most.")
}
