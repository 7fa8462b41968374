//! Random secrets.

use std::fs::File;
use std::io::Read;

use anyhow::{Context, Result};

/// A secret of 256 bits in lower-case hex, safe in a URL, in SQL quotes and in a shell.
pub(crate) fn secret() -> Result<String> {
    let mut bytes = [0; 32];
    File::open("/dev/urandom")
        .and_then(|mut source| source.read_exact(&mut bytes))
        .context("cannot read /dev/urandom")?;
    Ok(bytes.map(|byte: u8| format!("{byte:02x}")).concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_long_and_differ() {
        let (one, other) = (secret().unwrap(), secret().unwrap());
        assert_eq!(one.len(), 64);
        assert_ne!(one, other);
    }
}
