//! The verdict on a rule.

use std::time::Duration;

use super::Rule;
use crate::domain::signed_headers::Headers;

/// The longest time of an immediate answer.
const PROMPT: Duration = Duration::from_secs(2);

/// A message as it was sent, and its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeResult {
    pub name: &'static str,
    pub headers: Headers,
    pub body: Vec<u8>,
    /// That of the response, if the receiver may choose it.
    pub expected_status: u16,
    /// `None`: there was no response.
    pub status: Option<u16>,
    /// Why there was no response, or where it redirects to.
    pub reason: String,
    pub duration: Duration,
    /// The beginning of the response's body.
    pub excerpt: Vec<u8>,
    /// The message was not sent: the fault is ours.
    pub is_own_fault: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    Failed,
    NotChecked,
}

/// The verdict on one rule, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub rule: Rule,
    pub verdict: Verdict,
    /// Why the receiver has not passed, and what to do.
    pub reason: String,
    pub results: Vec<ProbeResult>,
}

impl Rule {
    /// Judges the answers to the first messages of this rule; `planned` is the number of its messages. Messages are missing after one that was not
    /// answered, and when the check took too long.
    pub fn judge(self, results: Vec<ProbeResult>, planned: usize) -> Finding {
        let (verdict, reason) = self.verdict(&results, planned);
        Finding {
            rule: self,
            verdict,
            reason,
            results,
        }
    }

    /// The rule was not checked.
    pub fn not_checked(self, reason: &str) -> Finding {
        Finding {
            rule: self,
            verdict: Verdict::NotChecked,
            reason: reason.to_owned(),
            results: Vec::new(),
        }
    }

    fn verdict(self, results: &[ProbeResult], planned: usize) -> (Verdict, String) {
        let is_wrong = |result: &&ProbeResult| {
            let expected = Some(result.expected_status);
            !result.is_own_fault && result.status != expected
        };
        let wrong: Vec<&ProbeResult> = results.iter().filter(is_wrong).collect();
        if let Some(first) = wrong.first() {
            return (Verdict::Failed, self.failure(first, wrong.len()));
        }
        if let Some(fault) = results.iter().find(|result| result.is_own_fault) {
            let reason = format!(
                "A fault of our network: it {}. Check again in a minute.",
                fault.reason
            );
            return (Verdict::NotChecked, reason);
        }
        if results.len() < planned {
            let reason = "The receiver answers too slowly to check this in time. See rule 5 first.";
            return (Verdict::NotChecked, reason.to_owned());
        }
        let slowest = results.iter().map(|result| result.duration).max();
        match slowest.filter(|slowest| self == Self::PromptAnswer && *slowest > PROMPT) {
            Some(slowest) => {
                let seconds = slowest.as_secs_f64();
                let reason = format!(
                    "It answered after {seconds:.1} seconds, which is slow. {}",
                    self.advice()
                );
                (Verdict::Failed, reason)
            }
            None => (Verdict::Passed, String::new()),
        }
    }

    fn failure(self, first: &ProbeResult, count: usize) -> String {
        let others = match count {
            1 => String::new(),
            count => format!(", and {} more", count - 1),
        };
        match first.status {
            // Every message of the check is signed with the secret of this endpoint, so the first is refused for one reason.
            Some(401) if self == Self::PromptAnswer => {
                "It answered 401 to a message that is signed correctly. Give it the secret of this endpoint, all of it with its prefix; rotate the secret if it is lost.".to_owned()
            }
            Some(410) => format!(
                "It answered 410 to {}{others}. After a 410 to a delivery, the endpoint is switched off.",
                first.name
            ),
            Some(status) => format!(
                "It answered {status} instead of {} to {}{others}. {}",
                first.expected_status,
                first.name,
                self.advice()
            ),
            None => format!("{}: no answer ({}). {}", first.name, first.reason, self.advice()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(status: Option<u16>, milliseconds: u64) -> ProbeResult {
        ProbeResult {
            name: "a ping",
            headers: Headers::new(),
            body: Vec::new(),
            expected_status: 200,
            status,
            reason: "did not answer".to_owned(),
            duration: Duration::from_millis(milliseconds),
            excerpt: Vec::new(),
            is_own_fault: false,
        }
    }

    fn assert_verdict(rule: Rule, results: Vec<ProbeResult>, verdict: Verdict, reason: &str) {
        let finding = rule.judge(results, 2);
        assert_eq!(finding.verdict, verdict, "{finding:?}");
        assert!(finding.reason.contains(reason), "{finding:?}");
    }

    #[test]
    fn an_answer_is_right_or_the_rule_is_broken() {
        let good = || result(Some(200), 10);
        let passed = Rule::HandledId.judge(vec![good(), good()], 2);
        assert_eq!(
            (passed.verdict, passed.reason.as_str()),
            (Verdict::Passed, "")
        );
        let other = vec![good(), result(Some(204), 10)];
        assert_verdict(
            Rule::HandledId,
            other,
            Verdict::Failed,
            "204 instead of 200",
        );
        let silent = vec![good(), result(None, 10)];
        assert_verdict(Rule::HandledId, silent, Verdict::Failed, "did not answer");
    }

    #[test]
    fn a_refused_ping_hints_at_the_secret() {
        let refused = vec![result(Some(401), 10)];
        assert_verdict(Rule::PromptAnswer, refused, Verdict::Failed, "secret");
    }

    #[test]
    fn a_slow_answer_breaks_the_fifth_rule_only() {
        let slow = || vec![result(Some(200), 2_100), result(Some(200), 10)];
        assert_verdict(Rule::PromptAnswer, slow(), Verdict::Failed, "2.1 seconds");
        assert_verdict(Rule::RawBody, slow(), Verdict::Passed, "");
    }

    #[test]
    fn what_was_not_sent_is_not_checked() {
        let few = vec![result(Some(200), 10)];
        assert_verdict(Rule::RawBody, few, Verdict::NotChecked, "slowly");
        let own = ProbeResult {
            is_own_fault: true,
            ..result(None, 10)
        };
        assert_verdict(Rule::RawBody, vec![own], Verdict::NotChecked, "our network");
    }
}
