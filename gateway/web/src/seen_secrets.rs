//! The secrets that a person has seen who does not work with them any more: they work until somebody replaces them. The services keep who has
//! seen a secret with the secret itself.

use std::collections::BTreeSet;
use std::time::Duration;

use contracts::common::v1::Mode;
use contracts::gateway::v1 as gateway;
use contracts::gateway::v1::KeyKind;
use contracts::webhook::v1 as webhook;
use pages::Link;
use pages::mails::MailText;
use pages::teams::FormerMember;
use sqlx::PgPool;
use tokio::time::timeout;
use uuid::Uuid;

use crate::app::Web;
use crate::domain::role::Permission;
use crate::english::{say, say_of};
use crate::store::activity;
use crate::store::members::{self, Member};
use crate::store::people::{self, Person};
use crate::upstream::gateway::may_revoke;
use crate::upstream::webhook::origin;

/// How long a page, and a person who leaves, wait for the services.
const WAIT: Duration = Duration::from_secs(3);

/// The live keys that work and are not public, and the endpoints of webhooks, of an account.
/// `None`: the service has not answered.
struct Secrets {
    account: Uuid,
    keys: Option<Vec<gateway::Key>>,
    endpoints: Option<Vec<webhook::Endpoint>>,
}

impl Secrets {
    async fn load(app: &Web, account: Uuid) -> Self {
        let keys = timeout(WAIT, app.gateway.keys(account));
        let endpoints = timeout(WAIT, app.webhooks.endpoints(account));
        let (keys, endpoints) = futures::join!(keys, endpoints);
        let mut keys = keys.ok().and_then(Result::ok);
        let endpoints = endpoints.ok().and_then(Result::ok);
        let now = app.clock.now();
        if let Some(keys) = &mut keys {
            // Everybody may have the public key of a game, and its rotation ends the key in the
            // copies of players.
            let is_secret =
                |key: &gateway::Key| key.mode() == Mode::Live && key.kind() != KeyKind::Public;
            keys.retain(|key| may_revoke(key, now) && is_secret(key));
        }
        Self { account, keys, endpoints: endpoints.map(|listed| listed.endpoints) }
    }

    fn keys(&self) -> impl Iterator<Item = &gateway::Key> {
        self.keys.iter().flatten()
    }

    fn endpoints(&self) -> impl Iterator<Item = &webhook::Endpoint> {
        self.endpoints.iter().flatten()
    }

    /// The key of the words for what is not known, because a service has not answered; `None`: all
    /// is known.
    fn unknown(&self) -> Option<&'static str> {
        match (&self.keys, &self.endpoints) {
            (Some(_), Some(_)) => None,
            (None, Some(_)) => Some("mail-unknown-keys"),
            (Some(_), None) => Some("mail-unknown-webhooks"),
            (None, None) => Some("mail-unknown-both"),
        }
    }

    /// The people who have seen one of them.
    fn people(&self) -> BTreeSet<Uuid> {
        let of_endpoints = self.endpoints().flat_map(|endpoint| &endpoint.seen_by);
        let people = self.keys().map(|key| &key.seen_by).chain(of_endpoints);
        people.filter_map(|person| person.parse().ok()).collect()
    }

    fn keys_of(&self, person: Uuid) -> impl Iterator<Item = &gateway::Key> {
        let person = person.to_string();
        self.keys().filter(move |key| key.seen_by == person)
    }

    fn endpoints_of(&self, person: Uuid) -> impl Iterator<Item = &webhook::Endpoint> {
        let person = person.to_string();
        self.endpoints().filter(move |endpoint| endpoint.seen_by.contains(&person))
    }

    /// The links to what a person has seen, with what to do there.
    fn links(&self, person: Uuid) -> Vec<Link> {
        let base = format!("/accounts/{}", self.account);
        let keys = self.keys_of(person).map(|key| Link {
            href: format!("{base}/keys/{}", key.id),
            label: say_of(
                if key.grace_until.is_some() { "team-seen-revoke" } else { "team-seen-rotate" },
                &key_name(key),
            ),
        });
        let endpoints = self.endpoints_of(person).map(|endpoint| Link {
            href: format!("{base}/webhooks/{}", endpoint.id),
            label: say_of("team-seen-webhook", &origin(&endpoint.url)),
        });
        keys.chain(endpoints).collect()
    }
}

