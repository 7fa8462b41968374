//! What a page says after a form was sent: the redirect names it in `?done=`.

use serde::Deserialize;

/// The query of pages with a notice.
#[derive(Debug, Default, Deserialize)]
pub struct NoticeQuery {
    #[serde(default)]
    done: String,
}

impl NoticeQuery {
    /// The notice, from a fixed list, so that a link cannot put words into the page.
    pub fn notice(&self) -> Option<&'static str> {
        Some(match self.done.as_str() {
            "password" => "The password is changed, and your other sessions have ended.",
            "email" => "The address is changed, and your other sessions have ended.",
            "email-sent" => {
                "A mail is on its way to the new address. The link in it works for an hour."
            }
            "totp-off" => "The second factor is off, and your other sessions have ended.",
            "session" => "The session has ended.",
            "sessions" => "All other sessions have ended.",
            "signed-out" => "You are signed out.",
            "deleted" => "You are deleted here. Goodbye.",
            _ => return None,
        })
    }
}
