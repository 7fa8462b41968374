//! The device cookie, which names the people who were signed in in a browser.
//!
//! Limits that strangers have used up do not concern these people there (OWASP, *Slow Down Online
//! Guessing Attacks with Device Cookies*). The cookie grants nothing.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kit::key_ring::KeyRing;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// The name of the cookie.
pub const COOKIE: &str = "device";
/// How long a browser is known after a sign-in.
pub const LIFETIME: Duration = Duration::days(365);
/// The most people of one browser, so that the cookie of a shared computer stays short.
const MOST_PEOPLE: usize = 4;
/// Separates the key of these cookies from other uses of `secret_keys`.
const PURPOSE: &[u8] = b"mchezo: device cookies";
/// The bytes of a person and a device, of the day, and of their signature.
const IDS: usize = 32;
const SIGNED: usize = IDS + 4;
const ENTRY: usize = SIGNED + 32;

/// A browser in which this person was signed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Device {
    pub person: Uuid,
    pub id: Uuid,
}

/// The device cookie of a request: an entry per person, the latest sign-in first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Devices(Vec<(Device, Vec<u8>)>);

impl Devices {
    /// Reads the value of the cookie, without entries that are older than [`LIFETIME`] or that we
    /// have not signed.
    pub fn read(keys: &KeyRing, value: &str, now: OffsetDateTime) -> Self {
        let bytes = URL_SAFE_NO_PAD.decode(value).unwrap_or_default();
        let entries = bytes.chunks_exact(ENTRY).take(MOST_PEOPLE);
        Self(entries.filter_map(|entry| Some((parse(keys, entry, now)?, entry.to_vec()))).collect())
    }

    /// The browser as a device of this person.
    pub fn of(&self, person: Uuid) -> Option<Device> {
        self.0.iter().map(|(device, _)| *device).find(|device| device.person == person)
    }

    /// The person who signed in last.
    pub fn person(&self) -> Option<Uuid> {
        self.0.first().map(|(device, _)| device.person)
    }

    /// The value of the cookie after a sign-in of this person.
    #[expect(
        clippy::disallowed_methods,
        reason = "ids of the kit tell when they were made, and this one goes to a browser for a year"
    )]
    pub fn signed_in(&self, keys: &KeyRing, person: Uuid, now: OffsetDateTime) -> String {
        let id = self.of(person).map_or_else(Uuid::new_v4, |device| device.id);
        let mut value = [*person.as_bytes(), *id.as_bytes()].concat();
        value.extend(day(now).to_be_bytes());
        value.extend(keys.sign(PURPOSE, &value));
        let others = self.0.iter().filter(|(device, _)| device.person != person);
        let others = others.take(MOST_PEOPLE - 1).flat_map(|(_, entry)| entry);
        value.extend(others);
        URL_SAFE_NO_PAD.encode(value)
    }
}

fn parse(keys: &KeyRing, entry: &[u8], now: OffsetDateTime) -> Option<Device> {
    let (signed, signature) = entry.split_first_chunk::<SIGNED>()?;
    let (person, rest) = signed.split_first_chunk()?;
    let (id, since) = rest.split_first_chunk()?;
    // Anybody can send any bytes: the day of an entry that we have not signed may be any number.
    let age = i64::from(day(now)) - i64::from(i32::from_be_bytes(since.try_into().ok()?));
    let is_current = age < LIFETIME.whole_days();
    let is_ours = is_current && keys.has_signed(PURPOSE, signed, signature);
    is_ours.then(|| Device { person: Uuid::from_bytes(*person), id: Uuid::from_bytes(*id) })
}

/// The number of the day (UTC).
fn day(at: OffsetDateTime) -> i32 {
    at.to_offset(time::UtcOffset::UTC).to_julian_day()
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-03-01 23:59 UTC);
    const OLD: &str = "a:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";
    const NEW: &str = "b:AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=";

    fn keys(text: &str) -> KeyRing {
        text.parse().unwrap()
    }

    fn person(number: u128) -> Uuid {
        Uuid::from_u128(number)
    }

    #[test]
    fn a_browser_is_known_for_a_year_after_the_last_sign_in() {
        let ring = keys(OLD);
        let value = Devices::default().signed_in(&ring, person(1), NOW);
        let read = |keys: &KeyRing, days| Devices::read(keys, &value, NOW + Duration::days(days));
        let device = read(&ring, 0).of(person(1)).unwrap();
        assert_eq!(read(&ring, 0).of(person(2)), None);
        assert_eq!(read(&ring, 364).of(person(1)), Some(device));
        assert_eq!(read(&ring, 365).of(person(1)), None);
        let rotated = keys(&format!("{NEW},{OLD}"));
        assert_eq!(read(&rotated, 0).of(person(1)), Some(device));
        assert_eq!(read(&keys(NEW), 0), Devices::default());
        // A later sign-in keeps the id.
        let later = NOW + Duration::days(300);
        let again = Devices::read(&ring, &value, later).signed_in(&ring, person(1), later);
        let later = Devices::read(&ring, &again, later + Duration::days(300));
        assert_eq!(later.of(person(1)), Some(device));
    }

    #[test]
    fn the_cookie_has_the_last_people_of_a_browser() {
        let ring = keys(OLD);
        let mut value = String::new();
        let mut ids = Vec::new();
        for number in 1..=5 {
            let before = Devices::read(&ring, &value, NOW);
            value = before.signed_in(&ring, person(number), NOW);
            let devices = Devices::read(&ring, &value, NOW);
            assert_eq!(devices.person(), Some(person(number)));
            ids.push(devices.of(person(number)).unwrap().id);
        }
        let devices = Devices::read(&ring, &value, NOW);
        let known = (1..=5).map(|number| devices.of(person(number)).map(|device| device.id));
        let expected = [None, Some(ids[1]), Some(ids[2]), Some(ids[3]), Some(ids[4])];
        assert!(known.eq(expected));
        assert!(value.len() < 400, "{}", value.len());
    }

    #[test]
    fn no_change_of_a_cookie_makes_another_device() {
        let ring = keys(OLD);
        let value = Devices::default().signed_in(&ring, person(1), NOW);
        let bytes = URL_SAFE_NO_PAD.decode(&value).unwrap();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            for changed in [&changed[..], &bytes[..at]] {
                let changed = URL_SAFE_NO_PAD.encode(changed);
                assert_eq!(Devices::read(&ring, &changed, NOW), Devices::default(), "byte {at}");
            }
        }
        let any_day = |day: i32| {
            let mut changed = bytes.clone();
            changed[IDS..SIGNED].copy_from_slice(&day.to_be_bytes());
            URL_SAFE_NO_PAD.encode(changed)
        };
        for bad in ["", "%", "é", &any_day(i32::MIN), &any_day(i32::MAX)] {
            assert_eq!(Devices::read(&ring, bad, NOW), Devices::default(), "{bad}");
        }
    }
}
