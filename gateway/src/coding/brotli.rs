//! Brotli (RFC 7932). The prefix is a stream up to a flush, which ends at a byte boundary. The suffix follows in uncompressed
//! meta-blocks.

use std::io::{self, Write as _};

use brotli::CompressorWriter;
use brotli::enc::BrotliEncoderParams;

/// From 5 on, the library takes fifty times as long for a page of twenty rows and saves a twentieth of its size.
const QUALITY: i32 = 4;
/// The window sizes that are used, as powers of two. A decoder allocates the whole window.
const WINDOW: std::ops::RangeInclusive<u32> = 16..=22;
/// The longest uncompressed meta-block whose length fits into four nibbles.
const MAX_BLOCK: usize = 1 << 16;
/// The empty last meta-block: ISLAST, ISLASTEMPTY.
const LAST: u8 = 0b11;

pub(super) fn encode_prefix(prefix: &[u8]) -> io::Result<Vec<u8>> {
    let window = usize::BITS - prefix.len().leading_zeros();
    let params = BrotliEncoderParams {
        quality: QUALITY,
        lgwin: window
            .clamp(*WINDOW.start(), *WINDOW.end())
            .try_into()
            .map_err(io::Error::other)?,
        size_hint: prefix.len(),
        ..BrotliEncoderParams::default()
    };
    let mut bytes = Vec::with_capacity(prefix.len() / 4 + 64);
    let mut stream = CompressorWriter::with_params(&mut bytes, 4096, &params);
    stream.write_all(prefix)?;
    stream.flush()?;
    let length = stream.get_ref().len();
    // Dropping the writer ends the stream. The prefix must not contain that end.
    drop(stream);
    bytes.truncate(length);
    Ok(bytes)
}

pub(super) fn finish(suffix: &[u8], to: &mut Vec<u8>) {
    for block in suffix.chunks(MAX_BLOCK) {
        // From the lowest bit: ISLAST 0; MNIBBLES 00, which means four; MLEN - 1 in 16 bits; ISUNCOMPRESSED 1; zeros up to the
        // next byte.
        let length = u16::try_from(block.len() - 1).unwrap_or(u16::MAX);
        let header = u32::from(length) << 3 | 1 << 19;
        to.extend_from_slice(&header.to_le_bytes()[..3]);
        to.extend_from_slice(block);
    }
    to.push(LAST);
}
