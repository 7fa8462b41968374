//! Numbers of the economy, rounded and in full.

use crate::texts::Texts;

/// Significant digits of a short number. Whole numbers keep all of theirs.
const DIGITS: i32 = 4;

/// A decimal of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Amount {
    /// As the API writes it.
    pub raw: String,
    pub full: String,
    /// With four significant digits.
    pub short: String,
}

impl Amount {
    pub fn new(texts: &Texts, number: &str) -> Self {
        Self {
            raw: number.to_owned(),
            full: texts.decimal(number),
            short: texts.decimal(&rounded(number)),
        }
    }
}

/// The number with fewer decimals. One in another notation stays as it is.
fn rounded(number: &str) -> String {
    let value = number.parse::<f64>().ok();
    let Some(value) = value.filter(|value| value.is_finite() && !number.contains(['e', 'E']))
    else {
        return number.to_owned();
    };
    // The exponent after rounding: 9.9996 is 10.00.
    let scientific = format!("{value:.3e}");
    let exponent: i32 =
        scientific.rsplit('e').next().and_then(|it| it.parse().ok()).unwrap_or_default();
    let decimals = usize::try_from(DIGITS - 1 - exponent).unwrap_or_default();
    let shorter = format!("{value:.decimals$}");
    if !shorter.contains('.') {
        return shorter;
    }
    shorter.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    #[test]
    fn amounts_have_four_significant_digits_and_a_minus_sign() {
        let (en, fr) = (Texts::of(Language::English), Texts::of(Language::French));
        for (number, english, french) in [
            ("63.5294117647059", "63.53", "63,53"),
            ("-9.09090909090909", "−9.091", "−9,091"),
            ("1234.5", "1,234", "1\u{202f}234"),
            ("1234567", "1,234,567", "1\u{202f}234\u{202f}567"),
            ("0.000123456", "0.0001235", "0,0001235"),
            ("9.99961", "10", "10"),
            ("2.5", "2.5", "2,5"),
            ("0", "0", "0"),
            ("1.5e-8", "1.5e-8", "1,5e-8"),
        ] {
            assert_eq!(Amount::new(en, number).short, english);
            assert_eq!(Amount::new(fr, number).short, french);
        }
        let amount = Amount::new(en, "-1234.56");
        assert_eq!(amount.full, "−1,234.56");
        assert_eq!(amount.raw, "-1234.56");
    }
}
