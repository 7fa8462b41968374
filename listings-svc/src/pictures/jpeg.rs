//! Checks that a JPEG is complete. The decoder fills missing data with grey, and accepts any number of scans: each scan goes over the
//! whole picture and may take only a few bytes (ITU-T T.81, annex B).

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

/// Walks the segments of a file to the end of the image, and ignores the bytes after it.
pub(super) fn check(file: &[u8]) -> Result<(), JpegError> {
    let mut rest = file.get(2..).ok_or(JpegError::Truncated)?;
    let mut scans = 0;
    loop {
        let marker;
        (marker, rest) = next_marker(rest).ok_or(JpegError::Truncated)?;
        match marker {
            END_OF_IMAGE => return Ok(()),
            // A marker without a segment.
            0x01 | 0xD0..=0xD8 => {}
            _ => {
                let length = match rest {
                    [high, low, ..] => usize::from(u16::from_be_bytes([*high, *low])),
                    _ => return Err(JpegError::Truncated),
                };
                rest = rest.get(length.max(2)..).ok_or(JpegError::Truncated)?;
            }
        }
        if marker == START_OF_SCAN {
            scans += 1;
            if scans > MAX_SCANS {
                return Err(JpegError::TooManyScans);
            }
        }
    }
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
    fn a_picture_ends_with_its_marker() {
        let whole = file(&[
            &[0xFF, 0xE1, 0, 4, 0xFF, END_OF_IMAGE],
            &SCAN,
            &[7, 0xFF, 0xD0, 8, 0xFF, 0xFF, END_OF_IMAGE],
        ]);
        assert_eq!(check(&whole), Ok(()));
        assert_eq!(check(&[&whole[..], b"more"].concat()), Ok(()));
        for length in 0..whole.len() {
            assert_eq!(
                check(&whole[..length]),
                Err(JpegError::Truncated),
                "{length}"
            );
        }
    }

    #[test]
    fn the_number_of_scans_is_limited() {
        let often = |scans: usize| file(&[&SCAN.repeat(scans), &[0xFF, END_OF_IMAGE]]);
        assert_eq!(check(&often(MAX_SCANS)), Ok(()));
        assert_eq!(check(&often(MAX_SCANS + 1)), Err(JpegError::TooManyScans));
    }

    proptest! {
        #[test]
        fn any_bytes_are_accepted_or_refused(bytes in prop::collection::vec(prop_oneof![Just(0xFF), any::<u8>()], 0..200)) {
            let whole = check(&file(&[&bytes, &[0xFF, END_OF_IMAGE]]));
            prop_assert!(matches!(whole, Ok(()) | Err(JpegError::Truncated | JpegError::TooManyScans)));
        }
    }
}
