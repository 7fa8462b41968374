//! Draws: the pairs that the service chooses for voters (§2.5).
//!
//! They are signed, so that a voter votes only on a pair that was drawn. The pair follows from its
//! [`Drawer`], so that neither a second request nor a new cookie draws another pair: only votes do.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use time::{Date, Duration, OffsetDateTime};
use uuid::Uuid;

use super::drawer::Drawer;
use super::rankings::BoardKind;
use super::vote::Pair;
use super::voter::Voter;

/// How long a draw is valid for a vote.
const VALID: Duration = Duration::minutes(10);
/// Separates the key of draws from other uses of the fleet token.
const CONTEXT: &[u8] = b"mchezo: draws of pairs to vote on";
const SIGNATURE: usize = 32;

/// A pair that was drawn for a voter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draw {
    pub kind: BoardKind,
    pub pair: Pair,
    /// The time of the draw, to the second.
    pub drawn_at: OffsetDateTime,
    pub drawer: Drawer,
}

/// Signs draws. All replicas of a fleet have the same keys.
#[derive(Clone)]
pub struct SigningKey {
    signing: Hmac<Sha256>,
    /// Keys of other fleet tokens, whose draws are accepted while a token is replaced.
    accepted: Vec<Hmac<Sha256>>,
}

impl std::fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SigningKey")
    }
}

impl SigningKey {
    /// The key of the fleet with this token.
    pub fn new(fleet_token: &str) -> Self {
        Self { signing: derive(fleet_token), accepted: Vec::new() }
    }

    /// The same key, which accepts the draws of these keys too.
    #[must_use]
    pub fn accepting<'a>(mut self, fleet_tokens: impl IntoIterator<Item = &'a str>) -> Self {
        self.accepted.extend(fleet_tokens.into_iter().map(derive));
        self
    }

    /// The seed of the random choice of a pair, which nobody without the key can predict.
    pub fn seed(&self, drawer: &Drawer, kind: BoardKind, day: Date) -> [u8; 32] {
        let mac = (self.signing.clone())
            .chain_update(b"seed")
            .chain_update(day.to_julian_day().to_be_bytes())
            .chain_update([u8::from(kind == BoardKind::Creators)])
            .chain_update(drawer.to_string());
        mac.finalize().into_bytes().into()
    }

    /// Encodes and signs a draw for a voter.
    pub fn sign(&self, draw: &Draw, voter: &Voter) -> String {
        let mut bytes = vec![u8::from(draw.kind == BoardKind::Creators)];
        bytes.extend(draw.pair.low.as_bytes());
        bytes.extend(draw.pair.high.as_bytes());
        bytes.extend(draw.drawn_at.unix_timestamp().to_be_bytes());
        bytes.extend(draw.drawer.to_string().as_bytes());
        let signature = signature(&self.signing, &bytes, voter).finalize();
        bytes.extend(signature.into_bytes());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Decodes and verifies the draw of a vote that `voter` casts at `now`.
    ///
    /// # Errors
    /// The reason for the caller: it is not a draw for this voter, or it is too old.
    pub fn verify(&self, signed: &str, voter: &Voter, now: OffsetDateTime) -> Result<Draw, String> {
        let draw = self.read(signed, voter).ok_or_else(|| {
            "Draw a pair for this voter, from the same address, and send its `draw`, as the answer has it."
                .to_owned()
        })?;
        if now - draw.drawn_at > VALID {
            return Err("The pair was drawn more than ten minutes ago. Draw another.".to_owned());
        }
        Ok(draw)
    }

    fn read(&self, signed: &str, voter: &Voter) -> Option<Draw> {
        let bytes = URL_SAFE_NO_PAD.decode(signed).ok()?;
        let (fields, signed_by) = bytes.split_at_checked(bytes.len().checked_sub(SIGNATURE)?)?;
        let mut keys = std::iter::once(&self.signing).chain(&self.accepted);
        if !keys.any(|key| signature(key, fields, voter).verify_slice(signed_by).is_ok()) {
            return None;
        }
        let (kind, rest) = fields.split_first()?;
        let (low, rest) = rest.split_first_chunk::<16>()?;
        let (high, rest) = rest.split_first_chunk::<16>()?;
        let (seconds, drawer) = rest.split_first_chunk::<8>()?;
        let drawer = Drawer::parse(str::from_utf8(drawer).ok()?)?;
        drawer.includes(voter).then_some(Draw {
            kind: BoardKind::ALL.get(usize::from(*kind)).copied()?,
            pair: Pair::new(Uuid::from_bytes(*low), Uuid::from_bytes(*high)),
            drawn_at: OffsetDateTime::from_unix_timestamp(i64::from_be_bytes(*seconds)).ok()?,
            drawer,
        })
    }
}

/// The signature of a draw for a voter.
fn signature(key: &Hmac<Sha256>, fields: &[u8], voter: &Voter) -> Hmac<Sha256> {
    key.clone().chain_update(fields).chain_update(voter.id)
}

/// The key of the fleet with this token.
fn derive(fleet_token: &str) -> Hmac<Sha256> {
    let key = mac(fleet_token.as_bytes()).chain_update(CONTEXT);
    mac(&key.finalize().into_bytes())
}

