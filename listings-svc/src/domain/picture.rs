//! Pictures: their kinds and sizes, the names of their files, and where listings have them (§2.2, §2.4).

use std::fmt;

use bytes::Bytes;

/// The ending of every file: pictures are stored as JPEG.
const EXTENSION: &str = ".jpg";
/// Digits of a SHA-256 in hexadecimal.
const HASH_DIGITS: usize = 64;
/// Where pictures are, seen from where the public pages begin.
const PATH_PREFIX: &str = "/pictures/";

/// What a picture is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureKind {
    /// Stands for a game in lists.
    Cover,
    /// Stands for a page.
    Avatar,
    /// Shows a game.
    Screenshot,
}

/// How large a picture is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetSize {
    /// So wide and high: scaled until it fills that, and what hangs over is cut off evenly.
    Fill(u32, u32),
    /// Within that: scaled down if need be, whole.
    Within(u32, u32),
}

impl PictureKind {
    /// The size that a listing has.
    pub const fn large(self) -> TargetSize {
        match self {
            // 16:9, and what a preview of a link shows.
            Self::Cover => TargetSize::Fill(1_200, 675),
            Self::Avatar => TargetSize::Fill(512, 512),
            Self::Screenshot => TargetSize::Within(1_600, 1_600),
        }
    }

    /// The smaller one.
    pub const fn small(self) -> TargetSize {
        match self {
            Self::Cover => TargetSize::Fill(600, 338),
            Self::Avatar => TargetSize::Fill(128, 128),
            Self::Screenshot => TargetSize::Within(640, 640),
        }
    }

    /// What a picture must measure, so that it is not all blur.
    pub const fn min_size(self) -> (u32, u32) {
        match self {
            Self::Cover => (600, 338),
            Self::Avatar => (128, 128),
            Self::Screenshot => (160, 90),
        }
    }
}

/// What is drawn of a picture: this part of it, at that size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CropAndScale {
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

impl TargetSize {
    /// What is drawn of a picture so wide and high, neither of which is 0.
    pub fn crop(self, (width, height): (u32, u32)) -> CropAndScale {
        let (area, to) = match self {
            Self::Fill(w, h) => {
                let wide = u64::from(width) * u64::from(h) > u64::from(w) * u64::from(height);
                let area = if wide {
                    (scale(height, w, h).min(width), height)
                } else {
                    (width, scale(width, h, w).min(height))
                };
                (area, (w, h))
            }
            Self::Within(w, h) if width <= w && height <= h => ((width, height), (width, height)),
            Self::Within(w, h) => {
                let wide = u64::from(width) * u64::from(h) > u64::from(w) * u64::from(height);
                let to = if wide {
                    (w, scale(w, height, width))
                } else {
                    (scale(h, width, height), h)
                };
                ((width, height), to)
            }
        };
        CropAndScale {
            x: (width - area.0) / 2,
            y: (height - area.1) / 2,
            width: area.0,
            height: area.1,
            to,
        }
    }
}

/// `length` times `part` by `whole`, rounded, and 1 at least.
fn scale(length: u32, area: u32, whole: u32) -> u32 {
    let whole = u64::from(whole);
    let rounded = (u64::from(length) * u64::from(area) + whole / 2) / whole;
    u32::try_from(rounded.max(1)).unwrap_or(u32::MAX)
}

/// The name of a picture's file: the SHA-256 of its bytes, and an ending.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileName(String);

impl FileName {
    /// The name of a file whose bytes have this SHA-256.
    pub fn of(hash: &[u8; 32]) -> Self {
        Self(hex::encode(hash))
    }

    /// Reads a name. Whatever else it may be, it is no path.
    pub fn parse(text: &str) -> Option<Self> {
        let hash = text.strip_suffix(EXTENSION)?;
        Self::from_hash(hash)
    }

