-- contract: since 0.1.0, and no release has used `decision_state`
drop table web.decision_state;

-- Up to where the feeds of other services were read for the mails about decisions, so that each decision is mailed once.
create table web.feed_position (
    -- The service.
    producer text primary key,
    epoch uuid not null,
    seq bigint not null
);
