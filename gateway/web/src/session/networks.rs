//! The networks from which a person has signed in. Wrong passwords from other networks do not lock the person out of these.

use kit::Fault;
use redis::Cmd;
use sha2::{Digest as _, Sha256};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::sessions::Sessions;

/// How long a network is remembered after the last sign-in from there.
const MEMORY: Duration = Duration::days(90);
/// The most networks of a person; the oldest one is forgotten.
const MOST: isize = 50;

impl Sessions {
    /// Remembers that a person has signed in from a network. Only its hash is stored.
    pub async fn remember_network(
        &self,
        person: Uuid,
        network: &str,
        now: OffsetDateTime,
    ) -> Result<(), Fault> {
        let key = self.networks_key(person);
        let add = Cmd::zadd(&key, hash(network), now.unix_timestamp());
        let _added: i64 = self.keyspace.query("remember_network", &add).await?;
        let trim = Cmd::zremrangebyrank(&key, 0, -MOST - 1);
        let _removed: i64 = self.keyspace.query("trim_networks", &trim).await?;
        let expire = Cmd::expire(&key, MEMORY.whole_seconds());
        let _expires: i64 = self.keyspace.query("expire_networks", &expire).await?;
        Ok(())
    }

    /// Whether a person has signed in from a network recently.
    pub async fn knows_network(
        &self,
        person: Uuid,
        network: &str,
        now: OffsetDateTime,
    ) -> Result<bool, Fault> {
        let key = self.networks_key(person);
        let oldest = (now - MEMORY).unix_timestamp();
        let expire = Cmd::zrembyscore(&key, "-inf", oldest);
        let _removed: i64 = self.keyspace.query("expire_networks", &expire).await?;
        let score = Cmd::zscore(&key, hash(network));
        let at: Option<f64> = self.keyspace.query("find_network", &score).await?;
        Ok(at.is_some())
    }

    /// Whether any network of a person is remembered. After a loss of the data of Redis, none is.
    pub async fn knows_networks(&self, person: Uuid) -> Result<bool, Fault> {
        let exists = Cmd::exists(self.networks_key(person));
        let found: i64 = self.keyspace.query("find_networks", &exists).await?;
        Ok(found > 0)
    }

    /// Forgets the networks of a person who is deleted.
    pub async fn forget_networks(&self, person: Uuid) -> Result<(), Fault> {
        let delete = Cmd::del(self.networks_key(person));
        let _deleted: i64 = self.keyspace.query("forget_networks", &delete).await?;
        Ok(())
    }

    fn networks_key(&self, person: Uuid) -> String {
        self.keyspace.key("networks", &person.to_string())
    }
}

fn hash(network: &str) -> String {
    hex::encode(&Sha256::digest(network)[..16])
}
