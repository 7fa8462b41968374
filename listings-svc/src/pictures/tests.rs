//! Picture files made by real encoders, and files built byte by byte that no encoder writes.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::codecs::webp::WebPEncoder;
use image::{
    DynamicImage, ExtendedColorType, GrayImage, ImageEncoder, Luma, Rgb, RgbImage, Rgba, RgbaImage,
};
use kit::Code;
use moxcms::ColorProfile;

use super::{FIELD, process};
use crate::domain::pictures::{PictureKind, PictureSizes};

const RED: [u8; 3] = [220, 20, 20];
const GREEN: [u8; 3] = [20, 200, 20];
const BLUE: [u8; 3] = [20, 20, 220];
const WHITE: [u8; 3] = [255, 255, 255];

/// Red at the top left, green at the top right, blue below.
fn flag(width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| match (x < width / 2, y < height / 2) {
        (true, true) => Rgb(RED),
        (false, true) => Rgb(GREEN),
        (_, false) => Rgb(BLUE),
    })
}

fn png(picture: &RgbImage) -> Vec<u8> {
    let mut file = Vec::new();
    picture.write_with_encoder(PngEncoder::new(&mut file)).unwrap();
    file
}

fn jpeg(picture: &RgbImage) -> Vec<u8> {
    let mut file = Vec::new();
    let encoder = JpegEncoder::new_with_quality(&mut file, 95);
    picture.write_with_encoder(encoder).unwrap();
    file
}

fn webp(picture: &RgbImage) -> Vec<u8> {
    let mut file = Vec::new();
    let encoder = WebPEncoder::new_lossless(&mut file);
    picture.write_with_encoder(encoder).unwrap();
    file
}

fn chunk(name: &[u8], data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len()).unwrap();
    let named = [name, data].concat();
    let sum = crc32fast::hash(&named);
    [&length.to_be_bytes()[..], &named, &sum.to_be_bytes()].concat()
}

fn zlib(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// A PNG whose header claims a size and a pixel format, followed by these chunks.
fn claimed(size: (u32, u32), bits: u8, colours: u8, chunks: &[Vec<u8>]) -> Vec<u8> {
    let mut head = Vec::new();
    head.extend_from_slice(&size.0.to_be_bytes());
    head.extend_from_slice(&size.1.to_be_bytes());
    head.extend_from_slice(&[bits, colours, 0, 0, 0]);
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    file.extend(chunk(b"IHDR", &head));
    file.extend(chunks.concat());
    file.extend(chunk(b"IEND", &[]));
    file
}

/// The Exif data of a camera: the orientation, and a GPS position.
fn exif(orientation: u16) -> Vec<u8> {
    let entry = |tag: u16, kind: u16, count: u32, value: [u8; 4]| {
        let mut entry = Vec::new();
        entry.extend_from_slice(&tag.to_le_bytes());
        entry.extend_from_slice(&kind.to_le_bytes());
        entry.extend_from_slice(&count.to_le_bytes());
        entry.extend_from_slice(&value);
        entry
    };
    let [low, high] = orientation.to_le_bytes();
    let mut data = b"II\x2a\0\x08\0\0\0".to_vec();
    data.extend_from_slice(&2u16.to_le_bytes());
    data.extend(entry(0x0112, 3, 1, [low, high, 0, 0]));
    // The GPS directory follows this one.
    data.extend(entry(0x8825, 4, 1, 38u32.to_le_bytes()));
    data.extend_from_slice(&[0; 4]);
    data.extend_from_slice(&1u16.to_le_bytes());
    data.extend(entry(0x0001, 2, 2, *b"N\0\0\0"));
    data.extend_from_slice(&[0; 4]);
    data.extend_from_slice(b"6.4541 N 3.3947 E");
    data
}

/// A JPEG as a camera writes it.
fn photograph(picture: &RgbImage, orientation: u16) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = JpegEncoder::new_with_quality(&mut file, 95);
    encoder.set_exif_metadata(exif(orientation)).unwrap();
    let (width, height) = picture.dimensions();
    encoder.encode(picture.as_raw(), width, height, ExtendedColorType::Rgb8).unwrap();
    file
}

