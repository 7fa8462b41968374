//! Tables for people. Cells of the column `state` are coloured.

use comfy_table::{Attribute, Cell, Color, ContentArrangement, Table, presets};

use crate::sanitize::sanitize;

/// The column whose cells are coloured.
const STATE: &str = "state";

/// A table of rows. The text of cells is sanitized. Without columns it has no header.
pub(crate) fn table(columns: &[&str], rows: Vec<Vec<String>>) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        // `output` takes the colours out again where none are wanted.
        .enforce_styling();
    if !columns.is_empty() {
        let names = columns.iter().map(Cell::new);
        table.set_header(names.map(|cell| cell.add_attribute(Attribute::Bold)));
    }
    for row in rows {
        table.add_row(row.iter().enumerate().map(|(at, text)| {
            let lines: Vec<String> = text.lines().map(sanitize).collect();
            let cell = Cell::new(lines.join("\n"));
            match color(text) {
                Some(color) if columns.get(at) == Some(&STATE) => cell.fg(color),
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

    fn row(texts: &[&str]) -> Vec<Vec<String>> {
        vec![texts.iter().map(ToString::to_string).collect()]
    }

    #[test]
    fn a_state_is_coloured_and_a_title_with_the_same_text_is_not() {
        let table = table(&["title", STATE], row(&["pending", "pending"])).to_string();
        assert_eq!(table.matches("\u{1b}[38;5;11m").count(), 1, "{table:?}");
    }

    #[test]
    fn untrusted_text_is_sanitized() {
        let table = table(&["title"], row(&["\u{1b}[31mred"])).to_string();
        assert!(table.contains("\u{FFFD}[31mred"), "{table:?}");
    }

    #[test]
    fn a_multi_line_text_keeps_its_lines() {
        let table = table(&["text"], row(&["One\ntwo"])).to_string();
        assert!(!table.contains('\u{fffd}'), "{table:?}");
        assert_eq!(table.lines().count(), 3, "{table:?}");
    }
}
