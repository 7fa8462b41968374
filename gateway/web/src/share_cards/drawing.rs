//! Draws a share card: a picture, and over it a title, a line of text, and the creator's name.

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::imageops::{self, FilterType};
use image::{ImageFormat, ImageReader, Limits, Rgb, RgbImage};
use pages::pattern::Drawing;

use super::font::{Fonts, Style, blend};
use super::wrap;

/// The size of a card, as networks ask for it.
pub(crate) const SIZE: (u32, u32) = (1_200, 630);
const QUALITY: u8 = 85;
/// The largest picture that is decoded, in pixels of a side. Those of listings are smaller (§10.9).
const MAX_SIDE: u32 = 4_096;
const MARGIN: f32 = 64.0;

const GROUND: Rgb<u8> = Rgb([20, 21, 15]);
const ACCENT: Rgb<u8> = Rgb([11, 93, 78]);
const TEXT: Rgb<u8> = Rgb([255, 255, 255]);
const QUIET: Rgb<u8> = Rgb([214, 211, 200]);

/// The picture of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PictureShape {
    /// The picture fills the card, under the text.
    Wide,
    /// The picture is on the right.
    Square,
}

/// The texts on a card, without characters that the fonts lack.
#[derive(Debug, Clone)]
pub(crate) struct Words {
    title: String,
    line: String,
    by: String,
}

