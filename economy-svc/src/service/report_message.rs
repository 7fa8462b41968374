//! The message of a report, for staff and the owners of its game.

use contracts::economy::v1 as proto;
use kit::api::timestamp;

use crate::store::reports::Row;

pub(super) fn report_message(row: &Row) -> proto::Report {
    let report = &row.report;
    proto::Report {
        id: row.id,
        game: row.slug.clone(),
        currency: row.currency.clone(),
        at: Some(timestamp::encode(row.at)),
        supply: report.supply,
        minted: report.minted,
        burned: report.burned,
        meal: report.basket.meal,
        ride: report.basket.ride,
        wage: report.basket.wage,
        rent: report.basket.rent,
        cost: report.basket.cost(),
        output: report.output,
        active_players: report.active_players,
        policy_rate: report.policy_rate,
        naira_per_unit: report.naira_per_unit,
    }
}
