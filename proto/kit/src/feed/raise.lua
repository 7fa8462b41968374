-- Raises a producer's position, `<epoch>:<seq>`. KEYS: the position. ARGV: epoch, seq, until when it holds (Unix, milliseconds).
-- Of the same epoch the larger seq stays. An epoch that has ended does not replace a newer one: epochs are UUIDs of version 7, which
-- sort by time; one of version 4 is from before there were those. Returns 0 when a newer epoch is there.
local function sorts(epoch)
  return string.sub(epoch, 15, 15) == '7'
end
local held = redis.call('GET', KEYS[1])
if held then
  local epoch, seq = string.match(held, '^(.*):(%d+)$')
  if epoch == ARGV[1] then
    if tonumber(seq) > tonumber(ARGV[2]) then
      return 1
    end
  elseif epoch and sorts(epoch) and not (sorts(ARGV[1]) and ARGV[1] > epoch) then
    return 0
  end
end
redis.call('SET', KEYS[1], ARGV[1] .. ':' .. ARGV[2], 'PXAT', ARGV[3])
return 1
