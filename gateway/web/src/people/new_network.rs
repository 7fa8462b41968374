//! Tells people by mail that they have signed in from a network that is new.

use kit::Fault;
use pages::Texts;
use pages::mails::MailText;

use super::agent;
use crate::app::Web;
use crate::client_info::ClientInfo;
use crate::limits;
use crate::person_mail::{self, Reader};
use crate::store::activity;
use crate::store::people::Person;

/// Queues the mail about a sign-in, before the activity has it. The first network of a person is not new.
pub(super) async fn mail(app: &Web, person: &Person, client: &ClientInfo) -> Result<(), Fault> {
    if !person.wants_notices {
        return Ok(());
    }
    if activity::has_been_in(&app.pool, &person.email, &client.network()).await?
        || !activity::has_been_anywhere(&app.pool, person.id).await?
    {
        return Ok(());
    }
    let (now, id) = (app.clock.now(), person.id.to_string());
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
    let reader = Reader::from_person(person);
    person_mail::queue_notice(&mut connection, reader, &text, &app.public_url, now).await?;
    Ok(())
}
