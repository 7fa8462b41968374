-- Months in which an account without a monthly limit has made so many calls that staff were told. Each is announced once.
create table gateway.large_month (
    account_id uuid not null,
    -- The first day of the month.
    month date not null,
    primary key (account_id, month)
);
