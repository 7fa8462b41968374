//! Tables for people. Cells of the column `state` are coloured.

use comfy_table::{Attribute, Cell, Color, ContentArrangement, Table, presets};

use crate::sanitize::sanitize;

/// The column whose cells are coloured.
const STATE: &str = "state";

/// A column: its name, and its text in a row.
pub(crate) type Column<R> = (&'static str, fn(&R) -> String);

/// A table of rows. The text of cells is sanitized.
pub(crate) fn table<R>(rows: &[R], columns: &[Column<R>]) -> Table {
    let mut table = Table::new();
    let names = columns.iter().map(|(name, _)| Cell::new(name));
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        // `output` takes the colours out again where none are wanted.
        .enforce_styling()
        .set_header(names.map(|cell| cell.add_attribute(Attribute::Bold)));
    for row in rows {
        table.add_row(columns.iter().map(|(name, text)| {
            let text = text(row);
            let lines: Vec<String> = text.lines().map(sanitize).collect();
            let cell = Cell::new(lines.join("\n"));
            match color(&text) {
                Some(color) if *name == STATE => cell.fg(color),
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
        let columns: [Column<&str>; 2] = [
            ("title", |it| (*it).to_owned()),
            (STATE, |it| (*it).to_owned()),
        ];
        let table = table(&["pending"], &columns).to_string();
        assert_eq!(table.matches("\u{1b}[38;5;11m").count(), 1, "{table:?}");
    }

    #[test]
    fn text_of_strangers_is_sanitized() {
        let table = table(&["\u{1b}[31mred"], &[("title", |it| (*it).to_owned())]);
        let table = table.to_string();
        assert!(table.contains("\u{FFFD}[31mred"), "{table:?}");
    }

    #[test]
    fn a_text_of_several_lines_is_shown_as_lines() {
        let columns: [Column<&str>; 1] = [("text", |it| (*it).to_owned())];
        let table = table(&["One\ntwo"], &columns).to_string();
        assert!(!table.contains('\u{fffd}'), "{table:?}");
        assert_eq!(table.lines().count(), 3, "{table:?}");
    }
}
