//! Uploads that are not what they seem. listings-svc tests decoding; these tests are about the transport.

use axum::body::Body;
use bytes::Bytes;
use futures::stream;
use http::header::RETRY_AFTER;
use sqlx::PgPool;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use web::domain::role::Role;
use web::store::members;

use crate::browser::{Browser, Page};
use crate::support::{BOB, studio};

const PAGE: &str = "<html><script>alert(1)</script></html>";

/// Posts a body of this type to the form of the cover.
async fn send(
    owner: &mut Browser,
    account: &str,
    content_type: &str,
    body: impl Into<Body>,
) -> Page {
    let path = format!("/accounts/{account}/listings/game/okoto/pictures/cover");
    owner.post_body(&path, content_type, body).await
}

/// A multipart body with one part.
fn multipart(headers: &str, content: &[u8]) -> Vec<u8> {
    let head = format!("--limit\r\n{headers}\r\n\r\n");
    [head.as_bytes(), content, b"\r\n--limit--\r\n"].concat()
}

const FORM: &str = "multipart/form-data; boundary=limit";
const PART: &str = "Content-Disposition: form-data; name=\"cover\"; filename=\"cover.jpg\"\r\nContent-Type: image/jpeg";

#[testing::database_test(web::MIGRATOR)]
async fn files_that_are_something_else_are_refused_in_words(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    for content in [
        &b"GIF89a/*\x01\x00*/=1;alert(1)//"[..],
        b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>",
        b"%PDF-1.7",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x75\x30\0\0\x75\x30\x08\x06\0\0\0",
        PAGE.as_bytes(),
        b"\0",
    ] {
        let page = send(&mut owner, &account, FORM, multipart(PART, content)).await;
        page.assert(422, "Send a JPEG.");
        assert!(!page.text.contains("<script>alert"), "{}", page.text);
    }
    let empty = send(&mut owner, &account, FORM, multipart(PART, b"")).await;
    empty.assert(422, "Choose a file.");
    assert_eq!(site.listings.recorded(), Vec::<String>::new());
}

#[testing::database_test(web::MIGRATOR)]
async fn malformed_uploads_are_refused_with_a_message(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    let good = || multipart(PART, b"JPEG");
    for (content_type, body) in [
        ("image/jpeg", b"JPEG".to_vec()),
        ("application/json", b"{}".to_vec()),
        ("application/x-www-form-urlencoded", b"picture=JPEG".to_vec()),
        ("text/html", PAGE.as_bytes().to_vec()),
        ("multipart/form-data", good()),
        ("multipart/form-data; boundary=", good()),
        ("multipart/form-data; boundary=other", good()),
        (&format!("multipart/form-data; boundary={}", "x".repeat(500)), good()),
        ("multipart/mixed; boundary=limit", good()),
        (FORM, Vec::new()),
        (FORM, b"--limit--\r\n".to_vec()),
        (FORM, b"--limit\r\n\r\nJPEG".to_vec()),
        (FORM, good()[..good().len() - 12].to_vec()),
        (FORM, multipart("Content-Disposition: form-data; name=\"other\"", b"JPEG")),
        (FORM, multipart("Content-Disposition: form-data", b"JPEG")),
        (FORM, multipart("X: y", b"JPEG")),
        (FORM, multipart(&format!("X: {}", "y".repeat(100_000)), b"JPEG")),
    ] {
        let length = body.len();
        let page = send(&mut owner, &account, content_type, body).await;
        let expected = [413, 422].contains(&page.status.as_u16());
        assert!(expected, "{content_type} {length}: {} {}", page.status, page.text);
        let says_why =
            page.text.contains("class=\"error\"") || page.text.contains("role=\"alert\"");
        assert!(says_why, "{content_type} {length}: {}", page.text);
    }
    assert_eq!(site.listings.recorded(), Vec::<String>::new());
}

#[testing::database_test(web::MIGRATOR)]
async fn the_page_says_when_the_next_upload_is_allowed(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    *site.listings.upload_wait.lock().unwrap() = Some(5_400);
    let page = send(&mut owner, &account, FORM, multipart(PART, b"JPEG")).await;
    page.assert(429, "These were all pictures of the day.");
    assert_eq!(page.headers[RETRY_AFTER], "5400");
    assert_eq!(site.listings.recorded(), Vec::<String>::new());
}

