//! `webhook-check`: tests whether a receiver conforms to the six rules of the contract, as far as a client can see.

mod message;
pub mod report;
mod rules;
pub mod target;

use report::{Finding, Report, Verdict};
pub use target::Target;

/// The result of a rule's check.
type Outcome = Result<(), Verdict>;

/// Checks all rules in their order.
pub async fn run(target: &Target) -> Report {
    let finding = |rule, what, outcome: Outcome| Finding {
        rule,
        what,
        verdict: match outcome {
            Ok(()) => Verdict::Passed,
            Err(verdict) => verdict,
        },
    };
    Report(vec![
        finding(
            1,
            "reads the raw body before it parses it",
            target.send_probes(probes::RAW_BODIES).await,
        ),
        finding(
            2,
            "answers 401 to a wrong time or signature",
            rules::signatures(target).await,
        ),
        finding(
            2,
            "… and compares signatures in constant time",
            rules::constant_time(),
        ),
        finding(
            3,
            "answers 400 to a signed body that is not JSON",
            rules::not_json(target).await,
        ),
        finding(
            4,
            "does the work of an id once, restarts included",
            rules::handled_id(target).await,
        ),
        finding(
            5,
            "answers 200 at once and works afterwards",
            rules::prompt_answer(target).await,
        ),
        finding(
            6,
            "answers 200 to events it does not know",
            rules::unknown_event(target).await,
        ),
    ])
}
