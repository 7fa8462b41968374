-- Set when a follower has been silent for long: unless it is seen before, it is forgotten then.
alter table catalogue.feed_follower add column expires_at timestamptz;

-- Epochs before the one of now, and where each began: what was written up to the fork is history of both.
create table catalogue.feed_epoch (
    epoch uuid primary key,
    parent uuid not null,
    forked_at_seq bigint not null,
    began_at timestamptz not null default now()
);