fn reason(file: &[u8], kind: PictureKind) -> String {
    let fault = process(file, kind).unwrap_err();
    assert_eq!(fault.code, Code::Invalid, "{fault}");
    let fields: Vec<&str> = fault.fields.keys().map(String::as_str).collect();
    assert_eq!(fields, [FIELD]);
    fault.fields[FIELD].clone()
}

fn processed(file: &[u8], kind: PictureKind) -> PictureSizes {
    process(file, kind).unwrap()
}

fn decoded(pair: &PictureSizes) -> [RgbImage; 2] {
    [&pair.large, &pair.small].map(|file| {
        let picture = image::load_from_memory(&file.bytes).unwrap().into_rgb8();
        assert_eq!(picture.dimensions(), (file.width, file.height));
        picture
    })
}

/// Asserts the colour of a pixel, within the loss of JPEG.
fn assert_colour(picture: &RgbImage, x: u32, y: u32, colour: [u8; 3]) {
    let found = picture.get_pixel(x, y).0;
    let near = found.iter().zip(colour).all(|(a, b)| a.abs_diff(b) < 24);
    assert!(near, "{found:?} at {x}, {y}, not {colour:?}");
}

#[test]
fn every_format_is_rendered_in_both_sizes() {
    let flag = flag(1_300, 800);
    for file in [png(&flag), jpeg(&flag), webp(&flag)] {
        for (kind, large, small) in [
            (PictureKind::Cover, (1_200, 675), (600, 338)),
            (PictureKind::Avatar, (512, 512), (128, 128)),
            (PictureKind::Screenshot, (1_300, 800), (640, 394)),
        ] {
            let pair = processed(&file, kind);
            assert_eq!((pair.large.width, pair.large.height), large);
            assert_eq!((pair.small.width, pair.small.height), small);
            for picture in decoded(&pair) {
                let (width, height) = picture.dimensions();
                assert_colour(&picture, width / 4, height / 4, RED);
                assert_colour(&picture, width * 3 / 4, height / 4, GREEN);
                assert_colour(&picture, width / 2, height * 3 / 4, BLUE);
            }
        }
    }
}

#[test]
fn processing_is_deterministic() {
    let file = png(&flag(700, 700));
    assert_eq!(processed(&file, PictureKind::Cover), processed(&file, PictureKind::Cover));
}

#[test]
fn transparent_pixels_become_white() {
    let glass = RgbaImage::from_fn(200, 200, |x, _| {
        Rgba(if x < 100 { [0, 0, 0, 0] } else { [220, 20, 20, 255] })
    });
    let mut file = Vec::new();
    DynamicImage::ImageRgba8(glass).write_with_encoder(PngEncoder::new(&mut file)).unwrap();
    let [large, _] = decoded(&processed(&file, PictureKind::Avatar));
    assert_colour(&large, 100, 256, WHITE);
    assert_colour(&large, 400, 256, RED);
}

#[test]
fn a_photograph_is_rotated_and_loses_its_location() {
    let file = photograph(&flag(800, 600), 6);
    assert!(file.windows(6).any(|part| part == b"6.4541"));
    let pair = processed(&file, PictureKind::Screenshot);
    assert_eq!((pair.large.width, pair.large.height), (600, 800));
    let [large, small] = decoded(&pair);
    // The picture is rotated clockwise by 90 degrees: the bottom left corner is now at the top left.
    for picture in [large, small] {
        let (width, height) = picture.dimensions();
        assert_colour(&picture, width / 4, height / 2, BLUE);
        assert_colour(&picture, width * 3 / 4, height / 4, RED);
        assert_colour(&picture, width * 3 / 4, height * 3 / 4, GREEN);
    }
    for file in [&pair.large, &pair.small] {
        for trace in [&b"Exif"[..], b"6.4541", b"II\x2a\0"] {
            let found = file.bytes.windows(trace.len()).any(|part| part == trace);
            assert!(!found, "{trace:?}");
        }
    }
}

