//! The pictures of a listing that is reviewed, saved to a folder with a page that shows all of them.

use std::fmt::Write as _;
use std::path::PathBuf;

use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_picture_service_client::StaffPictureServiceClient;
use kit::rpc::client::Client;
use serde_json::Value;
use tempfile::TempDir;

use crate::error::Error;
use crate::picture;

/// With this begin the stored addresses of uploaded pictures. The others are on other sites.
const UPLOADED: &str = "/pictures/";

/// A folder that is deleted with this value.
pub(super) struct SavedPictures(TempDir);

impl SavedPictures {
    /// The page that shows the pictures.
    pub(super) fn page(&self) -> PathBuf {
        self.0.path().join("pictures.html")
    }
}

/// Saves the uploaded pictures of a listing; `None` if it has none.
pub(super) async fn save(
    pictures: &mut StaffPictureServiceClient<Client>,
    review: &proto::GetReviewResponse,
) -> Result<Option<SavedPictures>, Error> {
    let content: Value = serde_json::from_str(&review.content).unwrap_or_default();
    let shown = uploaded(&content);
    if shown.is_empty() {
        return Ok(None);
    }
    let folder = tempfile::Builder::new().prefix("staff-review-").tempdir();
    let folder = folder.map_err(|error| {
        Error::usage(format!("no folder for the pictures can be made: {error}"))
    })?;
    let mut page = "<!doctype html><meta charset=\"utf-8\"><title>Pictures</title>".to_owned();
    for (index, (caption, url)) in shown.iter().enumerate() {
        let file = format!("{index}.jpg");
        let bytes = picture::read(pictures, url).await?;
        picture::write(&folder.path().join(&file), &bytes)?;
        let caption = escape(caption);
        // Writing to a String never fails.
        let figure = write!(
            page,
            "<figure><img src=\"{file}\" alt=\"\"><figcaption>{caption}</figcaption></figure>"
        );
        figure.unwrap_or_default();
    }
    let saved = SavedPictures(folder);
    picture::write(&saved.page(), page.as_bytes())?;
    Ok(Some(saved))
}

/// The captions and the addresses of the uploaded pictures of a listing.
fn uploaded(content: &Value) -> Vec<(String, &str)> {
    let single = ["avatar_url", "cover_url"].into_iter();
    let single = single.filter_map(|field| Some((field.to_owned(), address(&content[field])?)));
    let screenshots = content["screenshots"].as_array().into_iter().flatten();
    let screenshots = screenshots.filter_map(|screenshot| {
        let alt = screenshot["alt"].as_str().unwrap_or_default();
        Some((format!("screenshot: {alt}"), address(&screenshot["url"])?))
    });
    single.chain(screenshots).collect()
}

fn address(value: &Value) -> Option<&str> {
    value.as_str().filter(|url| url.starts_with(UPLOADED))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn uploaded_pictures_are_found_in_the_content() {
        let content = json!({
            "title": "A", "cover_url": "/pictures/a.jpg",
            "screenshots": [{"url": "https://other.example/b.jpg", "alt": ""}, {"url": "/pictures/c.jpg", "alt": "A hill"}],
        });
        let found = uploaded(&content);
        assert_eq!(found[0], ("cover_url".to_owned(), "/pictures/a.jpg"));
        assert_eq!(
            found[1],
            ("screenshot: A hill".to_owned(), "/pictures/c.jpg")
        );
        assert_eq!(found.len(), 2);
        assert!(uploaded(&json!({"avatar_url": null})).is_empty());
    }
}
