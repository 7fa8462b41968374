//! A JSON list of objects that arrives in pieces: the objects, without holding the list.

use kit::Fault;

/// The longest object.
const MAX_ROW: usize = 64 * 1024;

/// The place in a list.
#[derive(Debug, Default)]
pub struct JsonRows {
    /// The object so far.
    row: Vec<u8>,
    /// Open brackets within it.
    depth: usize,
    is_in_string: bool,
    is_escaped: bool,
}

impl JsonRows {
    /// The objects that this piece completes. Malformed JSON results in objects that cannot be parsed.
    pub fn complete(&mut self, piece: &[u8]) -> Result<Vec<Vec<u8>>, Fault> {
        let mut rows = Vec::new();
        for byte in piece.iter().copied() {
            // Between objects are brackets of the list, commas and white space.
            if self.depth == 0 && byte != b'{' {
                continue;
            }
            if self.row.len() == MAX_ROW {
                let error = std::io::Error::other("a row of a list is too long");
                return Err(Fault::internal(&error));
            }
            self.row.push(byte);
            self.step(byte);
            if self.depth == 0 {
                rows.push(std::mem::take(&mut self.row));
            }
        }
        Ok(rows)
    }

    fn step(&mut self, byte: u8) {
        if self.is_in_string {
            let is_escape = !self.is_escaped && byte == b'\\';
            self.is_in_string = self.is_escaped || byte != b'"';
            self.is_escaped = is_escape;
            return;
        }
        match byte {
            b'"' => self.is_in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth -= 1,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn rows_are_the_same_however_the_list_is_cut() {
        let rows = [
            json!({"to": "a", "name": "}],{\"[\\"}),
            json!({}),
            json!({"to": "é\n", "list": [1, {"x": "\\"}], "rate": 1.5}),
        ];
        for text in [
            Value::from(rows.to_vec()).to_string(),
            serde_json::to_string_pretty(&rows).unwrap(),
        ] {
            for size in 1..=text.len() {
                let mut list = JsonRows::default();
                let mut found: Vec<Value> = Vec::new();
                for piece in text.as_bytes().chunks(size) {
                    let complete = list.complete(piece).unwrap();
                    found.extend(
                        complete
                            .iter()
                            .map(|row| serde_json::from_slice(row).unwrap()),
                    );
                }
                assert_eq!(found, rows, "{size}");
            }
        }
        assert_eq!(JsonRows::default().complete(b"[]").unwrap().len(), 0);
    }

    #[test]
    fn a_row_without_an_end_is_not_held() {
        let mut list = JsonRows::default();
        let piece = vec![b'['; 1_024];
        assert_eq!(list.complete(b"[{\"a\":\"").unwrap().len(), 0);
        assert!((0..100).any(|_| list.complete(&piece).is_err()));
    }
}
