//! What staff do with currencies, reports, tips and swaps (`economy/v1/staff.proto`).

use std::collections::HashMap;

use contracts::common::v1::{ListAuditRequest, ListAuditResponse};
use contracts::economy::v1 as proto;
use contracts::economy::v1::staff_service_server::StaffService;
use kit::Fault;
use kit::api::cursor::SortTime;
use kit::api::page::Page;
use kit::api::timestamp;
use kit::audit::reason;
use kit::feed::arrival;
use kit::rpc::respond;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::currencies::{name_message, parse_name};
use super::own_reports::{self, report_message};
use super::swap_import::check_count;
use super::{Service, page};
use crate::domain::staff_action::{Action, AuthorizedAction};
use crate::store::{currencies, games, has_nul, reports, swaps, tips};
use crate::write::{ReviewReport, SetName, Verdict, review, swap};

#[tonic::async_trait]
impl StaffService for Service {
    async fn set_currency(
        &self,
        request: Request<proto::SetCurrencyRequest>,
    ) -> Result<Response<proto::SetCurrencyResponse>, Status> {
        let on = ("currency", request.get_ref().game.as_str());
        let by = self.audit.admit(&request, Action::SetCurrency, on).await?;
        let request = request.into_inner();
        let name = parse_name(&request.name)?;
        // Staff may have published the game a moment ago.
        let game = arrival(|| games::find(&self.pool, &request.game, None)).await;
        let game = game.map_err(Fault::from)?.ok_or_else(|| no_game(&request.game))?;
        let command =
            SetName { game: game.id, slug: game.slug, name, given_by: by.member.name.clone() };
        respond(self.set_name(command, Some(by)).await)
    }

    async fn list_currency_names(
        &self,
        request: Request<proto::ListCurrencyNamesRequest>,
    ) -> Result<Response<proto::ListCurrencyNamesResponse>, Status> {
        let request = self.look(request, "currency").await?;
        let page: Page<String> = page::read("currency names", [], request.page)?;
        let (after, limit) = (page.after.as_deref(), page.rows_to_fetch());
        let names = currencies::list(&self.pool, None, after, limit).await;
        let mut names = names.map_err(Fault::from)?;
        let next_cursor = page.cut(&mut names, |row| row.slug.clone())?.unwrap_or_default();
        let currencies = names.into_iter().map(name_message).collect();
        Ok(Response::new(proto::ListCurrencyNamesResponse { currencies, next_cursor }))
    }

    async fn list_held_reports(
        &self,
        request: Request<proto::ListHeldReportsRequest>,
    ) -> Result<Response<proto::ListHeldReportsResponse>, Status> {
        let request = self.look(request, "report").await?;
        respond(self.held_reports(request).await)
    }

    async fn list_reports(
        &self,
        request: Request<proto::ListReportsRequest>,
    ) -> Result<Response<proto::ListReportsResponse>, Status> {
        let request = self.look(request, "report").await?;
        let page = page::read("reports", [request.game.as_str()], request.page)?;
        let game = self.game_filter(&request.game).await?;
        let game = game.ok_or_else(|| no_game(&request.game))?;
        let (rows, next_cursor) = own_reports::of_game(&self.pool, game, &page).await?;
        let reports = rows.into_iter().map(own_reports::staff_report).collect();
        let next_cursor = next_cursor.unwrap_or_default();
        Ok(Response::new(proto::ListReportsResponse { reports, next_cursor }))
    }

    /// An approval needs no reason.
    async fn approve_report(
        &self,
        request: Request<proto::ApproveReportRequest>,
    ) -> Result<Response<proto::ApproveReportResponse>, Status> {
        let number = request.get_ref().report;
        let by = self.admit_review(&request, Action::ApproveReport, number).await?;
        let request = request.into_inner();
        let new_unit = match (request.new_unit, request.same_unit) {
            (true, true) => {
                let reason = "Either `new_unit` or `same_unit`, not both.";
                return Err(Fault::invalid_field("same_unit", reason).into());
            }
            (false, false) => None,
            (new_unit, _) => Some(new_unit),
        };
        let verdict = Verdict::Approve { new_unit };
        let reason = reason(&request.reason)?;
        let unchanged = self.review(&by, number, verdict, reason).await?;
        Ok(Response::new(proto::ApproveReportResponse { unchanged }))
    }

