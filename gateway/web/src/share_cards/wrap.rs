//! Breaks a text into lines.

const ELLIPSIS: &str = "…";

/// Breaks a text, which has one space between two words, into at most `most` lines that fit. An ellipsis replaces the rest of a text that
/// does not fit into them, and the rest of a word that is wider than a line.
pub(super) fn lines(text: &str, most: usize, fits: impl Fn(&str) -> bool) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = text;
    while !rest.is_empty() && lines.len() < most {
        let is_last = lines.len() + 1 == most;
        let (line, after) = if fits(rest) {
            (rest.to_owned(), "")
        } else if is_last {
            (shortened(rest, &fits), "")
        } else if let Some(end) = last_fitting(spaces(rest), |end| fits(&rest[..end])) {
            (rest[..end].to_owned(), &rest[end + 1..])
        } else {
            // The first word alone is wider than a line.
            let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
            (shortened(word, &fits), after)
        };
        lines.push(line);
        rest = after;
    }
    lines
}

/// The longest beginning that fits together with an ellipsis, of whole words if there is one.
fn shortened(text: &str, fits: &impl Fn(&str) -> bool) -> String {
    let cut = |end: usize| format!("{}{ELLIPSIS}", &text[..end]);
    let fits_cut = |end: usize| fits(&cut(end));
    let letters = text.char_indices().map(|(end, _)| end).skip(1);
    let end = last_fitting(spaces(text), fits_cut).or_else(|| last_fitting(letters, fits_cut));
    cut(end.unwrap_or_default())
}

fn spaces(text: &str) -> impl Iterator<Item = usize> {
    text.match_indices(' ').map(|(at, _)| at)
}

/// The last of these ends of lines with which the line fits. Few are tried, since a longer line is wider.
fn last_fitting(ends: impl Iterator<Item = usize>, fits: impl Fn(usize) -> bool) -> Option<usize> {
    let ends: Vec<usize> = ends.collect();
    let fitting = ends.partition_point(|end| fits(*end));
    ends.get(fitting.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each character is as wide as any other.
    fn wrapped(text: &str, most: usize, width: usize) -> Vec<String> {
        lines(text, most, |line| line.chars().count() <= width)
    }

    #[test]
    fn words_stay_whole_where_they_can() {
        for (text, lines) in [
            ("", vec![]),
            ("one", vec!["one"]),
            ("one two three", vec!["one two", "three"]),
            ("exactly8 exactly8", vec!["exactly8", "exactly8"]),
            ("one two three four five", vec!["one two", "three…"]),
            ("one two threefold four", vec!["one two", "threefo…"]),
            ("a incomprehensible b", vec!["a", "incompr…"]),
            ("incomprehensible", vec!["incompr…"]),
            ("ẹlẹ́gbẹ́rún ọ̀kẹ́", vec!["ẹlẹ́gbẹ…", "ọ̀kẹ́"]),
        ] {
            assert_eq!(wrapped(text, 2, 8), lines, "{text}");
        }
    }

    #[test]
    fn no_line_is_wider_or_one_too_many() {
        let text = "Supercalifragilistic and a b c ẹlẹ́gbẹ́ ".repeat(9);
        for width in 1..40 {
            for most in 1..4 {
                let lines = wrapped(text.trim_end(), most, width);
                assert!(lines.len() <= most, "{lines:?}");
                assert!(lines.last().unwrap().ends_with('…'), "{lines:?}");
                let mut widths = lines.iter().map(|line| line.chars().count());
                assert!(widths.all(|it| it <= width), "{lines:?}");
            }
        }
    }
}
