alter table web.feed_cursor
    -- Marks the rows of the newest rebuild, so that older ones can be told from them; null: `epoch` marks them.
    add column generation uuid,
    -- Fingerprint of the change `seq`, by which the producer recognises its history.
    add column last_row bytea;
