//! The lines of a file, in bounded memory.

use std::io::{self, BufRead, Read as _};

/// Bytes of a line at most. Longer lines are cut here: one byte above the limit of the service, so that it refuses them.
const MAX_BYTES: usize = 1024 * 1024 + 1;

pub(crate) struct Lines<R> {
    reader: R,
    is_first: bool,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(reader: R) -> Self {
        let is_first = true;
        Self { reader, is_first }
    }

    /// The next line, without its end; `None` after the last. Invalid UTF-8 becomes U+FFFD, which no reader of the line accepts. The first
    /// line is without a byte order mark.
    pub(crate) fn read(&mut self) -> io::Result<Option<String>> {
        let mut text = Vec::new();
        let bytes = self.reader.by_ref().take(MAX_BYTES as u64).read_until(b'\n', &mut text)?;
        if bytes == 0 {
            return Ok(None);
        }
        if text.pop_if(|last| *last == b'\n').is_none() {
            self.reader.skip_until(b'\n')?;
        }
        let is_first = std::mem::take(&mut self.is_first);
        let text = match text.strip_prefix("\u{FEFF}".as_bytes()) {
            Some(rest) if is_first => rest,
            _ => &text,
        };
        Ok(Some(String::from_utf8_lossy(text).into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(file: &[u8]) -> Vec<String> {
        // The buffer is smaller than a line.
        let mut lines = Lines::new(io::BufReader::with_capacity(3, file));
        let mut all = Vec::new();
        while let Some(line) = lines.read().unwrap() {
            all.push(line);
        }
        all
    }

    #[test]
    fn empty_lines_are_kept() {
        let lines = all(b"one\n\nthree and more\nlast");
        assert_eq!(lines, ["one", "", "three and more", "last"]);
        assert!(all(b"").is_empty());
        assert_eq!(all(b"one\n").len(), 1);
    }

    #[test]
    fn a_long_line_is_cut() {
        let mut file = vec![b'x'; 3 * MAX_BYTES];
        file.extend_from_slice(b"\nnext");
        let lines = all(&file);
        assert_eq!(lines[0].len(), MAX_BYTES);
        assert_eq!(lines[1], "next");
    }

    #[test]
    fn a_byte_order_mark_is_removed() {
        let marked = "\u{FEFF}one\n\u{FEFF}two";
        assert_eq!(all(marked.as_bytes()), ["one", "\u{FEFF}two"]);
    }

    #[test]
    fn invalid_utf8_is_replaced() {
        assert!(all(b"caf\xe9")[0].ends_with('\u{FFFD}'));
    }
}
