//! What a month of living costs in a game: a basket of fixed quantities (a Lowe index; ILO, Consumer Price Index Manual, 2020, ch. 2).

/// The price that counts most is that of food.
pub const MEALS: u64 = 60;
/// Rides of a month.
pub const RIDES: u64 = 40;
/// Days of somebody else's work.
pub const WAGES: u64 = 20;
/// A month's rent.
pub const RENTS: u64 = 1;

/// Prices in a game, in whole units of its currency, each up to 10^13.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Basket {
    /// A meal; above 0.
    pub meal: u64,
    /// A ride.
    pub ride: u64,
    /// A day's wage.
    pub wage: u64,
    /// A month's rent.
    pub rent: u64,
}

impl Basket {
    /// What it costs: at most 1.21 × 10^15, which a reader's float holds exactly.
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
        let basket = Basket {
            meal: 1_000,
            ride: 100,
            wage: 10,
            rent: 1,
        };
        assert_eq!(basket.cost(), 60_000 + 4_000 + 200 + 1);
    }
}
