//! The cost of a month of living in a game: a basket of fixed quantities (a Lowe index; ILO, Consumer Price Index Manual, 2020, ch. 2).

use serde::Deserialize;

/// Meals in a month.
pub const MEALS: u64 = 60;
/// Rides in a month.
pub const RIDES: u64 = 40;
/// Days of paid work in a month.
pub const WAGES: u64 = 20;
/// Rents in a month.
pub const RENTS: u64 = 1;

/// Prices in a game, in whole units of its currency, each up to 10^13.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub struct Basket {
    /// Above 0.
    pub meal: u64,
    pub ride: u64,
    /// For a day.
    pub wage: u64,
    /// For a month.
    pub rent: u64,
}

impl Basket {
    /// At most 1.21 × 10^15, which a float holds exactly.
    pub const fn cost(self) -> u64 {
        MEALS * self.meal + RIDES * self.ride + WAGES * self.wage + RENTS * self.rent
    }

    /// Each price with its name and its quantity.
    pub const fn prices(self) -> [(&'static str, u64, u64); 4] {
        [
            ("meal", self.meal, MEALS),
            ("ride", self.ride, RIDES),
            ("wage", self.wage, WAGES),
            ("rent", self.rent, RENTS),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_is_60_meals_40_rides_20_wages_and_a_rent() {
        let basket = Basket { meal: 1_000, ride: 100, wage: 10, rent: 1 };
        assert_eq!(basket.cost(), 60_000 + 4_000 + 200 + 1);
    }
}
