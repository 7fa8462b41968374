//! Tells people by mail that they have signed in from a network that is new.

use kit::Fault;
use pages::mails::MailText;
use pages::site::Texts;

use crate::app::Web;
use crate::client_info::ClientInfo;
use crate::domain::agent;
use crate::person_mail::{self, Reader};
use crate::session::limits;
use crate::store::people::Person;

/// Queues the mail about a sign-in, before the session begins and its network is remembered. Nobody is kept from signing in because it
/// fails. The first network of a person is not new, and neither is any while Redis has just lost its data.
pub(super) async fn mail(app: &Web, person: &Person, client: &ClientInfo) {
    if !person.wants_notices {
        return;
    }
    if let Err(fault) = mail_if_new(app, person, client).await {
        tracing::warn!(%fault, "no mail about a sign-in from a new network");
    }
}

async fn mail_if_new(app: &Web, person: &Person, client: &ClientInfo) -> Result<(), Fault> {
    let (now, network) = (app.clock.now(), client.network());
    let sessions = &app.sessions;
    if sessions.knows_network(person.id, &network, now).await?
        || !sessions.knows_networks(person.id).await?
    {
        return Ok(());
    }
    let id = person.id.to_string();
    let counted = app.limits.count(limits::NETWORK_MAILS, &id, now).await?;
    if counted.is_err() {
        return Ok(());
    }
    let texts = Texts::of(person.language());
    let text = MailText::new("new-network")
        .with("address", client.address())
        .with("browser", agent::name(texts, &client.agent))
        .time("at", now)
        .with("page", format!("{}/you/password", app.public_url));
    let mut connection = app.pool.acquire().await?;
    let reader = Reader::of(person);
    person_mail::queue_notice(&mut connection, reader, &text, &app.public_url, now).await?;
    Ok(())
}
