-- Accounts whose last member was deleted: nobody gets one again.
create table web.closed_account (
    account_id uuid primary key,
    closed_at timestamptz not null
);
-- People whose account tokens are to be revoked at the gateway, since they have lost the role that may have tokens.
create table web.token_revocation (
    id uuid primary key,
    account_id uuid not null,
    -- Who made the tokens. The person may be deleted.
    person_id uuid not null,
    -- Who took the role, and from where, for the audit of the gateway.
    actor_id uuid not null,
    address text not null
);
-- What concerns a person only is listed on a page of the person's own.
create index activity_by_person on web.activity (person_id, id) where account_id is null;
