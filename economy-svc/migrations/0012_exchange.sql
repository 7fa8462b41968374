-- The exchanges that record swaps. A name is never used again, since swaps and entries name it.
create table economy.exchange (
    name text primary key,
    -- Of the token, which nobody stores.
    token_sha256 bytea not null unique,
    created_at timestamptz not null,
    created_by text not null,
    revoked_at timestamptz
);

-- Ids of swaps are unique per exchange. A swap of an exchange has a row id of ours, and the exchange's id as `reference`; a swap that staff
-- imported has no exchange, and its row id is the id in the file.
alter table economy.swap
    add column exchange text not null default '',
    add column reference text,
    add constraint swap_reference check ((exchange = '') = (reference is null));
create unique index swap_of_exchange on economy.swap (exchange, reference) where reference is not null;

-- The accounts of an exchange and of its parties are its own.
alter table economy.entry add column exchange text not null default '';
create index entry_of_exchange on economy.entry (game_id, exchange, account_kind, holder) include (amount);
drop index economy.entry_of_account;
