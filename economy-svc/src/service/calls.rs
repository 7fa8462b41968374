//! What reports and tips have in common: calls with a game's key, and `Idempotency-Key`.

use contracts::common::v1::Mode;
use kit::api::json_object;
use kit::idempotency::{self, CallId, body_hash};
use kit::{Code, Fault};

use super::Service;
use super::games::parse_account;
use crate::SCHEMA;
use crate::store::games::{self, Game};
use crate::write::unknown_game;

/// A call with a game's key, as the gateway sends it.
pub(super) struct Call<'a> {
    pub(super) account_id: &'a str,
    pub(super) mode: Mode,
    /// Slug of the key's game.
    pub(super) game: &'a str,
    pub(super) body: &'a [u8],
    pub(super) idempotency_key: &'a str,
    pub(super) dry_run: bool,
}

impl Call<'_> {
    pub(super) fn body_text(&self) -> Result<&str, Fault> {
        std::str::from_utf8(self.body).map_err(|_utf8| {
            Fault::new(Code::BadJson, "The body is not UTF-8. Send JSON in UTF-8.")
        })
    }

    /// The `Idempotency-Key` of a call that writes. Its scope is the game, since an account may send one body for several games.
    pub(super) fn idempotency_key(&self, route: &str) -> Result<Option<idempotency::Key>, Fault> {
        // Test keys and dry runs change nothing.
        let writes = self.mode == Mode::Live && !self.dry_run;
        if self.idempotency_key.is_empty() || !writes {
            return Ok(None);
        }
        let account = parse_account(self.account_id)?;
        // An empty object stands for a body that cannot be parsed: its fields are refused, so it is never stored.
        let body = json_object::parse(self.body).unwrap_or_default();
        let route = format!("{route} {}", self.game);
        Ok(Some(idempotency::Key {
            call: CallId::new(account, route, self.idempotency_key)?,
            body_sha256: body_hash::of(&body),
        }))
    }
}

impl Service {
    /// The game of a live key.
    pub(super) async fn game(&self, slug: &str) -> Result<Game, Fault> {
        games::find(&self.pool, slug, None).await?.ok_or_else(unknown_game)
    }

    /// The error for a body with bad fields, which is `fault` unless its `Idempotency-Key` was used with another body: that error takes
    /// precedence (§7.1).
    pub(super) async fn refusal(&self, key: Option<&idempotency::Key>, fault: Fault) -> Fault {
        let Some(key) = key.filter(|_| fault.code != Code::BadJson) else {
            return fault;
        };
        let replay = async {
            let mut connection = self.pool.acquire().await?;
            key.replay::<serde_json::Value>(&mut connection, SCHEMA, self.clock.now()).await
        };
        replay.await.err().unwrap_or(fault)
    }
}
