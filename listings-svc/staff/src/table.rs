//! Tables for people. Cells of the column `state` are coloured.

use comfy_table::{Attribute, Cell, Color, ContentArrangement, Table, presets};

use crate::sanitize::sanitize;

/// The column whose cells are coloured.
const STATE: &str = "state";

/// A table with these columns. The text of cells is sanitized.
pub(crate) fn table<const N: usize>(
    columns: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        // `output` takes the colours out again where none are wanted.
        .enforce_styling()
        .set_header(columns.map(|column| Cell::new(column).add_attribute(Attribute::Bold)));
    for row in rows {
        let cells = columns.iter().zip(row);
        table.add_row(cells.map(|(column, text)| {
            let cell = Cell::new(sanitize(&text));
            match color(&text) {
                Some(color) if *column == STATE => cell.fg(color),
                _ => cell,
            }
        }));
    }
    table
}

fn color(state: &str) -> Option<Color> {
    match state {
        "pending" | "waiting" | "asked" | "open" => Some(Color::Yellow),
        "published" | "granted" | "approved" => Some(Color::Green),
        "rejected" | "removed" => Some(Color::Red),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_coloured_and_a_title_with_the_same_text_is_not() {
        let row = ["pending", "pending"].map(ToOwned::to_owned);
        let table = table(["title", STATE], [row]).to_string();
        assert_eq!(table.matches("\u{1b}[38;5;11m").count(), 1, "{table:?}");
    }

    #[test]
    fn text_of_strangers_is_sanitized() {
        let row = ["\u{1b}[31mred".to_owned()];
        let table = table(["title"], [row]).to_string();
        assert!(table.contains("\u{FFFD}[31mred"), "{table:?}");
    }
}
