//! Explains the errors in the log of calls to a caller, with the next step.

use kit::Code;
use pages::site::Texts;

/// Why a call was refused or failed, and what its caller can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorHelp {
    pub cause: &'static str,
    pub fix: &'static str,
}

/// The help for a call in the log. The log has 499 for a call whose caller closed the connection before the answer.
pub fn of_call(texts: &'static Texts, status: u32, code: &str) -> Option<ErrorHelp> {
    let (cause, fix) = match (status, Code::parse(code)) {
        (_, Some(code)) => (code.cause(), code.fix()),
        (499, None) => (
            texts.say("request-left-cause"),
            texts.say("request-left-fix"),
        ),
        (400.., None) => (
            texts.say("request-unknown-cause"),
            texts.say("request-unknown-fix"),
        ),
        _ => return None,
    };
    Some(ErrorHelp { cause, fix })
}

#[cfg(test)]
mod tests {
    use pages::site::Language;

    use super::*;

    #[test]
    fn a_call_without_a_code_has_help_unless_it_succeeded() {
        let texts = Texts::of(Language::English);
        let cause = |status, code| of_call(texts, status, code).map(|help| help.cause);
        assert_eq!(cause(200, ""), None);
        assert_eq!(cause(304, ""), None);
        let left = "The caller closed the connection before the answer.";
        assert_eq!(cause(499, ""), Some(left));
        assert_eq!(
            cause(418, "newer_code"),
            Some("The call was refused or failed.")
        );
    }
}
