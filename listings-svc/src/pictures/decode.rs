//! From a file to its pixels. Nothing of a picture is unpacked before it is known how large it is.

use std::io::Cursor;

use image::codecs::jpeg::JpegDecoder;
use image::codecs::png::PngDecoder;
use image::codecs::webp::WebPDecoder;
use image::{DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageResult, Limits};

use super::jpeg;

/// The longest side, in pixels.
const SIDE: u32 = 10_000;
/// The most pixels: that of large cameras.
const PIXELS: u64 = 32_000_000;
/// The most memory that the pixels of a picture may take, in bytes. Pixels of four colours with 16 bits take more than it before they are
/// that many.
const MEMORY: u64 = 192 * 1024 * 1024;

/// Decodes a file, turned as it says that it is to be seen. What is wrong with it is said in a sentence.
pub(super) fn decode(file: &[u8], least: (u32, u32)) -> Result<DynamicImage, String> {
    if file.is_empty() {
        return Err("The file is empty.".to_owned());
    }
    let animated = "This is an animation: send a picture that stands still.";
    let read = Cursor::new(file);
    match image::guess_format(file) {
        Ok(ImageFormat::Jpeg) => {
            jpeg::check(file).map_err(|wrong| match wrong {
                jpeg::Wrong::CutOff => damaged(),
                jpeg::Wrong::Scans => {
                    "This JPEG draws itself too many times: save it anew.".to_owned()
                }
            })?;
            let decoder = JpegDecoder::new(read).map_err(|error| refused(&error))?;
            pixels(decoder, least)
        }
        Ok(ImageFormat::Png) => {
            let decoder =
                PngDecoder::with_limits(read, limits()).map_err(|error| refused(&error))?;
            if decoder.is_apng().map_err(|error| refused(&error))? {
                return Err(animated.to_owned());
            }
            pixels(decoder, least)
        }
        Ok(ImageFormat::WebP) => {
            let decoder = WebPDecoder::new(read).map_err(|error| refused(&error))?;
            if decoder.has_animation() {
                return Err(animated.to_owned());
            }
            pixels(decoder, least)
        }
        _ => Err(
            "Send a JPEG, a PNG or a WebP: by its content this file is something else, whatever its name says."
                .to_owned(),
        ),
    }
}

fn pixels(mut decoder: impl ImageDecoder, least: (u32, u32)) -> Result<DynamicImage, String> {
    let (width, height) = decoder.dimensions();
    if width > SIDE || height > SIDE {
        return Err(too_long());
    }
    let count = u64::from(width) * u64::from(height);
    if count > PIXELS {
        return Err(format!(
            "Make it smaller: {width} by {height} pixels are too many, {PIXELS} are the most."
        ));
    }
    if count == 0 {
        return Err("The picture has no pixels.".to_owned());
    }
    if decoder.total_bytes() > MEMORY {
        return Err(
            "Make it smaller, or save it with 8 bits a colour: its pixels take too much memory."
                .to_owned(),
        );
    }
    let turned = |error| refused(&error);
    decoder.set_limits(limits()).map_err(turned)?;
    let orientation = decoder.orientation().map_err(turned)?;
    let mut picture = read(decoder).map_err(turned)?;
    picture.apply_orientation(orientation);
    let (width, height) = (picture.width(), picture.height());
    if width < least.0 || height < least.1 {
        return Err(format!(
            "Send a larger one: this has {width} by {height} pixels, {} by {} are the least.",
            least.0, least.1
        ));
    }
    Ok(picture)
}

fn read(decoder: impl ImageDecoder) -> ImageResult<DynamicImage> {
    DynamicImage::from_decoder(decoder)
}

fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.max_image_width = Some(SIDE);
    limits.max_image_height = Some(SIDE);
    limits.max_alloc = Some(MEMORY);
    limits
}

fn refused(error: &ImageError) -> String {
    use image::error::LimitErrorKind;
    match error {
        ImageError::Limits(limit) if matches!(limit.kind(), LimitErrorKind::DimensionError) => {
            too_long()
        }
        ImageError::Limits(_) => {
            "Make it smaller: reading this file takes too much memory.".to_owned()
        }
        ImageError::Unsupported(_) => {
            "The file is of a variety that is not read here: save it as an ordinary JPEG, PNG or WebP."
                .to_owned()
        }
        _ => damaged(),
    }
}

fn damaged() -> String {
    "The file is damaged or cut off: it cannot be read to its end.".to_owned()
}

fn too_long() -> String {
    format!("Make it smaller: a side has {SIDE} pixels at most.")
}
