//! What the staff tool says when a command of several calls fails after the first.

use std::sync::atomic::{AtomicUsize, Ordering};

use contracts::listings::v1::staff_import_service_server::{
    StaffImportService, StaffImportServiceServer,
};
use contracts::listings::v1::staff_review_service_server::{
    StaffReviewService, StaffReviewServiceServer,
};
use kit::Fault;
use kit::lifecycle::Lifecycle;
use tonic::{Request, Response, Status, Streaming};

use super::*;

/// A service that fails after its first call. It refuses the first listing of that call.
#[derive(Debug, Default)]
struct FailsLater(AtomicUsize);

impl FailsLater {
    fn check(&self) -> Result<(), Status> {
        match self.0.fetch_add(1, Ordering::Relaxed) {
            0 => Ok(()),
            _ => Err(Fault::unavailable("a test").into()),
        }
    }
}

#[tonic::async_trait]
impl StaffReviewService for FailsLater {
    async fn decide(
        &self,
        request: Request<proto::DecideRequest>,
    ) -> Result<Response<proto::DecideResponse>, Status> {
        self.check()?;
        let items = request.into_inner().items.into_iter().enumerate();
        let results = items.map(|(at, item)| proto::DecideResult {
            problem: if at == 0 {
                "This listing was taken down.".to_owned()
            } else {
                String::new()
            },
            name: item.name,
            ..proto::DecideResult::default()
        });
        Ok(Response::new(proto::DecideResponse { results: results.collect() }))
    }

    async fn list_queue(
        &self,
        _: Request<proto::ListQueueRequest>,
    ) -> Result<Response<proto::ListQueueResponse>, Status> {
        unreachable!()
    }

    async fn get_review(
        &self,
        _: Request<proto::GetReviewRequest>,
    ) -> Result<Response<proto::GetReviewResponse>, Status> {
        unreachable!()
    }

    async fn edit(
        &self,
        _: Request<proto::EditRequest>,
    ) -> Result<Response<proto::EditResponse>, Status> {
        unreachable!()
    }

    async fn revert(
        &self,
        _: Request<proto::RevertRequest>,
    ) -> Result<Response<proto::RevertResponse>, Status> {
        unreachable!()
    }

    async fn search(
        &self,
        _: Request<proto::SearchRequest>,
    ) -> Result<Response<proto::SearchResponse>, Status> {
        unreachable!()
    }
}

#[tonic::async_trait]
impl StaffImportService for FailsLater {
    async fn import(
        &self,
        request: Request<Streaming<proto::ImportRequest>>,
    ) -> Result<Response<proto::ImportResponse>, Status> {
        let mut stream = request.into_inner();
        while stream.message().await?.is_some() {}
        self.check()?;
        Ok(Response::new(proto::ImportResponse { created: 7, ..proto::ImportResponse::default() }))
    }
}

async fn start_failing(lifecycle: &Lifecycle) -> String {
    let mut services = kit::rpc::server::services();
    services
        .add_service(StaffReviewServiceServer::new(FailsLater::default()))
        .add_service(StaffImportServiceServer::new(FailsLater::default()));
    testing::serve(services, lifecycle).await.unwrap()
}

#[tokio::test]
async fn what_was_decided_before_an_error_is_listed_with_its_refusals() {
    let (lifecycle, _supervisor) = Lifecycle::new();
    let names: Vec<String> = (0..120).map(|n| format!("game-{n}")).collect();
    for command in [&["take-down", "--yes"][..], &["restore"]] {
        let address = start_failing(&lifecycle).await;
        let mut args = vec!["--json", "game"];
        args.extend(command);
        args.extend(["--reason", "Why"]);
        args.extend(names.iter().map(String::as_str));
        let ran = Ran(staff(&address, &args).await);
        assert_eq!(ran.status(), 3, "{ran:?}");
        let results = ran.document()["results"].as_array().unwrap().clone();
        assert_eq!(results.len(), 50);
        assert_eq!(results[0]["problem"], "This listing was taken down.");
        let complaint = ran.complaint();
        assert!(complaint.contains("50 of 120"), "{complaint}");
        assert!(complaint.contains("1 of 50 were refused"), "{complaint}");
    }
}

#[tokio::test]
async fn the_files_that_were_imported_before_an_error_are_reported() {
    let (lifecycle, _supervisor) = Lifecycle::new();
    let address = start_failing(&lifecycle).await;
    let (_first, creators) = file("creators.ndjson", "{}");
    let (_second, games) = file("games.ndjson", "{}");
    let ran = Ran(staff(&address, &["--json", "listing", "import", &creators, &games]).await);
    assert_eq!(ran.status(), 3, "{ran:?}");
    let files = ran.document()["files"].as_array().unwrap().clone();
    assert_eq!(files.len(), 1);
    assert_eq!((&files[0]["kind"], &files[0]["created"]), (&"page".into(), &7.into()));
    assert!(ran.complaint().contains("games.ndjson"), "{ran:?}");
}
