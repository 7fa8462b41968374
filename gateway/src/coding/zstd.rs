//! Zstandard (RFC 8878): a frame that does not tell its length; its blocks end at bytes, so that the rest goes on in raw blocks.

use std::io;

use zstd::bulk::Compressor;

/// The library's own choice between time and size.
const LEVEL: i32 = 3;
/// The longest block, whatever the window (RFC 8878, 3.1.1.2.4).
const BLOCK: usize = 128 * 1024;
/// Magic number, frame header descriptor, window descriptor.
const HEADER: usize = 6;

/// What the blocks behind the opening have to know of it.
#[derive(Debug)]
pub(super) struct Close {
    /// The longest block of the frame.
    block: usize,
}

pub(super) fn open(beginning: &[u8]) -> io::Result<(Vec<u8>, Close)> {
    let mut compressor = Compressor::new(LEVEL)?;
    // Both would be of the beginning alone.
    compressor.include_contentsize(false)?;
    compressor.include_checksum(false)?;
    let mut bytes = compressor.compress(beginning)?;
    let block = goes_on(&mut bytes).ok_or_else(|| io::Error::other("not one frame of blocks"))?;
    Ok((bytes, Close { block }))
}

/// Takes from the last block of a frame that it is the last. Gives the longest block of the frame.
fn goes_on(frame: &mut [u8]) -> Option<usize> {
    // No single segment, content size, checksum or dictionary: then the header is of this length and has a window.
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
        // Of a run of one byte, the size is that of the run.
        let is_run = value >> 1 & 0b11 == 1;
        at += 3 + if is_run { 1 } else { size };
        if is_last {
            return (at == frame.len()).then_some(window.min(BLOCK));
        }
    }
}

impl Close {
    pub(super) fn write(&self, rest: &[u8], to: &mut Vec<u8>) {
        let mut left = rest;
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
