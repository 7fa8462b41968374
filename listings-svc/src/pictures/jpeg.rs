//! Checks that a JPEG is complete. The decoder fills missing data with grey, and accepts any number of scans: each scan goes over the
//! whole picture and may take only a few bytes (ITU-T T.81, annex B).

use std::collections::BTreeMap;

/// Maximum number of scans. Cameras write one, progressive files about ten.
const MAX_SCANS: usize = 64;

const START_OF_SCAN: u8 = 0xDA;
const END_OF_IMAGE: u8 = 0xD9;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JpegError {
    /// The file ends before the picture does.
    Truncated,
    TooManyScans,
}

/// How the data of a JPEG ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// By its marker; the bytes after it are ignored.
    Marked,
    /// Without the marker, which a program cut off or replaced by data of its own. The scans that make a picture end at this offset; the last
    /// one may be cut.
    Unmarked(usize),
}

/// Walks the segments of a file to the end of the image.
pub(super) fn check(file: &[u8]) -> Result<End, JpegError> {
    let mut rest = file.get(2..).ok_or(JpegError::Truncated)?;
    let mut scans = 0;
    let mut coefficients = Coefficients::default();
    let mut end = None;
    while let Some((marker, segment, after)) = next_segment(rest) {
        rest = after;
        match marker {
            END_OF_IMAGE => return Ok(End::Marked),
            // Huffman tables, an extension and arithmetic codes have numbers among the frames.
            0xC4 | 0xC8 | 0xCC => {}
            0xC0..=0xCF => coefficients.start(segment),
            START_OF_SCAN => {
                scans += 1;
                if scans > MAX_SCANS {
                    return Err(JpegError::TooManyScans);
                }
                coefficients.add(segment);
                if end.is_none() && coefficients.are_complete() {
                    end = Some(file.len() - rest.len() + scan_length(rest));
                }
            }
            _ => {}
        }
    }
    end.map(End::Unmarked).ok_or(JpegError::Truncated)
}

/// The file up to `end`, some bytes, and the end marker.
pub(super) fn with_end(file: &[u8], end: usize, byte: u8) -> Vec<u8> {
    [&file[..end], &[byte; 16], &[0xFF, END_OF_IMAGE]].concat()
}

/// The coefficients whose last bits the scans have brought, a bit each, by component.
#[derive(Debug, Default)]
struct Coefficients(BTreeMap<u8, u64>);

impl Coefficients {
    /// Reads the components of a frame.
    fn start(&mut self, frame: &[u8]) {
        let components = frame.get(6..).unwrap_or_default().chunks_exact(3);
        self.0 = components.map(|component| (component[0], 0)).collect();
    }

    /// Reads what a scan brings: some coefficients of some components.
    fn add(&mut self, scan: &[u8]) {
        let Some((components, [first, last, bits])) = scan.split_last_chunk() else {
            return;
        };
        // The low four bits are the position of the lowest bit.
        let has_last_bit = bits.trailing_zeros() >= 4;
        if first > last || *last > 63 || !has_last_bit {
            return;
        }
        let coefficients = u64::MAX << first & u64::MAX >> (63 - last);
        for component in components.get(1..).unwrap_or_default().chunks_exact(2) {
            if let Some(brought) = self.0.get_mut(&component[0]) {
                *brought |= coefficients;
            }
        }
    }

    fn are_complete(&self) -> bool {
        !self.0.is_empty() && self.0.values().all(|brought| *brought == u64::MAX)
    }
}

/// The next marker, its segment, and the bytes after that.
fn next_segment(data: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (marker, rest) = next_marker(data)?;
    // Markers without a segment.
    if matches!(marker, 0x01 | 0xD0..=END_OF_IMAGE) {
        return Some((marker, &[], rest));
    }
    let (length, _) = rest.split_first_chunk()?;
    let length = usize::from(u16::from_be_bytes(*length)).max(2);
    let (segment, rest) = rest.split_at_checked(length)?;
    Some((marker, &segment[2..], rest))
}

/// The length of the data of a scan, which ends before the next marker or with the file.
fn scan_length(data: &[u8]) -> usize {
    let behind = next_marker(data).map_or(0, |(_, rest)| rest.len() + 2);
    let scan = &data[..data.len() - behind];
    // A scan does not end with 0xFF: this one belongs to a marker.
    let marker = scan.iter().rev().take_while(|byte| **byte == 0xFF);
    scan.len() - marker.count()
}