#[test]
fn every_orientation_keeps_the_picture_whole() {
    for orientation in 1..=8 {
        let pair = processed(&photograph(&flag(800, 600), orientation), PictureKind::Screenshot);
        let expected = if orientation < 5 { (800, 600) } else { (600, 800) };
        assert_eq!((pair.large.width, pair.large.height), expected, "{orientation}");
    }
}

#[test]
fn the_format_is_detected_from_the_content() {
    for file in [
        &b"This is a picture, says its name: cover.png"[..],
        b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>",
        b"GIF89a\x01\0\x01\0\0\0\0;",
        b"%PDF-1.7",
        b"BM\0\0",
    ] {
        assert!(reason(file, PictureKind::Cover).starts_with("Send a JPEG, a PNG or a WebP"));
    }
    assert_eq!(reason(b"", PictureKind::Cover), "The file is empty.");
}

#[test]
fn a_side_beyond_the_limit_is_refused_before_decompression() {
    let data = chunk(b"IDAT", &zlib(&[0; 64]));
    for size in [(20_000, 20_000), (10_001, 1), (1, 10_001), (u32::MAX >> 1, 1)] {
        let file = claimed(size, 8, 6, std::slice::from_ref(&data));
        assert!(file.len() < 200);
        assert_eq!(
            reason(&file, PictureKind::Cover),
            "Make it smaller: a side has 10000 pixels at most."
        );
    }
    // A JPEG states its size in the frame header.
    let mut file = jpeg(&flag(600, 400));
    let at = file.windows(2).position(|part| part == [0xFF, 0xC0]).unwrap();
    file[at + 5..at + 9].copy_from_slice(&[0x4E, 0x20, 0x4E, 0x20]);
    assert!(reason(&file, PictureKind::Cover).starts_with("Make it smaller: a side"));
}

#[test]
fn a_decompression_bomb_is_refused() {
    // A few hundred kilobytes that decompress to 800 MB of pixels.
    let zeros = chunk(b"IDAT", &zlib(&vec![0; 100_000_000]));
    let file = claimed((10_000, 10_000), 16, 6, std::slice::from_ref(&zeros));
    assert!(file.len() < 1_000_000, "{}", file.len());
    assert!(reason(&file, PictureKind::Cover).contains("too many"));
    // Within the limit of pixels, but at 8 bytes a pixel beyond the limit of memory.
    let file = claimed((6_000, 5_000), 16, 6, &[zeros]);
    assert!(reason(&file, PictureKind::Cover).contains("memory"));
    // An ICC profile, outside the pixels, that decompresses to 210 MB.
    let profile = [&b"p\0\0"[..], &zlib(&vec![0; 210_000_000])].concat();
    let small = chunk(b"IDAT", &zlib(&vec![0; 200 * 601]));
    let file = claimed((200, 200), 8, 2, &[chunk(b"iCCP", &profile), small]);
    // The decoder skips a chunk that it refuses to decompress.
    assert!(process(&file, PictureKind::Avatar).is_ok());
}

#[test]
fn a_page_behind_the_pixels_is_not_served() {
    let page = &b"<html><script>alert(1)</script></html>"[..];
    let flag = flag(700, 500);
    for picture in [png(&flag), jpeg(&flag), webp(&flag)] {
        let served = processed(&[&picture, page].concat(), PictureKind::Cover);
        for file in [&served.large, &served.small] {
            assert!(file.bytes.starts_with(b"\xFF\xD8\xFF"));
            assert!(!file.bytes.windows(8).any(|part| part == b"<script>"));
        }
    }
}

#[test]
fn a_truncated_file_is_refused() {
    let flag = flag(700, 500);
    for file in [png(&flag), jpeg(&flag), webp(&flag)] {
        for part in [file.len() / 2, file.len() - 20, 40, 12] {
            let cut = &file[..part];
            assert!(!reason(cut, PictureKind::Cover).is_empty(), "{part} of {}", file.len());
        }
    }
}