impl Words {
    pub(crate) fn new(title: &str, line: &str, by: &str) -> anyhow::Result<Self> {
        let fonts = Fonts::read()?;
        Ok(Self {
            title: fonts.readable(title),
            line: fonts.readable(line),
            by: fonts.readable(by),
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lines().iter().all(|line| line.is_empty())
    }

    /// Title, line and author.
    pub(crate) fn lines(&self) -> [&str; 3] {
        [&self.title, &self.line, &self.by]
    }
}

/// A card as a JPEG. In the place of a picture that is missing or does not decode, it has the drawing.
pub(crate) fn draw(
    words: &Words,
    picture: Option<(PictureShape, Vec<u8>)>,
    drawing: Option<&Drawing>,
) -> anyhow::Result<Vec<u8>> {
    let fonts = Fonts::read()?;
    let mut canvas = RgbImage::from_pixel(SIZE.0, SIZE.1, GROUND);
    let picture = picture.and_then(|(shape, file)| Some((shape, decode(&file)?)));
    let mut width = 1_200.0 - 2.0 * MARGIN;
    let has_picture = picture.is_some() || drawing.is_some();
    match picture {
        Some((PictureShape::Wide, picture)) => canvas = filled(&picture),
        Some((PictureShape::Square, picture)) => {
            let side = 384;
            let picture = imageops::resize(&picture, side, side, FilterType::Triangle);
            imageops::replace(&mut canvas, &picture, 1_200 - 64 - 384, 123);
            width -= 384.0 + 48.0;
        }
        None => canvas = drawing.map_or(canvas, painted),
    }
    if !words.is_empty() {
        if has_picture && width > 1_000.0 {
            shade(&mut canvas);
        }
        write(&mut canvas, &fonts, words, width);
    }
    name_the_site(&mut canvas, &fonts);
    let mut file = Vec::new();
    canvas.write_with_encoder(JpegEncoder::new_with_quality(&mut file, QUALITY))?;
    Ok(file)
}

fn decode(file: &[u8]) -> Option<RgbImage> {
    let mut reader = ImageReader::with_format(Cursor::new(file), ImageFormat::Jpeg);
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    reader.limits(limits);
    let decoded = reader.decode();
    let picture = decoded.inspect_err(|error| tracing::warn!(%error, "a picture does not decode"));
    Some(picture.ok()?.into_rgb8())
}

/// The middle of a drawing, as large as the card. Half of the points are enough for its plain shapes.
fn painted(drawing: &Drawing) -> RgbImage {
    let (width, height) = (SIZE.0 / 2, SIZE.1 / 2);
    let float = |number: u32| f32::from(u16::try_from(number).unwrap_or(u16::MAX));
    // A drawing is 16 wide and 9 high, so that a part above and below is left out.
    let whole_height = float(width) * 9.0 / 16.0;
    let above = (whole_height - float(height)) / 2.0;
    let points = RgbImage::from_fn(width, height, |x, y| {
        let (across, down) = (float(x) + 0.5, float(y) + 0.5 + above);
        Rgb(drawing.colour_at(across / float(width), down / whole_height))
    });
    imageops::resize(&points, SIZE.0, SIZE.1, FilterType::Triangle)
}

/// The middle of a picture, as large as the card.
fn filled(picture: &RgbImage) -> RgbImage {
    let (width, height) = picture.dimensions();
    // The part of the picture with the card's shape.
    let part_height = (width * SIZE.1 / SIZE.0).clamp(1, height);
    let part_width = (part_height * SIZE.0 / SIZE.1).clamp(1, width);
    let (left, top) = ((width - part_width) / 2, (height - part_height) / 2);
    let part = imageops::crop_imm(picture, left, top, part_width, part_height);
    imageops::resize(&*part, SIZE.0, SIZE.1, FilterType::Triangle)
}

/// Darkens the lower part, so that text can be read on any picture.
fn shade(canvas: &mut RgbImage) {
    let (start, full) = (210_u16, 400_u16);
    for (_, y, pixel) in canvas.enumerate_pixels_mut() {
        let below = u16::try_from(y).unwrap_or(u16::MAX).saturating_sub(start);
        let share = f32::from(below) / f32::from(full - start);
        blend(pixel, GROUND, share.min(1.0) * 0.86);
    }
}

/// Writes the texts, from the bottom up.
fn write(canvas: &mut RgbImage, fonts: &Fonts, texts: &Words, width: f32) {
    let title = Style {
        font: &fonts.bold,
        size: 68.0,
        colour: TEXT,
    };
    let line = Style {
        font: &fonts.regular,
        size: 34.0,
        colour: QUIET,
    };
    let titles = wrap::lines(&texts.title, 2, width, |text| title.width(text));
    let about = wrap::lines(&texts.line, 2, width, |text| line.width(text));
    // The author shares its line with the site's name.
    let by = wrap::lines(&texts.by, 1, width.min(820.0), |text| line.width(text));
    let mut base = 630.0 - MARGIN;
    for text in &by {
        line.draw(canvas, text, (MARGIN, base));
        base -= 62.0;
    }
    for text in about.iter().rev() {
        line.draw(canvas, text, (MARGIN, base));
        base -= 46.0;
    }
    base -= 14.0;
    for text in titles.iter().rev() {
        title.draw(canvas, text, (MARGIN, base));
        base -= 82.0;
    }
}

/// The site's name, at the lower right.
fn name_the_site(canvas: &mut RgbImage, fonts: &Fonts) {
    let style = Style {
        font: &fonts.bold,
        size: 34.0,
        colour: TEXT,
    };
    let width = style.width("Mchezo");
    let (left, top) = (1_200.0 - 40.0 - width, 562.0);
    for (x, y, pixel) in canvas.enumerate_pixels_mut() {
        let at = |number: u32| f32::from(u16::try_from(number).unwrap_or(u16::MAX));
        if at(x) >= left - 24.0 && at(y) >= top - 14.0 {
            blend(pixel, ACCENT, 1.0);
        }
    }
    style.draw(canvas, "Mchezo", (left, top + 42.0));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(title: &str) -> Words {
        Words::new(title, "Stones and seeds", "Savanna Studio").unwrap()
    }

    fn picture(width: u32, height: u32) -> Vec<u8> {
        let picture = RgbImage::from_pixel(width, height, Rgb([200, 40, 40]));
        let mut file = Vec::new();
        let encoder = JpegEncoder::new_with_quality(&mut file, 90);
        picture.write_with_encoder(encoder).unwrap();
        file
    }

    fn drawn(title: &str, picture: Option<(PictureShape, Vec<u8>)>) -> RgbImage {
        let file = draw(&words(title), picture, None).unwrap();
        let card = image::load_from_memory_with_format(&file, ImageFormat::Jpeg).unwrap();
        let card = card.into_rgb8();
        assert_eq!(card.dimensions(), SIZE);
        card
    }

    fn is_red(pixel: Rgb<u8>) -> bool {
        pixel.0[0] > 180 && pixel.0[1] < 70
    }

    #[test]
    fn a_card_has_its_size_whatever_the_picture() {
        for (width, height) in [(1_200, 675), (675, 1_200), (1, 1), (3, 2_000), (2_000, 3)] {
            let card = drawn("Kora", Some((PictureShape::Wide, picture(width, height))));
            assert!(is_red(*card.get_pixel(600, 20)), "{width} × {height}");
        }
        let card = drawn("Kora", Some((PictureShape::Square, picture(512, 512))));
        assert!(is_red(*card.get_pixel(1_000, 300)));
        assert!(!is_red(*card.get_pixel(200, 300)));
        drawn("Kora", None);
        drawn("Kora", Some((PictureShape::Wide, b"no picture".to_vec())));
    }

    #[test]
    fn what_the_font_lacks_is_left_out_and_the_rest_is_written() {
        let cover = || Some((PictureShape::Wide, picture(1_200, 675)));
        let of =
            |words: &Words| image::load_from_memory(&draw(words, cover(), None).unwrap()).unwrap();
        let is_dark = |words: &Words| !is_red(*of(words).into_rgb8().get_pixel(100, 560));
        // Nothing darkens the picture if nothing is written.
        assert!(!is_dark(&Words::new("ሰላም", "🎮", "مرحبا").unwrap()));
        assert!(is_dark(&words("ሰላም")));
        assert!(is_dark(&words("Kora")));
        assert_eq!(words("Kora 🎮").lines(), words("Kora").lines());
    }

    #[test]
    fn a_card_without_a_picture_has_the_drawing() {
        let drawing = pages::pattern::draw("games", "KE", "kora");
        let card = |picture| {
            let file = draw(&words("Kora"), picture, Some(&drawing)).unwrap();
            image::load_from_memory(&file).unwrap().into_rgb8()
        };
        let [drawn, broken] = [None, Some(b"no picture".to_vec())]
            .map(|file| card(file.map(|file| (PictureShape::Wide, file))));
        assert_eq!(drawn, broken);
        assert_ne!(drawn, self::drawn("Kora", None));
        let covered = card(Some((PictureShape::Wide, picture(1_200, 675))));
        assert!(is_red(*covered.get_pixel(600, 20)));
    }

    #[test]
    fn a_long_title_stays_on_the_card() {
        let card = drawn(&"Ọ̀rẹ́ incomprehensibilities ".repeat(20), None);
        // The margins are empty.
        for y in 0..500 {
            for x in (0..60).chain(1_150..1_200) {
                assert!(card.get_pixel(x, y).0[0] < 60, "{x} {y}");
            }
        }
    }
}
