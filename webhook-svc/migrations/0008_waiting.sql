-- A success becomes one DELETE from a small table and one INSERT into an append-only log.
--
-- Expand: `delivery` becomes `waiting`. The old version goes on through the view `delivery`: both versions claim endpoints in `queue`, and read
-- and change the same rows, so that a delivery that is due at the upgrade is neither lost nor sent by both. The old version leaves finished
-- deliveries in `waiting`, with their attempts in `attempt`; a job of the new version moves both to `attempt_log` (store/upgrade.rs).
-- While both run, the lists of the old version lack what the new one has finished.
-- Contract, in a later version, once `select not exists (select from webhook.attempt)` holds and no old version runs: drop the view `delivery`,
-- the table `attempt`, the column `waiting.state`, the indexes that depend on it, and the job.

alter table webhook.delivery rename to waiting;
-- `ctid`: the old version removes old deliveries by it.
create view webhook.delivery as select ctid, * from webhook.waiting;

-- A queue is as long as its dead rows: vacuum after a number of them, not after a share of a table whose length changes all the time.
alter table webhook.waiting set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 20000, autovacuum_vacuum_insert_scale_factor = 0);

-- Each attempt of each delivery; the last one has the delivery's final state. Only inserts; a partition per day (UTC) of the deliveries, so
-- that all attempts of a delivery lie in one partition and go with it. store/partitions.rs creates and drops them.
create table webhook.attempt_log (
    endpoint_id uuid not null,
    delivery_id bigint not null,
    -- From 1.
    number integer not null,
    message_id uuid not null,
    -- Of the delivery.
    created_at timestamptz not null,
    -- The delivery's state after this attempt.
    state text not null check (state in ('waiting', 'delivered', 'failed', 'cancelled')),
    at timestamptz not null,
    duration_ms integer not null,
    -- Null: no answer came.
    status integer,
    -- Why it failed, in words; empty when it did not.
    reason text not null,
    -- The first 1 KiB of the answer's body.
    answer bytea not null
) partition by range (created_at);
create index attempt_log_by_delivery on webhook.attempt_log (endpoint_id, delivery_id, number);
create index attempt_log_failed on webhook.attempt_log (endpoint_id, delivery_id) where state = 'failed';

-- Fences a replica that has lost its claim: a claim by another replica raises it, and a result counts only under the token of its claim.
alter table webhook.queue add column token bigint not null default 0;