#[test]
fn animations_are_refused() {
    let control = chunk(b"acTL", &[0, 0, 0, 2, 0, 0, 0, 0]);
    let data = chunk(b"IDAT", &zlib(&vec![0; 200 * 601]));
    let file = claimed((200, 200), 8, 2, &[control, data]);
    assert!(reason(&file, PictureKind::Avatar).starts_with("This is an animation"));
    // An extended WebP whose header has the animation flag.
    let mut frame = vec![0; 16];
    frame.extend(webp(&flag(200, 200)).split_off(12));
    let part = |name: &[u8], data: &[u8]| {
        let length = u32::try_from(data.len()).unwrap().to_le_bytes();
        [name, &length, data].concat()
    };
    let size = [199, 0, 0];
    frame[6..9].copy_from_slice(&size);
    frame[9..12].copy_from_slice(&size);
    let head = [&[0x02, 0, 0, 0][..], &size, &size].concat();
    let parts = [part(b"VP8X", &head), part(b"ANIM", &[0; 6]), part(b"ANMF", &frame)];
    let file = part(b"RIFF", &[&b"WEBP"[..], &parts.concat()].concat());
    assert!(reason(&file, PictureKind::Avatar).starts_with("This is an animation"));
}

/// A baseline JPEG of grey pixels. Each table has one code of one bit, so that a block is two zero bits.
fn baseline_jpeg((width, height): (u16, u16), components: u8) -> Vec<u8> {
    let segment = |marker: u8, data: &[u8]| {
        let length = u16::try_from(data.len() + 2).unwrap().to_be_bytes();
        [&[0xFF, marker], &length[..], data].concat()
    };
    let table = |class: u8| segment(0xC4, &[&[class, 1][..], &[0; 15], &[0]].concat());
    let mut frame = [&[8][..], &height.to_be_bytes(), &width.to_be_bytes(), &[components]].concat();
    let mut scan = vec![components];
    for component in 1..=components {
        frame.extend([component, 0x11, 0]);
        scan.extend([component, 0]);
    }
    scan.extend([0, 63, 0]);
    let blocks = usize::from(width.div_ceil(8)) * usize::from(height.div_ceil(8));
    let bits = blocks * usize::from(components) * 2;
    [
        vec![0xFF, 0xD8],
        segment(0xDB, &[&[0][..], &[1; 64]].concat()),
        segment(0xC0, &frame),
        table(0x00),
        table(0x10),
        segment(0xDA, &scan),
        vec![0; bits.div_ceil(8)],
        vec![0xFF, 0xD9],
    ]
    .concat()
}

#[test]
fn a_jpeg_with_the_colours_of_print_is_refused() {
    let size = (600, 338);
    assert!(process(&baseline_jpeg(size, 3), PictureKind::Cover).is_ok());
    let reason = reason(&baseline_jpeg(size, 4), PictureKind::Cover);
    assert!(reason.contains("(CMYK): save the picture as RGB"), "{reason}");
}

#[test]
fn a_picture_without_pixels_is_refused() {
    let data = chunk(b"IDAT", &zlib(&[]));
    for size in [(0, 0), (0, 200), (200, 0)] {
        let file = claimed(size, 8, 2, std::slice::from_ref(&data));
        assert!(!reason(&file, PictureKind::Avatar).is_empty());
    }
}

#[test]
fn a_picture_that_is_too_small_is_refused() {
    for (kind, width, height) in [
        (PictureKind::Cover, 599, 338),
        (PictureKind::Avatar, 128, 127),
        (PictureKind::Screenshot, 159, 90),
    ] {
        let reason = reason(&png(&flag(width, height)), kind);
        assert!(reason.starts_with("Send a larger one"), "{reason}");
        let (width, height) = kind.min_size();
        assert!(process(&png(&flag(width, height)), kind).is_ok());
    }
}

