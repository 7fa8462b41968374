-- The owner of an endpoint gets one mail a day about failed deliveries.
alter table webhook.endpoint
    -- When the last such mail was queued, and the deliveries that have failed since then.
    add column failure_mailed_at timestamptz,
    add column failures_since_mail integer not null default 0;
