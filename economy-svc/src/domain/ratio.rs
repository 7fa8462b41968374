//! Exact fractions. Printing rounds once, to 15 significant digits, half to even.
//!
//! Fractions are not reduced: `num_rational` would compute a greatest common divisor for each of the million rates of a thousand currencies.
//! `bigdecimal` would allocate its integers for each of them; here nothing is allocated, and most of them are computed in `u128`.

use std::fmt;
use std::ops::{Div, Mul, Rem};

use contracts::public::Number;
use ethnum::U256;

/// Significant digits of a printed number: a float holds 15 exactly.
const DIGITS: u32 = 15;
/// 10^14, the smallest number with 15 digits.
const MIN_SIGNIFICAND: u64 = 100_000_000_000_000;
/// 10^15, above every number with 15 digits.
const SIGNIFICAND_LIMIT: u64 = 1_000_000_000_000_000;

/// A fraction. Numerators and denominators are products of at most two sums of amounts (each below 2^90) and a hundred: no step of the
/// arithmetic overflows 256 bits.
#[derive(Debug, Clone, Copy)]
pub struct Ratio {
    negative: bool,
    numerator: U256,
    denominator: U256,
}

impl Ratio {
    /// `numerator / denominator`; `None` when the denominator is 0.
    pub fn new(numerator: u128, denominator: u128) -> Option<Self> {
        Self::from_u256(U256::new(numerator), U256::new(denominator))
    }

    fn from_u256(numerator: U256, denominator: U256) -> Option<Self> {
        (denominator != 0).then_some(Self {
            negative: false,
            numerator,
            denominator,
        })
    }

    /// The change from `before` in percent; negative when `self` is smaller. `None` when `before` is 0.
    pub fn change_pct(self, before: Self) -> Option<Self> {
        let now = self.numerator * before.denominator;
        let then = before.numerator * self.denominator;
        let (negative, difference) = if now >= then {
            (false, now - then)
        } else {
            (true, then - now)
        };
        let change = Self::from_u256(difference * U256::new(100), then)?;
        Some(Self { negative, ..change })
    }

    /// `None` when this is 0.
    pub fn reciprocal(self) -> Option<Self> {
        Self::from_u256(self.denominator, self.numerator)
    }

    pub fn number(self) -> Number {
        Number::from_text(self.to_string())
    }
}

impl PartialEq for Ratio {
    fn eq(&self, other: &Self) -> bool {
        self.negative == other.negative
            && self.numerator * other.denominator == other.numerator * self.denominator
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.numerator == 0 {
            return f.write_str("0");
        }
        // Most figures fit `u128`, which is many times faster: n × 10^15 stays below 2^126.
        let narrow = U256::ONE << 76;
        let (significand, exponent) = if self.numerator < narrow && self.denominator < narrow {
            round(self.numerator.as_u128(), self.denominator.as_u128())
        } else {
            round(self.numerator, self.denominator)
        };
        write_decimal(f, self.negative, significand, exponent)
    }
}

/// The arithmetic of [`round`], for `u128` and [`U256`].
trait Integer:
    Copy + Ord + From<u64> + TryInto<u64> + Mul<Output = Self> + Div<Output = Self> + Rem<Output = Self>
{
    fn log10(self) -> u32;
    fn power_of_ten(exponent: u32) -> Self;
}

impl Integer for u128 {
    fn log10(self) -> u32 {
        self.ilog10()
    }

    fn power_of_ten(exponent: u32) -> Self {
        10_u128.pow(exponent)
    }
}

impl Integer for U256 {
    fn log10(self) -> u32 {
        let mut power = 0;
        let mut left = self;
        while left >= 10 {
            left /= 10;
            power += 1;
        }
        power
    }

    fn power_of_ten(exponent: u32) -> Self {
        U256::new(10).pow(exponent)
    }
}

/// Rounds `n / d` (neither is 0) to a significand of 15 digits, and returns the power of ten of its first digit, too.
fn round<T: Integer>(n: T, d: T) -> (u64, i32) {
    // The difference of the logarithms is off by at most one.
    let guess = n.log10().cast_signed() - d.log10().cast_signed();
    let exponent = [guess, guess - 1]
        .into_iter()
        .find(|exponent| {
            let (n, d) = scaled(n, d, *exponent);
            n / d >= T::from(MIN_SIGNIFICAND)
        })
        .unwrap_or(guess);
    let (n, d) = scaled(n, d, exponent);
    let quotient: u64 = (n / d).try_into().unwrap_or(SIGNIFICAND_LIMIT);
    let rest = n % d;
    let twice = rest * T::from(2);
    let up = twice > d || (twice == d && quotient % 2 == 1);
    let rounded = quotient + u64::from(up);
    if rounded >= SIGNIFICAND_LIMIT {
        (rounded / 10, exponent + 1)
    } else {
        (rounded, exponent)
    }
}

