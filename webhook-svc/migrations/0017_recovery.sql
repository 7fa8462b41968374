-- Requests to send the failed deliveries of an endpoint again. A job works through them in batches, and removes a request that is done.
create table webhook.recovery (
    endpoint_id uuid primary key,
    -- Deliveries that were created from `since` until the request.
    since timestamptz not null,
    until timestamptz not null,
    -- How many wait again.
    queued bigint not null default 0,
    -- Deliveries with ids up to this one are done.
    done_until bigint not null default 0
);
