//! Whether a report counts, or is held for a review by staff (§3).

use time::OffsetDateTime;
use time::macros::format_description;

use super::basket::Basket;

/// Returns the reason to hold a report with the prices `new`, or `None` if it counts.
///
/// A report is held if the cost of its basket differs by more than `percent` from that of the `last` counted report, which came at `at`. The
/// reason names the price that contributed most.
pub fn reason(new: Basket, last: Basket, at: OffsetDateTime, percent: u32) -> Option<String> {
    let (cost, before) = (u128::from(new.cost()), u128::from(last.cost()));
    let percent = u128::from(percent);
    let is_jump = cost * 100 > before * (100 + percent)
        || cost * 100 < before * 100_u128.saturating_sub(percent);
    if !is_jump {
        return None;
    }
    let prices = new.prices().into_iter().zip(last.prices());
    let most = prices.max_by_key(|((_, price, quantity), (_, earlier, _))| {
        price.abs_diff(*earlier).saturating_mul(*quantity)
    });
    let ((name, price, _), (_, earlier, _)) = most?;
    let when = at
        .format(format_description!("[year]-[month]-[day] [hour]:[minute] UTC"))
        .unwrap_or_default();
    Some(format!(
        "The basket costs {cost}, {} than the {before} of the counted report of {when}; {name} contributed most, from {earlier} to {price}. \
         A change of more than {percent} % is held for a review.",
        difference(cost, before),
    ))
}

/// For example `75.3 % more`, truncated to one decimal place.
fn difference(now: u128, before: u128) -> String {
    let word = if now > before { "more" } else { "less" };
    let tenths = now.abs_diff(before) * 1_000 / before.max(1);
    format!("{}.{} % {word}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const LAST: OffsetDateTime = datetime!(2026-03-01 08:00 UTC);

    fn basket(meal: u64, rent: u64) -> Basket {
        Basket { meal, ride: 0, wage: 0, rent }
    }

    fn held(new: Basket, last: Basket) -> Option<String> {
        reason(new, last, LAST, 50)
    }

    #[test]
    fn more_than_half_up_or_down_is_held() {
        let last = basket(10, 400);
        assert_eq!(last.cost(), 1_000);
        assert_eq!(held(basket(10, 900), last), None, "half more exactly");
        assert!(held(basket(10, 901), last).is_some());
        assert_eq!(held(basket(5, 200), last), None, "half exactly");
        assert!(held(basket(5, 199), last).is_some());
    }

    #[test]
    fn the_reason_names_the_price_that_moved_most() {
        let reason = held(basket(25, 300), basket(10, 400)).unwrap();
        assert_eq!(
            reason,
            "The basket costs 1800, 80.0 % more than the 1000 of the counted report of 2026-03-01 08:00 UTC; meal contributed most, \
             from 10 to 25. A change of more than 50 % is held for a review."
        );
    }
}
