-- Plans as they were last told on the feed. Settings rule; this table only knows whether there is news to tell.
create table gateway.plan (
    name text primary key,
    -- The state as it stands on the feed: gateway.v1.Plan, encoded.
    state bytea not null,
    revision bigint not null,
    -- No longer in the settings.
    withdrawn boolean not null default false
);

create table gateway.account (
    id uuid primary key,
    name text not null,
    email text not null,
    plan text not null,
    created_at timestamptz not null,
    revision bigint not null
);
create unique index account_email on gateway.account (lower(email));

create table gateway.key (
    id uuid primary key,
    account_id uuid not null references gateway.account (id),
    -- SHA-256 of the secret, which itself is stored nowhere.
    hash bytea not null constraint key_hash unique check (octet_length(hash) = 32),
    name text not null,
    mode text not null check (mode in ('test', 'live')),
    kind text not null check (kind in ('account', 'secret', 'public')),
    may_write boolean not null,
    -- Slug of the game that a secret or public key belongs to.
    game text,
    last4 text not null,
    created_at timestamptz not null,
    -- Written behind, in batches.
    last_used_at timestamptz,
    expires_at timestamptz,
    -- Rotated: it works until then, and `rotated_to` is its successor.
    grace_until timestamptz,
    rotated_to uuid references gateway.key (id),
    revoked_at timestamptz,
    revision bigint not null,
    constraint key_of_game check ((kind = 'account') = (game is null)),
    constraint key_public_reads check (kind <> 'public' or not may_write),
    constraint key_grace check ((grace_until is null) = (rotated_to is null))
);
create index key_by_account on gateway.key (account_id, id);
create index key_by_game on gateway.key (game) where game is not null;