fn mac(key: &[u8]) -> Hmac<Sha256> {
    let Ok(mac) = Hmac::new_from_slice(key) else {
        unreachable!("HMAC takes a key of any length");
    };
    mac
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-03-01 12:30 UTC);
    const VOTER: Uuid = Uuid::from_u128(9);

    fn voter(id: Uuid, address: &str) -> Voter {
        Voter::cookie(id, address.parse().unwrap())
    }

    /// A draw of games for the bucket of the voter, or one of creators for the voter.
    fn draw(kind: BoardKind) -> Draw {
        let drawer = match kind {
            BoardKind::Games => Drawer::bucket_of(&voter(VOTER, "192.0.2.1"), 31),
            BoardKind::Creators => Drawer::Voter { id: VOTER, judged: 2 },
        };
        let pair = Pair::new(Uuid::from_u128(2), Uuid::from_u128(1));
        Draw { kind, pair, drawn_at: NOW, drawer }
    }

    #[test]
    fn every_replica_accepts_a_draw_for_ten_minutes() {
        let voter = voter(VOTER, "192.0.2.1");
        for kind in BoardKind::ALL {
            let signed = SigningKey::new("a token").sign(&draw(kind), &voter);
            for ago in [Duration::ZERO, VALID, Duration::seconds(-2)] {
                let read = SigningKey::new("a token").verify(&signed, &voter, NOW + ago);
                assert_eq!(read, Ok(draw(kind)));
            }
        }
        let key = SigningKey::new("a token");
        let signed = key.sign(&draw(BoardKind::Games), &voter);
        assert!(key.verify(&signed, &voter, NOW + VALID + Duration::SECOND).is_err());
    }

    #[test]
    fn a_draw_is_for_its_voter_and_that_of_a_bucket_for_its_network() {
        let key = SigningKey::new("a token");
        for (kind, is_of_network) in [(BoardKind::Games, true), (BoardKind::Creators, false)] {
            let signed = key.sign(&draw(kind), &voter(VOTER, "192.0.2.1"));
            let is_accepted = |voter| key.verify(&signed, &voter, NOW).is_ok();
            assert!(!is_accepted(voter(Uuid::from_u128(8), "192.0.2.1")));
            assert_ne!(is_accepted(voter(VOTER, "192.0.2.2")), is_of_network);
        }
    }

    #[test]
    fn a_draw_is_valid_while_the_token_of_the_fleet_is_replaced() {
        let (old, new) = ("an old token", "a new token");
        let steps = [
            SigningKey::new(old),
            SigningKey::new(old).accepting([new]),
            SigningKey::new(new).accepting([old]),
            SigningKey::new(new),
        ];
        let accepts = |key: &SigningKey, by: &SigningKey| {
            let voter = voter(VOTER, "192.0.2.1");
            let signed = by.sign(&draw(BoardKind::Games), &voter);
            key.verify(&signed, &voter, NOW).is_ok()
        };
        // In a rolling restart some replicas still have the tokens of the step before.
        for (before, after) in steps.iter().zip(&steps[1..]) {
            assert!(accepts(before, after) && accepts(after, before));
        }
        assert!(!accepts(&steps[3], &steps[0]));
    }

    #[test]
    fn a_seed_depends_on_each_of_its_parts_and_on_the_key() {
        let key = SigningKey::new("a token");
        let (games, creators, day) = (BoardKind::Games, BoardKind::Creators, NOW.date());
        let own = |id, judged| Drawer::Voter { id, judged };
        let bucket =
            |id, address, votes| Drawer::bucket_of(&voter(Uuid::from_u128(id), address), votes);
        let first = (own(VOTER, 0), games, day);
        let all = [
            first,
            (own(VOTER, 1), games, day),
            (own(Uuid::nil(), 0), games, day),
            (bucket(1, "192.0.2.1", 0), games, day),
            (bucket(1, "192.0.2.1", 10), games, day),
            (bucket(2, "192.0.2.1", 0), games, day),
            (bucket(1, "192.0.2.2", 0), games, day),
            (own(VOTER, 0), creators, day),
            (own(VOTER, 0), games, day + Duration::DAY),
        ];
        let seed = |key: &SigningKey, (drawer, kind, day)| key.seed(&drawer, kind, day);
        let seeds: std::collections::BTreeSet<_> = all.map(|of| seed(&key, of)).into();
        assert_eq!(seeds.len(), all.len());
        assert_eq!(seed(&key, first), seed(&SigningKey::new("a token"), first));
        assert_ne!(seed(&key, first), seed(&SigningKey::new("another token"), first));
    }

    #[test]
    fn a_forged_draw_is_refused() {
        let (key, voter) = (SigningKey::new("a token"), voter(VOTER, "192.0.2.1"));
        let signed = key.sign(&draw(BoardKind::Games), &voter);
        let other_fleet = SigningKey::new("another token").sign(&draw(BoardKind::Games), &voter);
        for forged in ["", "%", "AAAA", &other_fleet, &signed[..signed.len() - 1]] {
            assert!(key.verify(forged, &voter, NOW).is_err(), "{forged}");
        }
        let bytes = URL_SAFE_NO_PAD.decode(&signed).unwrap();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            let changed = URL_SAFE_NO_PAD.encode(changed);
            assert!(key.verify(&changed, &voter, NOW).is_err(), "{at}");
        }
    }
}
