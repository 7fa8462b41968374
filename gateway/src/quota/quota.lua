-- Decides whether a call may be made, and counts it, in one step. The rules are those of domain/quota.rs.
--
-- KEYS: the key's tombstone, the key's minute, the account's month. They share a hash tag, the account.
-- ARGV: now in milliseconds, calls a minute (-1: no limit), calls a month (-1: no limit), 1 when the month is used, the run of Redis.
-- Answer: verdict (0 go on, 1 revoked, 2 minute used up, 3 month used up, 4 month unknown), start of the minute, calls in it, calls in
-- the month. A call that is refused, or not decided for want of the month, uses nothing. Expiries only clear away what no clock can
-- need any more.

local buried, known, held = unpack(redis.call('mget', KEYS[1], KEYS[2], KEYS[3]))
if buried then
  return {1, 0, 0, 0}
end

-- A month that another run of Redis counted may lack the last moments of that run: it is compared with PostgreSQL first.
local month, run = string.match(held or '', '^(%d+)@(.*)$')
if run ~= ARGV[5] then
  return {4, 0, 0, 0}
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

if per_minute >= 0 and used >= per_minute then
  return {2, start, used, month}
end
if uses_month and per_month >= 0 and month >= per_month then
  return {3, start, used, month}
end

used = used + 1
redis.call('set', KEYS[2], string.format('%.0f:%.0f', start, used), 'PX', 600000)
if uses_month then
  month = month + 1
  redis.call('set', KEYS[3], string.format('%.0f@%s', month, run), 'KEEPTTL')
end
return {0, start, used, month}
