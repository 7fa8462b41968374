//! Converts pixels to sRGB. The stored files have no colour profile, and browsers take such files for sRGB.

use image::{DynamicImage, RgbImage, RgbaImage};
use moxcms::{ColorProfile, DataColorSpace, Layout, TransformOptions};
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Converts the picture of a file from the colours of its profile. A profile that is broken, or of other pixels, counts as none.
pub(super) fn to_srgb(picture: DynamicImage, profile: &[u8], file: &[u8]) -> DynamicImage {
    let Ok(profile) = ColorProfile::new_from_slice(profile) else {
        return picture;
    };
    let colours = picture.color();
    match (
        profile.color_space,
        colours.has_color(),
        colours.has_alpha(),
    ) {
        (DataColorSpace::Rgb, true, false) => {
            let picture = DynamicImage::from(picture.into_rgb8());
            converted(&picture, &profile, Layout::Rgb).unwrap_or(picture)
        }
        (DataColorSpace::Rgb, true, true) => {
            let picture = DynamicImage::from(picture.into_rgba8());
            converted(&picture, &profile, Layout::Rgba).unwrap_or(picture)
        }
        (DataColorSpace::Gray, false, false) => {
            let picture = DynamicImage::from(picture.into_luma8());
            converted(&picture, &profile, Layout::Gray).unwrap_or(picture)
        }
        (DataColorSpace::Gray, false, true) => {
            let picture = DynamicImage::from(picture.into_luma_alpha8());
            converted(&picture, &profile, Layout::GrayAlpha).unwrap_or(picture)
        }
        (DataColorSpace::Cmyk, true, false) => {
            let (width, height) = (picture.width(), picture.height());
            let inks = inks(file).and_then(|inks| {
                let rgb = transformed(&inks, &profile, (Layout::Rgba, Layout::Rgb))?;
                RgbImage::from_raw(width, height, rgb)
            });
            inks.map_or(picture, DynamicImage::from)
        }
        _ => picture,
    }
}

/// A picture of this layout in sRGB.
fn converted(
    picture: &DynamicImage,
    profile: &ColorProfile,
    layout: Layout,
) -> Option<DynamicImage> {
    let (width, height) = (picture.width(), picture.height());
    if picture.color().has_alpha() {
        let pixels = transformed(picture.as_bytes(), profile, (layout, Layout::Rgba))?;
        RgbaImage::from_raw(width, height, pixels).map(DynamicImage::from)
    } else {
        let pixels = transformed(picture.as_bytes(), profile, (layout, Layout::Rgb))?;
        RgbImage::from_raw(width, height, pixels).map(DynamicImage::from)
    }
}

fn transformed(
    pixels: &[u8],
    profile: &ColorProfile,
    (from, to): (Layout, Layout),
) -> Option<Vec<u8>> {
    let srgb = ColorProfile::new_srgb();
    let transform = profile.create_transform_8bit(from, &srgb, to, TransformOptions::default());
    let mut srgb = vec![0; pixels.len() / from.channels() * to.channels()];
    transform.ok()?.transform(pixels, &mut srgb).ok()?;
    Some(srgb)
}

/// The inks of a JPEG of cyan, magenta, yellow and black, 255 for the most ink; `None` for another file. The crate `image` decodes such a
/// file to red, green and blue without its profile.
fn inks(file: &[u8]) -> Option<Vec<u8>> {
    let mut decoder = JpegDecoder::new(ZCursor::new(file));
    decoder.decode_headers().ok()?;
    let colours = decoder.input_colorspace()?;
    if !matches!(colours, ColorSpace::CMYK | ColorSpace::YCCK) {
        return None;
    }
    let options = DecoderOptions::default().set_strict_mode(false);
    decoder.set_options(options.jpeg_set_out_colorspace(colours));
    let mut inks = decoder.decode().ok()?;
    for [c, m, y, k] in inks.as_chunks_mut::<4>().0 {
        // Files have 255 for no ink, as Adobe writes them.
        *k = 255 - *k;
        [*c, *m, *y] = if colours == ColorSpace::YCCK {
            rgb_of_ycc(*c, *m, *y)
        } else {
            [255 - *c, 255 - *m, 255 - *y]
        };
    }
    Some(inks)
}

/// Red, green and blue of a luma and two chromas (ITU-T T.871), in fixed point.
fn rgb_of_ycc(luma: u8, blue: u8, red: u8) -> [u8; 3] {
    let [luma, blue, red] = [
        i32::from(luma) << 16,
        i32::from(blue) - 128,
        i32::from(red) - 128,
    ];
    [
        luma + 91_881 * red,
        luma - 22_554 * blue - 46_802 * red,
        luma + 116_130 * blue,
    ]
    .map(|colour| {
        let rounded = (colour + (1 << 15)) >> 16;
        u8::try_from(rounded.clamp(0, 255)).unwrap_or(u8::MAX)
    })
}
