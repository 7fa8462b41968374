-- Shares of an account's month about which a mail was sent, so that it is sent once.
create table web.month_notice (
    account_id uuid not null,
    -- The first day of the month, in UTC.
    month date not null,
    percent smallint not null,
    primary key (account_id, month, percent)
);
create index month_notice_by_month on web.month_notice (month);
