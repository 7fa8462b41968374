//! The mails that a fleet on this machine writes as files.

use std::path::Path;

use crate::eventually;

/// The path of the link in the mail to `recipient`, once the mail exists and Python's `email` parses it.
///
/// # Panics
/// There is no such mail.
pub async fn link(folder: &Path, recipient: &str) -> String {
    eventually("a mail that can be read is written", async || {
        let files = std::fs::read_dir(folder).ok()?.flatten();
        let mut mails = files
            .filter_map(|file| std::fs::read_to_string(file.path()).ok())
            .filter(|mail| mail.contains(&format!("To: {recipient}")));
        // The file is incomplete while the fleet writes it.
        let mail = testing::mail::read(mails.next()?.as_bytes()).ok()?;
        let (_, rest) = mail.body.split_once("/link/")?;
        let token = rest.split_whitespace().next()?;
        Some(format!("/link/{token}"))
    })
    .await
}
