-- Changes of public listings by their accounts, which staff read newest first.
create index revision_owner_edit on listings.revision (at, id, revision)
    where actor_kind = 'account' and after ->> 'state' = 'published' and before ->> 'state' = 'published';
