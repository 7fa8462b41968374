-- The key requests of one account, for its owner; `key_request_open` has only those that are open.
create index key_request_by_account on gateway.key_request (account_id, id);

-- Calls per account, UTC day, mode, method and route, as the gateways counted them. Written behind; there is no reference to the account:
-- whatever was counted must be writable.
create table gateway.day_use (
    account_id uuid not null,
    day date not null,
    mode text not null check (mode in ('test', 'live')),
    -- The pattern of the path, as in logs and metrics.
    route text not null,
    method text not null,
    calls bigint not null check (calls >= 0),
    -- Of these: answered with a 4xx other than 429, or not at all; with 429; with a 5xx.
    client_errors bigint not null check (client_errors >= 0),
    rate_limited bigint not null check (rate_limited >= 0),
    server_errors bigint not null check (server_errors >= 0),
    primary key (account_id, day, mode, route, method)
) with (fillfactor = 70);
-- Old days are deleted.
create index day_use_by_day on gateway.day_use (day);
