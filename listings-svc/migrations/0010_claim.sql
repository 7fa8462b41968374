-- Claims: an account says that a page is its own, and why; staff decide.
create table listings.claim (
    id uuid primary key,
    page_id uuid not null references listings.page (id),
    account_id uuid not null,
    evidence text not null,
    state text not null,
    made_at timestamptz not null,
    decided_at timestamptz,
    -- Why it was rejected; empty when nobody said.
    reason text not null default '',
    constraint claim_state check (state in ('waiting', 'granted', 'rejected')),
    constraint claim_decided check ((state = 'waiting') = (decided_at is null))
);
-- One at a time.
create unique index claim_waiting on listings.claim (page_id, account_id) where state = 'waiting';
create index claim_queue on listings.claim (made_at, id) where state = 'waiting';
create index claim_by_account on listings.claim (account_id, id);
