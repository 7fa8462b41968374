-- Decides whether calls may be made, and counts them, one after the other, in one step. The rules are those of domain/quota.rs.
--
-- KEYS: the key's tombstone, the key's minute, the account's month. They share a hash tag, the account.
-- ARGV: now in milliseconds, calls a minute (-1: no limit), calls a month (-1: no limit), 1 when the month is used, the run of Redis
-- (empty in a cluster), how many calls.
-- Answer: verdict on those that may not go on (0 there are none, 1 revoked, 2 minute used up, 3 month used up, 4 month unknown), how many
-- go on, start of the minute, calls in it and in the month before them. A call that is refused, or not decided for want of the month, uses
-- nothing. Expiries only clear away what no clock can need any more.

local buried, known, held = unpack(redis.call('mget', KEYS[1], KEYS[2], KEYS[3]))
if buried then
  return {1, 0, 0, 0, 0}
end

-- A month that another run of Redis counted may lack the last moments of that run: it is compared with PostgreSQL first.
local this_run = ARGV[5]
if this_run == '' then
  -- A cluster: only the node itself knows which run it is.
  this_run = string.sub(string.match(redis.call('info', 'server'), 'run_id:(%w+)'), 1, 20)
end
local month, run = string.match(held or '', '^(%d+)@(.*)$')
if run ~= this_run then
  return {4, 0, 0, 0, 0}
end
month = tonumber(month)

local now, per_minute, per_month = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local uses_month = ARGV[4] == '1'

local start, used = now, 0
if known then
  local known_start, known_used = string.match(known, '^(%-?%d+):(%d+)$')
  known_start = tonumber(known_start)
  if known_start and math.abs(now - known_start) < 60000 then
    start, used = known_start, tonumber(known_used)
  end
end

local verdict, granted = 0, tonumber(ARGV[6])
if per_minute >= 0 and per_minute - used < granted then
  verdict, granted = 2, math.max(0, per_minute - used)
end
if uses_month and per_month >= 0 and per_month - month < granted then
  verdict, granted = 3, math.max(0, per_month - month)
end

if granted > 0 then
  redis.call('set', KEYS[2], string.format('%.0f:%.0f', start, used + granted), 'PX', 600000)
  if uses_month then
    redis.call('set', KEYS[3], string.format('%.0f@%s', month + granted, run), 'KEEPTTL')
  end
end
return {verdict, granted, start, used, month}
