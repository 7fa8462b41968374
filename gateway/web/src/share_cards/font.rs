//! The letters of share cards: Noto Sans, reduced to Latin, Greek, Arabic, Ethiopic, N'Ko and Tifinagh (`fonts/OFL.txt`).

use std::sync::{Arc, LazyLock};

use resvg::usvg::fontdb::{Database, Source};
use resvg::usvg::{self, Options, Tree};
use skrifa::{FontRef, MetadataProvider as _};
use unicode_bidi::{Direction, get_base_direction};
use unicode_normalization::UnicodeNormalization as _;

/// Each weight is one font for all scripts: usvg combines the glyphs of two fonts only if both make the same number of glyphs of a text, and
/// ligatures change that number. Both weights have the same characters.
const REGULAR: &[u8] = include_bytes!("../../fonts/NotoSans-Regular.ttf");
const BOLD: &[u8] = include_bytes!("../../fonts/NotoSans-Bold.ttf");

/// SVG is read with these fonts, and with none of the machine.
static OPTIONS: LazyLock<Options<'static>> = LazyLock::new(|| {
    let mut fonts = Database::new();
    for file in [REGULAR, BOLD] {
        fonts.load_font_source(Source::Binary(Arc::new(file)));
    }
    Options {
        font_family: "Noto Sans".to_owned(),
        fontdb: Arc::new(fonts),
        ..Options::default()
    }
});

/// How a text is written.
pub(super) struct Style {
    /// In pixels.
    pub(super) size: u16,
    pub(super) weight: u16,
    pub(super) colour: &'static str,
    /// The distance between two base lines, in pixels.
    pub(super) line_height: i32,
}

impl Style {
    /// A line as an element of SVG. `place` is the attributes that say where it stands.
    pub(super) fn element(&self, line: &str, place: &str) -> String {
        let (size, weight, colour) = (self.size, self.weight, self.colour);
        let line = line
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;");
        format!(
            "<text {place} font-size=\"{size}\" font-weight=\"{weight}\" \
             fill=\"{colour}\">{line}</text>"
        )
    }

    /// The width of a line in pixels.
    pub(super) fn width(&self, line: &str) -> f32 {
        let element = self.element(line, "");
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\">{element}</svg>"
        );
        // If this cannot be read, neither can the card with this line, whose error is returned.
        parse(&svg).map_or(0.0, |tree| tree.root().bounding_box().width())
    }
}

pub(super) fn parse(svg: &str) -> Result<Tree, usvg::Error> {
    Tree::from_str(svg, &OPTIONS)
}

/// The text with its marks joined to their letters, without the characters that the fonts lack: they would be boxes. Empty if no letter or
/// digit is left.
pub(super) fn readable(text: &str) -> String {
    // A font of this program can be read: the tests do.
    let Ok(font) = FontRef::new(BOLD) else {
        return String::new();
    };
    let letters = font.charmap();
    let has = |c: &char| c.is_whitespace() || letters.map(*c).is_some();
    let text: String = text.nfc().filter(has).collect();
    if !text.contains(char::is_alphanumeric) {
        return String::new();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether the first letter that has a direction is of a script that is written from right to left.
pub(super) fn is_rtl(text: &str) -> bool {
    get_base_direction(text) == Direction::Rtl
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const STYLE: Style = Style {
        size: 40,
        weight: 700,
        colour: "#ffffff",
        line_height: 50,
    };

    #[test]
    fn letters_of_african_languages_can_be_read() {
        for text in [
            "ɛ ŋ ɔ ẹ ṣ ọ̀rẹ́ ɓ ɗ ƙ ƴ ɖ ƒ ɣ ǃ ǂ ʼ ₦ “Éléphant” – œ ç",
            "Àwọn ọmọ Ọ̀yọ́",
            "Twi: Ɛyɛ ahoɔden",
            "مرحبًا، لعبة ٢٠٢٦!",
            "ڟ ݣ ࢥ نمایش\u{200c}ها",
            "ሰላም፡ ለዓለም። ፳፮ ꬠ ⶓ",
            "ߒߞߏ߫ ߞߊ߲ ߂߀",
            "ⵜⴰⵎⴰⵣⵉⵖⵜ ⵯ",
        ] {
            assert_eq!(readable(text), text.nfc().collect::<String>());
        }
        for text in ["日本", "🎮", "🎮 – ، !"] {
            assert_eq!(readable(text), "", "{text}");
        }
        for (text, readable_text) in [
            ("Okoto 🎮\u{fe0f} – 2", "Okoto – 2"),
            ("日本 Salam", "Salam"),
            // A mark and its letter become one character where Unicode has it.
            ("e\u{301}", "é"),
        ] {
            assert_eq!(readable(text), readable_text, "{text}");
        }
    }

    #[test]
    fn both_weights_have_the_same_characters() {
        let characters = |file: &'static [u8]| {
            let mappings = FontRef::new(file).unwrap().charmap().mappings();
            mappings.map(|(c, _)| c).collect::<Vec<u32>>()
        };
        assert_eq!(characters(REGULAR), characters(BOLD));
    }

    #[test]
    fn the_first_letter_says_the_direction() {
        for text in ["مرحبا Kora", "3 – مرحبا", "ߒߞߏ", "«لعبة» (Kora)"] {
            assert!(is_rtl(text), "{text}");
        }
        for text in ["", "3", "Kora مرحبا", "ሰላም", "ⵣ"] {
            assert!(!is_rtl(text), "{text}");
        }
    }

    #[test]
    fn a_line_is_as_wide_as_its_shaped_letters() {
        for (longer, line) in [("Korama", "Kora"), ("ሰላምታ", "ሰላም"), ("ⵣⵣ", "ⵣ")]
        {
            assert!(STYLE.width(longer) > STYLE.width(line), "{line}");
        }
        // Joined letters take less room than letters that stand alone, and a mark takes none.
        assert!(STYLE.width("ببب") < 2.5 * STYLE.width("ب"));
        let is_near = |one: f32, other: f32| (one - other).abs() < 1.5;
        assert!(is_near(STYLE.width("بَ"), STYLE.width("ب")));
        assert!(is_near(STYLE.width("ọ̀"), STYLE.width("ọ")));
        // Markup is text.
        assert!(STYLE.width("<&>") > STYLE.width("&"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_text_of_these_letters_has_a_width(
            text in "[a-z<&>\u{300}-\u{36f}\u{600}-\u{6ff}\u{7c0}-\u{7ff}\u{1200}-\u{139f}\u{200c}-\u{200f}\u{2d30}-\u{2d7f} ]{1,40}",
        ) {
            let text = readable(&text);
            let embedded = format!("\u{202b}{text}\u{202c}");
            for line in [&text, &embedded] {
                let width = STYLE.width(line);
                prop_assert!(width.is_finite() && width < 5_000.0, "{line}: {width}");
            }
        }
    }
}
