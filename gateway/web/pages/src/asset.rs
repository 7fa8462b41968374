//! Files that pages refer to. Their names have a hash of their content, so that browsers may store them for ever.

use std::io::Write as _;
use std::sync::LazyLock;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};

/// Bytes of the hash in a name.
const HASH: usize = 8;

/// A file of the pages.
#[derive(Debug)]
pub struct Asset {
    /// For example `style-0123456789abcdef.css`.
    pub name: String,
    pub media_type: &'static str,
    pub content: &'static str,
    /// The content in gzip, compressed once; `None` if that failed.
    pub gzip: Option<Bytes>,
    stem: &'static str,
    extension: &'static str,
}

/// `/favicon.ico`: the icon at 32 pixels.
pub const FAVICON: &[u8] = include_bytes!("../assets/favicon.ico");

/// `/apple-touch-icon.png`: the icon at 180 pixels.
pub const TOUCH_ICON: &[u8] = include_bytes!("../assets/apple-touch-icon.png");

pub static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    let content = include_str!("../assets/style.css");
    Asset::new("style", "css", "text/css; charset=utf-8", content)
});

pub static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let content = include_str!("../assets/script.js");
    Asset::new("script", "js", "text/javascript; charset=utf-8", content)
});

pub static EMBED_STYLE: LazyLock<Asset> = LazyLock::new(|| {
    let content = include_str!("../assets/embed.css");
    Asset::new("embed", "css", "text/css; charset=utf-8", content)
});

pub static ICON: LazyLock<Asset> = LazyLock::new(|| {
    let content = include_str!("../assets/icon.svg");
    Asset::new("icon", "svg", "image/svg+xml", content)
});

impl Asset {
    fn new(
        stem: &'static str,
        extension: &'static str,
        media_type: &'static str,
        content: &'static str,
    ) -> Self {
        let hash = hex::encode(&Sha256::digest(content)[..HASH]);
        Self {
            name: format!("{stem}-{hash}.{extension}"),
            media_type,
            content,
            gzip: gzip(content),
            stem,
            extension,
        }
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

/// The file that stands for one of another release, whose name has another hash.
pub fn of_other_release(name: &str) -> Option<&'static Asset> {
    let (stem, rest) = name.rsplit_once('-')?;
    let (hash, extension) = rest.split_once('.')?;
    let is_hash = hash.len() == 2 * HASH && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut all = all().into_iter();
    all.find(|asset| is_hash && asset.stem == stem && asset.extension == extension)
}

fn all() -> [&'static Asset; 4] {
    [&STYLE, &SCRIPT, &EMBED_STYLE, &ICON]
}

fn gzip(content: &str) -> Option<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content.as_bytes()).ok()?;
    encoder.finish().ok().map(Bytes::from)
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
    fn a_file_of_another_release_has_another_hash() {
        let found = |name| of_other_release(name).map(|asset| asset.stem);
        for (name, stem) in [
            ("style-0000000000000000.css", Some("style")),
            ("embed-0123456789abcdef.css", Some("embed")),
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
    fn a_compressed_file_is_smaller() {
        for asset in all() {
            let gzip = asset.gzip.as_ref().unwrap();
            assert!(gzip.starts_with(&[0x1f, 0x8b]), "{}", asset.name);
            let is_small = asset.content.len() < 1_000;
            assert!(
                is_small || gzip.len() < asset.content.len() / 2,
                "{}",
                asset.name
            );
        }
    }
}
