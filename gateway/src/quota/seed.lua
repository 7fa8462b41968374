-- Starts to count a month with the count in PostgreSQL, and removes expired fields. A month that is counted already stays as it is.
--
-- KEYS: the account's hash.
-- ARGV: the month; the count in PostgreSQL; the last day of the month before, as a month and in milliseconds.

if redis.call('hexists', KEYS[1], ARGV[1]) == 1 then
  return 1
end

local last_month, last_day = ARGV[3], tonumber(ARGV[4])
local values = redis.call('hgetall', KEYS[1])
local fields = {}
for i = 1, #values, 2 do
  fields[values[i]] = values[i + 1]
end
for field, value in pairs(fields) do
  local month = string.match(field, '^%d%d%d%d%-%d%d$') or string.match(field, '^public:(.*)$')
  local key = string.match(field, '^(.*):start$')
  if month and month < last_month then
    redis.call('hdel', KEYS[1], field)
  elseif key then
    -- Removes minutes and tombstones that have expired. A tombstone has its time in place of the calls.
    local at = tonumber(value) or tonumber(fields[key .. ':calls'])
    if not at or at < last_day then
      redis.call('hdel', KEYS[1], field, key .. ':calls')
    end
  end
end
redis.call('hset', KEYS[1], ARGV[1], ARGV[2])
redis.call('expire', KEYS[1], 5356800)
return 1
