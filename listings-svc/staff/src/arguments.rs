//! Arguments that several commands take.

use std::num::NonZeroUsize;

/// Reads how many rows a list shows at most.
pub(crate) fn rows(text: &str) -> Result<NonZeroUsize, String> {
    let rows = text.parse().ok();
    rows.ok_or_else(|| "give a whole number, 1 or more".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_rows_are_refused_with_the_range() {
        assert_eq!(rows("1").map(NonZeroUsize::get), Ok(1));
        for bad in ["0", "-1", "1.5", "", "many"] {
            assert!(rows(bad).unwrap_err().contains("1 or more"), "{bad}");
        }
    }
}
