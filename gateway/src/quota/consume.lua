-- Decides whether a call is allowed and counts it, atomically. domain/quota.rs has the same rules.
--
-- KEYS: the account's hash; redis.rs lists its fields.
-- ARGV: the key; its chain; the factor and the offset of the time; calls per minute (-1: no limit); calls per month (-1: no limit);
-- 1 if the call counts in the month; 1 if the key is public; calls per month of the account's public keys (-1: no limit).
-- Returns: the verdict (0 allowed, 1 revoked, 2 minute exceeded, 3 month exceeded, 4 month of the public keys exceeded, 5 month
-- missing); now, in milliseconds; the start of the minute; the calls in the minute, in the month, and in the month with public keys, this
-- one included. Only an allowed call is counted.

-- Minute, day and month are those of Redis's time: a gateway with another time would begin a new minute for all others, and name
-- the end of another month than the one that it counts.
local time = redis.call('time')
local now = ARGV[3] * (time[1] * 1000 + math.floor(time[2] / 1000)) + ARGV[4]

-- The UTC date of `now`. Scripts have no function for it, so it is calculated from the days since 1 March of the year 0: when a year
-- begins in March, a leap day is its last. 400 years have 146,097 days, and five months from March or August on have 153.
local days = math.floor(now / 86400000) + 719468
local era = math.floor(days / 146097)
local day = days - era * 146097
local year = math.floor((day - math.floor(day / 1460) + math.floor(day / 36524) - math.floor(day / 146096)) / 365)
day = day - (365 * year + math.floor(year / 4) - math.floor(year / 100))
local month_from_march = math.floor((5 * day + 2) / 153)
day = day - math.floor((153 * month_from_march + 2) / 5) + 1
year = year + era * 400
local month_of_year = month_from_march + 3
if month_of_year > 12 then
  year, month_of_year = year + 1, month_of_year - 12
end

local start_field, calls_field = ARGV[2] .. ':start', ARGV[2] .. ':calls'
local month_field = string.format('%04d-%02d', year, month_of_year)
local public_field, day_field = 'public:' .. month_field, string.format('day:%s-%02d', month_field, day)
local values = redis.call('hmget', KEYS[1], start_field, calls_field, month_field, public_field, ARGV[1] .. ':revoked', day_field)
if values[5] then
  return {1, now, 0, 0, 0, 0}
end
local month = tonumber(values[3])
if not month then
  return {5, now, 0, 0, 0, 0}
end

local public = tonumber(values[4]) or 0
local start, calls = tonumber(values[1]), tonumber(values[2])
if not start or now - start >= 60000 then
  start, calls = now, 0
end

-- The month is checked before the minute, since its end is farther away: a client that waits for the minute would be refused again.
local in_month, is_public = ARGV[7] == '1', ARGV[8] == '1'
local per_minute, per_month, per_public_month = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[9])
if in_month and per_month >= 0 and month >= per_month then
  return {3, now, start, calls, month, public}
end
if in_month and is_public and per_public_month >= 0 and public >= per_public_month then
  return {4, now, start, calls, month, public}
end
if per_minute >= 0 and calls >= per_minute then
  return {2, now, start, calls, month, public}
end

calls = calls + 1
if not in_month then
  redis.call('hset', KEYS[1], start_field, start, calls_field, calls)
  return {0, now, start, calls, month, public}
end
if is_public then
  public = public + 1
  redis.call('hset', KEYS[1], public_field, public)
end
month = month + 1
local calls_on_day = (tonumber(values[6]) or 0) + 1
redis.call('hset', KEYS[1], start_field, start, calls_field, calls, month_field, month, day_field, calls_on_day)
return {0, now, start, calls, month, public}
