-- Live keys that were asked for (§5.2). The key of one that was revealed has its id; until then there is none, and nothing to call
-- with.
create table gateway.key_request (
    id uuid primary key,
    account_id uuid not null references gateway.account (id),
    name text not null,
    kind text not null check (kind in ('account', 'secret', 'public')),
    may_write boolean not null,
    -- Slug of the game that a secret or public key is to belong to.
    game text,
    expires_at timestamptz,
    state text not null check (state in ('asked', 'approved', 'rejected', 'revealed')),
    asked_at timestamptz not null,
    -- When staff last approved or rejected it.
    decided_at timestamptz,
    -- Why it was rejected.
    reason text,
    revision bigint not null,
    constraint key_request_of_game check ((kind = 'account') = (game is null)),
    constraint key_request_public_reads check (kind <> 'public' or not may_write),
    constraint key_request_decided check ((state = 'asked') = (decided_at is null)),
    constraint key_request_reason check ((state = 'rejected') = (reason is not null))
);
create index key_request_by_state on gateway.key_request (state, id);
create index key_request_open on gateway.key_request (account_id) where state in ('asked', 'approved');
