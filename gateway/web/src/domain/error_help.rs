//! Explains the errors in the log of calls to a caller, with the next step.

use kit::Code;

/// Why a call was refused or failed, and what its caller can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorHelp {
    pub cause: &'static str,
    pub fix: &'static str,
}

/// The caller closed the connection before the answer; the log has it as 499.
const CLOSED_BY_CALLER: ErrorHelp = ErrorHelp {
    cause: "The caller closed the connection before the answer.",
    fix: "Give the call a longer time limit. A write may have taken effect: check before you repeat it.",
};

/// A status without a known code.
const UNKNOWN: ErrorHelp = ErrorHelp {
    cause: "The call was refused or failed.",
    fix: "Repeat it and read `error.message` in the answer.",
};

/// The help for a call in the log.
pub fn of_call(status: u32, code: &str) -> Option<ErrorHelp> {
    match (status, Code::parse(code)) {
        (_, Some(code)) => Some(ErrorHelp {
            cause: code.cause(),
            fix: code.fix(),
        }),
        (499, None) => Some(CLOSED_BY_CALLER),
        (400.., None) => Some(UNKNOWN),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_with_a_code_has_its_help() {
        for code in Code::ALL {
            let help = of_call(400, code.as_str()).unwrap();
            assert_eq!((help.cause, help.fix), (code.cause(), code.fix()));
        }
    }

    #[test]
    fn a_call_without_a_code_has_help_unless_it_succeeded() {
        assert_eq!(of_call(200, ""), None);
        assert_eq!(of_call(304, ""), None);
        assert_eq!(of_call(499, ""), Some(CLOSED_BY_CALLER));
        assert_eq!(of_call(418, "newer_code"), Some(UNKNOWN));
    }
}
