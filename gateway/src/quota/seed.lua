-- Lets this run of Redis count a month: from what PostgreSQL has, or from what an earlier run had counted, whichever is more.
--
-- KEYS: the account's month.
-- ARGV: the run of Redis (empty in a cluster), calls in the month that PostgreSQL knows of. Without the latter it is only looked at.
-- Answer: 1 when this run counts it.

local this_run = ARGV[1]
if this_run == '' then
  -- A cluster: only the node itself knows which run it is.
  this_run = string.sub(string.match(redis.call('info', 'server'), 'run_id:(%w+)'), 1, 20)
end
local month, run = string.match(redis.call('get', KEYS[1]) or '', '^(%d+)@?(.*)$')
if run == this_run then
  return 1
end
if not ARGV[2] then
  return 0
end
month = math.max(tonumber(month or 0), tonumber(ARGV[2]))
redis.call('set', KEYS[1], string.format('%.0f@%s', month, this_run), 'EX', 5356800)
return 1
