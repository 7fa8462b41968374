//! gzip (RFC 1952). The prefix is a DEFLATE stream up to a sync flush, which ends at a byte boundary. The suffix follows in
//! stored blocks.

use std::io;

use flate2::{Compress, Compression, FlushCompress};

/// A member header without name, time or comment, from an unknown system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
/// The library's default, 6, takes twice as long for a page of a hundred rows and saves a fiftieth of its size.
const LEVEL: Compression = Compression::new(4);
/// The longest stored block (RFC 1951, 3.2.4).
const MAX_BLOCK: usize = 0xffff;

/// The state of the prefix that the trailer needs.
#[derive(Debug)]
pub(super) struct Finisher {
    crc: u32,
    /// Modulo 2^32, as in the trailer.
    length: u32,
}

pub(super) fn encode_prefix(prefix: &[u8]) -> io::Result<(Vec<u8>, Finisher)> {
    let mut bytes = Vec::with_capacity(prefix.len() / 4 + 64);
    bytes.extend_from_slice(&HEADER);
    let mut deflate = Compress::new(LEVEL, false);
    let mut left = prefix;
    loop {
        bytes.reserve(left.len() / 4 + 64);
        let before = deflate.total_in();
        deflate.compress_vec(left, &mut bytes, FlushCompress::Sync)?;
        let taken = usize::try_from(deflate.total_in() - before).map_err(io::Error::other)?;
        left = left.get(taken..).unwrap_or_default();
        // The flush is complete if it has left capacity.
        if left.is_empty() && bytes.len() < bytes.capacity() {
            break;
        }
    }
    let finisher = Finisher {
        crc: crc32fast::hash(prefix),
        length: modulo(prefix.len()),
    };
    Ok((bytes, finisher))
}

impl Finisher {
    pub(super) fn write(&self, suffix: &[u8], to: &mut Vec<u8>) {
        let mut left = suffix;
        loop {
            let (block, after) = left.split_at(left.len().min(MAX_BLOCK));
            let length = u16::try_from(block.len()).unwrap_or(u16::MAX);
            to.push(u8::from(after.is_empty()));
            to.extend_from_slice(&length.to_le_bytes());
            to.extend_from_slice(&(!length).to_le_bytes());
            to.extend_from_slice(block);
            left = after;
            if left.is_empty() {
                break;
            }
        }
        // The checksum continues where the prefix ended.
        let mut crc = crc32fast::Hasher::new_with_initial(self.crc);
        crc.update(suffix);
        to.extend_from_slice(&crc.finalize().to_le_bytes());
        let length = self.length.wrapping_add(modulo(suffix.len()));
        to.extend_from_slice(&length.to_le_bytes());
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the trailer has the length modulo 2^32"
)]
fn modulo(length: usize) -> u32 {
    length as u32
}
