//! What has changed among the public listings, for mirrors (§10.15).

use contracts::catalogue::v1::changes_service_server::ChangesService;
use contracts::catalogue::v1::{ListChangesRequest, ListChangesResponse};
use contracts::common::v1 as common;
use contracts::common::v1::PageInfo;
use kit::bad_fields::BadFields;
use kit::cursor::Binding;
use kit::feed::Position;
use kit::{Code, Fault};
use tonic::{Request, Response, Status};

use super::Reads;
use super::change_row;
use crate::domain::changes::MirrorCursor;
use crate::domain::listing::Mode;

/// Why an edited cursor is refused.
const NOT_A_CURSOR: &str = "It belongs to another list: begin without one.";

/// A valid call.
struct ChangesQuery {
    mode: Mode,
    limit: usize,
    /// The position of the mirror; `None`: it starts with nothing.
    cursor: Option<MirrorCursor>,
}

#[tonic::async_trait]
impl ChangesService for Reads {
    async fn list_changes(
        &self,
        request: Request<ListChangesRequest>,
    ) -> Result<Response<ListChangesResponse>, Status> {
        let request = request.into_inner();
        let at_least = request.at_least.clone();
        let query = read(request)?;
        if let (Some(cursor), Some(newest)) = (&query.cursor, &at_least) {
            check_is_past(cursor, newest)?;
        }
        let snapshot = self.snapshot_at(at_least.as_ref()).await?;
        let changes = &snapshot.dataset(query.mode).changes;
        let cursor = match query.cursor {
            Some(cursor) => {
                check_history(&cursor, snapshot.position, at_least.as_ref())?;
                cursor
            }
            None => MirrorCursor::beginning(snapshot.position.epoch, changes.newest()),
        };
        let page: Vec<_> = changes.after(&cursor).take(query.limit).collect();
        // Without a new change the cursor stays the same, and with it the answer and its ETag.
        let next = page.last().map(|last| last.cursor(&cursor));
        let next = next.unwrap_or(cursor);
        Ok(Response::new(ListChangesResponse {
            json: change_row::array(&page)?.into(),
            page: Some(PageInfo {
                total: u64::try_from(changes.public()).unwrap_or(u64::MAX),
                next_cursor: Some(encode(query.mode, &next)?),
            }),
            position: Some(snapshot.position.into()),
        }))
    }
}

/// The cursor as callers see it.
pub(super) fn encode(mode: Mode, cursor: &MirrorCursor) -> Result<String, Fault> {
    let cursor = binding(mode).encode(cursor);
    cursor.map_err(|error| Fault::internal(&error))
}

fn binding(mode: Mode) -> Binding {
    Binding::new("changes", [Some(mode.as_str())])
}

fn read(request: ListChangesRequest) -> Result<ChangesQuery, Fault> {
    let mut bad = BadFields::default();
    let mode = bad.mode(request.mode);
    let page = bad.read_public_page(binding(mode), request.page);
    bad.check()?;
    Ok(ChangesQuery {
        mode,
        limit: page.limit,
        cursor: page.after,
    })
}

/// Refuses a cursor that has seen more than the newest change. The caller can edit a cursor, so the answer does not wait for what it has
/// seen: it waits for `at_least`, which covers that.
fn check_is_past(cursor: &MirrorCursor, newest: &common::Position) -> Result<(), Fault> {
    if newest.epoch == cursor.epoch.to_string() && cursor.newest_seen() > newest.seq {
        return Err(Fault::invalid_field("cursor", NOT_A_CURSOR));
    }
    Ok(())
}

/// Refuses a cursor of another history than the snapshot's, and one that has seen more than the snapshot has.
fn check_history(
    cursor: &MirrorCursor,
    position: Position,
    at_least: Option<&common::Position>,
) -> Result<(), Fault> {
    let is_behind = || {
        Fault::unavailable("this replica of the catalogue, which has not come as far as a cursor")
    };
    if cursor.epoch == position.epoch {
        return if cursor.newest_seen() > position.seq {
            Err(is_behind())
        } else {
            Ok(())
        };
    }
    // The listings continue under the epoch of the cursor, of which this replica has not learnt yet.
    if at_least.is_some_and(|wanted| wanted.epoch == cursor.epoch.to_string()) {
        return Err(is_behind());
    }
    Err(Fault::new(
        Code::Gone,
        "This cursor belongs to a history that is no more: the listings were restored or moved to another server. Start again without a \
         cursor and, when you have come to the end, drop what did not come again.",
    ))
}