/// Scales `n / d` to a quotient of 15 digits, if its first digit has the power of ten `exponent`.
fn scaled<T: Integer>(n: T, d: T, exponent: i32) -> (T, T) {
    let places = DIGITS.cast_signed() - 1 - exponent;
    let power = T::power_of_ten(places.unsigned_abs());
    if places >= 0 {
        (n * power, d)
    } else {
        (n, d * power)
    }
}

/// Writes a JSON number. The first digit of `significand` has the power of ten `exponent`. Uses an exponent where JavaScript does.
pub(super) fn write_decimal(
    f: &mut impl fmt::Write,
    negative: bool,
    significand: u64,
    exponent: i32,
) -> fmt::Result {
    let text = significand.to_string();
    let text = text.trim_end_matches('0');
    if text.is_empty() {
        return f.write_str("0");
    }
    if negative {
        f.write_char('-')?;
    }
    let whole = usize::try_from(exponent + 1).unwrap_or(0);
    match exponent {
        -7..0 => {
            let zeros = usize::try_from(-exponent - 1).unwrap_or(0);
            write!(f, "0.{:0<zeros$}{text}", "")
        }
        0..21 if text.len() <= whole => write!(f, "{text:0<whole$}"),
        0..21 => {
            let (before, after) = text.split_at(whole);
            write!(f, "{before}.{after}")
        }
        _ => {
            let (first, rest) = text.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            write!(f, "{first}{point}{rest}e{exponent}")
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn printed(numerator: u128, denominator: u128) -> String {
        Ratio::new(numerator, denominator).unwrap().to_string()
    }

    #[test]
    fn numbers_are_printed_with_15_digits_half_to_even() {
        for (numerator, denominator, expected) in [
            (0, 7, "0"),
            (5, 1, "5"),
            (1, 3, "0.333333333333333"),
            (2, 3, "0.666666666666667"),
            (200, 3, "66.6666666666667"),
            (1, 8, "0.125"),
            (1, 1_000_000, "0.000001"),
            (1, 100_000_000, "1e-8"),
            (123, 10_000_000_000, "1.23e-8"),
            (1_000_000_000_000_000, 1, "1000000000000000"),
            (999_999_999_999_999_999, 1, "1000000000000000000"),
            (999_999_999_999_999_999, 1_000_000_000_000_000_000, "1"),
            // Ties: to the even digit.
            (1_000_000_000_000_005, 10, "100000000000000"),
            (1_000_000_000_000_015, 10, "100000000000002"),
            (1_210_000_000_000_000, 1, "1210000000000000"),
            (1, 1_210_000_000_000_000, "8.26446280991736e-16"),
            (u128::MAX, 1, "3.40282366920938e38"),
            (1, u128::MAX, "2.93873587705572e-39"),
        ] {
            assert_eq!(printed(numerator, denominator), expected);
        }
    }

    #[test]
    fn a_change_is_in_percent_of_what_was_before() {
        let ratio = |n, d| Ratio::new(n, d).unwrap();
        let change = |now: Ratio, before| now.change_pct(before).map(|pct| pct.to_string());
        assert_eq!(change(ratio(3, 2), ratio(1, 1)).as_deref(), Some("50"));
        assert_eq!(change(ratio(1, 2), ratio(1, 1)).as_deref(), Some("-50"));
        assert_eq!(change(ratio(2, 3), ratio(4, 6)).as_deref(), Some("0"));
        assert_eq!(change(ratio(1, 1), ratio(0, 1)), None);
    }

    impl Ratio {
        /// The product of two.
        pub(in super::super) fn times(self, other: Self) -> Self {
            let numerator = self.numerator * other.numerator;
            Self::from_u256(numerator, self.denominator * other.denominator).unwrap()
        }
    }

    proptest! {
        /// Both widths of arithmetic print alike.
        #[test]
        fn the_widths_agree(n in 1_u128..1 << 76, d in 1_u128..1 << 76) {
            prop_assert_eq!(round(n, d), round(U256::new(n), U256::new(d)));
        }

        /// What is printed lies within half of the last digit of the exact value.
        #[test]
        fn what_is_printed_is_near(n in 1_u64.., d in 1_u64..) {
            let (rounded, exponent) = round(u128::from(n), u128::from(d));
            prop_assert!((MIN_SIGNIFICAND..SIGNIFICAND_LIMIT).contains(&rounded));
            let (n, d) = scaled(U256::from(n), U256::from(d), exponent);
            let printed = U256::from(rounded) * d;
            let off = if printed > n { printed - n } else { n - printed };
            prop_assert!(off * 2 <= d);
        }
    }
}
