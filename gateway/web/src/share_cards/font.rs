//! The letters of share cards: `DejaVu` Sans, reduced to Latin with the letters of African languages (`fonts/LICENSE.txt`).

use ab_glyph::{Font as _, FontRef, InvalidFont, PxScale, ScaleFont as _, point};
use image::{Rgb, RgbImage};
use unicode_normalization::UnicodeNormalization as _;

const REGULAR: &[u8] = include_bytes!("../../fonts/DejaVuSans.ttf");
const BOLD: &[u8] = include_bytes!("../../fonts/DejaVuSans-Bold.ttf");

/// Both weights.
pub(super) struct Fonts {
    pub(super) regular: FontRef<'static>,
    pub(super) bold: FontRef<'static>,
}

/// A font in a size and a colour.
pub(super) struct Style<'a> {
    pub(super) font: &'a FontRef<'static>,
    /// In pixels.
    pub(super) size: f32,
    pub(super) colour: Rgb<u8>,
}

impl Fonts {
    pub(super) fn read() -> Result<Self, InvalidFont> {
        Ok(Self {
            regular: FontRef::try_from_slice(REGULAR)?,
            bold: FontRef::try_from_slice(BOLD)?,
        })
    }

    /// The text with its marks joined to their letters, without the characters that the fonts lack: they would be boxes. Empty if no letter
    /// or digit is left.
    pub(super) fn readable(&self, text: &str) -> String {
        let has = |c: &char| c.is_whitespace() || self.bold.glyph_id(*c).0 != 0;
        let text: String = text.nfc().filter(|c| !c.is_control()).filter(has).collect();
        if !text.contains(char::is_alphanumeric) {
            return String::new();
        }
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

impl Style<'_> {
    fn scale(&self) -> PxScale {
        PxScale::from(self.size)
    }

    /// The width of a line in pixels.
    pub(super) fn width(&self, line: &str) -> f32 {
        let font = self.font.as_scaled(self.scale());
        line.chars().map(|c| font.h_advance(font.glyph_id(c))).sum()
    }

    /// Draws a line; `x` and `y` are where its base line begins.
    pub(super) fn draw(&self, canvas: &mut RgbImage, line: &str, (x, y): (f32, f32)) {
        let font = self.font.as_scaled(self.scale());
        let mut x = x;
        for c in line.chars() {
            let id = font.glyph_id(c);
            let glyph = id.with_scale_and_position(self.scale(), point(x, y));
            x += font.h_advance(id);
            let Some(outline) = self.font.outline_glyph(glyph) else {
                continue;
            };
            let bounds = outline.px_bounds();
            outline.draw(|right, down, coverage| {
                let at = (offset(bounds.min.x, right), offset(bounds.min.y, down));
                if let (Some(x), Some(y)) = at
                    && let Some(pixel) = canvas.get_pixel_mut_checked(x, y)
                {
                    blend(pixel, self.colour, coverage);
                }
            });
        }
    }
}

/// The pixel at this position, if the canvas has it.
fn offset(start: f32, distance: u32) -> Option<u32> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "bounds of glyphs are whole numbers of some thousands, and the conversion saturates"
    )]
    let start = start as i64;
    u32::try_from(start + i64::from(distance)).ok()
}

/// Blends a colour over a pixel.
pub(super) fn blend(pixel: &mut Rgb<u8>, colour: Rgb<u8>, share: f32) {
    let share = share.clamp(0.0, 1.0);
    for (below, above) in pixel.0.iter_mut().zip(colour.0) {
        let mixed = f32::from(*below) * (1.0 - share) + f32::from(above) * share;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between two bytes"
        )]
        let mixed = mixed.round() as u8;
        *below = mixed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_african_languages_can_be_read() {
        let fonts = Fonts::read().unwrap();
        for text in [
            "ɛ ŋ ɔ ẹ ṣ ọ̀rẹ́ ɓ ɗ ƙ ƴ ɖ ƒ ɣ ǃ ǂ ʼ ₦ “Éléphant” – œ ç",
            "Àwọn ọmọ Ọ̀yọ́",
            "Twi: Ɛyɛ ahoɔden",
        ] {
            assert_eq!(fonts.readable(text), text.nfc().collect::<String>());
        }
        for text in ["ሰላም", "مرحبا", "ⵣ", "日本", "🎮", "🎮 – مرحبا!"] {
            assert_eq!(fonts.readable(text), "", "{text}");
        }
        for (text, readable) in [
            ("Okoto 🎮\u{fe0f} – 2", "Okoto – 2"),
            ("ሰላም Salam", "Salam"),
            // A mark and its letter become one character where Unicode has it.
            ("e\u{301}", "é"),
        ] {
            assert_eq!(fonts.readable(text), readable, "{text}");
        }
    }

    #[test]
    fn a_line_is_drawn_inside_the_canvas() {
        let fonts = Fonts::read().unwrap();
        let style = Style {
            font: &fonts.bold,
            size: 40.0,
            colour: Rgb([255, 255, 255]),
        };
        assert!(style.width("Kora") > 40.0);
        let mut canvas = RgbImage::new(100, 50);
        style.draw(&mut canvas, "Kora Kora", (-20.0, 10.0));
        assert!(canvas.pixels().any(|pixel| pixel.0[0] > 200));
    }
}
