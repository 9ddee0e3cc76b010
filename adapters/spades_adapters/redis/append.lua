-- Writes the events of one command behind the version on which it was decided, or says why not.
--
-- KEYS  the table's stream, its partition's feed and its partition's deadlines
-- ARGV  the expected version, the command's key, the time, the table, the channel for the nudge,
--       how much of the feed to keep, when the table is due next (empty: never), then the type and
--       the body of each event
--
-- Answers {outcome, version}:
--   written   the events are written, the last one as this version
--   repeated  this command had written up to this version before
--   conflict  another command was first, and the table stands at this version
--   short, torn, hole, foreign
--             nothing can be written: the stream ends before the expected version, does not end as
--             it was written, lacks the entry in question, or a key is no stream at all
--
-- A script that fails halfway is not rolled back. So whatever could make a write fail is looked at
-- before the first one; memory cannot run out between them, since a server looks at that only
-- before a script's first write.

local stream, feed, deadlines = KEYS[1], KEYS[2], KEYS[3]
local expected, command, at = tonumber(ARGV[1]), ARGV[2], ARGV[3]
local table_id, channel, feed_length, due = ARGV[4], ARGV[5], ARGV[6], ARGV[7]
local FIRST_EVENT = 8

local function id(version)
  return string.format('%.0f-0', version)
end

local function may_be(kind, key)
  local found = redis.call('TYPE', key).ok
  return found == kind or found == 'none'
end

-- The version of the last entry, and whether XADD would take the next one. It would not where
-- entries were deleted behind it: a stream remembers the highest ID it ever had.
local function last_version()
  if redis.call('EXISTS', stream) == 0 then
    return 0, true
  end
  local about, reply = {}, redis.call('XINFO', 'STREAM', stream)
  for place = 1, #reply, 2 do
    about[reply[place]] = reply[place + 1]
  end
  local last = about['last-entry'] and about['last-entry'][1] or '0-0'
  local version = tonumber(string.match(last, '^%d+'))
  return version, last == id(version) and last == about['last-generated-id']
end

-- The command key of an entry: empty on a command's later events, nil where there is no entry.
local function command_at(version)
  local entry = redis.call('XRANGE', stream, id(version), id(version))[1]
  local fields = entry and entry[2] or {}
  for place = 1, #fields, 2 do
    if fields[place] == 'c' then
      return fields[place + 1]
    end
  end
end

local function end_of_command(version)
  while command_at(version + 1) == '' do
    version = version + 1
  end
  return version
end

if not (may_be('stream', stream) and may_be('stream', feed) and may_be('zset', deadlines)) then
  return {'foreign', 0}
end
local last, sound = last_version()
if not sound then
  return {'torn', last}
elseif last < expected then
  return {'short', last}
elseif last > expected then
  local first = command_at(expected + 1)
  if not first then
    return {'hole', last}
  elseif first ~= command then
    return {'conflict', last}
  end
  return {'repeated', end_of_command(expected + 1)}
end

local version = expected
for place = FIRST_EVENT, #ARGV, 2 do
  version = version + 1
  redis.call('XADD', stream, id(version),
    't', ARGV[place], 'c', version == expected + 1 and command or '', 'w', at, 'b', ARGV[place + 1])
end
redis.call('XADD', feed, 'MAXLEN', '~', feed_length, '*',
  'table', table_id, 'from', expected + 1, 'to', version)
if due == '' then
  redis.call('ZREM', deadlines, table_id)
else
  redis.call('ZADD', deadlines, due, table_id)
end
-- A nudge can be lost, and a server that forbids the channel must not fail what is already written.
redis.pcall('PUBLISH', channel, string.format('%.0f ', version) .. table_id)
return {'written', version}
