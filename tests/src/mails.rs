//! The mails that a fleet on this machine writes as files.

use std::path::Path;

use crate::eventually;

/// The path of the link in the mail to `recipient`, once it is there.
///
/// # Panics
/// The mail is malformed.
pub async fn link(folder: &Path, recipient: &str) -> String {
    eventually("the mail is written", async || {
        let files = std::fs::read_dir(folder).ok()?.flatten();
        let mails = files.filter_map(|file| std::fs::read_to_string(file.path()).ok());
        let mut mails = mails.filter(|mail| mail.contains(&format!("To: {recipient}")));
        let mail = testing::mail::read(mails.next()?.as_bytes()).unwrap();
        let (_, rest) = mail.body.split_once("/link/")?;
        let token = rest.split_whitespace().next()?;
        Some(format!("/link/{token}"))
    })
    .await
}
