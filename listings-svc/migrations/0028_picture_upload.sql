-- The uploads that an account began within a day. A refused file counts: to decode it costs as much as that of an accepted one.
create table listings.picture_upload (
    account_id uuid not null,
    began_at timestamptz not null
);
create index picture_upload_of_account on listings.picture_upload (account_id, began_at);
create index picture_upload_by_age on listings.picture_upload (began_at);
