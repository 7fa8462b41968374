-- Rows of a read model lack what a new column holds: the follower reads the producer's feed again from its beginning. It acts on
-- nothing of what it had come to, and removes what the feed no longer has once it has come so far again.
update kit.feed_cursor
set seq = 0, last_row = null, rebuilding_to = seq, acts_after = greatest(acts_after, seq), generation = gen_random_uuid()
where producer = 'listings' and seq > 0;
