//! Checks that a JPEG is complete and can be shown. The decoder fills missing data with grey, and accepts any number of scans: each scan goes
//! over the whole picture and may take only a few bytes (ITU-T T.81, annex B).

/// Maximum number of scans. Cameras write one, progressive files about ten.
const MAX_SCANS: usize = 64;

const START_OF_SCAN: u8 = 0xDA;
const END_OF_IMAGE: u8 = 0xD9;
/// The offset of the number of components in the segment of a frame.
const COMPONENTS: usize = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JpegError {
    /// The file ends before its end marker.
    Truncated,
    TooManyScans,
    /// The colours are inks, which a screen shows only after a conversion by their profile.
    Cmyk,
}

/// Walks the segments of a file to the end marker; the bytes after it are ignored.
pub(super) fn check(file: &[u8]) -> Result<(), JpegError> {
    let mut rest = file.get(2..).ok_or(JpegError::Truncated)?;
    let mut scans = 0;
    while let Some((marker, segment, after)) = next_segment(rest) {
        rest = after;
        match marker {
            END_OF_IMAGE => return Ok(()),
            // Huffman tables, an extension and arithmetic codes have numbers among the frames.
            0xC4 | 0xC8 | 0xCC => {}
            0xC0..=0xCF if segment.get(COMPONENTS) == Some(&4) => return Err(JpegError::Cmyk),
            START_OF_SCAN => {
                scans += 1;
                if scans > MAX_SCANS {
                    return Err(JpegError::TooManyScans);
                }
            }
            _ => {}
        }
    }
    Err(JpegError::Truncated)
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
        assert_eq!(check(&whole), Ok(()));
        assert_eq!(check(&[&whole[..], b"more"].concat()), Ok(()));
        for length in 0..whole.len() {
            assert_eq!(check(&whole[..length]), Err(JpegError::Truncated), "{length}");
        }
    }

    #[test]
    fn a_picture_of_inks_is_refused() {
        let frame = |components: u8| {
            let length = 8 + 3 * components;
            let mut frame = vec![0xFF, 0xC2, 0, length, 8, 0, 8, 0, 8, components];
            frame.extend((1..=components).flat_map(|component| [component, 0x11, 0]));
            file(&[&frame, &SCAN, &[0xFF, END_OF_IMAGE]])
        };
        assert_eq!(check(&frame(3)), Ok(()));
        assert_eq!(check(&frame(4)), Err(JpegError::Cmyk));
    }

    #[test]
    fn the_number_of_scans_is_limited() {
        let often = |scans: usize| file(&[&SCAN.repeat(scans), &[0xFF, END_OF_IMAGE]]);
        assert_eq!(check(&often(MAX_SCANS)), Ok(()));
        assert_eq!(check(&often(MAX_SCANS + 1)), Err(JpegError::TooManyScans));
    }

    proptest! {
        #[test]
        fn any_bytes_do_not_panic(bytes in prop::collection::vec(prop_oneof![Just(0xFF), any::<u8>()], 0..200)) {
            let whole = check(&file(&[&bytes, &[0xFF, END_OF_IMAGE]]));
            prop_assert_ne!(whole, Err(JpegError::TooManyScans));
        }
    }
}
