//! Files that pages refer to. Their names have a hash of their content, so that browsers may store them for ever.

use std::sync::LazyLock;

use sha2::{Digest as _, Sha256};

/// Bytes of the hash in a name.
const HASH: usize = 8;

/// A file of the pages.
#[derive(Debug)]
pub struct Asset {
    /// For example `style-0123456789abcdef.css`.
    pub name: String,
    pub media_type: &'static str,
    pub content: &'static [u8],
    stem: &'static str,
    extension: &'static str,
}

/// `/favicon.ico`: the icon at 32 pixels.
pub const FAVICON: &[u8] = include_bytes!("../assets/favicon.ico");

/// `/apple-touch-icon.png`: the icon at 180 pixels.
pub const TOUCH_ICON: &[u8] = include_bytes!("../assets/apple-touch-icon.png");

pub static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    let content = include_str!("../assets/style.css").replace("ojuju.woff2", &FONT.name);
    // Each file is made once in a process.
    Asset::new("style", "css", "text/css; charset=utf-8", content.leak().as_bytes())
});

pub static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let content = include_bytes!("../assets/script.js");
    Asset::new("script", "js", "text/javascript; charset=utf-8", content)
});

/// The picture with which networks show a link to a page without one.
pub static SHARE: LazyLock<Asset> = LazyLock::new(|| {
    let content = include_bytes!("../assets/share.png");
    Asset::new("share", "png", "image/png", content)
});

pub static ICON: LazyLock<Asset> = LazyLock::new(|| {
    let content = include_bytes!("../assets/icon.svg");
    Asset::new("icon", "svg", "image/svg+xml", content)
});

/// The face of headings: Ojuju Bold, reduced to Latin with the letters of African languages (`assets/fonts/OFL.txt`).
pub static FONT: LazyLock<Asset> = LazyLock::new(|| {
    let content = include_bytes!("../assets/fonts/ojuju.woff2");
    Asset::new("ojuju", "woff2", "font/woff2", content)
});

/// The symbols of [`crate::icon`].
pub static ICONS: LazyLock<Asset> = LazyLock::new(|| {
    let content = crate::icon::SYMBOLS.as_bytes();
    Asset::new("icons", "svg", "image/svg+xml", content)
});

impl Asset {
    fn new(
        stem: &'static str,
        extension: &'static str,
        media_type: &'static str,
        content: &'static [u8],
    ) -> Self {
        let hash = hex::encode(&Sha256::digest(content)[..HASH]);
        Self { name: format!("{stem}-{hash}.{extension}"), media_type, content, stem, extension }
    }

    /// The path of this file.
    pub fn path(&self) -> String {
        format!("/assets/{}", self.name)
    }
}

/// The file with this name.
pub fn find(name: &str) -> Option<&'static Asset> {
    all().into_iter().find(|asset| asset.name == name)
}

/// The file in place of one of another release, whose name has another hash.
pub fn of_other_release(name: &str) -> Option<&'static Asset> {
    let (stem, rest) = name.rsplit_once('-')?;
    let (hash, extension) = rest.split_once('.')?;
    let is_hash = hash.len() == 2 * HASH && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut all = all().into_iter();
    all.find(|asset| is_hash && asset.stem == stem && asset.extension == extension)
}

/// All files.
pub fn all() -> [&'static Asset; 6] {
    [&STYLE, &SCRIPT, &SHARE, &ICON, &FONT, &ICONS]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_by_its_hashed_name_only() {
        let name = STYLE.name.clone();
        assert!(name.starts_with("style-") && name.len() == "style-.css".len() + 16, "{name}");
        assert_eq!(find(&name).unwrap().content, STYLE.content);
        assert!(find("style.css").is_none());
    }

    #[test]
    fn a_file_of_another_release_is_found_by_its_stem() {
        let found = |name| of_other_release(name).map(|asset| asset.stem);
        for (name, stem) in [
            ("style-0000000000000000.css", Some("style")),
            ("share-0123456789abcdef.png", Some("share")),
            ("script-0000000000000000.js", Some("script")),
            ("script-0000000000000000.css", None),
            ("style-000000000000000.css", None),
            ("style-000000000000000g.css", None),
            ("style.css", None),
            ("none-0000000000000000.css", None),
        ] {
            assert_eq!(found(name), stem, "{name}");
        }
    }

    #[test]
    fn the_stylesheet_names_the_served_font() {
        let style = std::str::from_utf8(STYLE.content).unwrap();
        assert!(style.contains(&format!("url(\"{}\")", FONT.name)));
        // The font neither delays a page nor shifts text when it arrives.
        assert!(style.contains("font-display: optional"));
        assert!(FONT.content.len() <= 40_000);
        assert!(find(&FONT.name).is_some());
    }
}
