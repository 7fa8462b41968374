-- When a listing was published for the first time: lists show the newest first by it. Taking it down and restoring it does not change
-- it. Null until it is published; and on what a version before this one publishes meanwhile, which counts from `created_at`.
alter table listings.page add column first_published_at timestamptz;
alter table listings.game add column first_published_at timestamptz;
alter table listings.event add column first_published_at timestamptz;

-- The revisions tell since when a listing is public. What was imported is public since its first, and was when its row says that it was
-- listed.
create function listings.first_published(kind text, listing uuid, created_at timestamptz) returns timestamptz
    language sql stable
    return (
        select case when revision = 1 then first_published.created_at else at end
        from listings.revision
        where entity = kind and id = listing and after->>'state' = 'published'
        order by revision limit 1
    );

update listings.page set first_published_at = coalesce(listings.first_published('page', id, created_at), created_at)
    where state in ('published', 'removed');
update listings.game set first_published_at = coalesce(listings.first_published('game', id, created_at), created_at)
    where state in ('published', 'removed');
update listings.event set first_published_at = coalesce(listings.first_published('event', id, created_at), created_at)
    where state in ('published', 'removed');

drop function listings.first_published(text, uuid, timestamptz);
