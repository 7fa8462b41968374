//! Sessions: the cookie has a random token, Redis has the session under the hash of the token.
//!
//! | key | contents |
//! | --- | --- |
//! | `<prefix>:session:<hash of the token>` | the session, as JSON |
//! | `<prefix>:sessions:<person>` | the hashes of the sessions of a person, with the times when they end |
//! | `<prefix>:networks:<person>` | the hashes of the networks that a person has signed in from, with the times of the last sign-in |

use redis::{Cmd, cmd};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use kit::Fault;

use super::Keyspace;
use crate::domain::session_token::{Token, TokenHash};

/// How long a session lasts without a request, and how long at most.
#[derive(Debug, Clone, Copy)]
pub struct Lifetimes {
    pub idle: Duration,
    pub most: Duration,
}

/// A session that waits for the second factor ends after this time.
const SECOND_FACTOR: Duration = Duration::minutes(10);
/// A session is written again after this time, to store when it was last seen.
const SEEN: Duration = Duration::minutes(5);
/// How long Redis holds a session after its end, since the clock of Redis may differ.
const CLEAN_UP: Duration = Duration::HOUR;
/// The most sessions of a person; the one that would end first ends.
const MOST: isize = 50;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    SignedIn,
    /// The password was right; the code of the app is missing.
    SecondFactor,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    pub person: Uuid,
    /// The version of the person's credentials at sign-in. If the person has a higher version now, the session has ended.
    pub version: i32,
    pub stage: Stage,
    #[serde(with = "time::serde::timestamp")]
    pub since: OffsetDateTime,
    #[serde(with = "time::serde::timestamp")]
    pub seen: OffsetDateTime,
    pub address: String,
    pub agent: String,
}

/// Creates, finds and ends sessions.
#[derive(Clone)]
pub struct Sessions {
    pub keyspace: Keyspace,
    pub lifetimes: Lifetimes,
}

impl Sessions {
    /// When a session ends if no request comes.
    fn end(&self, session: &Session) -> OffsetDateTime {
        match session.stage {
            Stage::SignedIn => {
                let idle = session.seen + self.lifetimes.idle;
                idle.min(session.since + self.lifetimes.most)
            }
            Stage::SecondFactor => session.since + SECOND_FACTOR,
        }
    }

    /// Stores a new session under a new token.
    pub async fn create(&self, session: &Session) -> Result<Token, Fault> {
        let token = Token::generate();
        let hash = token.hash().hex();
        self.store(&hash, session, false).await?;
        let list = self.list_key(session.person);
        // Those that have ended do not count.
        let ended = (session.since - CLEAN_UP).unix_timestamp();
        let forget = Cmd::zrembyscore(&list, "-inf", ended);
        let _removed: i64 = self.keyspace.query("forget_ended", &forget).await?;
        let add = Cmd::zadd(&list, &hash, self.end(session).unix_timestamp());
        let _added: i64 = self.keyspace.query("add_session", &add).await?;
        let count = Cmd::zcard(&list);
        let count: isize = self.keyspace.query("count_sessions", &count).await?;
        if count > MOST {
            let oldest = Cmd::zpopmin(&list, count - MOST);
            let ended: Vec<(String, f64)> = self.keyspace.query("end_oldest", &oldest).await?;
            for (hash, _) in ended {
                self.delete(&hash).await?;
            }
        }
        let most = self.lifetimes.most + CLEAN_UP;
        let expire = Cmd::expire(&list, most.whole_seconds());
        let _expires: i64 = self.keyspace.query("expire_sessions", &expire).await?;
        Ok(token)
    }

    /// Writes a session. With `only_existing`, a session that was ended meanwhile stays so.
    async fn store(&self, hash: &str, session: &Session, only_existing: bool) -> Result<(), Fault> {
        let text = serde_json::to_string(session).map_err(|error| Fault::internal(&error))?;
        let life = self.end(session) - session.seen + CLEAN_UP;
        let mut set = cmd("SET");
        set.arg(self.session_key(hash)).arg(text);
        set.arg("EX").arg(life.whole_seconds().max(1));
        if only_existing {
            set.arg("XX");
        }
        let _set: Option<String> = self.keyspace.query("store_session", &set).await?;
        Ok(())
    }

    /// The session of a token. The caller compares its version with the person's.
    pub async fn find(
        &self,
        token: TokenHash,
        now: OffsetDateTime,
    ) -> Result<Option<Session>, Fault> {
        self.read(&token.hex(), now).await
    }

    async fn read(&self, hash: &str, now: OffsetDateTime) -> Result<Option<Session>, Fault> {
        let get = Cmd::get(self.session_key(hash));
        let text: Option<String> = self.keyspace.query("find_session", &get).await?;
        // A value that another version wrote in another form counts as no session.
        let session = text.and_then(|text| serde_json::from_str::<Session>(&text).ok());
        Ok(session.filter(|session| self.end(session) > now))
    }

    /// Prolongs a session, if it was last seen a while ago.
    pub async fn touch(
        &self,
        token: TokenHash,
        session: &Session,
        now: OffsetDateTime,
    ) -> Result<(), Fault> {
        if session.stage != Stage::SignedIn || now - session.seen < SEEN {
            return Ok(());
        }
        let seen = Session {
            seen: now,
            ..session.clone()
        };
        self.store(&token.hex(), &seen, true).await?;
        let mut prolong = cmd("ZADD");
        prolong.arg(self.list_key(seen.person)).arg("XX");
        prolong
            .arg(self.end(&seen).unix_timestamp())
            .arg(token.hex());
        let _added: i64 = self.keyspace.query("prolong_session", &prolong).await?;
        Ok(())
    }

    /// The signed-in sessions of a person, newest first.
    pub async fn of_person(
        &self,
        person: Uuid,
        version: i32,
        now: OffsetDateTime,
    ) -> Result<Vec<(TokenHash, Session)>, Fault> {
        let range = Cmd::zrange(self.list_key(person), 0, -1);
        let hashes: Vec<String> = self.keyspace.query("list_sessions", &range).await?;
        let mut sessions = Vec::new();
        for hash in hashes {
            let Some(session) = self.read(&hash, now).await? else {
                continue;
            };
            let is_shown = session.person == person
                && session.version == version
                && session.stage == Stage::SignedIn;
            if let Some(token) = TokenHash::from_hex(&hash).filter(|_| is_shown) {
                sessions.push((token, session));
            }
        }
        sessions.sort_by_key(|(_, session)| std::cmp::Reverse(session.since));
        Ok(sessions)
    }

    /// Ends a session, if it is one of this person.
    pub async fn end_of(&self, person: Uuid, token: TokenHash) -> Result<(), Fault> {
        let hash = token.hex();
        let remove = Cmd::zrem(self.list_key(person), &hash);
        let removed: i64 = self.keyspace.query("remove_session", &remove).await?;
        if removed > 0 {
            self.delete(&hash).await?;
        }
        Ok(())
    }

    async fn delete(&self, hash: &str) -> Result<(), Fault> {
        let delete = Cmd::del(self.session_key(hash));
        let _deleted: i64 = self.keyspace.query("end_session", &delete).await?;
        Ok(())
    }

    fn session_key(&self, hash: &str) -> String {
        self.keyspace.key("session", hash)
    }

    fn list_key(&self, person: Uuid) -> String {
        self.keyspace.key("sessions", &person.to_string())
    }
}
