//! Draws a share card: a picture, and over it a title, a line of text, and the creator's name.

use std::io::Cursor;

use anyhow::Context as _;
use image::codecs::jpeg::JpegEncoder;
use image::imageops::{self, FilterType};
use image::{DynamicImage, ImageFormat, ImageReader, Limits, Rgba, RgbaImage};
use resvg::tiny_skia::{PixmapMut, Transform};

use super::font::{self, Style};
use super::wrap;

/// The size of a card, as networks ask for it.
pub(crate) const SIZE: (u32, u32) = (1_200, 630);
const QUALITY: u8 = 85;
/// The largest picture that is decoded, in pixels of a side. Those of listings are smaller (§10.9).
const MAX_SIDE: u32 = 4_096;

/// The width of the texts, in pixels.
const WIDTH: f32 = 1_072.0;
const WIDTH_BESIDE_SQUARE: f32 = 640.0;
/// The width of the creator's name, which shares its line with the site's name.
const MAX_NAME_WIDTH: f32 = 820.0;
const SQUARE_SIDE: u32 = 384;

const GROUND: Rgba<u8> = Rgba([20, 21, 15, 255]);
const TITLE: Style = Style {
    size: 68,
    weight: 700,
    colour: "#ffffff",
    line_height: 82,
};
const LINE: Style = Style {
    size: 34,
    weight: 400,
    colour: "#d6d3c8",
    line_height: 46,
};
const SITE: Style = Style {
    size: 34,
    weight: 700,
    colour: "#ffffff",
    line_height: 46,
};
/// Darkens the lower part, so that text can be read on any picture.
const SHADE: &str = "<linearGradient id=\"shade\" gradientUnits=\"userSpaceOnUse\" x1=\"0\" y1=\"210\" \
    x2=\"0\" y2=\"400\"><stop stop-color=\"#14150f\" stop-opacity=\"0\"/>\
    <stop offset=\"1\" stop-color=\"#14150f\" stop-opacity=\".86\"/></linearGradient>\
    <path fill=\"url(#shade)\" d=\"M0 210h1200v420H0z\"/>";

/// The picture of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PictureShape {
    /// The picture fills the card, under the text.
    Wide,
    /// The picture is where the lines end.
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
    pub(crate) fn new(title: &str, line: &str, by: &str) -> Self {
        Self {
            title: font::readable(title),
            line: font::readable(line),
            by: font::readable(by),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lines().iter().all(|line| line.is_empty())
    }

    /// Title, line and author.
    pub(crate) fn lines(&self) -> [&str; 3] {
        [&self.title, &self.line, &self.by]
    }

    /// Whether the lines begin on the right, as those of the title do.
    fn begin_right(&self) -> bool {
        font::is_rtl(&self.lines().join(" "))
    }
}

/// A card as a JPEG. In the place of a picture that is missing or does not decode, it has the drawing, which is SVG.
pub(crate) fn draw(
    words: &Words,
    picture: Option<(PictureShape, Vec<u8>)>,
    drawing: Option<&str>,
) -> anyhow::Result<Vec<u8>> {
    let picture = picture.and_then(|(shape, file)| Some((shape, decode(&file)?)));
    let mut canvas = RgbaImage::from_pixel(SIZE.0, SIZE.1, GROUND);
    let (mut width, mut shade) = (WIDTH, "");
    match (picture, drawing) {
        (Some((PictureShape::Wide, picture)), _) => {
            canvas = filled(&picture, SIZE.0, SIZE.1);
            shade = SHADE;
        }
        (Some((PictureShape::Square, picture)), _) => {
            let left = if words.begin_right() { 64 } else { 752 };
            let picture = filled(&picture, SQUARE_SIDE, SQUARE_SIDE);
            imageops::replace(&mut canvas, &picture, left, 123);
            width = WIDTH_BESIDE_SQUARE;
        }
        (None, Some(drawing)) => {
            // A drawing has 160 × 90 units and 1200 × 675 pixels. With eight pixels a unit its middle fills the card, and its tiles begin
            // and end with pixels: there would be lines between others.
            let scale = 16.0 / 15.0;
            let middle = Transform::from_row(scale, 0.0, 0.0, scale, -40.0, -45.0);
            paint(&mut canvas, drawing, middle)?;
            shade = SHADE;
        }
        (None, None) => {}
    }
    if words.is_empty() {
        shade = "";
    }
    let texts = texts(words, width);
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1200\" height=\"630\">{shade}{texts}</svg>"
    );
    paint(&mut canvas, &svg, Transform::identity())?;
    let mut file = Vec::new();
    let card = DynamicImage::ImageRgba8(canvas).into_rgb8();
    card.write_with_encoder(JpegEncoder::new_with_quality(&mut file, QUALITY))?;
    Ok(file)
}

