//! The list of error codes for the guide about errors, made from `kit::Code`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use http::StatusCode;
use kit::Code;

/// A heading for each status, and below it one for each code.
pub(super) fn markdown() -> String {
    let mut by_status: BTreeMap<StatusCode, Vec<Code>> = BTreeMap::new();
    for code in Code::ALL {
        by_status.entry(code.status()).or_default().push(*code);
    }
    let mut text = String::new();
    for (status, codes) in by_status {
        // Writing to a string does not fail.
        writeln!(text, "## {status}\n").ok();
        for code in codes {
            let (name, cause, fix) = (code.as_str(), code.cause(), code.fix());
            writeln!(text, "### `{name}`\n\n{cause}\n\n**Fix:** {fix}\n").ok();
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_codes_are_listed_under_their_status() {
        let text = markdown();
        let (_, rest) = text.split_once("## 401 Unauthorized\n").unwrap();
        let (part, _) = rest.split_once("\n## ").unwrap();
        assert!(part.contains("### `invalid_key`\n") && part.contains("### `missing_key`\n"));
        assert!(!part.contains("### `not_yours`"), "{part}");
        assert_eq!(text.matches("\n### `").count(), Code::ALL.len());
    }
}
