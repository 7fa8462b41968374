//! Random secrets and port numbers.

use std::fs::File;
use std::io::Read;

use anyhow::{Context, Result};

/// A secret of 256 bits in lower-case hex, safe in a URL, in SQL quotes and in a shell.
pub(crate) fn secret() -> Result<String> {
    let bytes: [u8; 32] = bytes()?;
    Ok(bytes.map(|byte| format!("{byte:02x}")).concat())
}

/// A number below `end`. It is slightly biased towards small numbers, which does not matter for ports.
pub(crate) fn below(end: u16) -> Result<u16> {
    Ok(u16::from_ne_bytes(bytes()?) % end)
}

fn bytes<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    File::open("/dev/urandom")
        .and_then(|mut source| source.read_exact(&mut bytes))
        .context("cannot read /dev/urandom")?;
    Ok(bytes)
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
