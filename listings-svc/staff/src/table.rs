//! Tables for people, with colours for what a state means.

use comfy_table::{Attribute, Cell, Color, ContentArrangement, Table, presets};

use super::plain::plain;

/// The column whose words have colours.
const STATE: &str = "state";

/// A table with these columns. Whatever strangers wrote in it, it does not steer the terminal.
pub(crate) fn table<const N: usize>(
    columns: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        // Where no colours are wanted they are taken out again when it is written.
        .enforce_styling()
        .set_header(columns.map(|column| Cell::new(column).add_attribute(Attribute::Bold)));
    for row in rows {
        let cells = columns.iter().zip(row);
        table.add_row(cells.map(|(column, text)| {
            let cell = Cell::new(plain(&text));
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
        "pending" | "waiting" | "asked" => Some(Color::Yellow),
        "published" | "granted" | "approved" => Some(Color::Green),
        "rejected" | "removed" => Some(Color::Red),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_has_its_colour_and_a_title_that_reads_like_one_has_none() {
        let row = ["pending", "pending"].map(ToOwned::to_owned);
        let table = table(["title", STATE], [row]).to_string();
        assert_eq!(table.matches("\u{1b}[38;5;11m").count(), 1, "{table:?}");
    }

    #[test]
    fn nobody_colours_the_table_but_we() {
        let row = ["\u{1b}[31mred".to_owned()];
        let table = table(["title"], [row]).to_string();
        assert!(table.contains("\u{FFFD}[31mred"), "{table:?}");
    }
}
