-- Swaps between the currencies of two games. The ids are the exchange's: a swap takes effect once.
create table economy.swap (
    id text primary key,
    at timestamptz not null,
    party text not null,
    from_game uuid not null references economy.currency (game_id),
    to_game uuid not null references economy.currency (game_id),
    -- Units of the one that were given in, and of the other that were given out.
    gave bigint not null,
    got bigint not null,
    recorded_at timestamptz not null,
    constraint swap_amounts check (gave > 0 and got > 0),
    constraint swap_pair check (from_game <> to_game)
);
create index swap_by_age on economy.swap (at) include (from_game, to_game, gave, got, party);

-- Tips of players to games.
create table economy.tip (
    id uuid primary key,
    game_id uuid not null references economy.currency (game_id),
    player text not null,
    amount bigint not null,
    note text not null,
    at timestamptz not null,
    constraint tip_amount check (amount > 0)
);
create index tip_of_game on economy.tip (game_id, at);

-- The ledger: what every transfer does to each account that it touches. The sum over a transfer and a currency is 0. Rows are only ever
-- added, so that no account is a row that all transfers wait for.
create table economy.entry (
    id bigint generated always as identity primary key,
    -- `tip` or `swap`, and its id.
    transfer_kind text not null,
    transfer_id text not null,
    game_id uuid not null references economy.currency (game_id),
    -- `player`, `maker`, `party` or `exchange`, and which one; '' for the maker and the exchange.
    account_kind text not null,
    holder text not null,
    amount bigint not null,
    at timestamptz not null
);
create index entry_of_account on economy.entry (game_id, account_kind, holder) include (amount);

-- Answers to calls with an Idempotency-Key, for a day.
create table economy.idempotency (
    account_id uuid not null,
    route text not null,
    key text not null,
    -- Of the body: another one under the same key is a mistake of the caller's.
    body_sha256 bytea not null,
    answer jsonb not null,
    at timestamptz not null,
    primary key (account_id, route, key)
);
create index idempotency_by_age on economy.idempotency (at);

-- What staff did, in the transaction in which they did it, and what a role did not let them do.
create table economy.audit (
    id uuid primary key,
    at timestamptz not null,
    member text not null,
    role text not null,
    action text not null,
    entity text not null,
    name text not null,
    -- Whether it was not done, for want of a role.
    refused boolean not null,
    details jsonb not null
);
create index audit_by_age on economy.audit (at, id);
create index audit_by_member on economy.audit (member, at, id);
create index audit_by_name on economy.audit (entity, name, at, id);
