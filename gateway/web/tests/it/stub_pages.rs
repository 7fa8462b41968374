//! The pages and claims of the listings stub.

use std::sync::atomic::Ordering;

use contracts::listings::v1 as proto;
use contracts::listings::v1::pages_service_server::PagesService;
use kit::Fault;
use serde_json::Value;
use tonic::{Request, Response};

use crate::stub_listings::{Answer, StubListings};

#[tonic::async_trait]
impl PagesService for StubListings {
    async fn create_page(
        &self,
        request: Request<proto::CreatePageRequest>,
    ) -> Answer<proto::CreatePageResponse> {
        self.check()?;
        let request = request.into_inner();
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        self.record(format!("page {}", body["name"]));
        Ok(Response::new(proto::CreatePageResponse {
            written: Some(proto::Written {
                slug: Some("a-page".to_owned()),
                ..proto::Written::default()
            }),
        }))
    }

    async fn update_page(
        &self,
        _: Request<proto::UpdatePageRequest>,
    ) -> Answer<proto::UpdatePageResponse> {
        Err(Fault::not_found("No page of yours has this handle.").into())
    }

    async fn list_own_pages(
        &self,
        _: Request<proto::ListOwnPagesRequest>,
    ) -> Answer<proto::ListOwnPagesResponse> {
        self.check()?;
        let mut page = proto::Page {
            handle: "studio".to_owned(),
            name: self.text("A Studio"),
            tagline: self.text(""),
            kind: "studio".to_owned(),
            ..proto::Page::default()
        };
        page.set_state(proto::State::Published);
        let is_there = !self.has_no_pages.load(Ordering::Relaxed);
        Ok(Response::new(proto::ListOwnPagesResponse {
            pages: is_there.then_some(page).into_iter().collect(),
            writes_today: 7,
            ..proto::ListOwnPagesResponse::default()
        }))
    }

    async fn claim_page(
        &self,
        request: Request<proto::ClaimPageRequest>,
    ) -> Answer<proto::ClaimPageResponse> {
        self.check()?;
        let request = request.into_inner();
        if request.handle != "maliyo" {
            return Err(Fault::not_found("There is no public page with this handle.").into());
        }
        let claim = format!("claim {}: {}", request.handle, request.evidence);
        // As in the service, an account has one waiting claim of a page.
        if !self.recorded().contains(&claim) {
            self.record(claim);
        }
        Ok(Response::new(proto::ClaimPageResponse::default()))
    }

    async fn list_own_claims(
        &self,
        _: Request<proto::ListOwnClaimsRequest>,
    ) -> Answer<proto::ListOwnClaimsResponse> {
        self.check()?;
        let words = self.words.lock().unwrap().clone();
        let claim = |words: String| proto::Claim {
            handle: words.clone(),
            evidence: words.clone(),
            reason: words,
            ..proto::Claim::default()
        };
        let mut claims = self.claims.lock().unwrap().clone();
        claims.extend(words.map(claim));
        Ok(Response::new(proto::ListOwnClaimsResponse { claims }))
    }

    async fn withdraw_claim(
        &self,
        request: Request<proto::WithdrawClaimRequest>,
    ) -> Answer<proto::WithdrawClaimResponse> {
        self.check()?;
        let proto::WithdrawClaimRequest { account_id, id } = request.into_inner();
        let mut claims = self.claims.lock().unwrap();
        let own = |claim: &proto::Claim| claim.id == id && claim.account_id == account_id;
        let found = claims.iter().position(own);
        let claim = found.map(|at| claims.remove(at));
        Ok(Response::new(proto::WithdrawClaimResponse { claim }))
    }

    async fn withdraw_claims(
        &self,
        request: Request<proto::WithdrawClaimsRequest>,
    ) -> Answer<proto::WithdrawClaimsResponse> {
        self.check()?;
        let account = request.into_inner().account_id;
        self.record(format!("withdraw the claims of {account}"));
        Ok(Response::new(proto::WithdrawClaimsResponse {}))
    }
}
