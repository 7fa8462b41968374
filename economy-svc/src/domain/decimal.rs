//! Decimal numbers in reports (§2.6): the interest rate and the selling price. They reach from 10^-30 to 10^31, and `rust_decimal` only from
//! 10^-28 to 10^28.

use std::fmt;

use contracts::public::Number;

use super::ratio::write_decimal;

/// Significant digits; more are rounded half to even.
const DIGITS: usize = 15;
/// Powers of ten of the first digit.
const EXPONENTS: std::ops::RangeInclusive<i32> = -30..=30;

/// A decimal number of up to 15 significant digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decimal {
    negative: bool,
    /// 15 digits, or 0.
    significand: u64,
    /// Power of ten of the first digit.
    exponent: i32,
}

impl Decimal {
    /// Parses a JSON number; `None` for anything else, and for a number other than 0 whose first digit lies outside 10^-30 to 10^30.
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, power) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all: String = [whole, fraction].concat();
        if whole.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let significant = all.trim_start_matches('0');
        if significant.is_empty() {
            return Some(Self::ZERO);
        }
        let leading = i32::try_from(all.len() - significant.len()).ok()?;
        let power: i32 = power.parse().ok()?;
        let exponent = i32::try_from(whole.len())
            .ok()?
            .checked_sub(1 + leading)?
            .checked_add(power)?;
        let (significand, carried) = round(significant)?;
        let exponent = exponent + i32::from(carried);
        EXPONENTS.contains(&exponent).then_some(Self {
            negative,
            significand,
            exponent,
        })
    }

    const ZERO: Self = Self {
        negative: false,
        significand: 0,
        exponent: 0,
    };

    pub fn is_positive(self) -> bool {
        !self.negative && self.significand > 0
    }

    /// Whether it lies in `least..=most`.
    pub fn is_within(self, least: i32, most: i32) -> bool {
        if self.exponent > 10 {
            return false;
        }
        // A number below 10^-10 compares with every whole bound other than 0 as 10^-10 does.
        let places = 14 - self.exponent.max(-10);
        let unit = 10_i128.pow(places.unsigned_abs());
        let value = i128::from(self.significand) * if self.negative { -1 } else { 1 };
        (i128::from(least) * unit..=i128::from(most) * unit).contains(&value)
    }

    pub fn number(self) -> Number {
        Number::from_text(self.to_string())
    }
}

/// The first 15 digits, rounded half to even, and whether the rounding carried into another digit.
fn round(significant: &str) -> Option<(u64, bool)> {
    let (leading, rest) = significant.split_at(significant.len().min(DIGITS));
    let significand: u64 = format!("{leading:0<DIGITS$}").parse().ok()?;
    let up = match rest.as_bytes().split_first() {
        None => false,
        Some((first, after)) => {
            let is_more = after.iter().any(|digit| *digit != b'0');
            *first > b'5' || (*first == b'5' && (is_more || significand % 2 == 1))
        }
    };
    let rounded = significand + u64::from(up);
    if rounded == 10_u64.pow(15) {
        Some((rounded / 10, true))
    } else {
        Some((rounded, false))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_decimal(f, self.negative, self.significand, self.exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_and_printed() {
        for (text, expected) in [
            ("0", "0"),
            ("-0.00", "0"),
            ("12.50", "12.5"),
            ("-3", "-3"),
            ("1e3", "1000"),
            ("0.00125", "0.00125"),
            ("1.5E-9", "1.5e-9"),
            ("0.1234567890123455", "0.123456789012346"),
            ("0.1234567890123445", "0.123456789012344"),
            ("9.999999999999999", "10"),
            ("1e30", "1e30"),
        ] {
            let read = Decimal::parse(text).map(|decimal| decimal.to_string());
            assert_eq!(read.as_deref(), Some(expected), "{text}");
        }
        for bad in [
            "",
            "-",
            "x",
            "1e31",
            "1e-31",
            "1e999999999999",
            "1.x",
            "null",
            "\"1\"",
            "[1]",
        ] {
            assert_eq!(Decimal::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn bounds_are_inclusive() {
        let within = |text: &str| Decimal::parse(text).unwrap().is_within(-100, 10_000);
        assert!(within("-100") && within("10000") && within("0"));
        assert!(!within("-100.000000000001") && !within("10000.00000001"));
    }

    #[test]
    fn what_is_printed_is_read_back() {
        for text in ["12.5", "-0.000001", "1e-30", "123456789012345"] {
            let read = Decimal::parse(text).unwrap();
            assert_eq!(Decimal::parse(&read.to_string()), Some(read));
        }
    }
}