    async fn reject_report(
        &self,
        request: Request<proto::RejectReportRequest>,
    ) -> Result<Response<proto::RejectReportResponse>, Status> {
        let number = request.get_ref().report;
        let by = self.admit_review(&request, Action::RejectReport, number).await?;
        let reason = required_reason(&request.get_ref().reason)?;
        let unchanged = self.review(&by, number, Verdict::Reject, reason).await?;
        Ok(Response::new(proto::RejectReportResponse { unchanged }))
    }

    async fn retract_report(
        &self,
        request: Request<proto::RetractReportRequest>,
    ) -> Result<Response<proto::RetractReportResponse>, Status> {
        let number = request.get_ref().report;
        let by = self.admit_review(&request, Action::RetractReport, number).await?;
        let reason = required_reason(&request.get_ref().reason)?;
        let unchanged = self.review(&by, number, Verdict::Retract, reason).await?;
        Ok(Response::new(proto::RetractReportResponse { unchanged }))
    }

    async fn import_swaps(
        &self,
        request: Request<proto::ImportSwapsRequest>,
    ) -> Result<Response<proto::ImportSwapsResponse>, Status> {
        let on = ("swap", "");
        let by = (self.audit.admit(&request, Action::ImportSwaps, on)).await?;
        respond(self.import(&by, request.into_inner()).await)
    }

    async fn list_tips(
        &self,
        request: Request<proto::ListTipsRequest>,
    ) -> Result<Response<proto::ListTipsResponse>, Status> {
        let request = self.look(request, "tip").await?;
        let filters = [request.game.as_str()];
        let page: Page<(SortTime, Uuid)> = page::read("tips", filters, request.page)?;
        let game = self.game_filter(&request.game).await?;
        let after = page.after.map(|(SortTime(at), id)| (at, id));
        let rows = tips::list(&self.pool, game, after, page.rows_to_fetch()).await;
        let mut rows = rows.map_err(Fault::from)?;
        let next = page.cut(&mut rows, |row| (SortTime(row.at), row.id))?;
        let tips = rows.into_iter().map(tip_message).collect();
        let next_cursor = next.unwrap_or_default();
        Ok(Response::new(proto::ListTipsResponse { tips, next_cursor }))
    }

    async fn list_swaps(
        &self,
        request: Request<proto::ListSwapsRequest>,
    ) -> Result<Response<proto::ListSwapsResponse>, Status> {
        let request = self.look(request, "swap").await?;
        let filters = [request.game.as_str()];
        let page: Page<(SortTime, String)> = page::read("swaps", filters, request.page)?;
        let game = self.game_filter(&request.game).await?;
        let after = page.after.clone().map(|(SortTime(at), id)| (at, id));
        let rows = swaps::list(&self.pool, game, after, page.rows_to_fetch()).await;
        let mut rows = rows.map_err(Fault::from)?;
        let next = page.cut(&mut rows, |row| (SortTime(row.at), row.id.clone()))?;
        let swaps = rows.into_iter().map(swap_message).collect();
        let next_cursor = next.unwrap_or_default();
        Ok(Response::new(proto::ListSwapsResponse { swaps, next_cursor }))
    }

    async fn remove_swaps(
        &self,
        request: Request<proto::RemoveSwapsRequest>,
    ) -> Result<Response<proto::RemoveSwapsResponse>, Status> {
        let on = ("swap", "");
        let by = self.audit.admit(&request, Action::RemoveSwaps, on).await?;
        let request = request.into_inner();
        check_count(request.swaps.len())?;
        let reason = required_reason(&request.reason)?;
        let ids: Vec<String> = request.swaps.into_iter().filter(|id| !has_nul(id)).collect();
        let removed = swap::remove(&self.producer, &by, &ids, &reason).await?;
        Ok(Response::new(proto::RemoveSwapsResponse { removed }))
    }

