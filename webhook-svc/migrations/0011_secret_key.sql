-- Which keys of WEBHOOK_SECRET_KEYS each replica has: secrets are encrypted with a key that every running replica has.
create table webhook.secret_key (
    replica uuid not null,
    -- SHA-256 of the key with its id.
    fingerprint bytea not null,
    seen_at timestamptz not null,
    primary key (replica, fingerprint)
);