fn decode(file: &[u8]) -> Option<RgbaImage> {
    let mut reader = ImageReader::with_format(Cursor::new(file), ImageFormat::Jpeg);
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    reader.limits(limits);
    let decoded = reader.decode();
    let picture = decoded.inspect_err(|error| tracing::warn!(%error, "a picture does not decode"));
    Some(picture.ok()?.into_rgba8())
}

/// The middle of a picture, in this size.
fn filled(picture: &RgbaImage, to_width: u32, to_height: u32) -> RgbaImage {
    let (width, height) = picture.dimensions();
    // The part of the picture with the shape of the size.
    let part_height = (width * to_height / to_width).clamp(1, height);
    let part_width = (part_height * to_width / to_height).clamp(1, width);
    let (left, top) = ((width - part_width) / 2, (height - part_height) / 2);
    let part = imageops::crop_imm(picture, left, top, part_width, part_height);
    imageops::resize(&*part, to_width, to_height, FilterType::Triangle)
}

/// Draws SVG on a canvas.
fn paint(canvas: &mut RgbaImage, svg: &str, transform: Transform) -> anyhow::Result<()> {
    let tree = font::parse(svg)?;
    let (width, height) = canvas.dimensions();
    let pixels = PixmapMut::from_bytes(canvas, width, height);
    let mut pixels = pixels.context("a canvas has four bytes a pixel")?;
    resvg::render(&tree, transform, &mut pixels);
    Ok(())
}

