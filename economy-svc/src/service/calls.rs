//! What reports and tips have in common: how a call of a game's key is read and made.

use contracts::common::v1::Mode;
use kit::feed::Writer;
use kit::idempotency::{self, CallId, InFlightCalls, body_hash};
use kit::{Clock, Code, Fault};
use sqlx::PgPool;
use uuid::Uuid;

use crate::store::games;
use crate::write::{Done, Rules, Write, Writes};

/// Makes the writes of games.
#[derive(Debug, Clone)]
pub(super) struct Writing {
    pub(super) pool: PgPool,
    pub(super) clock: Clock,
    pub(super) rules: Rules,
    writer: Writer<Writes>,
    calls: InFlightCalls,
}

/// A call of a game's key, as the gateway sends it.
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
    /// Whether it is to have an effect.
    pub(super) fn writes(&self) -> bool {
        self.mode == Mode::Live && !self.dry_run
    }

    /// The body as a text.
    pub(super) fn text(&self) -> Result<&str, Fault> {
        std::str::from_utf8(self.body)
            .map_err(|_utf8| Fault::new(Code::BadJson, "the body is not UTF-8"))
    }

    /// The `Idempotency-Key` of a call with an effect. It is the game's, since one body may be sent for several games of an account.
    pub(super) fn idempotency_key(&self, route: &str) -> Result<Option<idempotency::Key>, Fault> {
        if self.idempotency_key.is_empty() || !self.writes() {
            return Ok(None);
        }
        let account: Uuid = self
            .account_id
            .parse()
            .map_err(|_uuid| Fault::invalid_field("account_id", "It is the id of an account."))?;
        // A body that serde cannot hold was refused for its fields.
        let body = serde_json::from_slice(self.body).unwrap_or_default();
        let route = format!("{route} {}", self.game);
        Ok(Some(idempotency::Key {
            call: CallId::new(account, route, self.idempotency_key)?,
            body_sha256: body_hash::of(&body),
        }))
    }
}

impl Writing {
    /// Writes through `writer`.
    pub(super) fn new(pool: PgPool, writer: Writer<Writes>, clock: Clock, rules: Rules) -> Self {
        Self {
            pool,
            clock,
            rules,
            writer,
            calls: InFlightCalls::default(),
        }
    }

    /// The game that a live key belongs to.
    pub(super) async fn game(&self, slug: &str) -> Result<Uuid, Fault> {
        let found = games::find(&self.pool, slug).await?;
        // The gateway knows it, so it will be known here in a moment.
        found
            .map(|game| game.id)
            .ok_or_else(|| Fault::unavailable("a game that listings-svc has not told of yet"))
    }

    /// Makes a write, which nobody makes with the same `Idempotency-Key` meanwhile.
    pub(super) async fn write(
        &self,
        write: Write,
        key: Option<&idempotency::Key>,
    ) -> Result<Done, Fault> {
        let in_flight = key.map(|key| self.calls.begin(key.call.clone()));
        let _in_flight = in_flight.transpose()?;
        let (done, _) = self.writer.write(write).await?;
        Ok(done)
    }
}
