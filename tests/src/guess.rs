//! API keys that do not exist.

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A live key with a valid format and checksum (§5.2) that was never issued.
pub fn guess() -> String {
    let random = uuid::Uuid::from_bytes(*kit::ids::row_id().as_bytes());
    let text = format!("svc_live_{}", random.simple());
    let mut rest = crc32fast::hash(text.as_bytes());
    let mut checksum = [DIGITS[0]; 6];
    for digit in checksum.iter_mut().rev() {
        *digit = DIGITS[usize::try_from(rest % 62).unwrap()];
        rest /= 62;
    }
    text + std::str::from_utf8(&checksum).unwrap()
}