#[testing::database_test(web::MIGRATOR)]
async fn names_and_types_of_files_have_no_effect(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    for name in [
        "../../etc/passwd",
        "a\r\nX-Injected: yes\r\n\r\n<script>",
        "a%0d%0aX-Injected: yes",
        "\"><script>alert(1)</script>.jpg",
        &"x".repeat(5_000),
        "=?utf-8?q?a?=",
        "",
    ] {
        let quoted = name.replace('"', "%22");
        let headers = format!(
            "Content-Disposition: form-data; name=\"cover\"; filename=\"{quoted}\"\r\nContent-Type: image/svg+xml"
        );
        let page = send(&mut owner, &account, FORM, multipart(&headers, b"JPEG")).await;
        let answered = [303, 422].contains(&page.status.as_u16());
        assert!(answered, "{name:?}: {} {}", page.status, page.text);
        assert!(!page.headers.contains_key("x-injected"), "{name:?}");
        assert!(!page.text.contains("alert(1)"), "{}", page.text);
        assert!(!page.text.contains("passwd"), "{}", page.text);
    }
    let recorded = site.listings.recorded();
    assert!(recorded.iter().all(|it| it.starts_with("add Cover okoto ")), "{recorded:?}");
}

#[testing::database_test(web::MIGRATOR)]
async fn the_role_is_read_again_once_the_file_has_arrived(pool: PgPool) {
    let (site, account, _) = studio(pool).await;
    let bob = site.person(BOB).await;
    site.join(account.parse().unwrap(), bob, Role::Editor).await;
    let mut editor = site.signed_in(BOB).await;
    let (line, parts) = mpsc::channel(1);
    let parts = stream::unfold(parts, async |mut parts: mpsc::Receiver<Bytes>| {
        let part = parts.recv().await?;
        Some((Ok::<_, std::io::Error>(part), parts))
    });
    let upload = send(&mut editor, &account, FORM, Body::from_stream(parts));
    let demotion = async {
        let form = Bytes::from(multipart(PART, b"JPEG"));
        line.send(form.slice(..form.len() - 20)).await.unwrap();
        // The site has read the first part, so that the access layer has let the upload in.
        line.send(form.slice(form.len() - 20..form.len() - 10)).await.unwrap();
        let mut connection = site.pool.acquire().await.unwrap();
        let account = account.parse().unwrap();
        members::set_role(&mut connection, account, bob, Some(Role::Developer)).await.unwrap();
        line.send(form.slice(form.len() - 10..)).await.unwrap();
        drop(line);
    };
    let (page, ()) = tokio::join!(upload, demotion);
    page.assert(403, "Your role does not allow this");
    assert_eq!(site.listings.recorded(), Vec::<String>::new());
}

#[testing::database_test(web::MIGRATOR)]
async fn slow_browsers_hold_no_upload_of_the_service(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    let mut slow = JoinSet::new();
    let mut lines = Vec::new();
    let mut others = Vec::new();
    for email in [BOB, "cyd@games.example"] {
        let person = site.person(email).await;
        let theirs = site.account(person, Role::Owner).await.to_string();
        let second = site.account(person, Role::Owner).await.to_string();
        for account in [&theirs, &second] {
            site.listings.game(account, "okoto", "Okoto");
        }
        let mut browser = site.signed_in(email).await;
        others.push((browser.clone(), second));
        // The second part waits in the channel until the site has read the first one.
        let (line, parts) = mpsc::channel(1);
        let parts = stream::unfold(parts, async |mut parts: mpsc::Receiver<Bytes>| {
            let part = parts.recv().await?;
            Some((Ok::<_, std::io::Error>(part), parts))
        });
        slow.spawn(
            async move { send(&mut browser, &theirs, FORM, Body::from_stream(parts)).await },
        );
        let form = Bytes::from(multipart(PART, b"JPEG"));
        line.send(form.slice(..form.len() - 20)).await.unwrap();
        line.send(form.slice(form.len() - 20..form.len() - 10)).await.unwrap();
        lines.push((line, form));
    }
    let page = send(&mut owner, &account, FORM, multipart(PART, b"JPEG")).await;
    page.location();
    let received = site.listings.recorded();
    assert_eq!(received.len(), 1, "{received:?}");
    for (mut browser, second) in others {
        let page = send(&mut browser, &second, FORM, multipart(PART, b"JPEG")).await;
        page.assert(503, "You are uploading another picture");
        assert_eq!(page.headers[RETRY_AFTER], "5");
    }
    for (line, form) in lines {
        line.send(form.slice(form.len() - 10..)).await.unwrap();
    }
    for page in slow.join_all().await {
        page.location();
    }
}
