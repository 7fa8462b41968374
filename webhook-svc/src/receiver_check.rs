//! Checks a receiver: sends the messages of [`domain::receiver_check`](crate::domain::receiver_check), and collects the answers.

use std::time::Duration;

use futures::future::join_all;
use kit::{Clock, ids};
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use crate::domain::address::Address;
use crate::domain::receiver_check::{Finding, ProbeResult, Rule};
use crate::domain::signed_headers::Secrets;
use crate::http::{AttemptOutcome, PostRequest, Sender};

/// A receiver to check.
#[derive(Debug)]
pub struct Target<'a> {
    pub endpoint: Uuid,
    pub address: &'a Address,
    pub secrets: Secrets<'a>,
}

/// Checks all rules within this time; returns their findings in the order of §6.
pub async fn run(
    sender: &Sender,
    clock: &Clock,
    target: &Target<'_>,
    limit: Duration,
) -> Vec<Finding> {
    let deadline = Instant::now() + limit;
    let check = |rule| check(rule, sender, clock, target, deadline);
    // Alone, so that the other messages do not delay its answer.
    let first = check(Rule::PromptAnswer).await;
    let is_answered = first.results.iter().any(|result| result.status.is_some());
    let others = Rule::ALL.into_iter();
    let others = others.filter(|rule| *rule != Rule::PromptAnswer);
    let mut findings = if is_answered {
        join_all(others.map(check)).await
    } else {
        let reason = "The receiver did not answer a plain ping. See rule 5 first.";
        others.map(|rule| rule.not_checked(reason)).collect()
    };
    findings.push(first);
    findings.sort_by_key(|finding| finding.rule.number());
    findings
}

/// Sends the messages of a rule one after the other, until one is not answered.
async fn check(
    rule: Rule,
    sender: &Sender,
    clock: &Clock,
    target: &Target<'_>,
    deadline: Instant,
) -> Finding {
    let probes = rule.probes(clock.now(), ids::row_id);
    let mut results = Vec::new();
    for probe in &probes {
        let now = clock.now();
        let (headers, body) = probe.signed(target.secrets, now);
        let request = PostRequest {
            endpoint: target.endpoint,
            address: target.address,
            at: now,
            headers: &headers,
            body: body.clone().into(),
        };
        let Ok(answer) = timeout_at(deadline, sender.send(&request)).await else {
            break;
        };
        let (status, reason) = (answer.status, answer.reason.unwrap_or_default());
        let tells_more = status.is_none_or(|status| (300..400).contains(&status));
        results.push(ProbeResult {
            title: probe.title,
            headers,
            body,
            expected_status: probe.expected_status,
            status,
            reason: if tells_more { reason } else { String::new() },
            duration: answer.duration,
            excerpt: answer.excerpt,
            is_own_fault: matches!(answer.outcome, AttemptOutcome::NotMade(_)),
        });
        if status.is_none() {
            break;
        }
    }
    rule.judge(results, probes.len())
}
