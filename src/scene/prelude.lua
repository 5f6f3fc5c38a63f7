-- The part of a script's library that loops. It is written in Lua and not in C so that the instruction limit sees every
-- turn: a pattern that backtracks for ever, a table with a lying __len or a string repeated 1e18 times all end in time.
-- Gets the table of globals and adds to it. Patterns, indices and results are those of the Lua 5.4 manual.
local globals = ...
local string, table, math = globals.string, globals.table, globals.math
local byte, sub, char, len, format = string.byte, string.sub, string.char, string.len, string.format
local type, error, next, select, pcall, tostring = globals.type, globals.error, globals.next, globals.select,
    globals.pcall, globals.tostring
local pack, unpack, tointeger = table.pack, table.unpack, math.tointeger
local rawlen, rawget = globals.rawlen, globals.rawget

local function wanted(value, kind, number, name)
    if type(value) ~= kind then
        error(format("bad argument #%d to '%s' (%s expected, got %s)", number, name, kind, type(value)), 3)
    end
    return value
end

local function wanted_text(value, number, name)
    if type(value) == "number" then
        return tostring(value)
    end
    return wanted(value, "string", number, name)
end

-- A handler runs after the error has ended what failed. Inside it, a hook's error would leave the limits off.
function globals.xpcall(f, handler, ...)
    local results = pack(pcall(f, ...))
    if results[1] then
        return unpack(results, 1, results.n)
    end
    return false, handler(results[2])
end

-- Sorting: merges halves, so it is stable and never worse than n log n, whatever the comparison says.
local function less(a, b)
    return a < b
end

local function sort_range(t, low, high, before, spare)
    if low >= high then
        return
    end
    local middle = (low + high) // 2
    sort_range(t, low, middle, before, spare)
    sort_range(t, middle + 1, high, before, spare)
    for i = low, middle do
        spare[i] = t[i]
    end
    local left, right, to = low, middle + 1, low
    while left <= middle do
        if right <= high and before(t[right], spare[left]) then
            t[to] = t[right]
            right = right + 1
        else
            t[to] = spare[left]
            left = left + 1
        end
        to = to + 1
    end
end

function table.sort(t, before)
    wanted(t, "table", 1, "sort")
    sort_range(t, 1, rawlen(t), before or less, {})
end

function table.insert(t, ...)
    wanted(t, "table", 1, "insert")
    local count, size = select("#", ...), rawlen(t)
    if count == 1 then
        t[size + 1] = (...)
        return
    elseif count ~= 2 then
        error("wrong number of arguments to 'insert'", 2)
    end
    local at, value = ...
    if not tointeger(at) or at < 1 or at > size + 1 then
        error("bad argument #2 to 'insert' (position out of bounds)", 2)
    end
    for i = size, at, -1 do
        t[i + 1] = t[i]
    end
    t[at] = value
end

function table.remove(t, at)
    wanted(t, "table", 1, "remove")
    local size = rawlen(t)
    at = at or size
    if not tointeger(at) or (size > 0 or at ~= 0) and (at < 1 or at > size + 1) then
        error("bad argument #2 to 'remove' (position out of bounds)", 2)
    end
    local removed = t[at]
    for i = at, size do
        t[i] = t[i + 1]
    end
    return removed
end

function table.move(from, first, last, at, to)
    wanted(from, "table", 1, "move")
    to = to or from
    if at > first then
        for i = last - first, 0, -1 do
            to[at + i] = from[first + i]
        end
    else
        for i = 0, last - first do
            to[at + i] = from[first + i]
        end
    end
    return to
end

-- Joins halves: each character is copied a logarithmic number of times.
local function join(t, separator, first, last)
    if first == last then
        local value = t[first]
        if type(value) ~= "string" and type(value) ~= "number" then
            error(format("invalid value (at index %d) in table for 'concat'", first), 0)
        end
        return tostring(value)
    end
    local middle = first + (last - first) // 2
    return join(t, separator, first, middle) .. separator .. join(t, separator, middle + 1, last)
end

function table.concat(t, separator, first, last)
    wanted(t, "table", 1, "concat")
    first, last = first or 1, last or rawlen(t)
    return first > last and "" or join(t, separator or "", first, last)
end
local concat = table.concat

-- A fixed order whatever the hash seed: numbers ascending, then texts sorted, then false and true.
local rank = { number = 1, string = 2, boolean = 3 }
local function key_before(a, b)
    local type_a, type_b = type(a), type(b)
    if type_a ~= type_b then
        return rank[type_a] < rank[type_b]
    elseif type_a == "boolean" then
        return not a and b
    end
    return a < b
end

