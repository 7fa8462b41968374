//! Pictures: kinds, sizes, and the names of their files (§2.2, §2.4).

use std::fmt;

use bytes::Bytes;

use super::entity::Entity;

/// Every picture is stored as JPEG.
const EXTENSION: &str = ".jpg";
/// Before the extension of the small size.
const SMALL: &str = "-small";
/// Length of a SHA-256 in hexadecimal.
const HASH_DIGITS: usize = 64;
/// Path of the pictures below the public URL.
const PATH_PREFIX: &str = "/pictures/";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureKind {
    Cover,
    Avatar,
    Screenshot,
}

/// The size to which a picture is scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetSize {
    /// Exactly this width and height: the picture is scaled to cover them, and the overhang is cropped evenly.
    Fill(u32, u32),
    /// At most this width and height: the whole picture, scaled down if needed.
    Within(u32, u32),
}

impl PictureKind {
    /// The kind of listing that has such pictures.
    pub const fn entity(self) -> Entity {
        match self {
            Self::Cover | Self::Screenshot => Entity::Game,
            Self::Avatar => Entity::Page,
        }
    }

    /// The size that a listing shows.
    pub const fn large(self) -> TargetSize {
        match self {
            // 16:9, the format of link previews.
            Self::Cover => TargetSize::Fill(1_200, 675),
            Self::Avatar => TargetSize::Fill(512, 512),
            Self::Screenshot => TargetSize::Within(1_600, 1_600),
        }
    }

    /// The size of a preview.
    pub const fn small(self) -> TargetSize {
        match self {
            Self::Cover => TargetSize::Fill(600, 338),
            Self::Avatar => TargetSize::Fill(128, 128),
            Self::Screenshot => TargetSize::Within(640, 640),
        }
    }

    /// The minimum width and height of an upload, in pixels.
    pub const fn min_size(self) -> (u32, u32) {
        match self {
            Self::Cover => (600, 338),
            Self::Avatar => (128, 128),
            Self::Screenshot => (160, 90),
        }
    }
}

/// The area to crop from a picture, in pixels, and the size to scale it to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CropAndScale {
    /// Left edge of the area.
    pub x: u32,
    /// Top edge of the area.
    pub y: u32,
    pub width: u32,
    pub height: u32,
    /// Width and height after scaling.
    pub to: (u32, u32),
}

impl TargetSize {
    /// The area and the scale for a picture of this width and height. Neither may be 0.
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
                let to =
                    if wide { (w, scale(w, height, width)) } else { (scale(h, width, height), h) };
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

/// `length * numerator / denominator`, rounded, at least 1.
fn scale(length: u32, numerator: u32, denominator: u32) -> u32 {
    let denominator = u64::from(denominator);
    let rounded = (u64::from(length) * u64::from(numerator) + denominator / 2) / denominator;
    u32::try_from(rounded.max(1)).unwrap_or(u32::MAX)
}

/// The name of a picture file: the hash of the picture, for its small size `-small`, and the extension.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileName {
    hash: String,
    is_small: bool,
}

impl FileName {
    /// The large file of the picture with this hash.
    pub fn from_digest(hash: &[u8; 32]) -> Self {
        Self { hash: hex::encode(hash), is_small: false }
    }

    /// Parses a file name. A valid name contains no path.
    pub fn parse(text: &str) -> Option<Self> {
        let name = text.strip_suffix(EXTENSION)?;
        let (hash, is_small) = name.strip_suffix(SMALL).map_or((name, false), |hash| (hash, true));
        let large = Self::from_hash(hash)?;
        Some(Self { is_small, ..large })
    }

    /// The large file of the picture with this hash, in hexadecimal.
    pub fn from_hash(hash: &str) -> Option<Self> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        (hash.len() == HASH_DIGITS && hash.bytes().all(is_digit))
            .then(|| Self { hash: hash.to_owned(), is_small: false })
    }

    /// The picture that an address names as listings store it; `None` for a picture on another site.
    pub fn from_address(address: &str) -> Option<Self> {
        let name = Self::parse(address.strip_prefix(PATH_PREFIX)?)?;
        (!name.is_small).then_some(name)
    }

    /// The file that staff or an account name: by its file name, its path or its public address.
    pub fn read(text: &str, public_url: &str) -> Option<Self> {
        let path = text.strip_prefix(public_url).unwrap_or(text).split(['?', '#']).next()?;
        Self::parse(path.strip_prefix(PATH_PREFIX).unwrap_or(path))
    }

    /// Of the picture, in hexadecimal.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The address of the picture as listings store it: relative to the public URL.
    pub fn address(&self) -> String {
        format!("{PATH_PREFIX}{}{EXTENSION}", self.hash)
    }

    /// The files of the picture.
    pub fn sizes(&self) -> [Self; 2] {
        [false, true].map(|is_small| Self { is_small, ..self.clone() })
    }

    /// The key in the file store. The first two digits spread the files over 256 folders.
    pub fn path(&self) -> String {
        format!("{}/{self}", self.hash.get(..2).unwrap_or_default())
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = if self.is_small { SMALL } else { "" };
        write!(f, "{}{size}{EXTENSION}", self.hash)
    }
}

