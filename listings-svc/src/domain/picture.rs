//! Pictures: their kinds and sizes, the names of their files, and where listings have them (§2.2, §2.4).

use std::fmt;

use bytes::Bytes;

/// The ending of every file: pictures are stored as JPEG.
const ENDING: &str = ".jpg";
/// Digits of a SHA-256 in hexadecimal.
const DIGITS: usize = 64;
/// Where pictures are, seen from where the public pages begin.
const FOLDER: &str = "/pictures/";

/// What a picture is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Stands for a game in lists.
    Cover,
    /// Stands for a page.
    Avatar,
    /// Shows a game.
    Screenshot,
}

/// How large a picture is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// So wide and high: scaled until it fills that, and what hangs over is cut off evenly.
    Fill(u32, u32),
    /// Within that: scaled down if need be, whole.
    Within(u32, u32),
}

impl Kind {
    /// The size that a listing has.
    pub const fn large(self) -> Size {
        match self {
            // 16:9, and what a preview of a link shows.
            Self::Cover => Size::Fill(1_200, 675),
            Self::Avatar => Size::Fill(512, 512),
            Self::Screenshot => Size::Within(1_600, 1_600),
        }
    }

    /// The smaller one.
    pub const fn small(self) -> Size {
        match self {
            Self::Cover => Size::Fill(600, 338),
            Self::Avatar => Size::Fill(128, 128),
            Self::Screenshot => Size::Within(640, 640),
        }
    }

    /// What a picture must measure, so that it is not all blur.
    pub const fn least(self) -> (u32, u32) {
        match self {
            Self::Cover => (600, 338),
            Self::Avatar => (128, 128),
            Self::Screenshot => (160, 90),
        }
    }
}

/// What is drawn of a picture: this part of it, at that size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drawn {
    /// Of the part's upper left corner.
    pub x: u32,
    /// Of the part's upper left corner.
    pub y: u32,
    /// Of the part.
    pub width: u32,
    /// Of the part.
    pub height: u32,
    /// Width and height in the end.
    pub to: (u32, u32),
}

impl Size {
    /// What is drawn of a picture so wide and high, neither of which is 0.
    pub fn of(self, (width, height): (u32, u32)) -> Drawn {
        let (part, to) = match self {
            Self::Fill(w, h) => {
                let wide = u64::from(width) * u64::from(h) > u64::from(w) * u64::from(height);
                let part = if wide {
                    (share(height, w, h).min(width), height)
                } else {
                    (width, share(width, h, w).min(height))
                };
                (part, (w, h))
            }
            Self::Within(w, h) if width <= w && height <= h => ((width, height), (width, height)),
            Self::Within(w, h) => {
                let wide = u64::from(width) * u64::from(h) > u64::from(w) * u64::from(height);
                let to = if wide {
                    (w, share(w, height, width))
                } else {
                    (share(h, width, height), h)
                };
                ((width, height), to)
            }
        };
        Drawn {
            x: (width - part.0) / 2,
            y: (height - part.1) / 2,
            width: part.0,
            height: part.1,
            to,
        }
    }
}

/// `length` times `part` by `whole`, rounded, and 1 at least.
fn share(length: u32, part: u32, whole: u32) -> u32 {
    let whole = u64::from(whole);
    let rounded = (u64::from(length) * u64::from(part) + whole / 2) / whole;
    u32::try_from(rounded.max(1)).unwrap_or(u32::MAX)
}

/// The name of a picture's file: the SHA-256 of its bytes, and an ending.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name(String);

impl Name {
    /// The name of a file whose bytes have this SHA-256.
    pub fn of(hash: &[u8; 32]) -> Self {
        Self(hex::encode(hash))
    }

    /// Reads a name. Whatever else it may be, it is no path.
    pub fn parse(text: &str) -> Option<Self> {
        let hash = text.strip_suffix(ENDING)?;
        Self::from_hash(hash)
    }

    /// The name of a file by its hash alone.
    pub fn from_hash(hash: &str) -> Option<Self> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        (hash.len() == DIGITS && hash.bytes().all(is_digit)).then(|| Self(hash.to_owned()))
    }

    /// The name in an address as listings keep it; `None` for that of another site.
    pub fn in_address(address: &str) -> Option<Self> {
        Self::parse(address.strip_prefix(FOLDER)?)
    }

    /// The hash, in hexadecimal.
    pub fn hash(&self) -> &str {
        &self.0
    }

    /// The address as listings keep it: from where the public pages begin.
    pub fn address(&self) -> String {
        format!("{FOLDER}{self}")
    }

    /// Where the file lies in the store: no folder has more than a 256th of them.
    pub fn path(&self) -> String {
        format!("{}/{self}", self.0.get(..2).unwrap_or_default())
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{ENDING}", self.0)
    }
}