function globals.pairs(t)
    wanted(t, "table", 1, "pairs")
    local keys = {}
    for key in next, t do
        if not rank[type(key)] then
            error("pairs cannot order keys of type " .. type(key), 2)
        end
        keys[#keys + 1] = key
    end
    sort_range(keys, 1, #keys, key_before, {})
    local index = 0
    return function()
        repeat
            index = index + 1
        until keys[index] == nil or rawget(t, keys[index]) ~= nil
        if keys[index] ~= nil then
            return keys[index], rawget(t, keys[index])
        end
    end, t, nil
end
globals.next = nil

function string.rep(text, count, separator)
    text = wanted_text(text, 1, "rep")
    wanted(count, "number", 2, "rep")
    separator = separator or ""
    if count < 1 or len(text) + len(separator) == 0 then
        return ""
    end
    local result, piece = text, separator .. text
    count = count - 1
    while count >= 1 do
        if count % 2 >= 1 then
            result = result .. piece
        end
        count = count // 2
        if count >= 1 then
            piece = piece .. piece
        end
    end
    return result
end

-- Patterns.

local function is_letter(c)
    return c >= 65 and c <= 90 or c >= 97 and c <= 122
end
local function is_digit(c)
    return c >= 48 and c <= 57
end
local classes = {
    a = is_letter,
    c = function(c) return c < 32 or c == 127 end,
    d = is_digit,
    g = function(c) return c > 32 and c < 127 end,
    l = function(c) return c >= 97 and c <= 122 end,
    p = function(c) return c > 32 and c < 127 and not is_letter(c) and not is_digit(c) end,
    s = function(c) return c == 32 or c >= 9 and c <= 13 end,
    u = function(c) return c >= 65 and c <= 90 end,
    w = function(c) return is_letter(c) or is_digit(c) end,
    x = function(c) return is_digit(c) or c >= 65 and c <= 70 or c >= 97 and c <= 102 end,
}

-- Does the byte c match the class %letter?
local function class_holds(c, letter)
    local class = classes[char(letter | 32)]
    if class and is_letter(letter) then
        return class(c) == (letter >= 97)
    end
    return c == letter
end

-- Where the single item that starts at p ends: after a letter, an escape or a set.
local function item_end(m, p)
    local c = byte(m.pattern, p)
    if c == 37 then -- %
        if p == m.pattern_end then
            error("malformed pattern (ends with '%')", 0)
        end
        return p + 2
    elseif c ~= 91 then -- [
        return p + 1
    end
    p = p + 1
    if byte(m.pattern, p) == 94 then -- ^
        p = p + 1
    end
    repeat
        c = byte(m.pattern, p)
        if not c then
            error("malformed pattern (missing ']')", 0)
        end
        p = p + (c == 37 and 2 or 1)
    until byte(m.pattern, p) == 93 -- ]
    return p + 1
end

local function set_holds(m, c, p, last)
    local inside, result = true, false
    p = p + 1
    if byte(m.pattern, p) == 94 then
        inside, p = false, p + 1
    end
    while p < last do
        local low = byte(m.pattern, p)
        if low == 37 then
            result = result or class_holds(c, byte(m.pattern, p + 1))
            p = p + 2
        elseif byte(m.pattern, p + 1) == 45 and p + 2 < last then -- a range
            result = result or low <= c and c <= byte(m.pattern, p + 2)
            p = p + 3
        else
            result = result or low == c
            p = p + 1
        end
    end
    return result == inside
end

local function item_holds(m, s, p, p_end)
    local c = byte(m.subject, s)
    if not c then
        return false
    end
    local first = byte(m.pattern, p)
    if first == 46 then -- .
        return true
    elseif first == 37 then
        return class_holds(c, byte(m.pattern, p + 1))
    elseif first == 91 then
        return set_holds(m, c, p, p_end - 1)
    end
    return first == c
end

local match

local function match_most(m, s, p, p_end, least)
    local count = 0
    while item_holds(m, s + count, p, p_end) do
        count = count + 1
    end
    while count >= least do
        local found = match(m, s + count, p_end + 1)
        if found then
            return found
        end
        count = count - 1
    end
end

local function match_least(m, s, p, p_end)
    repeat
        local found = match(m, s, p_end + 1)
        if found then
            return found
        end
        s = s + 1
    until not item_holds(m, s - 1, p, p_end)
end

local function match_balanced(m, s, p)
    local open, close = byte(m.pattern, p + 2), byte(m.pattern, p + 3)
    if not close then
        error("malformed pattern (missing arguments to '%b')", 0)
    end
    if byte(m.subject, s) ~= open then
        return nil
    end
    local depth = 1
    for i = s + 1, m.subject_end do
        local c = byte(m.subject, i)
        if c == close then
            depth = depth - 1
            if depth == 0 then
                return i + 1
            end
        elseif c == open then
            depth = depth + 1
        end
    end
end

local function match_frontier(m, s, p)
    if byte(m.pattern, p) ~= 91 then
        error("missing '[' after '%f' in pattern", 0)
    end
    local p_end = item_end(m, p)
    local before = s > 1 and byte(m.subject, s - 1) or 0
    if not set_holds(m, before, p, p_end - 1) and set_holds(m, byte(m.subject, s) or 0, p, p_end - 1) then
        return match(m, s, p_end)
    end
end

local function match_open(m, s, p, is_position)
    local n = #m.captures + 1
    if n > 32 then
        error("too many captures", 0)
    end
    m.captures[n] = { start = s, past = is_position and "position" or false }
    local found = match(m, s, p)
    if not found then
        m.captures[n] = nil
    end
    return found
end

local function match_close(m, s, p)
    for n = #m.captures, 1, -1 do
        local capture = m.captures[n]
        if not capture.past then
            capture.past = s
            local found = match(m, s, p)
            if not found then
                capture.past = false
            end
            return found
        end
    end
    error("invalid pattern capture", 0)
end

local function match_again(m, s, p, digit)
    local capture = m.captures[digit - 48]
    if not capture or type(capture.past) ~= "number" then
        error("invalid capture index in pattern", 0)
    end
    local text = sub(m.subject, capture.start, capture.past - 1)
    if sub(m.subject, s, s + len(text) - 1) == text then
        return match(m, s + len(text), p)
    end
end

local function match_escape(m, s, p)
    local letter = byte(m.pattern, p + 1)
    if letter == 98 then -- b
        local past = match_balanced(m, s, p)
        return true, past and match(m, past, p + 4)
    elseif letter == 102 then -- f
        return true, match_frontier(m, s, p + 2)
    elseif letter and is_digit(letter) then
        return true, match_again(m, s, p + 2, letter)
    end
    return false
end

local function match_here(m, s, p)
    while p <= m.pattern_end do
        local c = byte(m.pattern, p)
        if c == 40 then -- (
            local is_position = byte(m.pattern, p + 1) == 41
            return match_open(m, s, p + (is_position and 2 or 1), is_position)
        elseif c == 41 then
            return match_close(m, s, p + 1)
        elseif c == 36 and p == m.pattern_end then -- $
            return s == m.subject_end + 1 and s or nil
        elseif c == 37 then
            local is_special, found = match_escape(m, s, p)
            if is_special then
                return found
            end
        end
        local p_end = item_end(m, p)
        local suffix = byte(m.pattern, p_end)
        if suffix == 42 then -- *
            return match_most(m, s, p, p_end, 0)
        elseif suffix == 43 then -- +
            return match_most(m, s, p, p_end, 1)
        elseif suffix == 45 then -- -
            return match_least(m, s, p, p_end)
        elseif suffix == 63 then -- ?
            local found = item_holds(m, s, p, p_end) and match(m, s + 1, p_end + 1)
            if found then
                return found
            end
            p = p_end + 1
        elseif item_holds(m, s, p, p_end) then
            s, p = s + 1, p_end
        else
            return nil
        end
    end
    return s
end

-- The place after a match of the pattern from p on at s, or nil. As deep as Lua's own goes.
function match(m, s, p)
    local depth = m.depth + 1
    if depth > 200 then
        error("pattern too complex", 0)
    end
    m.depth = depth
    local past = match_here(m, s, p)
    m.depth = depth - 1
    return past
end

local function matcher(subject, pattern)
    local is_anchored = byte(pattern, 1) == 94
    return { subject = subject, pattern = pattern, subject_end = len(subject), pattern_end = len(pattern),
             first = is_anchored and 2 or 1, is_anchored = is_anchored, captures = {}, depth = 0 }
end

-- The first match at or after s: where it starts and the place after it.
local function search(m, s)
    repeat
        m.captures, m.depth = {}, 0
        local past = match(m, s, m.first)
        if past then
            return s, past
        end
        s = s + 1
    until m.is_anchored or s > m.subject_end + 1
end

local function capture_value(m, capture)
    if capture.past == "position" then
        return capture.start
    elseif not capture.past then
        error("unfinished capture", 0)
    end
    return sub(m.subject, capture.start, capture.past - 1)
end

-- The captures, or the whole match where the pattern has none.
local function capture_values(m, first, past, whole_if_none)
    local values = {}
    for n = 1, #m.captures do
        values[n] = capture_value(m, m.captures[n])
    end
    if whole_if_none and #values == 0 then
        values[1] = sub(m.subject, first, past - 1)
    end
    return values
end

local function start_at(init, size)
    init = init or 1
    if init < 0 then
        return init < -size and 1 or size + init + 1
    end
    return init == 0 and 1 or init
end

local function find_plain(text, wanted_part, s)
    local size = len(wanted_part)
    for i = s, len(text) - size + 1 do
        if sub(text, i, i + size - 1) == wanted_part then
            return i, i + size - 1
        end
    end
    return nil
end

function string.find(text, pattern, init, plain)
    text, pattern = wanted_text(text, 1, "find"), wanted_text(pattern, 2, "find")
    local s = start_at(init, len(text))
    if s > len(text) + 1 then
        return nil
    elseif plain then
        return find_plain(text, pattern, s)
    end
    local m = matcher(text, pattern)
    local first, past = search(m, s)
    if first then
        return first, past - 1, unpack(capture_values(m, first, past, false))
    end
    return nil
end

function string.match(text, pattern, init)
    text, pattern = wanted_text(text, 1, "match"), wanted_text(pattern, 2, "match")
    local s, m = start_at(init, len(text)), matcher(text, pattern)
    if s > len(text) + 1 then
        return nil
    end
    local first, past = search(m, s)
    if first then
        return unpack(capture_values(m, first, past, true))
    end
    return nil
end

function string.gmatch(text, pattern)
    text, pattern = wanted_text(text, 1, "gmatch"), wanted_text(pattern, 2, "gmatch")
    local m, s, last = matcher(text, pattern), 1, nil
    m.is_anchored, m.first = false, 1
    return function()
        while s <= m.subject_end + 1 do
            local first, past = search(m, s)
            if not first then
                break
            end
            s = past > first and past or past + 1
            if past ~= last then -- not the empty match at the end of the one before
                last = past
                return unpack(capture_values(m, first, past, true))
            end
        end
    end
end

-- What a match turns into: text with %0 to %9, a table's entry or a function's result; nil or false keeps it.
local function expand(m, first, past, text)
    local values = capture_values(m, first, past, true)
    local parts, p = {}, 1
    while p <= len(text) do
        local c = byte(text, p)
        local after = byte(text, p + 1)
        if c ~= 37 then
            parts[#parts + 1] = char(c)
            p = p + 1
        else
            if after == 37 then
                parts[#parts + 1] = "%"
            elseif after == 48 then
                parts[#parts + 1] = sub(m.subject, first, past - 1)
            elseif after and is_digit(after) and values[after - 48] ~= nil then
                parts[#parts + 1] = tostring(values[after - 48])
            else
                error("invalid use of '%' in replacement string", 0)
            end
            p = p + 2
        end
    end
    return concat(parts)
end

local function replacement(m, first, past, by)
    local value
    if type(by) == "string" then
        value = expand(m, first, past, by)
    elseif type(by) == "table" then
        value = by[capture_values(m, first, past, true)[1]]
    else
        value = by(unpack(capture_values(m, first, past, true)))
    end
    if not value then
        return sub(m.subject, first, past - 1)
    elseif type(value) ~= "string" and type(value) ~= "number" then
        error("invalid replacement value (a " .. type(value) .. ")", 0)
    end
    return tostring(value)
end

function string.gsub(text, pattern, by, most)
    text, pattern = wanted_text(text, 1, "gsub"), wanted_text(pattern, 2, "gsub")
    if type(by) == "number" then
        by = tostring(by)
    elseif type(by) ~= "string" and type(by) ~= "table" and type(by) ~= "function" then
        error("bad argument #3 to 'gsub' (string/function/table expected, got " .. type(by) .. ")", 2)
    end
    local m, parts, count, s, last = matcher(text, pattern), {}, 0, 1, nil
    while count < (most or math.huge) do
        m.captures = {}
        local past = match(m, s, m.first)
        if past and past ~= last then
            count = count + 1
            parts[#parts + 1] = replacement(m, s, past, by)
            s, last = past, past
        elseif s <= m.subject_end then
            parts[#parts + 1] = sub(text, s, s)
            s = s + 1
        else
            break
        end
        if m.is_anchored then
            break
        end
    end
    parts[#parts + 1] = sub(text, s)
    return concat(parts), count
end

-- Addresses differ from run to run, so tables and functions show as their type.
local find = string.find
function string.format(text, ...)
    text = wanted_text(text, 1, "format")
    if find(text, "%%[%d%-+ #.]*p") then
        error("string.format: %p is not there in scene scripts", 2)
    end
    local values = pack(...)
    for n = 1, values.n do
        local kind = type(values[n])
        if kind ~= "nil" and kind ~= "boolean" and kind ~= "number" and kind ~= "string" then
            values[n] = tostring(values[n])
        end
    end
    return format(text, unpack(values, 1, values.n))
end
