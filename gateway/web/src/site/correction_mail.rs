//! Mails to owners and editors about corrections that visitors suggest.

use contracts::listings::v1::CreateNoteResponse;
use pages::mails::MailText;
use time::Duration;
use uuid::Uuid;

use crate::app::Web;
use crate::domain::listing_kind::ListingKind;
use crate::domain::role::Permission;
use crate::member_mail::{self, MemberMail};
use crate::store::sent_notices;

/// Queues the mails about a new correction, at most one a day and listing. The correction is stored already and waits in the dashboard, so a
/// mail that cannot be queued is left out.
pub(super) async fn queue(app: &Web, kind: ListingKind, name: &str, created: &CreateNoteResponse) {
    if created.owners.is_empty() {
        return;
    }
    if let Err(error) = insert(app, kind, name, created).await {
        tracing::warn!(%error, "cannot queue a mail about a correction; its listing has it");
    }
}

async fn insert(
    app: &Web,
    kind: ListingKind,
    name: &str,
    created: &CreateNoteResponse,
) -> Result<(), sqlx::Error> {
    let now = app.clock.now();
    let mut transaction = app.pool.begin().await?;
    let day = now.to_offset(time::UtcOffset::UTC).date();
    let notice = format!("correction {day} {} {name}", kind.as_str());
    let until = now + Duration::days(2);
    let new = sent_notices::insert(&mut *transaction, &[notice], until).await?;
    if new.is_empty() {
        return Ok(());
    }
    for account in created
        .owners
        .iter()
        .filter_map(|it| Uuid::try_parse(it).ok())
    {
        let (site, kind) = (&app.public_url, kind.as_str());
        let page = format!("{site}/accounts/{account}/listings/{kind}/{name}");
        let text = MailText::new("correction")
            .with("title", created.title.as_str())
            .with("page", page);
        let mail = MemberMail {
            account,
            permission: Permission::Edit,
            text,
        };
        member_mail::queue(&mut transaction, mail, now).await?;
    }
    transaction.commit().await
}
