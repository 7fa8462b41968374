//! Reversals of tips and swaps.

use contracts::economy::v1::Reversal;

use crate::error::Error;
use crate::output::{self, Output};

/// Why a tip or a swap was reversed; empty when it was not.
pub(crate) fn reversal_reason(reversal: Option<&Reversal>) -> String {
    reversal.map(|it| it.reason.clone()).unwrap_or_default()
}

/// Prints that a tip or a swap is reversed.
pub(crate) fn print_reversed(
    kind: &str,
    id: &str,
    unchanged: bool,
    output: Output,
) -> Result<(), Error> {
    if unchanged {
        output::note(&format!(
            "nothing was changed: the {kind} {id} was already reversed"
        ));
    }
    let document = serde_json::json!({ kind: id, "state": "reversed", "unchanged": unchanged });
    output.line(&document, &format!("reversed: {kind} {id}"))
}
