//! Mails to owners of endpoints.

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::domain::health::Notification;
use crate::store::endpoints::Endpoint;
use crate::store::mails;

/// Queues the mail of a notification. `public_url` is the base URL of the dashboard.
pub(crate) async fn enqueue(
    connection: &mut PgConnection,
    public_url: &str,
    endpoint: &Endpoint,
    notification: Notification,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let (account, id) = (endpoint.account_id, endpoint.id);
    let page = format!("{public_url}/accounts/{account}/webhooks/{id}");
    let (subject, body) = render(&endpoint.url, &page, notification);
    mails::insert(connection, account, &subject, &body, now).await
}

/// The mail's subject and body. `page` is the page of the endpoint in the dashboard.
fn render(url: &str, page: &str, notification: Notification) -> (String, String) {
    match notification {
        Notification::DeliveriesFailed(count) => {
            let webhooks = match count {
                1 => "A webhook".to_owned(),
                count => format!("{count} webhooks"),
            };
            let body = format!(
                "{webhooks} to {url} could not be delivered: no attempt is left, and the last one was not answered with a 2xx status.\n\n\
                 The page of the address shows each request and its answer:\n{page}\n\n\
                 Once your receiver works again, choose \"Retry failed deliveries\" there. We send such an e-mail at most once a day, with the number \
                 of webhooks that have failed since the last one. An address that keeps failing for days is switched off.\n"
            );
            (format!("{webhooks} could not be delivered"), body)
        }
        Notification::DisabledAfterFailures | Notification::DisabledByGone => {
            let reason = notification.reason().unwrap_or_default();
            let body = format!(
                "{url} no longer receives webhooks.\n\n{reason}\n\n\
                 The page of the address shows each request and its answer:\n{page}\n\n\
                 There you can resume it, and send the failed webhooks again.\n"
            );
            ("A webhook endpoint is switched off".to_owned(), body)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mails_name_the_endpoint_and_say_what_to_do() {
        let page = "https://mchezo.example/accounts/a/webhooks/e";
        for (notification, expected) in [
            (
                Notification::DeliveriesFailed(1),
                "A webhook could not be delivered",
            ),
            (
                Notification::DeliveriesFailed(200),
                "200 webhooks could not be delivered",
            ),
            (
                Notification::DisabledAfterFailures,
                "A webhook endpoint is switched off",
            ),
            (
                Notification::DisabledByGone,
                "A webhook endpoint is switched off",
            ),
        ] {
            let (subject, body) = render("https://a.example/hook", page, notification);
            assert_eq!(subject, expected);
            assert!(body.contains("https://a.example/hook"), "{body}");
            assert!(body.contains(page), "{body}");
            assert!(body.to_lowercase().contains("again"), "{body}");
            // A delivery that was sent again may have been answered with a 2xx before.
            assert!(!body.contains("none was answered"), "{body}");
        }
    }
}