    async fn list_audit(
        &self,
        request: Request<ListAuditRequest>,
    ) -> Result<Response<ListAuditResponse>, Status> {
        self.audit.list::<Action>(request).await
    }
}

impl Service {
    /// Authorizes a list; returns the request.
    async fn look<T>(&self, request: Request<T>, kind: &'static str) -> Result<T, Status> {
        self.audit.admit(&request, Action::Look, (kind, "")).await?;
        Ok(request.into_inner())
    }

    async fn admit_review<T>(
        &self,
        request: &Request<T>,
        action: Action,
        report: i64,
    ) -> Result<AuthorizedAction, Status> {
        let number = report.to_string();
        self.audit.admit(request, action, ("report", &number)).await
    }

    /// Decides on a report; returns whether it was decided in the same way before.
    async fn review(
        &self,
        by: &AuthorizedAction,
        report: i64,
        verdict: Verdict,
        reason: String,
    ) -> Result<bool, Fault> {
        let review = ReviewReport { report, verdict, reason };
        Ok(!review::decide(&self.producer, by, &review).await?)
    }

    /// The held reports, the oldest first, each with the counted report that it was compared with.
    async fn held_reports(
        &self,
        request: proto::ListHeldReportsRequest,
    ) -> Result<proto::ListHeldReportsResponse, Fault> {
        let page: Page<i64> = page::read("held reports", [], request.page)?;
        let mut ids = reports::held(&self.pool, page.after, page.rows_to_fetch()).await?;
        let next_cursor = page.cut(&mut ids, |id| *id)?;
        let held = reports::find(&self.pool, &ids).await?;
        let compared: Vec<i64> = held.iter().filter_map(|row| row.compared_with).collect();
        let compared = reports::find(&self.pool, &compared).await?;
        let compared: HashMap<i64, reports::Row> =
            compared.into_iter().map(|row| (row.id, row)).collect();
        let message = |row: reports::Row| proto::HeldReport {
            last_counted: (row.compared_with).and_then(|id| compared.get(&id)).map(report_message),
            report: Some(report_message(&row)),
            held: row.held.unwrap_or_default(),
        };
        Ok(proto::ListHeldReportsResponse {
            reports: held.into_iter().map(message).collect(),
            next_cursor: next_cursor.unwrap_or_default(),
        })
    }

    /// The id of the game in a filter, unless the filter is empty.
    async fn game_filter(&self, slug: &str) -> Result<Option<Uuid>, Fault> {
        if slug.is_empty() {
            return Ok(None);
        }
        let game = games::find(&self.pool, slug, None).await?;
        game.map(|game| Some(game.id)).ok_or_else(|| no_game(slug))
    }
}

fn no_game(slug: &str) -> Fault {
    Fault::not_found(format!("There is no game with the slug {slug}."))
}

/// A reason that staff must give.
fn required_reason(text: &str) -> Result<String, Fault> {
    let reason = reason(text)?;
    if reason.is_empty() {
        return Err(Fault::invalid_field("reason", "Say why; the audit keeps it."));
    }
    Ok(reason)
}

fn tip_message(row: tips::Row) -> proto::BookedTip {
    proto::BookedTip {
        id: row.id.to_string(),
        game: row.slug,
        player: row.player,
        amount: row.amount.unsigned_abs(),
        note: row.note,
        at: Some(timestamp::encode(row.at)),
    }
}

fn swap_message(row: swaps::Row) -> proto::Swap {
    proto::Swap {
        id: row.id,
        party: row.party,
        from: row.from,
        to: row.to,
        gave: row.gave.unsigned_abs(),
        got: row.got.unsigned_abs(),
        at: Some(timestamp::encode(row.at)),
    }
}