/// The next marker, and the bytes after it. In the data of a scan, 0xFF is followed by 0 or by a restart marker.
fn next_marker(mut rest: &[u8]) -> Option<(u8, &[u8])> {
    loop {
        let at = rest.iter().position(|byte| *byte == 0xFF)?;
        match rest.get(at + 1)? {
            0x00 | 0xD0..=0xD7 => rest = &rest[at + 2..],
            // A fill byte.
            0xFF => rest = &rest[at + 1..],
            marker => return Some((*marker, &rest[at + 2..])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SCAN: [u8; 8] = [0xFF, START_OF_SCAN, 0, 4, 1, 2, 0xFF, 0x00];

    fn file(parts: &[&[u8]]) -> Vec<u8> {
        [&[&[0xFF, 0xD8][..]], parts].concat().concat()
    }

    #[test]
    fn a_picture_cut_before_its_end_marker_is_truncated() {
        let whole = file(&[
            &[0xFF, 0xE1, 0, 4, 0xFF, END_OF_IMAGE],
            &SCAN,
            &[7, 0xFF, 0xD0, 8, 0xFF, 0xFF, END_OF_IMAGE],
        ]);
        assert_eq!(check(&whole), Ok(End::Marked));
        assert_eq!(check(&[&whole[..], b"more"].concat()), Ok(End::Marked));
        for length in 0..whole.len() {
            assert_eq!(
                check(&whole[..length]),
                Err(JpegError::Truncated),
                "{length}"
            );
        }
    }

    /// A progressive frame (SOF2) of two components.
    const FRAME: [u8; 16] = [0xFF, 0xC2, 0, 14, 8, 0, 8, 0, 8, 2, 1, 0x11, 0, 2, 0x11, 0];

    /// A scan of the coefficients from `first` to `last`; `low` is the successive approximation (Ah and Al).
    fn scan(components: &[u8], first: u8, last: u8, low: u8) -> Vec<u8> {
        let count = u8::try_from(components.len()).unwrap();
        let mut scan = vec![0xFF, START_OF_SCAN, 0, 6 + 2 * count, count];
        scan.extend(components.iter().flat_map(|component| [*component, 0]));
        scan.extend([first, last, low, 7, 0xFF, 0x00]);
        scan
    }

    #[test]
    fn a_picture_without_its_end_marker_is_whole_after_its_last_scan() {
        let scans = [
            scan(&[1, 2], 0, 0, 1),
            scan(&[1], 1, 63, 0),
            scan(&[2], 1, 63, 0),
            scan(&[1, 2], 0, 0, 0x10),
        ];
        let whole = file(&[&FRAME, &scans.concat()]);
        let end = Ok(End::Unmarked(whole.len()));
        for tail in [&b""[..], b"\xFF", b"\xFF\xFF", b"\xFF\xE1 trailer"] {
            assert_eq!(check(&[&whole[..], tail].concat()), end, "{tail:?}");
        }
        assert_eq!(
            check(&[&whole[..], &[0xFF, END_OF_IMAGE]].concat()),
            Ok(End::Marked)
        );
        for missing in 0..scans.len() {
            let mut scans = scans.to_vec();
            scans.remove(missing);
            let cut = check(&file(&[&FRAME, &scans.concat()]));
            // The first scan carries no last bits, so that its absence goes unnoticed.
            assert_eq!(cut.is_err(), missing > 0, "{missing}");
        }
    }

    #[test]
    fn the_number_of_scans_is_limited() {
        let often = |scans: usize| file(&[&SCAN.repeat(scans), &[0xFF, END_OF_IMAGE]]);
        assert_eq!(check(&often(MAX_SCANS)), Ok(End::Marked));
        assert_eq!(check(&often(MAX_SCANS + 1)), Err(JpegError::TooManyScans));
    }

    proptest! {
        #[test]
        fn any_bytes_are_accepted_or_refused(bytes in prop::collection::vec(prop_oneof![Just(0xFF), any::<u8>()], 0..200)) {
            let whole = check(&file(&[&bytes, &[0xFF, END_OF_IMAGE]]));
            prop_assert!(matches!(whole, Ok(_) | Err(JpegError::Truncated | JpegError::TooManyScans)));
        }
    }
}
