-- Tokens for the account API. They are no keys: a version before this one knows none, and refuses calls with them.
create table gateway.account_token (
    id uuid primary key,
    account_id uuid not null references gateway.account (id),
    -- SHA-256 of the secret, which itself is stored nowhere.
    hash bytea not null constraint account_token_hash unique check (octet_length(hash) = 32),
    name text not null,
    scopes text[] not null,
    last4 text not null,
    created_at timestamptz not null,
    -- Written behind, in batches.
    last_used_at timestamptz,
    expires_at timestamptz,
    revoked_at timestamptz,
    revision bigint not null
);
create index account_token_by_account on gateway.account_token (account_id, id);
