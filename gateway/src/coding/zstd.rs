//! Zstandard (RFC 8878). The prefix is a frame without a content size, whose blocks end at byte boundaries. The suffix follows in
//! raw blocks.

use std::io;

use zstd::bulk::Compressor;

/// The library's default.
const LEVEL: i32 = 3;
/// The longest block, whatever the window (RFC 8878, 3.1.1.2.4).
const MAX_BLOCK: usize = 128 * 1024;
/// Magic number, frame header descriptor, window descriptor.
const HEADER: usize = 6;

/// The state of the prefix that the blocks of the suffix need.
#[derive(Debug)]
pub(super) struct Finisher {
    /// The longest block of the frame.
    block: usize,
}

pub(super) fn encode_prefix(prefix: &[u8]) -> io::Result<(Vec<u8>, Finisher)> {
    let mut compressor = Compressor::new(LEVEL)?;
    // Size and checksum would cover the prefix only.
    compressor.include_contentsize(false)?;
    compressor.include_checksum(false)?;
    let mut bytes = compressor.compress(prefix)?;
    let block = clear_last_block_flag(&mut bytes)
        .ok_or_else(|| io::Error::other("not one frame of blocks"))?;
    Ok((bytes, Finisher { block }))
}

/// Clears the flag of the last block, so that the frame can go on. Returns the longest block of the frame.
fn clear_last_block_flag(frame: &mut [u8]) -> Option<usize> {
    // A frame without single segment, content size, checksum and dictionary has a header of this length, with a window.
    let [_, _, _, _, 0, window] = *frame.first_chunk::<HEADER>()? else {
        return None;
    };
    let base = 1_usize.checked_shl(10 + u32::from(window >> 3))?;
    let window = base + base / 8 * usize::from(window & 0b111);
    let mut at = HEADER;
    loop {
        let header = frame.get_mut(at..)?.first_chunk_mut::<3>()?;
        let [low, middle, high] = *header;
        let value = u32::from_le_bytes([low, middle, high, 0]);
        let is_last = value & 1 == 1;
        if is_last {
            header[0] &= !1;
        }
        let size = usize::try_from(value >> 3).ok()?;
        // The size of an RLE block is that of the decoded run.
        let is_run = value >> 1 & 0b11 == 1;
        at += 3 + if is_run { 1 } else { size };
        if is_last {
            return (at == frame.len()).then_some(window.min(MAX_BLOCK));
        }
    }
}

impl Finisher {
    pub(super) fn write(&self, suffix: &[u8], to: &mut Vec<u8>) {
        let mut left = suffix;
        loop {
            let (block, after) = left.split_at(left.len().min(self.block));
            let is_last = u32::from(after.is_empty());
            // Type 0 is a raw block.
            let size = u32::try_from(block.len()).unwrap_or(u32::MAX);
            to.extend_from_slice(&(size << 3 | is_last).to_le_bytes()[..3]);
            to.extend_from_slice(block);
            left = after;
            if left.is_empty() {
                break;
            }
        }
    }
}
