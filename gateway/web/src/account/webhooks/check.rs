//! "Check my receiver": runs the check of webhook-svc, and shows its requests and the receiver's answers.

use axum::extract::Path;
use contracts::webhook::v1 as proto;
use contracts::webhook::v1::RuleVerdict;
use kit::Code;
use pages::webhooks::checks::{CheckPage, CheckReport, ExchangeRow, FindingRow};
use pages::webhooks::{ServiceText, StateLabel};
use pages::when;
use uuid::Uuid;

use super::{endpoint_id, origin, service_text, words};
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::domain::curl;
use crate::page_error::PageResult;
use crate::page_language::PageLanguage;
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
            let report = report(&endpoint.url, &findings, request.language());
            page(&request, endpoint, Ok(Some(report))).await
        }
        Err(fault) if fault.code == Code::NotFound => Err(fault.into()),
        Err(fault) => {
            let refused = request.language().refused(&fault, &[], &[]);
            page(&request, endpoint, Err(refused)).await
        }
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
    let language = request.language();
    let rotating_until = time_of(endpoint.rotating_until);
    let page = CheckPage {
        shell: request.shell(Section::Webhooks).await,
        errors: state.errors.in_language(language.language),
        base: request.webhooks(),
        id: endpoint.id,
        url: endpoint.url,
        rotating_until: rotating_until.map(|at| when::minute(language.texts(), at)),
        report,
    };
    Ok(html(state.status, &page))
}

fn report(url: &str, findings: &[proto::RuleFinding], language: PageLanguage) -> CheckReport {
    let (summary, is_good) = summary(findings, language);
    let rows = findings.iter().map(|finding| row(url, finding, language));
    CheckReport {
        summary,
        is_good,
        findings: rows.collect(),
    }
}

fn row(url: &str, finding: &proto::RuleFinding, language: PageLanguage) -> FindingRow {
    let exchanges = finding.exchanges.iter().enumerate();
    let exchanges = exchanges.map(|(index, exchange)| {
        let id = format!("sent-{}-{index}", finding.rule);
        exchange_row(url, id, exchange, language)
    });
    FindingRow {
        rule: finding.rule,
        title: service_text::rule(finding, language),
        state: verdict(finding, language),
        reason: service_text::reason(&finding.reason, language),
        unseen: service_text::unseen(finding, language),
        exchanges: exchanges.collect(),
    }
}

fn exchange_row(
    url: &str,
    id: String,
    exchange: &proto::CheckExchange,
    language: PageLanguage,
) -> ExchangeRow {
    let headers = exchange.headers.iter();
    let headers: Vec<(&str, &str)> = headers
        .map(|header| (header.name.as_str(), header.value.as_str()))
        .collect();
    let body = String::from_utf8_lossy(&exchange.body);
    ExchangeRow {
        id,
        title: service_text::probe(&exchange.title, language),
        is_right: exchange.status == Some(exchange.expected_status),
        expected: exchange.expected_status,
        result: result(exchange, language),
        curl: curl::exact(url, &headers, &body),
        answer: String::from_utf8_lossy(&exchange.answer).into_owned(),
    }
}

/// Status and time of an answer, or the reason why there is none or where it redirects to.
fn result(exchange: &proto::CheckExchange, language: PageLanguage) -> ServiceText {
    match exchange.status {
        Some(status) if exchange.reason.is_empty() => {
            let duration = words::milliseconds(exchange.duration_ms, language);
            let texts = language.texts();
            ServiceText {
                text: texts.say_of_two("delivery-answered-in", &status.to_string(), &duration),
                is_translated: true,
            }
        }
        _ => service_text::reason(&exchange.reason, language),
    }
}

/// The verdict on a rule. If the check can see only a part of a rule, the verdict says so.
fn verdict(finding: &proto::RuleFinding, language: PageLanguage) -> StateLabel {
    match finding.verdict() {
        RuleVerdict::Passed if finding.unseen.is_empty() => {
            StateLabel::good(language.say("check-verdict-right"))
        }
        RuleVerdict::Passed => StateLabel::good(language.say("check-verdict-partly")),
        RuleVerdict::Failed => StateLabel::bad(language.say("check-verdict-broken")),
        RuleVerdict::NotChecked | RuleVerdict::Unspecified => {
            StateLabel::plain(language.say("check-verdict-open"))
        }
    }
}

/// The verdict on all rules, and whether it is good.
fn summary(findings: &[proto::RuleFinding], language: PageLanguage) -> (String, bool) {
    let count = |verdict| {
        let with_it = findings.iter().filter(|it| it.verdict() == verdict);
        u64::try_from(with_it.count()).unwrap_or(u64::MAX)
    };
    let (broken, open) = (count(RuleVerdict::Failed), count(RuleVerdict::NotChecked));
    let texts = language.texts();
    let broken_words = texts.count("check-broken", broken);
    match (broken, open) {
        (0, 0) => (texts.say("check-all-right").to_owned(), true),
        (0, open) => (texts.count("check-none-broken", open), false),
        (_, 0) => (broken_words, false),
        (_, open) => {
            let open = texts.count("check-open", open);
            (format!("{broken_words} {open}"), false)
        }
    }
}

#[cfg(test)]
mod tests {
    use pages::site::Language;

    use super::*;

    const ENGLISH: PageLanguage = PageLanguage {
        language: Language::English,
        prefix: "",
    };
    const FRENCH: PageLanguage = PageLanguage {
        language: Language::French,
        prefix: "",
    };

    #[test]
    fn a_report_is_good_only_if_every_rule_was_checked() {
        use RuleVerdict::{Failed, NotChecked, Passed};
        let findings = |verdicts: [RuleVerdict; 3]| {
            verdicts.map(|verdict| proto::RuleFinding {
                verdict: verdict.into(),
                ..proto::RuleFinding::default()
            })
        };
        assert!(summary(&findings([Passed, Passed, Passed]), ENGLISH).1);
        for (verdicts, words) in [
            ([Passed, NotChecked, NotChecked], "2 of the rules could not"),
            ([Passed, Passed, Failed], "1 rule is broken."),
            (
                [Failed, Failed, NotChecked],
                "2 rules are broken. 1 could not",
            ),
        ] {
            let (text, is_good) = summary(&findings(verdicts), ENGLISH);
            assert!(text.contains(words) && !is_good, "{text}");
        }
    }

    #[test]
    fn verdicts_and_results_are_in_the_language_of_the_page() {
        let broken = proto::RuleFinding {
            verdict: RuleVerdict::Failed.into(),
            ..proto::RuleFinding::default()
        };
        assert_eq!(verdict(&broken, FRENCH).text, "enfreinte");
        let (text, _) = summary(&[broken.clone(), broken], FRENCH);
        assert_eq!(text, "2 règles sont enfreintes.");
        let mut exchange = proto::CheckExchange {
            status: Some(200),
            duration_ms: 1_204,
            ..proto::CheckExchange::default()
        };
        let english = result(&exchange, ENGLISH).text;
        assert_eq!(english, "answered 200 in 1,204 ms");
        let french = result(&exchange, FRENCH).text;
        assert_eq!(french, "a répondu 200 en 1\u{202f}204\u{a0}ms");
        exchange.status = None;
        "its answer is not HTTP".clone_into(&mut exchange.reason);
        let french = result(&exchange, FRENCH).text;
        assert_eq!(french, "sa réponse n’est pas du HTTP");
    }
}
