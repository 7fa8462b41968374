-- What an account may do by program is limited, and the order of positions is known not to be that of time for some messages.

alter table webhook.account
    -- How many addresses of the account were checked in the hour that began then: each check is a request to a host that the account names.
    add column address_checks integer not null default 0,
    add column address_checks_since timestamptz;

-- Expand: a version before this one does not mark its test deliveries, which are few, so they are not counted.
alter table webhook.waiting add column is_test boolean not null default false;
create index waiting_tests on webhook.waiting (endpoint_id) where is_test;

-- Up to this position, messages may have another order than that of their times: a version before positions has made them, and they were
-- numbered later (`message_positions::number_left`). What is numbered at this migration may be such.
alter table webhook.message_head add column unordered_until bigint not null default 0;
update webhook.message_head set unordered_until = position;
