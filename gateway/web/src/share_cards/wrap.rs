//! Breaks a text into lines.

const ELLIPSIS: &str = "…";

/// Breaks a text into at most `most` lines, none wider than `width`. An ellipsis replaces the rest of a text that does not fit. A word that
/// is wider than a line is cut.
pub(super) fn lines(
    text: &str,
    most: usize,
    width: f32,
    measure: impl Fn(&str) -> f32,
) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    let mut words = text.split_whitespace().peekable();
    for word in words.by_ref() {
        let longer = match line.as_str() {
            "" => word.to_owned(),
            line => format!("{line} {word}"),
        };
        if measure(&longer) <= width {
            line = longer;
            continue;
        }
        if line.is_empty() {
            // The word alone is wider than a line.
            lines.push(cut(word, width, &measure));
        } else {
            lines.push(std::mem::replace(&mut line, word.to_owned()));
            if measure(&line) > width {
                line = cut(&line, width, &measure);
            }
        }
        if lines.len() == most {
            break;
        }
    }
    let has_more = words.peek().is_some() || lines.len() == most && !line.is_empty();
    if lines.len() < most && !line.is_empty() {
        lines.push(line);
    } else if let Some(last) = lines.last_mut().filter(|_| has_more) {
        *last = cut_to_ellipsis(last, width, &measure);
    }
    lines
}

/// The beginning of a word with an ellipsis, if it is wider than a line.
fn cut(word: &str, width: f32, measure: impl Fn(&str) -> f32) -> String {
    if measure(word) <= width {
        return word.to_owned();
    }
    cut_to_ellipsis(word, width, measure)
}

/// The longest prefix that fits together with an ellipsis.
fn cut_to_ellipsis(text: &str, width: f32, measure: impl Fn(&str) -> f32) -> String {
    let text = text.trim_end_matches(ELLIPSIS);
    let ends = text.char_indices().map(|(end, _)| end).chain([text.len()]);
    let mut ends: Vec<usize> = ends.collect();
    while let Some(end) = ends.pop() {
        let shorter = format!("{}{ELLIPSIS}", text[..end].trim_end());
        if measure(&shorter) <= width {
            return shorter;
        }
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each character is as wide as any other.
    fn wrapped(text: &str, most: usize, width: u8) -> Vec<String> {
        lines(text, most, f32::from(width), |text| {
            text.chars().map(|_| 1.0).sum()
        })
    }

    #[test]
    fn words_stay_whole_where_they_can() {
        for (text, lines) in [
            ("", vec![]),
            ("  one\n", vec!["one"]),
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
                let lines = wrapped(&text, most, width);
                assert!(lines.len() <= most, "{lines:?}");
                assert!(lines.last().unwrap().ends_with('…'), "{lines:?}");
                assert!(
                    lines
                        .iter()
                        .all(|line| line.chars().count() <= width.into()),
                    "{lines:?}"
                );
            }
        }
    }
}