fn key_name(key: &gateway::Key) -> String {
    format!("{} …{}", key.name, key.last4)
}

/// What the page of the team says to owners: the people who have seen a secret that works, and are no developers or owners now; and
/// whether both services have answered.
pub(crate) async fn of_former_members(
    app: &Web,
    account: Uuid,
    members: &[Member],
) -> Result<(Vec<FormerMember>, bool), sqlx::Error> {
    let secrets = Secrets::load(app, account).await;
    let mut people = secrets.people();
    let works_with_keys = |member: &&Member| member.role.may(Permission::Develop);
    for member in members.iter().filter(works_with_keys) {
        people.remove(&member.person);
    }
    let people: Vec<Uuid> = people.into_iter().collect();
    let emails = if people.is_empty() {
        Vec::new()
    } else {
        activity::last_emails(&app.pool, account, &people).await?
    };
    let former = people.iter().map(|&person| {
        let member = members.iter().find(|member| member.person == person);
        let known = emails.iter().find(|(it, _)| *it == person);
        let email = member.map(|member| &member.email);
        let email = email.or_else(|| known.map(|(_, email)| email)).cloned();
        FormerMember {
            email: email.unwrap_or_else(|| say("team-seen-somebody").to_owned()),
            secrets: secrets.links(person),
        }
    });
    Ok((former.collect(), secrets.unknown().is_none()))
}

/// The email address of a person who is or was a member; `None`: it is not known.
pub(crate) async fn last_email(
    pool: &PgPool,
    account: Uuid,
    person: Uuid,
) -> Result<Option<String>, sqlx::Error> {
    // The account does not learn the later addresses of a person who has left it.
    if members::role(pool, account, person).await?.is_some() {
        return Ok(people::by_id(pool, person).await?.map(|member| member.email));
    }
    let known = activity::last_emails(pool, account, &[person]).await?;
    Ok(known.into_iter().next().map(|(_, email)| email))
}

/// The mail to the owners of an account when a person stops to work with its keys. `None` if the person has seen no secret that works.
pub(crate) async fn mail_to_owners(
    app: &Web,
    account: Uuid,
    person: &Person,
) -> Option<MailText<'static>> {
    let name = timeout(WAIT, app.gateway.account_name(account));
    let (secrets, name) = futures::join!(Secrets::load(app, account), name);
    let base = format!("{}/accounts/{account}", app.public_url);
    let keys = secrets.keys_of(person.id);
    let keys = keys.map(|key| format!("{}: {base}/keys/{}", key_name(key), key.id));
    let endpoints = secrets
        .endpoints_of(person.id)
        .map(|it| format!("{}: {base}/webhooks/{}", origin(&it.url), it.id));
    let lines: Vec<String> = keys.chain(endpoints).collect();
    let unknown = secrets.unknown();
    let key = match (lines.is_empty(), unknown) {
        (true, None) => return None,
        (true, Some(_)) => "seen-secrets-unknown",
        (false, Some(_)) => "seen-secrets-partly",
        (false, None) => "seen-secrets",
    };
    // While the gateway is unavailable, the links still work.
    let name = name.ok().flatten();
    let text = MailText::new(key)
        .with("email", person.email.clone())
        .with("name", name.unwrap_or_else(|| account.to_string()))
        .with("team", format!("{base}/team"));
    let text = text.with("secrets", lines.join("\n"));
    Some(match unknown {
        Some(unknown) => text.say("unknown", unknown),
        None => text,
    })
}
