-- A person may have several accounts, whose mails go to the same address.
drop index gateway.account_email;
create index account_address on gateway.account (lower(email));
