//! Tells people by mail about a sign-in in a new browser.

use kit::Fault;
use pages::Texts;
use pages::mails::MailText;

use super::agent;
use crate::app::Web;
use crate::client_info::ClientInfo;
use crate::person_mail::{self, Reader};
use crate::store::people::Person;

/// Queues the mail, unless the person was signed in in this browser within a year.
pub(super) async fn mail(app: &Web, person: &Person, client: &ClientInfo) -> Result<(), Fault> {
    let now = app.clock.now();
    if !person.wants_notices
        || client.devices.of(person.id).is_some()
        || !app.admission.browser_mail(person.id, now).await?
    {
        return Ok(());
    }
    let texts = Texts::of(person.language());
    let text = MailText::new("new-browser")
        .with("address", client.address())
        .with("browser", agent::name(texts, &client.agent))
        .time("at", now)
        .with("page", format!("{}/you/password", app.public_url));
    let mut connection = app.pool.acquire().await?;
    let reader = Reader::from_person(person);
    person_mail::queue_notice(&mut connection, reader, &text, &app.public_url, now).await?;
    Ok(())
}
