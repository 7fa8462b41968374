//! Limits the number of connections to the file descriptors of the process.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// File descriptors for everything else: PostgreSQL, Redis, services, logs.
const RESERVED: u64 = 256;

/// Returns the number of connections that a setting may have: `requested`, or fewer if the process does not have enough file descriptors.
/// Each connection needs `descriptors`, at least one.
///
/// Raises the soft limit to the hard limit: a service may need more for a moment than its settings say.
pub fn allowed(setting: &str, requested: u32, descriptors: u32) -> u32 {
    let descriptors = u64::from(descriptors.max(1));
    let needed = u64::from(requested) * descriptors + RESERVED;
    let raise = |(_, hard)| setrlimit(Resource::RLIMIT_NOFILE, hard, hard).map(|()| hard);
    let limit = getrlimit(Resource::RLIMIT_NOFILE).and_then(raise);
    // If the limit cannot be read, it is assumed to suffice.
    let possible = limit.unwrap_or(needed).saturating_sub(RESERVED) / descriptors;
    let possible = u32::try_from(possible).unwrap_or(u32::MAX);
    if possible < requested {
        tracing::warn!(
            setting,
            requested,
            possible,
            "too few file descriptors for a setting; raise the limit (ulimit -n) or lower the setting"
        );
    }
    requested.min(possible).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_descriptors_limit_the_connections() {
        let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
        assert_eq!(allowed("test", 10, 1), 10);
        let (soft, _) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
        assert_eq!(soft, hard);
        for descriptors in [1, 2] {
            let possible = hard.saturating_sub(RESERVED) / u64::from(descriptors);
            let allowed = allowed("test", u32::MAX, descriptors);
            assert!(u64::from(allowed) <= possible.max(1), "{descriptors} each");
        }
    }
}
