-- Notes of visitors about listings: corrections for the owners, or for staff where there is none, and reports for staff.
create table listings.listing_note (
    id uuid primary key,
    -- The form that the note was sent with: sent again, it is the same note.
    form text not null constraint listing_note_form unique,
    entity text not null,
    listing_id uuid not null,
    kind text not null,
    -- Of a report; empty otherwise.
    reason text not null,
    text text not null,
    -- Of the sender, for questions; often empty.
    email text not null,
    -- An IPv4 address, or the first address of a /64; empty after 90 days, as is the address of the sender.
    network text not null,
    made_at timestamptz not null,
    -- The UTC day of `made_at`.
    made_on date not null,
    state text not null default 'open',
    closed_at timestamptz,
    -- An account or a member of the staff.
    closed_by_kind text,
    closed_by text,
    answer text not null default '',
    constraint listing_note_entity check (entity in ('page', 'game', 'event')),
    constraint listing_note_kind check (kind in ('correction', 'report')),
    constraint listing_note_reason check ((kind = 'report') = (reason <> '')),
    constraint listing_note_text check (char_length(text) between 1 and 2000),
    constraint listing_note_state check (state in ('open', 'done', 'dismissed')),
    constraint listing_note_closed check (
        (state = 'open') = (closed_at is null) and (closed_at is null) = (closed_by_kind is null)
        and (closed_at is null) = (closed_by is null)
    ),
    constraint listing_note_closed_by check (closed_by_kind in ('account', 'staff'))
);
-- A network sends one note of a kind about a listing per day. The limit per hour counts by this index too.
create unique index listing_note_of_network on listings.listing_note (network, made_on, entity, listing_id, kind)
    where network <> '';
create index listing_note_of_listing on listings.listing_note (entity, listing_id, made_at, id) where state = 'open';
create index listing_note_queue on listings.listing_note (made_at, id) where state = 'open';
-- For the job that forgets senders and deletes closed notes.
create index listing_note_with_sender on listings.listing_note (made_at) where network <> '' or email <> '';
create index listing_note_by_end on listings.listing_note (closed_at) where state <> 'open';

-- The accounts that own a listing.
create function listings.owners(entity text, listing uuid) returns uuid[]
    language sql stable
    return case entity
        when 'event' then array(select submitter from listings.event where event.id = listing and submitter is not null)
        when 'game' then array(
            select account_id from listings.game join listings.page_owner using (page_id)
            where game.id = listing order by account_id
        )
        else array(select account_id from listings.page_owner where page_id = listing order by account_id)
    end;
