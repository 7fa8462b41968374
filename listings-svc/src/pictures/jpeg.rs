//! Whether a JPEG is all there. The decoder fills with grey what is missing, and takes any number of scans: each goes over the whole
//! picture, and may cost no more than a few bytes (ITU-T T.81, annex B).

/// Scans of one picture at most. Cameras write one, progressive files about ten.
const MAX_SCANS: usize = 64;

const START_OF_SCAN: u8 = 0xDA;
const END_OF_IMAGE: u8 = 0xD9;

/// What is wrong with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JpegError {
    /// It ends before the picture does.
    Truncated,
    /// Nobody draws a picture so often.
    TooManyScans,
}

/// Walks through the segments of a file to the end of its picture; what comes behind is nobody's concern.
pub(super) fn check(file: &[u8]) -> Result<(), JpegError> {
    let mut rest = file.get(2..).ok_or(JpegError::Truncated)?;
    let mut scans = 0;
    loop {
        let marker;
        (marker, rest) = next_marker(rest).ok_or(JpegError::Truncated)?;
        match marker {
            END_OF_IMAGE => return Ok(()),
            // Stands alone.
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

/// The next marker and what stands behind it. In the data of a scan, 0xFF is followed by 0 or by a marker of a restart.
fn next_marker(mut rest: &[u8]) -> Option<(u8, &[u8])> {
    loop {
        let at = rest.iter().position(|byte| *byte == 0xFF)?;
        match rest.get(at + 1)? {
            0x00 | 0xD0..=0xD7 => rest = &rest[at + 2..],
            // Padding.
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
    fn a_picture_is_drawn_only_so_often() {
        let often = |scans: usize| file(&[&SCAN.repeat(scans), &[0xFF, END_OF_IMAGE]]);
        assert_eq!(check(&often(MAX_SCANS)), Ok(()));
        assert_eq!(check(&often(MAX_SCANS + 1)), Err(JpegError::TooManyScans));
    }

    proptest! {
        #[test]
        fn nothing_is_too_strange(bytes in prop::collection::vec(prop_oneof![Just(0xFF), any::<u8>()], 0..200)) {
            let whole = check(&file(&[&bytes, &[0xFF, END_OF_IMAGE]]));
            prop_assert!(matches!(whole, Ok(()) | Err(JpegError::Truncated | JpegError::TooManyScans)));
        }
    }
}
