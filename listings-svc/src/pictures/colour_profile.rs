//! Converts pixels to sRGB. The stored files have no colour profile, and browsers take such files for sRGB.

use image::{DynamicImage, RgbImage, RgbaImage};
use moxcms::{ColorProfile, DataColorSpace, Layout, TransformOptions};

/// Converts a picture from the colours of its profile. A profile that is broken, or of other pixels, counts as none.
pub(super) fn to_srgb(picture: DynamicImage, profile: &[u8]) -> DynamicImage {
    let Ok(profile) = ColorProfile::new_from_slice(profile) else {
        return picture;
    };
    let colours = picture.color();
    match (profile.color_space, colours.has_color(), colours.has_alpha()) {
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
        let pixels = transformed(picture, profile, (layout, Layout::Rgba))?;
        RgbaImage::from_raw(width, height, pixels).map(DynamicImage::from)
    } else {
        let pixels = transformed(picture, profile, (layout, Layout::Rgb))?;
        RgbImage::from_raw(width, height, pixels).map(DynamicImage::from)
    }
}

fn transformed(
    picture: &DynamicImage,
    profile: &ColorProfile,
    (from, to): (Layout, Layout),
) -> Option<Vec<u8>> {
    let (pixels, srgb) = (picture.as_bytes(), ColorProfile::new_srgb());
    let transform = profile.create_transform_8bit(from, &srgb, to, TransformOptions::default());
    let mut srgb = vec![0; pixels.len() / from.channels() * to.channels()];
    transform.ok()?.transform(pixels, &mut srgb).ok()?;
    Some(srgb)
}
