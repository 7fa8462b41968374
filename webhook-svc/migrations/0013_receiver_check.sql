alter table webhook.account
    -- When the account last began to check a receiver: a check sends many messages at once, so there is a pause between two.
    add column receiver_checked_at timestamptz;
