-- Staff reverse a tip or a swap by counter-entries in the ledger; the tip or swap stays, with who reversed it and why. A reversed swap
-- moves no rate.
alter table economy.tip
    add column reversed_at timestamptz,
    add column reversed_by text,
    add column reversal_reason text,
    add constraint tip_reversed check (num_nulls(reversed_at, reversed_by, reversal_reason) in (0, 3));
alter table economy.swap
    add column reversed_at timestamptz,
    add column reversed_by text,
    add column reversal_reason text,
    add constraint swap_reversed check (num_nulls(reversed_at, reversed_by, reversal_reason) in (0, 3));

-- The lists of staff.
create index tip_by_age on economy.tip (at desc, id desc);
create index swap_by_age_and_id on economy.swap (at desc, id desc);