    /// The name of a file by its hash alone.
    pub fn from_hash(hash: &str) -> Option<Self> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        (hash.len() == HASH_DIGITS && hash.bytes().all(is_digit)).then(|| Self(hash.to_owned()))
    }

    /// The name in an address as listings keep it; `None` for that of another site.
    pub fn in_address(address: &str) -> Option<Self> {
        Self::parse(address.strip_prefix(PATH_PREFIX)?)
    }

    /// The hash, in hexadecimal.
    pub fn hash(&self) -> &str {
        &self.0
    }

    /// The address as listings keep it: from where the public pages begin.
    pub fn address(&self) -> String {
        format!("{PATH_PREFIX}{self}")
    }

    /// Where the file lies in the store: no folder has more than a 256th of them.
    pub fn path(&self) -> String {
        format!("{}/{self}", self.0.get(..2).unwrap_or_default())
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{EXTENSION}", self.0)
    }
}

/// Whether an address is that of an uploaded picture, rather than of one on another site.
pub fn is_uploaded(address: &str) -> bool {
    FileName::in_address(address).is_some()
}

/// A file to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureFile {
    /// Told by the bytes.
    pub name: FileName,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// A whole JPEG.
    pub bytes: Bytes,
}

/// A picture in its two sizes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureSizes {
    /// As the listing has it.
    pub large: PictureFile,
    /// The same, smaller.
    pub small: PictureFile,
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
        let name = FileName::parse(&format!("{hash}.jpg")).unwrap();
        assert_eq!(name.hash(), hash);
        assert_eq!(name.address(), format!("/pictures/{hash}.jpg"));
        assert_eq!(name.path(), format!("01/{hash}.jpg"));
        assert_eq!(FileName::in_address(&name.address()), Some(name));
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
            assert_eq!(FileName::parse(&bad), None, "{bad}");
        }
        assert!(!is_uploaded(&format!(
            "https://a.example/pictures/{hash}.jpg"
        )));
    }

    #[test]
    fn what_hangs_over_is_cut_off_evenly_and_a_screenshot_is_whole() {
        let cover = PictureKind::Cover.large();
        let (wide, high) = (cover.crop((2_000, 675)), cover.crop((1_200, 1_675)));
        assert_eq!(
            (wide.x, wide.y, wide.width, wide.height),
            (400, 0, 1_200, 675)
        );
        assert_eq!(
            (high.x, high.y, high.width, high.height),
            (0, 500, 1_200, 675)
        );
        let shot = PictureKind::Screenshot.large();
        assert_eq!(shot.crop((3_200, 1_800)).to, (1_600, 900));
        assert_eq!(shot.crop((900, 3_200)).to, (450, 1_600));
        assert_eq!(shot.crop((640, 480)).to, (640, 480));
        assert_eq!(shot.crop((10_000, 1)).to, (1_600, 1));
    }

    proptest! {
        #[test]
        fn what_is_drawn_lies_within_the_picture_and_its_size(
            width in 1u32..=10_000,
            height in 1u32..=10_000,
            kind in prop::sample::select(vec![PictureKind::Cover, PictureKind::Avatar, PictureKind::Screenshot]),
        ) {
            for size in [kind.large(), kind.small()] {
                let crop = size.crop((width, height));
                prop_assert!(crop.width >= 1 && crop.x + crop.width <= width);
                prop_assert!(crop.height >= 1 && crop.y + crop.height <= height);
                match size {
                    TargetSize::Fill(w, h) => prop_assert_eq!(crop.to, (w, h)),
                    TargetSize::Within(w, h) => {
                        prop_assert!((1..=w).contains(&crop.to.0) && (1..=h).contains(&crop.to.1));
                        prop_assert_eq!((crop.width, crop.height), (width, height));
                    }
                }
            }
        }

        #[test]
        fn a_path_never_leaves_its_folder(text in "\\PC{0,90}") {
            if let Some(name) = FileName::parse(&text) {
                prop_assert_eq!(name.to_string(), text);
            }
        }

        #[test]
        fn every_hash_has_its_name(hash: [u8; 32]) {
            let name = FileName::of(&hash);
            prop_assert_eq!(FileName::parse(&name.to_string()), Some(name.clone()));
            prop_assert_eq!(name.path().split('/').count(), 2);
        }
    }
}
