-- Whose a game is: the owners of its page register its currency.
alter table economy.game add column page_id uuid;

-- The pages, with the accounts that own them.
create table economy.page (
    id uuid primary key,
    epoch uuid not null,
    owners uuid[] not null
);

-- Counts the changes of what rates and figures show of games: their slugs and titles, and whether they are published.
create table economy.game_version (
    one boolean primary key default true check (one),
    version bigint not null default 0
);
insert into economy.game_version default values;

-- Rows of a read model lack what a new column holds: the follower reads the producer's feed again from its beginning. It acts on
-- nothing of what it had come to, and removes what the feed no longer has once it has come so far again.
update economy.feed_cursor
set seq = 0, last_row = null, rebuilding_to = seq, acts_after = greatest(acts_after, seq), generation = gen_random_uuid()
where producer = 'listings' and seq > 0;
