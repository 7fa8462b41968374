-- Messages can be pulled, in the order in which they were committed (store/messages.rs).
--
-- Expand: a version before this one makes messages without a position; a job of the new version numbers them (`messages::number_left`).
alter table webhook.message
    -- From 1, without gaps. Null: a message for one endpoint, such as a test, or one that an older version has made.
    add column position bigint,
    -- The accounts that it is for; null: every account.
    add column recipients uuid[];
create unique index message_by_position on webhook.message (position) where position is not null;
create index message_numbered_by_time on webhook.message (created_at, position) where position is not null;
create index message_unnumbered on webhook.message (created_at) where position is null and listing_id is not null;

-- The last position. Its one row is locked until the messages that get positions are committed: the order of positions is that of commits.
create table webhook.message_head (
    is_only boolean primary key default true check (is_only),
    position bigint not null
);
insert into webhook.message_head (position) values (0);
