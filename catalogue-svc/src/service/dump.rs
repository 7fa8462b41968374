//! The whole catalogue in one stream, for staff. A mirror can start with it.

use std::pin::Pin;
use std::sync::Arc;

use contracts::catalogue::v1::dump_catalogue_response::{End, Part};
use contracts::catalogue::v1::staff_dump_service_server::StaffDumpService;
use contracts::catalogue::v1::{DumpCatalogueRequest, DumpCatalogueResponse};
use futures::{Stream, stream};
use kit::Fault;
use kit::bad_fields::BadFields;
use kit::rpc::staff::Member;
use tonic::{Request, Response, Status};

use super::query_params::{non_empty, one_of};
use super::{Reads, change_row, changes};
use crate::domain::changes::{ListingKind, MirrorCursor};
use crate::domain::listing::Mode;
use crate::index::{ListingChange, Snapshot};

/// A message is sent when its lines have at least this many bytes.
const FULL: usize = 64 * 1024;
/// The most listings that are read without a pause: with a type, most of them may be of other kinds.
const MAX_READ: usize = 1_000;

/// The state of a dump. All its rows come from one snapshot.
struct Dump {
    snapshot: Arc<Snapshot>,
    kind: Option<ListingKind>,
    /// The position of a mirror that has read the lines so far.
    cursor: MirrorCursor,
    rows: u64,
    is_over: bool,
}

#[tonic::async_trait]
impl StaffDumpService for Reads {
    type DumpCatalogueStream =
        Pin<Box<dyn Stream<Item = Result<DumpCatalogueResponse, Status>> + Send>>;

    async fn dump_catalogue(
        &self,
        request: Request<DumpCatalogueRequest>,
    ) -> Result<Response<Self::DumpCatalogueStream>, Status> {
        // Everything in it is public: every member of staff may read it.
        let member = Member::of(&request)?;
        let kind = read(request.into_inner())?;
        let snapshot = self.snapshot_at(None).await?;
        tracing::info!(
            member = member.name,
            seq = snapshot.position.seq,
            "the catalogue is dumped"
        );
        let newest = snapshot.dataset(Mode::Live).changes.newest();
        let dump = Dump {
            cursor: MirrorCursor::beginning(snapshot.position.epoch, newest),
            snapshot,
            kind,
            rows: 0,
            is_over: false,
        };
        let parts = stream::try_unfold(dump, |mut dump| async move {
            let part = dump.next().await?;
            Ok(part.map(|part| (DumpCatalogueResponse { part: Some(part) }, dump)))
        });
        Ok(Response::new(Box::pin(parts)))
    }
}

impl Dump {
    /// The next message; `None` after the last.
    async fn next(&mut self) -> Result<Option<Part>, Fault> {
        if self.is_over {
            return Ok(None);
        }
        while let Some(lines) = self.read()? {
            if !lines.is_empty() {
                return Ok(Some(Part::Lines(lines.into())));
            }
            tokio::task::yield_now().await;
        }
        self.is_over = true;
        let end = MirrorCursor::end(self.cursor.epoch, self.cursor.began_at);
        Ok(Some(Part::End(End {
            rows: self.rows,
            next_cursor: changes::encode(Mode::Live, &end)?,
        })))
    }

    /// The lines of the next listings, which may be of other kinds; `None` after the last listing.
    fn read(&mut self) -> Result<Option<Vec<u8>>, Fault> {
        let mut lines = Vec::new();
        let mut last: Option<&ListingChange> = None;
        let changes = &self.snapshot.dataset(Mode::Live).changes;
        for changed in changes.after(&self.cursor).take(MAX_READ) {
            last = Some(changed);
            if self.kind.is_none_or(|kind| kind == changed.kind) {
                change_row::push(&mut lines, changed)?;
                lines.push(b'\n');
                self.rows += 1;
            }
            if lines.len() >= FULL {
                break;
            }
        }
        let Some(last) = last else {
            return Ok(None);
        };
        self.cursor = last.cursor(&self.cursor);
        Ok(Some(lines))
    }
}

fn read(request: DumpCatalogueRequest) -> Result<Option<ListingKind>, Fault> {
    let mut bad = BadFields::default();
    let kind = non_empty(request.r#type).and_then(|key| {
        let found = ListingKind::ALL
            .into_iter()
            .find(|kind| kind.as_str() == key);
        let found = found.ok_or_else(|| one_of(&ListingKind::ALL.map(ListingKind::as_str)));
        bad.read("type", found)
    });
    bad.check()?;
    Ok(kind)
}
