-- A larger plan begins anew: its limit has mails of its own, also in a month whose smaller limit was used up.
alter table web.month_notice
    -- The calls that the month had when the mail was sent.
    add column call_limit bigint not null default 0,
    drop constraint month_notice_pkey,
    add primary key (account_id, month, call_limit, percent);
alter table web.month_notice alter column call_limit drop default;