/// Whether an address is that of an uploaded picture, rather than of one on another site.
pub fn is_ours(address: &str) -> bool {
    Name::in_address(address).is_some()
}

/// A file to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// Told by the bytes.
    pub name: Name,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// A whole JPEG.
    pub bytes: Bytes,
}

/// A picture in its two sizes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// As the listing has it.
    pub large: Made,
    /// The same, smaller.
    pub small: Made,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hash() -> String {
        "0123456789abcdef".repeat(4)
    }

    #[test]
    fn a_name_is_sixty_four_digits_and_an_ending() {
        let hash = hash();
        let name = Name::parse(&format!("{hash}.jpg")).unwrap();
        assert_eq!(name.hash(), hash);
        assert_eq!(name.address(), format!("/pictures/{hash}.jpg"));
        assert_eq!(name.path(), format!("01/{hash}.jpg"));
        assert_eq!(Name::in_address(&name.address()), Some(name));
    }

    #[test]
    fn nothing_else_is_a_name() {
        let hash = hash();
        for bad in [
            String::new(),
            hash.clone(),
            format!("{hash}.png"),
            format!("{hash}.jpg/"),
            format!("{}.jpg", hash.to_uppercase()),
            format!("{}.jpg", &hash[1..]),
            format!("../{}.jpg", &hash[3..]),
            format!("{}\0.jpg", &hash[1..]),
            format!("{hash}.jpg.jpg"),
            format!("/{hash}.jpg"),
        ] {
            assert_eq!(Name::parse(&bad), None, "{bad}");
        }
        assert!(!is_ours(&format!("https://a.example/pictures/{hash}.jpg")));
    }

    #[test]
    fn what_hangs_over_is_cut_off_evenly_and_a_screenshot_is_whole() {
        let cover = Kind::Cover.large();
        let (wide, high) = (cover.of((2_000, 675)), cover.of((1_200, 1_675)));
        assert_eq!(
            (wide.x, wide.y, wide.width, wide.height),
            (400, 0, 1_200, 675)
        );
        assert_eq!(
            (high.x, high.y, high.width, high.height),
            (0, 500, 1_200, 675)
        );
        let shot = Kind::Screenshot.large();
        assert_eq!(shot.of((3_200, 1_800)).to, (1_600, 900));
        assert_eq!(shot.of((900, 3_200)).to, (450, 1_600));
        assert_eq!(shot.of((640, 480)).to, (640, 480));
        assert_eq!(shot.of((10_000, 1)).to, (1_600, 1));
    }

    proptest! {
        #[test]
        fn what_is_drawn_lies_within_the_picture_and_its_size(
            width in 1u32..=10_000,
            height in 1u32..=10_000,
            kind in prop::sample::select(vec![Kind::Cover, Kind::Avatar, Kind::Screenshot]),
        ) {
            for size in [kind.large(), kind.small()] {
                let drawn = size.of((width, height));
                prop_assert!(drawn.width >= 1 && drawn.x + drawn.width <= width);
                prop_assert!(drawn.height >= 1 && drawn.y + drawn.height <= height);
                match size {
                    Size::Fill(w, h) => prop_assert_eq!(drawn.to, (w, h)),
                    Size::Within(w, h) => {
                        prop_assert!((1..=w).contains(&drawn.to.0) && (1..=h).contains(&drawn.to.1));
                        prop_assert_eq!((drawn.width, drawn.height), (width, height));
                    }
                }
            }
        }

        #[test]
        fn a_path_never_leaves_its_folder(text in "\\PC{0,90}") {
            if let Some(name) = Name::parse(&text) {
                prop_assert_eq!(name.to_string(), text);
            }
        }

        #[test]
        fn every_hash_has_its_name(hash: [u8; 32]) {
            let name = Name::of(&hash);
            prop_assert_eq!(Name::parse(&name.to_string()), Some(name.clone()));
            prop_assert_eq!(name.path().split('/').count(), 2);
        }
    }
}
