alter table webhook.endpoint
    -- What the address answered to a HEAD request when it was entered, in words; empty: it was entered before such requests were made.
    add column address_check text not null default '';
