//! Files that pages refer to. Their names have a hash of their content, so that browsers may store them for ever.

use std::sync::LazyLock;

use sha2::{Digest as _, Sha256};

/// A file of the dashboard.
#[derive(Debug)]
pub struct Asset {
    /// For example `style-0123456789abcdef.css`.
    pub name: String,
    pub media_type: &'static str,
    pub content: &'static [u8],
}

pub static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    let content = include_str!("../assets/style.css").replace("ojuju.woff2", &FONT.name);
    // A file is made once in the life of a process.
    Asset::new(
        "style",
        "css",
        "text/css; charset=utf-8",
        content.leak().as_bytes(),
    )
});

pub static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let content = include_bytes!("../assets/script.js");
    Asset::new("script", "js", "text/javascript; charset=utf-8", content)
});

pub static EMBED_STYLE: LazyLock<Asset> = LazyLock::new(|| {
    let content = include_bytes!("../assets/embed.css");
    Asset::new("embed", "css", "text/css; charset=utf-8", content)
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
    fn new(stem: &str, extension: &str, media_type: &'static str, content: &'static [u8]) -> Self {
        let hash = hex::encode(&Sha256::digest(content)[..8]);
        Self {
            name: format!("{stem}-{hash}.{extension}"),
            media_type,
            content,
        }
    }

    /// The path of this file.
    pub fn path(&self) -> String {
        format!("/assets/{}", self.name)
    }
}

/// The file with this name.
pub fn find(name: &str) -> Option<&'static Asset> {
    let all: [&'static Asset; 6] = [&STYLE, &SCRIPT, &EMBED_STYLE, &ICON, &FONT, &ICONS];
    all.into_iter().find(|asset| asset.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_by_its_hashed_name_only() {
        let name = STYLE.name.clone();
        assert!(
            name.starts_with("style-") && name.len() == "style-.css".len() + 16,
            "{name}"
        );
        assert_eq!(find(&name).unwrap().content, STYLE.content);
        assert!(find("style.css").is_none());
    }

    #[test]
    fn the_style_names_the_font_as_it_is_served() {
        let style = std::str::from_utf8(STYLE.content).unwrap();
        assert!(style.contains(&format!("url(\"{}\")", FONT.name)));
        assert!(FONT.content.len() <= 40_000);
        assert!(find(&FONT.name).is_some());
    }
}
