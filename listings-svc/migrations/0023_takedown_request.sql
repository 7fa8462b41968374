-- Accounts ask staff to take down listings of their own. Rows are never deleted.
create table listings.takedown_request (
    id uuid primary key,
    entity text not null,
    listing_id uuid not null,
    account_id uuid not null,
    -- For staff.
    reason text not null,
    state text not null,
    made_at timestamptz not null,
    decided_at timestamptz,
    -- What staff said when they declined.
    answer text not null default '',
    constraint takedown_request_entity check (entity in ('page', 'game', 'event')),
    constraint takedown_request_state check (state in ('waiting', 'granted', 'declined')),
    constraint takedown_request_decided check ((state = 'waiting') = (decided_at is null))
);
-- An account asks once for a listing; to ask again while it waits replaces the reason.
create unique index takedown_request_waiting on listings.takedown_request (entity, listing_id, account_id) where state = 'waiting';
create index takedown_request_queue on listings.takedown_request (made_at, id) where state = 'waiting';
create index takedown_request_of_account on listings.takedown_request (account_id, entity, listing_id, id);

-- Whether an account owns a listing. A request of a former owner waits for nobody.
create function listings.is_own(account uuid, entity text, listing uuid) returns boolean
    language sql stable
    return case entity
        when 'event' then exists (select from listings.event where event.id = listing and submitter = account)
        when 'game' then exists (
            select from listings.game join listings.page_owner using (page_id)
            where game.id = listing and account_id = account
        )
        else exists (select from listings.page_owner where page_id = listing and account_id = account)
    end;
