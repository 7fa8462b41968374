-- The supply that the report before leads to: its supply, plus minted, minus burned. Null for a game's first report.
alter table economy.report
    add column supply_expected bigint,
    -- Whether the reported supply differs from it by more than 1 %: staff see such reports.
    add column supply_differs boolean not null default false;

update economy.report set supply_expected = expected, supply_differs = abs(supply - expected) * 100 > abs(expected)
from (
    select id, lag(supply) over (partition by game_id order by at, id) + minted - burned as expected from economy.report
) as followed
where followed.id = report.id and expected is not null;

create index report_supply_differs on economy.report (at desc, id desc) where supply_differs;
