//! The report of a check: a verdict for each rule, with its reason.

use std::fmt::{self, Display, Formatter};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    Passed,
    Failed(String),
    /// A client cannot see it, or not with these options.
    NotChecked(String),
}

/// The verdict on one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    /// The rule's number in the contract.
    pub(super) rule: u8,
    pub(super) what: &'static str,
    pub(super) verdict: Verdict,
}

/// The verdicts on all rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Report(pub(super) Vec<Finding>);

impl Report {
    /// Whether a check failed.
    pub(super) fn has_failed(&self) -> bool {
        let failed = |finding: &Finding| matches!(finding.verdict, Verdict::Failed(_));
        self.0.iter().any(failed)
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for Finding { rule, what, verdict } in &self.0 {
            let (word, why) = match verdict {
                Verdict::Passed => ("passed", ""),
                Verdict::Failed(why) => ("FAILED", why.as_str()),
                Verdict::NotChecked(why) => ("not checked", why.as_str()),
            };
            let line = format!("{rule}  {word:11}  {what}");
            writeln!(f, "{line}")?;
            if !why.is_empty() {
                writeln!(f, "                {why}")?;
            }
        }
        Ok(())
    }
}
