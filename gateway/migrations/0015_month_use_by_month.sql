-- Every minute the current month is searched for accounts that have used much of it; the table keeps all months. `used` is in no index, so
-- that its updates stay on their page.
create index month_use_by_month on gateway.month_use (month);
