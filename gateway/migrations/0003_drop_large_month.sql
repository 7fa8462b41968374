-- contract: since 0.1.0, where web remembers these months, and no release has used `large_month`
drop table gateway.large_month;