#[test]
fn a_picture_that_is_too_small_is_refused_before_decompression() {
    // The pixel data is invalid, so that decoding would fail with another reason.
    let pixels = chunk(b"IDAT", b"no pixels");
    for size in [(10_000, 337), (599, 10_000)] {
        let file = claimed(size, 8, 2, std::slice::from_ref(&pixels));
        let reason = reason(&file, PictureKind::Cover);
        assert!(reason.starts_with("Send a larger one"), "{reason}");
    }
    // A photograph that its camera rotated has its sides swapped.
    let turned = reason(&photograph(&flag(600, 400), 6), PictureKind::Cover);
    assert!(turned.contains("400 by 600"), "{turned}");
    assert!(process(&photograph(&flag(400, 600), 6), PictureKind::Cover).is_ok());
}

#[test]
fn a_damaged_file_does_not_panic() {
    let flag = flag(200, 200);
    for file in [png(&flag), jpeg(&flag), webp(&flag)] {
        for at in (0..file.len()).step_by(file.len() / 97 + 1) {
            let mut damaged = file.clone();
            damaged[at] ^= 0xA5;
            // The file may be decoded or refused.
            if let Err(fault) = process(&damaged, PictureKind::Avatar) {
                assert_eq!(fault.code, Code::Invalid);
            }
        }
    }
}

/// Encodes a picture with an ICC profile.
fn profiled(mut encoder: impl ImageEncoder, picture: &DynamicImage, profile: &[u8]) {
    encoder.set_icc_profile(profile.to_vec()).unwrap();
    let (width, height) = (picture.width(), picture.height());
    let colours = ExtendedColorType::from(picture.color());
    encoder.write_image(picture.as_bytes(), width, height, colours).unwrap();
}

/// Asserts the colour of a picture with this profile after processing, as JPEG, PNG and WebP.
fn assert_shown(picture: &DynamicImage, profile: &[u8], colour: [u8; 3]) {
    let mut files = [Vec::new(), Vec::new(), Vec::new()];
    let [jpeg, png, webp] = &mut files;
    profiled(PngEncoder::new(png), picture, profile);
    if picture.color().has_color() {
        profiled(WebPEncoder::new_lossless(webp), picture, profile);
    }
    if !picture.color().has_alpha() {
        profiled(JpegEncoder::new_with_quality(jpeg, 95), picture, profile);
    }
    for file in files.iter().filter(|file| !file.is_empty()) {
        let [large, _] = decoded(&processed(file, PictureKind::Avatar));
        assert_colour(&large, 256, 256, colour);
    }
}

fn rgb(colour: [u8; 3]) -> DynamicImage {
    RgbImage::from_pixel(200, 200, Rgb(colour)).into()
}

/// The sRGB profile with red and green swapped.
fn swapped() -> Vec<u8> {
    let mut profile = ColorProfile::new_srgb();
    std::mem::swap(&mut profile.red_colorant, &mut profile.green_colorant);
    profile.cicp = None;
    profile.encode().unwrap()
}

#[test]
fn colours_are_converted_by_the_profile() {
    let p3 = ColorProfile::new_display_p3().encode().unwrap();
    assert_shown(&rgb([220, 40, 40]), &p3, [241, 0, 10]);
    assert_shown(&rgb(RED), &swapped(), [20, 220, 20]);
    let clear = RgbaImage::from_pixel(200, 200, Rgba([220, 20, 20, 255]));
    assert_shown(&clear.into(), &swapped(), [20, 220, 20]);
}

#[test]
fn greys_are_converted_by_the_profile() {
    let linear = ColorProfile::new_gray_with_gamma(1.0).encode().unwrap();
    let grey = GrayImage::from_pixel(200, 200, Luma([55]));
    assert_shown(&grey.into(), &linear, [128, 128, 128]);
}

#[test]
fn a_broken_or_mismatched_profile_is_ignored() {
    let whole = swapped();
    for broken in [&b"no profile"[..], &whole[..whole.len() / 2]] {
        assert_shown(&rgb(RED), broken, RED);
    }
    let grey = ColorProfile::new_gray_with_gamma(1.0).encode().unwrap();
    assert_shown(&rgb(RED), &grey, RED);
}
