//! Forms that take effect once, however often they are sent: a double click makes one key, and both answers show it.
//!
//! A form has a random id. The first request with the id claims it in Redis and stores its result; others wait for that. The result may
//! be a secret: it is encrypted with a key that is derived from the session's token, which no server stores. The id holds for one content:
//! the same id with another path or other fields is another form, which must not get the result of the first.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kit::Fault;
use redis::{Cmd, cmd};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hmac;
use ring::rand::{SecureRandom as _, SystemRandom};
use sha2::{Digest as _, Sha256};

use super::Keyspace;
use crate::domain::session_token::Token;

/// How long an id is remembered.
const MEMORY: u32 = 900;
/// How long a request waits for the result of another one, and how often it looks.
const WAIT: Duration = Duration::from_secs(12);
const PAUSE: Duration = Duration::from_millis(100);
/// The value while the first request runs, before the tag of the content.
const RUNNING: &str = "running";
/// The value when the work is done, before the tag and the encrypted result.
const DONE: &str = "done";

/// The ids of forms of a session.
#[derive(Clone)]
pub struct Forms(pub Keyspace);

/// A form as it was sent: its id, and a hash of its path and its fields.
#[derive(Debug, Clone)]
pub struct SentForm {
    id: String,
    content: [u8; 32],
}

/// The state of a form's id.
#[derive(Debug)]
pub enum Claim {
    /// This request is the first: it does the work, and then stores the result or releases the id.
    First(FormId),
    /// The work is done; this is the result.
    Done(String),
    /// The id was used for another path or with other fields.
    OtherContent,
    /// The first request has not ended in time, or its outcome is unknown.
    Unknown,
}

/// The claimed id of a form: the key in Redis, and the tag of its content.
#[derive(Debug)]
pub struct FormId {
    key: String,
    tag: String,
}

/// An id for a form.
pub fn new_id() -> String {
    Token::generate().text()
}

impl SentForm {
    pub fn new(id: String, path: &str, body: &[u8]) -> Self {
        let hash = Sha256::new().chain_update(path).chain_update([0]);
        Self {
            id,
            content: hash.chain_update(body).finalize().into(),
        }
    }
}

impl Forms {
    /// Claims the id of a form for this request. Refuses an id that [`new_id`] has not made, so every form needs one.
    pub async fn claim(&self, session: &Token, form: &SentForm) -> Result<Claim, Fault> {
        let Some(id) = Token::parse(&form.id) else {
            return Err(Fault::invalid_field(
                "form",
                "Open the page again, and send the form from there.",
            ));
        };
        let name = format!("{}:{}", session.hash().hex(), id.hash().hex());
        let id = FormId {
            key: self.0.key("form", &name),
            tag: tag(session, form),
        };
        let claimed = tokio::time::timeout(WAIT, self.first_or_result(session, id)).await;
        claimed.unwrap_or(Ok(Claim::Unknown))
    }

    async fn first_or_result(&self, session: &Token, id: FormId) -> Result<Claim, Fault> {
        loop {
            let mut set = cmd("SET");
            set.arg(&id.key).arg(format!("{RUNNING} {}", id.tag));
            set.arg("NX").arg("EX").arg(MEMORY);
            let first: Option<String> = self.0.query("claim_form", &set).await?;
            if first.is_some() {
                return Ok(Claim::First(id));
            }
            let value: Option<String> = self.0.query("read_form", &Cmd::get(&id.key)).await?;
            // The first request may have released the id meanwhile.
            let Some(value) = value else { continue };
            let mut parts = value.split(' ');
            let (state, tag, result) = (parts.next(), parts.next(), parts.next());
            if tag != Some(&id.tag) {
                return Ok(Claim::OtherContent);
            }
            if state == Some(DONE) {
                let result = result.and_then(|sealed| open(session, sealed));
                return Ok(result.map_or(Claim::Unknown, Claim::Done));
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Stores the result of the work.
    pub async fn store(&self, session: &Token, id: &FormId, result: &str) -> Result<(), Fault> {
        let sealed = seal(session, result).ok_or_else(|| {
            Fault::internal(&std::io::Error::other(
                "the result of a form cannot be encrypted",
            ))
        })?;
        let mut set = cmd("SET");
        set.arg(&id.key).arg(format!("{DONE} {} {sealed}", id.tag));
        set.arg("EX").arg(MEMORY);
        let _set: Option<String> = self.0.query("store_form", &set).await?;
        Ok(())
    }

    /// Nothing was done: the form may be sent again.
    pub async fn release(&self, id: &FormId) -> Result<(), Fault> {
        let _deleted: i64 = self.0.query("release_form", &Cmd::del(&id.key)).await?;
        Ok(())
    }
}

/// Tells contents of forms apart. The fields may have a password, so Redis gets no plain hash of them, from which it could be guessed.
fn tag(session: &Token, form: &SentForm) -> String {
    let key = session.derived_key("content of a form");
    let key = hmac::Key::new(hmac::HMAC_SHA256, &key);
    hex::encode(hmac::sign(&key, &form.content))
}

fn cipher(session: &Token) -> Option<LessSafeKey> {
    let key = session.derived_key("result of a form");
    let key = UnboundKey::new(&CHACHA20_POLY1305, &key).ok()?;
    Some(LessSafeKey::new(key))
}

fn seal(session: &Token, text: &str) -> Option<String> {
    let mut nonce = [0; NONCE_LEN];
    SystemRandom::new().fill(&mut nonce).ok()?;
    let mut bytes = text.as_bytes().to_vec();
    let once = Nonce::assume_unique_for_key(nonce);
    let cipher = cipher(session)?;
    cipher
        .seal_in_place_append_tag(once, Aad::empty(), &mut bytes)
        .ok()?;
    Some(STANDARD.encode([&nonce[..], &bytes].concat()))
}

fn open(session: &Token, sealed: &str) -> Option<String> {
    let bytes = STANDARD.decode(sealed).ok()?;
    let (nonce, text) = bytes.split_first_chunk::<NONCE_LEN>()?;
    let mut text = text.to_vec();
    let nonce = Nonce::assume_unique_for_key(*nonce);
    let cipher = cipher(session)?;
    let opened = cipher.open_in_place(nonce, Aad::empty(), &mut text).ok()?;
    String::from_utf8(opened.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tag_of_a_content_is_that_of_its_session_path_and_fields() {
        let session = Token::generate();
        let tag = |path, body| tag(&session, &SentForm::new(new_id(), path, body));
        let one = tag("/a", b"name=b");
        assert_eq!(one, tag("/a", b"name=b"));
        assert_ne!(one, tag("/a", b"name=c"));
        assert_ne!(one, tag("/b", b"name=b"));
        let form = SentForm::new(new_id(), "/a", b"name=b");
        assert_ne!(one, super::tag(&Token::generate(), &form));
    }

    #[test]
    fn a_result_opens_with_its_session_only() {
        let session = Token::generate();
        let sealed = seal(&session, "svc_test_secret").unwrap();
        assert!(!sealed.contains("secret"));
        assert_eq!(open(&session, &sealed).as_deref(), Some("svc_test_secret"));
        assert_eq!(open(&Token::generate(), &sealed), None);
        assert_eq!(open(&session, "x"), None);
    }
}
