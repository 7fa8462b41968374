//! The file store on an S3 server: moto, installed from the Python package index into a cached environment.

use std::path::Path;
use std::process::Stdio;

use listings::config::PictureSettings as Settings;
use listings::domain::pictures::{FileName, PictureKind};
use listings::jobs::sweep::sweep;
use listings::pictures::FileStore;
use sqlx::PgPool;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};

use crate::pictures::picture;
use crate::support::NOW;

const MOTO: &str = "moto[server]==5.2.5";

/// A running S3 server, which is stopped on drop.
struct S3 {
    address: String,
    _server: Child,
}

async fn start() -> S3 {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let environment = testing::python::environment(folder, MOTO, &[]).await;
    let python = environment.unwrap().join("bin/python");
    let mut server = Command::new(python)
        .args(["-m", "moto.server", "--host", "127.0.0.1", "--port", "0"])
        .env("PYTHONUNBUFFERED", "1")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(server.stderr.take().unwrap()).lines();
    let address = loop {
        let line = lines.next_line().await.unwrap().expect("the server says where it is");
        if let Some((_, address)) = line.split_once("Running on ") {
            break address.trim().to_owned();
        }
    };
    // Drain the log, which has a line for each request, so that the server does not block on a full pipe.
    drop(tokio::spawn(
        async move { while lines.next_line().await.is_ok_and(|it| it.is_some()) {} },
    ));
    S3 { address, _server: server }
}

fn settings(endpoint: &str, bucket: &str) -> Settings {
    Settings {
        pictures: format!("s3://{bucket}/some/prefix").parse().unwrap(),
        pictures_endpoint: Some(endpoint.to_owned()),
        pictures_region: "us-east-1".to_owned(),
        pictures_key_id: Some("an-id".to_owned()),
        pictures_secret: Some("a-secret".to_owned().into()),
        pictures_deadline: testing::LONG,
        picture_megabytes: 10,
        pictures_at_once: 1,
        pictures_per_day: 5,
    }
}

