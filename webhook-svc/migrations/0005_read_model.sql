-- Whom a tip is for: the owners of the page that its game stands under. And where mails to an account go.
alter table webhook.listing
    -- Of a game; null otherwise.
    add column page_id uuid,
    -- Of a page: the accounts that own it.
    add column owners uuid[] not null default '{}';
alter table webhook.account add column email text not null default '';

-- Rows of a read model lack what a new column holds: the follower reads the producer's feed again from its beginning. It acts on
-- nothing of what it had come to, and removes what the feed no longer has once it has come so far again.
update webhook.feed_cursor
set seq = 0, last_row = null, rebuilding_to = seq, acts_after = greatest(acts_after, seq), generation = gen_random_uuid()
where producer in ('listings', 'gateway') and seq > 0;
