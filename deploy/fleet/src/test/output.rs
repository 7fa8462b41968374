//! The output of cargo: what is printed, and the counts of tests in it.

use std::fmt::{self, Display, Formatter};

use crate::say::{say, say_lines};

/// Test counts.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) passed: u64,
    pub(super) failed: u64,
    ignored: u64,
}

impl Counts {
    /// `test result: ok. 12 passed; 1 failed; 2 ignored; …` → 12, 1 and 2.
    pub(super) fn read(line: &str) -> Option<Self> {
        let rest = line.strip_prefix("test result: ")?.split_once(". ")?.1;
        let mut parts = rest.split("; ");
        let mut count = |what| {
            let number = parts.next()?.strip_suffix(what)?.trim_end();
            number.parse().ok()
        };
        Some(Self {
            passed: count("passed")?,
            failed: count("failed")?,
            ignored: count("ignored")?,
        })
    }

    pub(super) fn add(&mut self, more: Self) {
        self.passed += more.passed;
        self.failed += more.failed;
        self.ignored += more.ignored;
    }
}

impl Display for Counts {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        if self.ignored > 0 {
            write!(
                f,
                ", {} ignored (long tests and benchmarks: see tests/README.md)",
                self.ignored
            )?;
        }
        Ok(())
    }
}

/// `test a::b ... FAILED` → `a::b`.
pub(super) fn failed_test(line: &str) -> Option<&str> {
    line.strip_prefix("test ")?.strip_suffix(" ... FAILED")
}

/// The output of cargo about the failures of one test binary. It is printed as a block, because another cargo process prints at the same
/// time.
#[derive(Debug, Default, Clone)]
pub(super) struct FailureBlock(Vec<String>);

impl FailureBlock {
    pub(super) fn say(&mut self, line: &str) {
        let is_last = line.starts_with("test result: ");
        if line == "failures:" || !self.0.is_empty() {
            self.0.push(line.to_owned());
        } else {
            say(line);
        }
        if is_last {
            say_lines(&std::mem::take(&mut self.0).join("\n"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Counts, failed_test};

    #[test]
    fn results_are_counted() {
        let line = "test result: FAILED. 12 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.00s";
        let counts = Counts::read(line).unwrap();
        assert_eq!(counts, Counts { passed: 12, failed: 1, ignored: 2 });
        assert_eq!(
            counts.to_string(),
            "12 passed, 1 failed, 2 ignored (long tests and benchmarks: see tests/README.md)"
        );
        assert_eq!(Counts::read("test a::b ... ok"), None);
    }

    #[test]
    fn failed_tests_are_found() {
        assert_eq!(failed_test("test a::b ... FAILED"), Some("a::b"));
        assert_eq!(failed_test("test a::b ... ok"), None);
    }
}
