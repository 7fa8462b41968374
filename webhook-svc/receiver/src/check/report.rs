//! What a check found: a verdict for each rule, and the reason of each that is not plain.

use std::fmt::{self, Display, Formatter};

/// What was found of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    Failed(String),
    /// It cannot be seen from outside, or not with these options.
    NotChecked(String),
}

/// The verdict on one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its number in the contract's list.
    pub rule: u8,
    pub what: &'static str,
    pub verdict: Verdict,
}

/// The verdicts on all rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report(pub Vec<Finding>);

impl Report {
    /// Whether a rule was found broken.
    pub fn has_failed(&self) -> bool {
        let failed = |finding: &Finding| matches!(finding.verdict, Verdict::Failed(_));
        self.0.iter().any(failed)
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for Finding {
            rule,
            what,
            verdict,
        } in &self.0
        {
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
