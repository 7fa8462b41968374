//! Interrupted imports, and concurrent imports.

use contracts::listings::v1 as proto;
use kit::{Code, Fault};
use sqlx::PgPool;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use crate::support::{File, Service, counts, creator, game, refused, start};

/// Sends the first `lines` lines, waits until there are `revisions` revisions in all, and disconnects.
async fn break_off(service: &Service, file: &File, lines: usize, revisions: i64) {
    let mut messages = file.messages();
    messages.truncate(1);
    messages.push(proto::ImportRequest {
        message: Some(proto::import_request::Message::Lines(proto::ImportLines {
            lines: file.lines[..lines].to_vec(),
        })),
    });
    let (queue, stream) = mpsc::channel(8);
    for message in messages {
        queue.send(message).await.unwrap();
    }
    let mut staff = service.staff.clone();
    let call = staff.import(ReceiverStream::new(stream));
    let written = testing::wait_until("the rows are written", async || {
        service.revisions().await == revisions
    });
    tokio::select! {
        answer = call => unreachable!("the file is not at its end: {answer:?}"),
        () = written => {}
    }
    drop(queue);
}

#[testing::database_test(listings::MIGRATOR)]
async fn an_interrupted_import_is_completed_by_another_of_the_same_file(pool: PgPool) {
    let service = start(pool).await;
    service.import(&File::rows("page", &[creator("studio")])).await;
    let mut rows: Vec<_> = (1..=700).map(|n| game(&format!("game-{n}"), "A Game")).collect();
    rows[1]["release_year"] = serde_json::Value::Null;
    rows[699]["title"] = serde_json::Value::Null;
    // The slug is repeated in a later chunk.
    rows[650]["slug"] = "game-3".into();
    let file = File::rows("game", &rows);

    break_off(&service, &file, 350, 1 + 349).await;
    let report = service.import(&file).await;
    assert_eq!(counts(&report), (697 - 349, 0, 349, 3));
    let refused = refused(&report);
    assert_eq!(refused[&2], ["release_year"]);
    assert_eq!(refused[&651], ["slug"]);
    assert_eq!(refused[&700], ["title"]);

    assert_eq!(counts(&service.import(&file).await), (0, 0, 697, 3));
    assert_eq!(service.revisions().await, 1 + 697);
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_stream_without_its_end_message_is_an_error(pool: PgPool) {
    let service = start(pool).await;
    let file = File::rows("page", &[creator("studio")]);
    let mut messages = file.messages();
    messages.pop();
    let fault = Fault::from(service.send(messages).await.unwrap_err());
    assert_eq!(fault.code, Code::Unavailable);
    // The first chunk may have been written; either way its line is written once.
    let report = service.import(&file).await;
    assert_eq!(report.created + report.unchanged, 1);
    assert_eq!(counts(&service.import(&file).await), (0, 0, 1, 0));
}

#[testing::database_test(listings::MIGRATOR)]
async fn concurrent_imports_of_a_file_load_it_once(pool: PgPool) {
    let one = start(pool.clone()).await;
    let other = start(pool).await;
    one.import(&File::rows("page", &[creator("studio")])).await;
    let rows: Vec<_> = (1..=2_000).map(|n| game(&format!("game-{n}"), "A Game")).collect();
    let file = File::rows("game", &rows);

    let (first, second) = tokio::join!(one.try_import(&file), other.try_import(&file));
    assert!(first.is_ok() || second.is_ok(), "{first:?} {second:?}");
    for report in [first, second].into_iter().flatten() {
        assert_eq!(report.created + report.unchanged, 2_000);
        assert_eq!(report.refused_count, 0);
    }
    assert_eq!(one.revisions().await, 2_001);
    assert_eq!(counts(&one.import(&file).await), (0, 0, 2_000, 0));
}

#[testing::database_test(listings::MIGRATOR)]
async fn files_with_the_same_rows_do_not_deadlock(pool: PgPool) {
    let one = start(pool.clone()).await;
    let other = start(pool).await;
    one.import(&File::rows("page", &[creator("studio")])).await;
    let mut rows: Vec<_> = (1..=1_000).map(|n| game(&format!("game-{n}"), "A Game")).collect();
    let forward = File::rows("game", &rows);
    rows.reverse();
    let backward = File::rows("game", &rows);

    let (first, second) = tokio::join!(one.import(&forward), other.import(&backward));
    assert_eq!(first.created + second.created, 1_000);
    assert_eq!(first.unchanged + second.unchanged, 1_000);
}

#[testing::database_test(listings::MIGRATOR)]
async fn an_error_says_which_lines_were_done_before(pool: PgPool) {
    let service = start(pool.clone()).await;
    let rows: Vec<_> = (1..=250).map(|n| creator(&format!("studio-{n}"))).collect();
    // PostgreSQL ends the session in the last chunk.
    sqlx::raw_sql(
        "create function listings.stop() returns trigger language plpgsql as 'begin raise sqlstate ''57P01''; end';
         create trigger stop before insert on listings.listing
         for each row when (new.content ->> 'handle' = 'studio-250') execute function listings.stop()",
    )
    .execute(&pool)
    .await
    .unwrap();
    let fault = Fault::from(service.try_import(&File::rows("page", &rows)).await.unwrap_err());
    assert_eq!(fault.code, Code::Unavailable);
    assert!(fault.message.contains("Lines 1 to 200"), "{fault}");
    assert!(fault.message.contains("200 rows created"), "{fault}");
}