/// Sends an unsigned request, which moto accepts; returns the response.
async fn plain(address: &str, request: &str) -> String {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let host = address.strip_prefix("http://").unwrap();
    let mut stream = tokio::net::TcpStream::connect(host).await.unwrap();
    let request = format!(
        "{request} HTTP/1.1\r\nhost: {host}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
#[ignore = "long: an S3 server from the Python package index"]
async fn pictures_are_stored_alike_in_a_bucket_and_in_a_folder() {
    let s3 = start().await;
    let made = plain(&s3.address, "PUT /mchezo").await;
    assert!(made.starts_with("HTTP/1.1 200"), "{made}");
    let folder = tempfile::tempdir().unwrap();
    let in_folder = Settings {
        pictures: listings::config::PictureLocation::Folder(folder.path().join("new")),
        ..settings(&s3.address, "mchezo")
    };
    let in_bucket = settings(&s3.address, "mchezo");
    for settings in [in_folder, in_bucket] {
        let store = FileStore::open(&settings).unwrap();
        let name = FileName::from_digest(&[0xAB; 32]);
        assert_eq!(store.part(&name, 0, 10).await.unwrap(), None);
        assert_eq!(store.part(&name, 0, 0).await.unwrap(), None);
        let bytes = bytes::Bytes::from_static(b"0123456789");
        for _ in 0..2 {
            store.put(&name, bytes.clone()).await.unwrap();
        }
        let part = async |offset, most| {
            let part = store.part(&name, offset, most).await.unwrap().unwrap();
            (part.size, String::from_utf8(part.bytes.to_vec()).unwrap())
        };
        assert_eq!(part(0, 4).await, (10, "0123".to_owned()));
        assert_eq!(part(4, 100).await, (10, "456789".to_owned()));
        for (offset, most) in [(0, 0), (10, 5), (u64::MAX, 5)] {
            assert_eq!(part(offset, most).await, (10, String::new()));
        }
        // Deleting twice shows that a missing file is no error.
        for _ in 0..2 {
            store.remove_picture(&name).await.unwrap();
            assert_eq!(store.part(&name, 0, 10).await.unwrap(), None);
        }
    }
    let listed = plain(&s3.address, "GET /mchezo?list-type=2").await;
    assert!(listed.contains("<KeyCount>0</KeyCount>"), "{listed}");
}

#[tokio::test]
async fn a_missing_bucket_is_unavailable_rather_than_empty() {
    let s3 = start().await;
    let store = FileStore::open(&settings(&s3.address, "nobody-s")).unwrap();
    let name = FileName::from_digest(&[0xCD; 32]);
    let lost = store.put(&name, bytes::Bytes::from_static(b"0")).await;
    assert_eq!(lost.unwrap_err().code, kit::Code::Unavailable);
    let nobody = FileStore::open(&settings("http://127.0.0.1:1", "mchezo")).unwrap();
    let reading = tokio::time::timeout(testing::LONG * 2, nobody.part(&name, 0, 10));
    assert_eq!(reading.await.unwrap().unwrap_err().code, kit::Code::Unavailable);
}

/// Refuses each request, as a bucket does with a wrong key.
async fn refusing_bucket(listener: TcpListener) {
    loop {
        let (mut connection, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            assert_ne!(connection.read_buf(&mut request).await.unwrap(), 0);
        }
        let answer = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        connection.write_all(answer).await.unwrap();
    }
}

#[tokio::test]
async fn a_bucket_that_refuses_files_is_an_error_at_the_start() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let store = FileStore::open(&settings(&address, "mchezo")).unwrap();
    let refused = tokio::select! {
        () = refusing_bucket(listener) => unreachable!("it answers for ever"),
        tried = store.try_write() => tried.unwrap_err(),
    };
    assert!(refused.to_string().contains("pictures_secret"), "{refused:#}");
    // One that does not answer may do so later.
    let nobody = FileStore::open(&settings("http://127.0.0.1:1", "mchezo")).unwrap();
    nobody.try_write().await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let in_folder = Settings {
        pictures: listings::config::PictureLocation::Folder(folder.path().to_owned()),
        ..settings(&address, "mchezo")
    };
    FileStore::open(&in_folder).unwrap().try_write().await.unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Responds to delete requests, each after `asked` has run.
async fn slow_bucket(listener: TcpListener, mut asked: impl AsyncFnMut()) {
    loop {
        let (mut connection, _) = listener.accept().await.unwrap();
        let (mut request, mut text) = (Vec::new(), String::new());
        while !text.contains("</Delete>") {
            assert_ne!(connection.read_buf(&mut request).await.unwrap(), 0);
            text = String::from_utf8_lossy(&request).into_owned();
        }
        asked().await;
        let key = &text[text.find("<Key>").unwrap()..text.find("</Key>").unwrap()];
        let body = format!("<DeleteResult><Deleted>{key}</Key></Deleted></DeleteResult>");
        let answer = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        connection.write_all(answer.as_bytes()).await.unwrap();
    }
}

#[testing::database_test(listings::MIGRATOR)]
async fn an_upload_waits_while_the_sweep_deletes_the_same_picture(pool: PgPool) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let settings = settings(&address, "mchezo");
    let store = FileStore::open(&settings).unwrap();
    let file = picture(640, 480, [1, 2, 3]);
    let made = listings::pictures::process(&file, PictureKind::Cover).unwrap();
    sqlx::query!(
        "insert into listings.picture (hash, uploaded_at) values ($1, $2)",
        made.name.hash(),
        NOW - time::Duration::days(2)
    )
    .execute(&pool)
    .await
    .unwrap();
    let answering = slow_bucket(listener, async || {
        let mut uploading = pool.begin().await.unwrap();
        let free = sqlx::query_scalar!("select hash from listings.picture for update skip locked")
            .fetch_optional(&mut *uploading)
            .await
            .unwrap();
        uploading.rollback().await.unwrap();
        assert_eq!(free, None);
    });
    tokio::select! {
        () = answering => {}
        swept = sweep(&pool, &store, NOW) => assert_eq!(swept.unwrap(), 1),
    }
}
