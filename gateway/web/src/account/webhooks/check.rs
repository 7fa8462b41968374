//! "Check my receiver": runs the check of webhook-svc, and shows its requests and the receiver's answers.

use axum::extract::Path;
use contracts::webhook::v1 as proto;
use kit::Code;
use pages::webhooks::checks::{CheckPage, CheckReport, ExchangeRow, FindingRow};
use pages::when;
use uuid::Uuid;

use super::{endpoint_id, origin, words};
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::domain::curl;
use crate::page_error::PageResult;
use crate::render::{FormState, html};
use crate::upstream::time_of;
use crate::viewer::Section;

pub async fn show(request: MemberRequest, Path((_, id)): Path<(Uuid, String)>) -> PageResult {
    let id = endpoint_id(&id)?;
    let webhooks = &request.app.webhooks;
    let endpoint = webhooks.endpoint(request.scope.id, id).await?;
    page(&request, endpoint, Ok(None)).await
}

pub async fn run(request: MemberRequest, Path((_, id)): Path<(Uuid, String)>) -> PageResult {
    let id = endpoint_id(&id)?;
    let (webhooks, account) = (&request.app.webhooks, request.scope.id);
    let endpoint = webhooks.endpoint(account, id).await?;
    match webhooks.check_receiver(account, id).await {
        Ok(findings) => {
            request
                .record(Action::WebhookChecked, &origin(&endpoint.url))
                .await;
            let report = report(&endpoint.url, &findings);
            page(&request, endpoint, Ok(Some(report))).await
        }
        Err(fault) if fault.code == Code::NotFound => Err(fault.into()),
        Err(fault) => page(&request, endpoint, Err(FormState::refused(&fault, &[]))).await,
    }
}

async fn page(
    request: &MemberRequest,
    endpoint: proto::Endpoint,
    report: Result<Option<CheckReport>, FormState>,
) -> PageResult {
    let (report, state) = match report {
        Ok(report) => (report, FormState::default()),
        Err(refused) => (None, refused),
    };
    let page = CheckPage {
        shell: request.shell(Section::Webhooks).await,
        errors: state.errors.in_language(request.language().language),
        base: request.webhooks(),
        id: endpoint.id,
        url: endpoint.url,
        rotating_until: time_of(endpoint.rotating_until).map(when::minute),
        report,
    };
    Ok(html(state.status, &page))
}

fn report(url: &str, findings: &[proto::RuleFinding]) -> CheckReport {
    let (summary, is_good) = words::summary(findings);
    CheckReport {
        summary,
        is_good,
        findings: findings.iter().map(|finding| row(url, finding)).collect(),
    }
}

fn row(url: &str, finding: &proto::RuleFinding) -> FindingRow {
    let exchanges = finding.exchanges.iter().enumerate();
    let exchanges = exchanges.map(|(index, exchange)| {
        let id = format!("sent-{}-{index}", finding.rule);
        exchange_row(url, id, exchange)
    });
    FindingRow {
        rule: finding.rule,
        title: finding.title.clone(),
        state: words::verdict(finding),
        reason: finding.reason.clone(),
        unseen: finding.unseen.clone(),
        exchanges: exchanges.collect(),
    }
}

fn exchange_row(url: &str, id: String, exchange: &proto::CheckExchange) -> ExchangeRow {
    let headers = exchange.headers.iter();
    let headers: Vec<(&str, &str)> = headers
        .map(|header| (header.name.as_str(), header.value.as_str()))
        .collect();
    let body = String::from_utf8_lossy(&exchange.body);
    let duration = words::milliseconds(exchange.duration_ms);
    let result = match exchange.status {
        Some(_) if !exchange.reason.is_empty() => exchange.reason.clone(),
        Some(status) => format!("answered {status} in {duration}"),
        None => exchange.reason.clone(),
    };
    ExchangeRow {
        id,
        title: exchange.title.clone(),
        is_right: exchange.status == Some(exchange.expected_status),
        expected: exchange.expected_status,
        result,
        curl: curl::exact(url, &headers, &body),
        answer: String::from_utf8_lossy(&exchange.answer).into_owned(),
    }
}
