-- Many people share a network, so one of them must not use up the note of the others: a network sends several notes of a kind about a
-- listing per day, but each text once. The limit per hour counts by this index too.
drop index listings.listing_note_of_network;
create unique index listing_note_of_network
    on listings.listing_note (network, made_on, entity, listing_id, kind, reason, md5(text))
    where network <> '';
