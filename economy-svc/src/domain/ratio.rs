//! Ratios of whole numbers: rates, and what figures compare.

/// A ratio of whole numbers, each below 2^90.
#[derive(Debug, Clone, Copy)]
pub struct Ratio {
    numerator: i128,
    denominator: i128,
}

impl Ratio {
    /// `numerator / denominator`; `None` when the denominator is 0.
    pub fn new(numerator: i128, denominator: i128) -> Option<Self> {
        (denominator != 0).then_some(Self { numerator, denominator })
    }

    pub fn value(self) -> f64 {
        float(self.numerator) / float(self.denominator)
    }

    /// The change from `before` in percent; negative when `self` is smaller. `None` when `before` is 0.
    pub fn change_pct(self, before: Self) -> Option<f64> {
        if before.numerator == 0 {
            return None;
        }
        // The difference of two nearly equal floats has few significant digits, that of whole numbers has all.
        let now = self.numerator.checked_mul(before.denominator);
        let then = before.numerator.checked_mul(self.denominator);
        let (difference, then) = match now.zip(then) {
            Some((now, then)) => (float(now - then), float(then)),
            // Only two markets of more than 2^63 units each get here.
            None => (self.value() - before.value(), before.value()),
        };
        Some(difference * 100.0 / then)
    }

    /// `None` when this is 0.
    pub fn reciprocal(self) -> Option<Self> {
        Self::new(self.denominator, self.numerator)
    }
}

#[expect(clippy::cast_precision_loss, reason = "it keeps 53 bits, and 15 digits are printed")]
fn float(number: i128) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use contracts::public::Number;

    use super::*;

    fn change(now: (i128, i128), before: (i128, i128)) -> Option<String> {
        let ratio = |(numerator, denominator)| Ratio::new(numerator, denominator).unwrap();
        let change = ratio(now).change_pct(ratio(before));
        change.map(|pct| Number(pct).to_string())
    }

    #[test]
    fn a_change_is_in_percent_of_the_earlier_ratio() {
        assert_eq!(change((3, 2), (1, 1)).as_deref(), Some("50"));
        assert_eq!(change((1, 2), (1, 1)).as_deref(), Some("-50"));
        assert_eq!(change((2, 3), (4, 6)).as_deref(), Some("0"));
        assert_eq!(change((1, 1), (0, 1)), None);
        // Sums of a market whose cross products overflow `i128`.
        let large = 1 << 89;
        assert_eq!(change((large, large - 1), (large / 2, large)).as_deref(), Some("100"));
    }

    #[test]
    fn a_small_change_has_all_its_digits() {
        // The difference of the two ratios as floats would have two significant digits.
        let cost = 1_000_000_000_000_000;
        assert_eq!(change((cost + 3, 7), (cost, 7)).as_deref(), Some("0.0000000000003"));
    }
}
