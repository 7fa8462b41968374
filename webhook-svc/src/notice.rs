//! What the owner of an endpoint is told by mail.

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::domain::health::Notice;
use crate::store::endpoints::Endpoint;
use crate::store::mails;

/// Stores the mail that a notice is.
pub(crate) async fn tell(
    connection: &mut PgConnection,
    endpoint: &Endpoint,
    notice: Notice,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let (subject, body) = write(&endpoint.url, notice);
    mails::insert(connection, endpoint.account_id, subject, &body, now).await
}

/// Subject and body of a mail.
fn write(url: &str, notice: Notice) -> (&'static str, String) {
    match notice.reason() {
        None => (
            "A webhook could not be delivered",
            format!(
                "A webhook to {url} ran out of tries: none was answered with a 2xx.\n\n\
                 The dashboard shows what was sent and what was answered. Once the endpoint works again, \"Recover\" sends what failed. \
                 An endpoint that keeps failing for days is switched off.\n"
            ),
        ),
        Some(reason) => (
            "A webhook endpoint is switched off",
            format!(
                "Nothing is sent to {url} any more.\n\n{reason}\n\n\
                 The dashboard shows what was sent and what was answered. There you can resume the endpoint, and recover what failed.\n"
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mails_name_the_endpoint_and_say_what_to_do() {
        for notice in [
            Notice::FirstFailure,
            Notice::OffForFailures,
            Notice::OffForGone,
        ] {
            let (subject, body) = write("https://a.example/hook", notice);
            assert!(subject.contains("webhook"));
            assert!(body.contains("https://a.example/hook"), "{body}");
            assert!(body.to_lowercase().contains("recover"), "{body}");
        }
    }
}
