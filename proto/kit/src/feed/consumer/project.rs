//! Applies changes with a projection: together, or one by one when a change is refused.

use contracts::common::v1::Change;
use sqlx::{Connection as _, PgConnection};
use uuid::Uuid;

use super::projection::Projection;

/// A change that becomes a row.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) change: Change,
    /// Whether to send the message as well, if the change has one.
    pub(super) message_due: bool,
}

/// Applies `items` of `producer` inside the open transaction. A change that is refused is logged and skipped; nothing of it is written.
///
/// # Errors
/// PostgreSQL failed for a reason that does not depend on the data; the transaction must be rolled back.
pub(super) async fn project<P: Projection>(
    projection: &P,
    producer: &'static str,
    connection: &mut PgConnection,
    generation: Uuid,
    items: &[Item],
) -> Result<(), sqlx::Error> {
    let all = project_all(projection, connection, generation, items).await?;
    match (all, items) {
        (Ok(()), _) => {}
        (Err(reason), [item]) => record_refused_change(producer, &item.change, &reason),
        (Err(_), _) => {
            for item in items {
                let one = std::slice::from_ref(item);
                if let Err(reason) = project_all(projection, connection, generation, one).await? {
                    record_refused_change(producer, &item.change, &reason);
                }
            }
        }
    }
    Ok(())
}

/// Logs and counts a change of `producer` that this version cannot apply. Later changes go on.
pub fn record_refused_change(producer: &'static str, change: &Change, reason: &str) {
    tracing::error!(
        producer,
        entity = change.entity,
        id = change.id,
        seq = change.seq,
        reason,
        "a change cannot be applied and is skipped"
    );
    metrics::counter!("feed_changes_refused_total", "producer" => producer).increment(1);
}

/// Applies all items under one savepoint, or none of them. The inner error says why an item is refused.
async fn project_all<P: Projection>(
    projection: &P,
    connection: &mut PgConnection,
    generation: Uuid,
    items: &[Item],
) -> Result<Result<(), String>, sqlx::Error> {
    let (mut rows, mut messages) = (Vec::new(), Vec::new());
    for item in items {
        let read = || -> anyhow::Result<_> {
            let row = projection.row(&item.change)?;
            let message = item.message_due.then(|| projection.message(&item.change));
            Ok((row, message.transpose()?.flatten()))
        };
        match read() {
            Ok((row, message)) => {
                rows.extend(row);
                messages.extend(message);
            }
            Err(error) => return Ok(Err(format!("{error:#}"))),
        }
    }
    if rows.is_empty() && messages.is_empty() {
        return Ok(Ok(()));
    }
    let mut savepoint = connection.begin().await?;
    let written = async {
        if !rows.is_empty() {
            projection.save(&mut savepoint, generation, rows).await?;
        }
        if !messages.is_empty() {
            projection.send(&mut savepoint, messages).await?;
        }
        Ok(())
    };
    match written.await {
        Ok(()) => savepoint.commit().await.map(Ok),
        Err(error) => {
            let reason = reason_of_refusal(error)?;
            savepoint.rollback().await?;
            Ok(Err(reason))
        }
    }
}

/// Why a change is refused.
///
/// # Errors
/// The error is one of PostgreSQL that may not come again: a lost connection, a lock, a full disk. It says nothing about the change.
fn reason_of_refusal(error: anyhow::Error) -> Result<String, sqlx::Error> {
    let reason = format!("{error:#}");
    match error.downcast::<sqlx::Error>() {
        Err(_) | Ok(sqlx::Error::Encode(_)) => Ok(reason),
        Ok(sqlx::Error::Database(error))
            if error.code().is_some_and(|code| depends_on_data(&code)) =>
        {
            Ok(reason)
        }
        Ok(error) => Err(error),
    }
}

/// Whether an error with this SQLSTATE comes again whenever the same data are written. Class 22: a value is out of range or malformed.
/// Class 23: a constraint. 21000: one statement touches a row twice. 54000: a value is too long for an index.
fn depends_on_data(code: &str) -> bool {
    code.starts_with("22") || code.starts_with("23") || matches!(code, "21000" | "54000")
}
