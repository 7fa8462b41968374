-- Calls of live keys by account and UTC month. Redis counts; this is its copy, written behind. There is no reference to the account:
-- whatever was counted must be writable.
create table gateway.month_use (
    account_id uuid not null,
    -- The first day of the month.
    month date not null,
    used bigint not null check (used >= 0),
    primary key (account_id, month)
) with (fillfactor = 70);

-- Calls that were let through while Redis was away, until it has been told of them. By its id each row is added once.
create table gateway.month_owed (
    id uuid primary key,
    account_id uuid not null,
    month date not null,
    -- Fewer than none when calls were given back that Redis had counted before.
    calls bigint not null
);
