-- The currencies of games. A command on the reports of a game locks its row here.
create table economy.currency (
    game_id uuid primary key,
    -- Counts its names.
    revision bigint not null
);

-- The names of a currency: each counts from `since` until the next one does.
create table economy.currency_name (
    game_id uuid not null references economy.currency (game_id),
    since timestamptz not null,
    name text not null,
    -- A member of the staff, or `account` and an id.
    given_by text not null,
    primary key (game_id, since),
    constraint currency_name_length check (char_length(name) between 1 and 60)
);

-- Reports, for ever.
create table economy.report (
    id bigint generated always as identity primary key,
    game_id uuid not null references economy.currency (game_id),
    at timestamptz not null,
    -- As it came, to the byte.
    body text not null,
    supply bigint not null,
    minted bigint not null,
    burned bigint not null,
    meal bigint not null,
    ride bigint not null,
    wage bigint not null,
    rent bigint not null,
    -- 60 meals, 40 rides, 20 days' wages and a rent.
    cost bigint not null,
    output bigint not null,
    active_players bigint not null,
    policy_rate numeric,
    naira_per_unit numeric,
    -- Whether it moves rates and figures, from `at` on.
    counted boolean not null,
    -- Why it did not count when it came; with the counted report that it was compared with.
    held text,
    compared_with bigint references economy.report (id),
    -- What staff said of a report that was held.
    rejected boolean not null default false,
    decided_by text,
    decided_at timestamptz,
    reason text,
    constraint report_meal check (meal > 0),
    constraint report_held check (counted or held is not null),
    constraint report_rejected check (not (counted and rejected)),
    constraint report_decided check ((decided_at is null) = (decided_by is null))
);
create index report_of_game on economy.report (game_id, at desc, id desc);
create index report_counted on economy.report (game_id, at desc, id desc) where counted;
create index report_counted_by_age on economy.report (at) where counted;
create index report_waiting on economy.report (at, id) where not counted and not rejected;
