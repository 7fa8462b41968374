-- Lets this run of Redis count a month: from what PostgreSQL has, or from what an earlier run had counted, whichever is more.
--
-- KEYS: the account's month.
-- ARGV: the run of Redis, calls in the month that PostgreSQL knows of. Without the latter it is only looked at.
-- Answer: 1 when this run counts it.

local month, run = string.match(redis.call('get', KEYS[1]) or '', '^(%d+)@?(.*)$')
if run == ARGV[1] then
  return 1
end
if not ARGV[2] then
  return 0
end
month = math.max(tonumber(month or 0), tonumber(ARGV[2]))
redis.call('set', KEYS[1], string.format('%.0f@%s', month, ARGV[1]), 'EX', 5356800)
return 1
