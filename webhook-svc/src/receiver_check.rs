//! Checks a receiver: sends the messages of [`domain::receiver_check`](crate::domain::receiver_check), and collects the answers.

use std::time::Duration;

use futures::future::join_all;
use futures::stream::{self, StreamExt as _};
use kit::{Clock, ids};
use strum::VariantArray as _;
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use crate::domain::address::Address;
use crate::domain::receiver_check::{Finding, ProbeMessage, ProbeResult, Rule};
use crate::domain::signed_headers::Secrets;
use crate::http::{PostRequest, Sender};

/// Messages of a rule that are in flight at the same time, so that a slow receiver is checked in time.
const CONCURRENCY: usize = 2;

/// A receiver that is checked.
#[derive(Debug)]
pub struct CheckedReceiver<'a> {
    pub endpoint: Uuid,
    pub address: &'a Address,
    pub secrets: Secrets<'a>,
}

/// Checks all rules within this time; returns their findings in the order of §6.
pub async fn run(
    sender: &Sender,
    clock: &Clock,
    receiver: &CheckedReceiver<'_>,
    limit: Duration,
) -> Vec<Finding> {
    let deadline = Instant::now() + limit;
    let check = |rule| check(rule, sender, clock, receiver, deadline);
    // Alone, so that the other messages do not delay its answer.
    let first = check(Rule::PromptAnswer).await;
    let is_answered = first.results.iter().any(|result| result.status.is_some());
    let others = Rule::VARIANTS.iter().copied();
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

/// Sends the messages of a rule in their order, until one is not answered.
async fn check(
    rule: Rule,
    sender: &Sender,
    clock: &Clock,
    receiver: &CheckedReceiver<'_>,
    deadline: Instant,
) -> Finding {
    let messages = rule.messages(clock.now(), ids::row_id);
    let planned = messages.len();
    // The second message of this rule must come after the first is handled.
    let concurrency = if rule == Rule::HandledId {
        1
    } else {
        CONCURRENCY
    };
    let sending = messages.into_iter().map(|message| {
        let answered = send(message, sender, clock, receiver);
        timeout_at(deadline, answered)
    });
    let mut answers = stream::iter(sending).buffered(concurrency);
    let mut results = Vec::new();
    while let Some(Ok(result)) = answers.next().await {
        let is_answered = result.status.is_some();
        results.push(result);
        if !is_answered {
            break;
        }
    }
    rule.judge(results, planned)
}

async fn send(
    message: ProbeMessage,
    sender: &Sender,
    clock: &Clock,
    receiver: &CheckedReceiver<'_>,
) -> ProbeResult {
    let now = clock.now();
    let (headers, body) = message.signed(receiver.secrets, now);
    let request = PostRequest {
        endpoint: receiver.endpoint,
        address: receiver.address,
        at: now,
        headers: &headers,
        body: body.clone().into(),
    };
    let answer = sender.post(&request).await;
    let (status, reason) = (answer.status, answer.reason.unwrap_or_default());
    let tells_more = status.is_none_or(|status| (300..400).contains(&status));
    ProbeResult {
        name: message.probe.name,
        headers,
        body,
        expected_status: message.probe.expected_for(status),
        status,
        reason: if tells_more { reason } else { String::new() },
        duration: answer.duration,
        excerpt: answer.excerpt,
        is_own_fault: answer.own_fault.is_some(),
    }
}
