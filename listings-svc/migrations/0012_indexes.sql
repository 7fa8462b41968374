-- When a listing became public: whether it ever was is asked for each row of the queue.
create index revision_published on listings.revision (entity, id)
    where after ->> 'state' = 'published' and before ->> 'state' is distinct from 'published';
-- When it was rejected: its owner reads the reason of the last time.
create index revision_rejected on listings.revision (entity, id, revision)
    where after ->> 'state' = 'rejected' and before ->> 'state' is distinct from 'rejected';
-- What an account has listed, in the order in which it is read. Each does what the index before it did.
create index game_own on listings.game (page_id, created_at, id);
create index event_own on listings.event (submitter, created_at, id) where submitter is not null;
drop index listings.game_by_page;
drop index listings.event_by_submitter;