/// The texts from the bottom up, and the site's name in the corner where lines end, as elements of SVG.
fn texts(words: &Words, width: f32) -> String {
    let (x, anchor, site_x) = if words.begin_right() {
        (1_136, "end", 0)
    } else {
        (64, "start", 1_000)
    };
    let site = SITE.element("Mchezo", "x=\"100\" y=\"56\" text-anchor=\"middle\"");
    let mut svg = format!(
        "<g transform=\"translate({site_x} 548)\"><path fill=\"#0b5d4e\" d=\"M0 0h200v82H0z\"/>{site}</g>"
    );
    let mut base = 566;
    for (text, style, most, width) in [
        (&words.by, &LINE, 1, width.min(MAX_NAME_WIDTH)),
        (&words.line, &LINE, 2, width),
        (&words.title, &TITLE, 2, width),
    ] {
        // usvg lays out every line from left to right, unless the line has marks that say otherwise.
        let (start, end) = if font::is_rtl(text) {
            ("\u{202b}", "\u{202c}")
        } else {
            ("", "")
        };
        let lines = wrap::lines(text, most, |line| style.width(line) <= width);
        for line in lines.iter().rev() {
            let place = format!("x=\"{x}\" y=\"{base}\" text-anchor=\"{anchor}\"");
            svg.push_str(&style.element(&format!("{start}{line}{end}"), &place));
            base -= style.line_height;
        }
        if !lines.is_empty() {
            base -= 15;
        }
    }
    svg
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use image::{Rgb, RgbImage};

    use super::*;

    /// A title of each script that its font has, and whether it begins on the right.
    const TITLES: [(&str, &str, bool); 5] = [
        ("latin", "Ọ̀yọ́ Kora", false),
        ("arabic", "لعبة المنقلة", true),
        ("ethiopic", "ሰላም ለዓለም", false),
        ("nko", "ߒߞߏ ߕߟߏ߲", true),
        ("tifinagh", "ⵜⴰⵎⴰⵣⵉⵖⵜ", false),
    ];

    fn words(title: &str) -> Words {
        Words::new(title, "Stones and seeds", "Savanna Studio")
    }

    fn picture(width: u32, height: u32) -> Vec<u8> {
        let picture = RgbImage::from_pixel(width, height, Rgb([200, 40, 40]));
        let mut file = Vec::new();
        let encoder = JpegEncoder::new_with_quality(&mut file, 90);
        picture.write_with_encoder(encoder).unwrap();
        file
    }

    fn pattern() -> String {
        pages::pattern::draw("games", "KE", "kora").svg()
    }

    fn decoded(file: &[u8]) -> RgbImage {
        let card = image::load_from_memory_with_format(file, ImageFormat::Jpeg).unwrap();
        let card = card.into_rgb8();
        assert_eq!(card.dimensions(), SIZE);
        card
    }

    fn drawn(title: &str, picture: Option<(PictureShape, Vec<u8>)>) -> RgbImage {
        decoded(&draw(&words(title), picture, None).unwrap())
    }

    fn is_red(pixel: Rgb<u8>) -> bool {
        pixel.0[0] > 180 && pixel.0[1] < 70
    }

    /// The columns of a card without a picture that have bright pixels of a title of one line.
    fn title_columns(title: &str) -> Vec<u32> {
        let card = drawn(title, None);
        let is_bright = |x: &u32| (370..465).any(|y| card.get_pixel(*x, y).0[0] > 180);
        (0..SIZE.0).filter(is_bright).collect()
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
    fn a_title_of_every_script_stands_where_its_lines_begin() {
        for (script, title, is_right) in TITLES {
            let columns = title_columns(title);
            assert!(columns.len() > 150, "{script}: {}", columns.len());
            let (first, last) = (columns[0], columns[columns.len() - 1]);
            let (first_columns, last_columns) = if is_right {
                (600..1_000, 1_100..1_140)
            } else {
                (60..100, 200..600)
            };
            assert!(first_columns.contains(&first), "{script}: {first}");
            assert!(last_columns.contains(&last), "{script}: {last}");
        }
    }

    #[test]
    fn a_line_from_right_to_left_ends_on_the_left() {
        let [plain, marked] = ["مرحبا", "مرحبا!"].map(title_columns);
        assert_eq!(plain.last(), marked.last());
        assert!(marked[0] + 10 < plain[0], "{} {}", marked[0], plain[0]);
    }

    #[test]
    fn a_card_whose_title_begins_right_is_mirrored() {
        let square = || Some((PictureShape::Square, picture(512, 512)));
        let is_name = |pixel: &Rgb<u8>| pixel.0[0] < 40 && pixel.0[1] > 70;
        for (script, title, is_right) in TITLES {
            let card = drawn(title, square());
            let (here, there) = if is_right { (8, 1_192) } else { (1_192, 8) };
            assert!(is_name(card.get_pixel(here, 620)), "{script}");
            assert!(!is_name(card.get_pixel(there, 620)), "{script}");
            let (here, there) = if is_right { (200, 1_000) } else { (1_000, 200) };
            assert!(is_red(*card.get_pixel(here, 300)), "{script}");
            assert!(!is_red(*card.get_pixel(there, 300)), "{script}");
        }
    }

    #[test]
    fn a_card_is_drawn_the_same_every_time() {
        for (script, title, _) in TITLES {
            let card = || draw(&words(title), None, Some(&pattern())).unwrap();
            let first = card();
            assert!(first == card(), "{script}");
        }
    }

    #[test]
    fn what_the_font_lacks_is_left_out_and_the_rest_is_written() {
        let cover = || Some((PictureShape::Wide, picture(1_200, 675)));
        let of = |words: &Words| decoded(&draw(words, cover(), None).unwrap());
        let is_dark = |words: &Words| !is_red(*of(words).get_pixel(100, 530));
        // Nothing darkens the picture if nothing is written.
        assert!(!is_dark(&Words::new("日本", "🎮", "– !")));
        assert!(is_dark(&words("日本")));
        assert!(is_dark(&words("Kora")));
        assert_eq!(words("Kora 🎮").lines(), words("Kora").lines());
        // Markup is text.
        assert!(is_dark(&words("<Kora> & \"]]>")));
    }

    #[test]
    fn a_card_without_a_picture_has_the_drawing() {
        let pattern = pattern();
        let card = |picture| decoded(&draw(&words("Kora"), picture, Some(&pattern)).unwrap());
        let [drawn, broken] = [None, Some(b"no picture".to_vec())]
            .map(|file| card(file.map(|file| (PictureShape::Wide, file))));
        assert_eq!(drawn, broken);
        assert_ne!(drawn, self::drawn("Kora", None));
        let covered = card(Some((PictureShape::Wide, picture(1_200, 675))));
        assert!(is_red(*covered.get_pixel(600, 20)));
    }

    #[test]
    fn a_drawing_has_no_lines_between_its_tiles() {
        let pattern = pattern();
        let (head, _) = pattern.split_once("<path").unwrap();
        let drawing = format!(
            "{head}<path fill=\"#ffffff\" d=\"M0 0h160v90H0z\"/>\
             <pattern id=\"a\" width=\"13\" height=\"7\" patternUnits=\"userSpaceOnUse\">\
             <path fill=\"#c82828\" d=\"M0 0h13v7h-13z\"/></pattern>\
             <path fill=\"url(#a)\" d=\"M0 0h160v90H0z\"/></svg>"
        );
        let file = draw(&Words::new("", "", ""), None, Some(&drawing)).unwrap();
        let card = decoded(&file);
        let mut pixels = card.enumerate_pixels().filter(|(_, y, _)| *y < 500);
        assert!(pixels.all(|(_, _, pixel)| is_red(*pixel)));
    }

    #[test]
    fn a_long_title_stays_on_the_card() {
        for word in ["Ọ̀rẹ́ incomprehensibilities ", "المستشفيات ", "ኢትዮጵያ"]
        {
            let card = drawn(&word.repeat(20), None);
            // The margins are empty.
            for y in 0..500 {
                for x in (0..60).chain(1_150..1_200) {
                    assert!(card.get_pixel(x, y).0[0] < 60, "{word} {x} {y}");
                }
            }
        }
    }

    /// Writes cards to the folder that `SHARE_CARDS` names, and prints how long each takes, as users wait with `--release`.
    #[test]
    #[ignore = "by hand: makes cards, to look at and to measure"]
    fn by_hand_cards_in_all_scripts() {
        let folder = std::env::var_os("SHARE_CARDS").unwrap();
        let pattern = pattern();
        for (script, title, _) in TITLES {
            for (name, picture) in [
                ("wide", Some((PictureShape::Wide, picture(1_200, 675)))),
                ("square", Some((PictureShape::Square, picture(512, 512)))),
                ("drawing", None),
            ] {
                let start = Instant::now();
                let file = draw(&words(title), picture, Some(&pattern)).unwrap();
                let (time, bytes) = (start.elapsed(), file.len());
                println!("{script}, {name}: {} ms, {bytes} bytes", time.as_millis());
                let path = std::path::Path::new(&folder).join(format!("{script}-{name}.jpg"));
                std::fs::write(path, file).unwrap();
            }
        }
    }
}
