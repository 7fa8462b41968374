//! Brotli (RFC 7932): the meta-blocks of a stream up to a flush, which ends at a byte; then the rest in uncompressed meta-blocks.

use std::io::{self, Write as _};

use brotli::CompressorWriter;
use brotli::enc::BrotliEncoderParams;

/// From 5 on the library takes fifty times as long for a page of twenty rows, and makes it smaller by a twentieth.
const QUALITY: i32 = 4;
/// The smallest and largest window that is taken, as powers of two: a decoder sets the window aside.
const WINDOW: std::ops::RangeInclusive<u32> = 16..=22;
/// The longest uncompressed meta-block whose length is written in four nibbles.
const UNCOMPRESSED: usize = 1 << 16;
/// The last meta-block, which is empty: ISLAST, ISLASTEMPTY.
const LAST: u8 = 0b11;

pub(super) fn open(beginning: &[u8]) -> io::Result<Vec<u8>> {
    let window = usize::BITS - beginning.len().leading_zeros();
    let params = BrotliEncoderParams {
        quality: QUALITY,
        lgwin: window
            .clamp(*WINDOW.start(), *WINDOW.end())
            .try_into()
            .map_err(io::Error::other)?,
        size_hint: beginning.len(),
        ..BrotliEncoderParams::default()
    };
    let mut bytes = Vec::with_capacity(beginning.len() / 4 + 64);
    let mut stream = CompressorWriter::with_params(&mut bytes, 4096, &params);
    stream.write_all(beginning)?;
    stream.flush()?;
    let length = stream.get_ref().len();
    // It ends its stream when it is dropped; ours goes on.
    drop(stream);
    bytes.truncate(length);
    Ok(bytes)
}

pub(super) fn close(rest: &[u8], to: &mut Vec<u8>) {
    for block in rest.chunks(UNCOMPRESSED) {
        // From the lowest bit: ISLAST 0; MNIBBLES 00, which is four; MLEN - 1 in 16 bits; ISUNCOMPRESSED 1; up to the next byte zeros.
        let length = u16::try_from(block.len() - 1).unwrap_or(u16::MAX);
        let header = u32::from(length) << 3 | 1 << 19;
        to.extend_from_slice(&header.to_le_bytes()[..3]);
        to.extend_from_slice(block);
    }
    to.push(LAST);
}
