//! Forms that take effect once, however often they are sent: a double click makes one key, and both answers show it.
//!
//! A form has a random id. The first request with the id claims it in Redis and stores its result; others wait for that. The result may
//! be a secret: it is encrypted with a key that is derived from the session's token, which no server stores.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kit::Fault;
use redis::cmd;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom as _, SystemRandom};

use super::Keyspace;
use crate::domain::session_token::{Token, TokenHash};

/// How long an id is remembered.
const MEMORY: u32 = 900;
/// How long a request waits for the result of another one, and how often it looks.
const WAIT: Duration = Duration::from_secs(12);
const PAUSE: Duration = Duration::from_millis(100);
/// The value while the first request runs.
const RUNNING: &str = "running";

/// The ids of forms of a session.
#[derive(Clone)]
pub struct Forms(pub Keyspace);

/// The state of a form's id.
#[derive(Debug)]
pub enum Claim {
    /// This request is the first: it does the work, and then stores the result or releases the id.
    First(FormId),
    /// The work is done; this is the result.
    Done(String),
    /// The first request has not ended in time, or its outcome is unknown.
    Unknown,
}

/// The id of a form, bound to a session.
#[derive(Debug)]
pub struct FormId(TokenHash);

/// An id for a form.
pub fn new_id() -> String {
    Token::generate().text()
}

impl Forms {
    /// Claims an id for this request. Refuses an id that [`new_id`] has not made, so every form needs one.
    pub async fn claim(&self, session: &Token, id: &str) -> Result<Claim, Fault> {
        let Some(form) = Token::parse(id) else {
            return Err(Fault::invalid_field(
                "form",
                "Open the page again, and send the form from there.",
            ));
        };
        let id = FormId(form.hash());
        let mut set = cmd("SET");
        set.arg(self.key(session, &id)).arg(RUNNING);
        set.arg("NX").arg("EX").arg(MEMORY);
        let first: Option<String> = self.0.query("claim_form", &set).await?;
        if first.is_some() {
            return Ok(Claim::First(id));
        }
        let ended = tokio::time::timeout(WAIT, self.result(session, &id)).await;
        match ended {
            Ok(Ok(Some(result))) => Ok(Claim::Done(result)),
            Ok(Ok(None)) | Err(_) => Ok(Claim::Unknown),
            Ok(Err(fault)) => Err(fault),
        }
    }

    /// Waits for the result; `None` if the id was released.
    async fn result(&self, session: &Token, id: &FormId) -> Result<Option<String>, Fault> {
        loop {
            let mut get = cmd("GET");
            get.arg(self.key(session, id));
            let value: Option<String> = self.0.query("read_form", &get).await?;
            match value.as_deref() {
                None => return Ok(None),
                Some(RUNNING) => tokio::time::sleep(PAUSE).await,
                Some(sealed) => return Ok(open(session, sealed)),
            }
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
        set.arg(self.key(session, id)).arg(sealed);
        set.arg("EX").arg(MEMORY);
        let _set: Option<String> = self.0.query("store_form", &set).await?;
        Ok(())
    }

    /// Nothing was done: the form may be sent again.
    pub async fn release(&self, session: &Token, id: &FormId) -> Result<(), Fault> {
        let mut delete = cmd("DEL");
        delete.arg(self.key(session, id));
        let _deleted: i64 = self.0.query("release_form", &delete).await?;
        Ok(())
    }

    fn key(&self, session: &Token, id: &FormId) -> String {
        let name = format!("{}:{}", session.hash().hex(), id.0.hex());
        self.0.key("form", &name)
    }
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
    fn a_result_opens_with_its_session_only() {
        let session = Token::generate();
        let sealed = seal(&session, "svc_test_secret").unwrap();
        assert!(!sealed.contains("secret"));
        assert_eq!(open(&session, &sealed).as_deref(), Some("svc_test_secret"));
        assert_eq!(open(&Token::generate(), &sealed), None);
        assert_eq!(open(&session, "x"), None);
    }
}
