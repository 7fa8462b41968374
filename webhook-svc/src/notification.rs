//! Mails to owners of endpoints.

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::domain::health::Notification;
use crate::store::endpoints::Endpoint;
use crate::store::mails;

/// Queues the mail of a notification.
pub(crate) async fn enqueue(
    connection: &mut PgConnection,
    endpoint: &Endpoint,
    notification: Notification,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let (subject, body) = render(&endpoint.url, notification);
    mails::insert(connection, endpoint.account_id, subject, &body, now).await
}

/// The mail's subject and body.
fn render(url: &str, notification: Notification) -> (&'static str, String) {
    match notification.reason() {
        None => (
            "A webhook could not be delivered",
            format!(
                "All attempts to deliver a webhook to {url} failed: none was answered with a 2xx status.\n\n\
                 The dashboard shows each request and its answer. Once the endpoint works again, \"Recover\" sends the failed deliveries again. \
                 An endpoint that keeps failing for days is switched off.\n"
            ),
        ),
        Some(reason) => (
            "A webhook endpoint is switched off",
            format!(
                "{url} no longer receives webhooks.\n\n{reason}\n\n\
                 The dashboard shows each request and its answer. There you can resume the endpoint and recover failed deliveries.\n"
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mails_name_the_endpoint_and_say_what_to_do() {
        for notification in [
            Notification::FirstFailure,
            Notification::DisabledAfterFailures,
            Notification::DisabledByGone,
        ] {
            let (subject, body) = render("https://a.example/hook", notification);
            assert!(subject.contains("webhook"));
            assert!(body.contains("https://a.example/hook"), "{body}");
            assert!(body.to_lowercase().contains("recover"), "{body}");
        }
    }
}
