//! What a path takes: the columns of the table.

use http::Method;

use crate::domain::access::{Call, Effect, Keys};
use crate::domain::switch::Switch;

/// What a path takes, for its gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The path as the table has it; a label in logs and metrics.
    pub pattern: &'static str,
    pub(crate) endpoint: Option<&'static str>,
    pub(crate) keys: Keys,
    pub(crate) behind: Option<Switch>,
    /// GET and HEAD.
    pub(crate) reads: Step,
    pub(crate) write: Option<Method>,
    /// Every other method.
    pub(crate) others: Step,
}

/// What becomes of a call once it is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A read; it may go its way while the quota is asked.
    Read,
    /// A read that shows where the caller stands, and so needs the quota's answer first.
    ReadStanding,
    /// A read of what the caller has, straight from the service that keeps it.
    ReadOwn,
    /// It changes something in the directory.
    Write,
    /// The path does not take the method.
    NoMethod,
    /// There is no such path.
    NoPath,
}

impl Policy {
    /// What becomes of a call with `method`.
    pub fn step(&self, method: &Method) -> Step {
        if matches!(*method, Method::GET | Method::HEAD) {
            self.reads
        } else if self.write.as_ref() == Some(method) {
            Step::Write
        } else {
            self.others
        }
    }

    /// What such a call wants of its caller.
    pub fn call(&self, step: Step, from_page: bool) -> Call {
        let effect = match (step, self.behind) {
            (Step::Write, Some(_)) => Effect::Books,
            (Step::Write, None) if self.write == Some(Method::POST) => Effect::Submits,
            (Step::Write, None) => Effect::Edits,
            _ => Effect::None,
        };
        let writes = matches!(effect, Effect::Submits | Effect::Edits);
        Call {
            keys: self.keys,
            behind: self.behind.or_else(|| writes.then_some(Switch::ApiWrites)),
            endpoint: self.endpoint,
            effect,
            from_page,
        }
    }

    /// The methods it takes, as the header `Allow` lists them.
    pub fn allow(&self) -> String {
        let reads = matches!(self.reads, Step::Read | Step::ReadStanding | Step::ReadOwn);
        let reads = if reads { &["GET", "HEAD"][..] } else { &[] };
        let methods: Vec<&str> = reads
            .iter()
            .copied()
            .chain(self.write.as_ref().map(Method::as_str))
            .collect();
        methods.join(", ")
    }
}