/// An encoded picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedPicture {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    pub bytes: Bytes,
}

/// A picture in both sizes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureSizes {
    /// Of the large file. Derived from the bytes of both.
    pub name: FileName,
    pub large: EncodedPicture,
    pub small: EncodedPicture,
}

/// A picture whose files are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPicture {
    pub name: FileName,
    /// Of the large file, in pixels.
    pub width: u32,
    pub height: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hash() -> String {
        "0123456789abcdef".repeat(4)
    }

    #[test]
    fn a_name_is_a_hash_a_size_and_an_extension() {
        let hash = hash();
        for text in [format!("{hash}.jpg"), format!("{hash}-small.jpg")] {
            let name = FileName::parse(&text).unwrap();
            assert_eq!(name.to_string(), text);
            assert_eq!(name.hash(), hash);
            assert_eq!(name.address(), format!("/pictures/{hash}.jpg"));
            assert_eq!(name.path(), format!("01/{text}"));
            assert!(name.sizes().contains(&name));
        }
    }

    #[test]
    fn each_form_of_an_address_names_the_picture() {
        let hash = hash();
        let stored = format!("/pictures/{hash}.jpg");
        for (text, is_ours) in [
            (stored.clone(), true),
            (format!("{hash}.jpg"), true),
            (format!("/pictures/{hash}-small.jpg"), true),
            (format!("https://a.example/pictures/{hash}.jpg"), true),
            (format!("https://a.example/pictures/{hash}-small.jpg?b=c"), true),
            (format!("https://a.example.evil/pictures/{hash}.jpg"), false),
            (format!("https://b.example/pictures/{hash}.jpg"), false),
            (format!("https://a.example/b/pictures/{hash}.jpg"), false),
            (format!("https://a.example/pictures/{hash}.png"), false),
            (format!("https://a.example/{hash}.jpg"), false),
            (format!("https://a.example/?b=/pictures/{hash}.jpg"), false),
        ] {
            let found = FileName::read(&text, "https://a.example").map(|name| name.address());
            assert_eq!(found, is_ours.then(|| stored.clone()), "{text}");
            let found = FileName::from_address(&text);
            assert_eq!(found.is_some(), text == stored, "{text}");
        }
    }

    #[test]
    fn malformed_picture_names_are_refused() {
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
            format!("{hash}-small-small.jpg"),
            format!("{hash}-large.jpg"),
        ] {
            assert_eq!(FileName::parse(&bad), None, "{bad}");
        }
    }

    #[test]
    fn covers_are_cropped_evenly_and_screenshots_are_scaled_whole() {
        let cover = PictureKind::Cover.large();
        let (wide, high) = (cover.crop((2_000, 675)), cover.crop((1_200, 1_675)));
        assert_eq!((wide.x, wide.y, wide.width, wide.height), (400, 0, 1_200, 675));
        assert_eq!((high.x, high.y, high.width, high.height), (0, 500, 1_200, 675));
        let shot = PictureKind::Screenshot.large();
        assert_eq!(shot.crop((3_200, 1_800)).to, (1_600, 900));
        assert_eq!(shot.crop((900, 3_200)).to, (450, 1_600));
        assert_eq!(shot.crop((640, 480)).to, (640, 480));
        assert_eq!(shot.crop((10_000, 1)).to, (1_600, 1));
    }

    proptest! {
        #[test]
        fn the_crop_is_within_the_picture_and_the_size(
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
        fn a_parsed_name_prints_its_text(text in "\\PC{0,90}") {
            if let Some(name) = FileName::parse(&text) {
                prop_assert_eq!(name.to_string(), text);
            }
        }

        #[test]
        fn the_name_of_every_hash_is_parsed(hash: [u8; 32]) {
            let name = FileName::from_digest(&hash);
            prop_assert_eq!(FileName::parse(&name.to_string()), Some(name.clone()));
            prop_assert_eq!(name.path().split('/').count(), 2);
        }
    }
}
