-- The part of Lua's library that is written anew must do what Lua's own does.
local function same(a, b)
    if a ~= b then
        error(tostring(a) .. " is not " .. tostring(b), 2)
    end
end
local function list(...)
    local parts = {}
    for n = 1, select("#", ...) do
        parts[n] = tostring((select(n, ...)))
    end
    return table.concat(parts, "|")
end

same(list(("hello world"):find("o w")), "5|7")
same(list(("hello"):find("l")), "3|3")
same(list(("hello"):find("xyz")), "nil")
same(list(("hello"):find("")), "1|0")
same(list(("hello"):find("", 10)), "nil")
same(list(("a.b"):find(".", 1, true)), "2|2")
same(list(("a.b"):find("%.")), "2|2")
same(list(("hello"):find("l", -2)), "4|4")
same(list(("key = value"):match("^(%w+)%s*=%s*(%w+)$")), "key|value")
same(list(("  x  "):match("^%s*(.-)%s*$")), "x")
same(list(("2026-11-15"):match("(%d+)-(%d+)-(%d+)")), "2026|11|15")
same(list(("abc"):match("()b()")), "2|3")
same(list(("f(a(b)c)d"):match("%b()")), "(a(b)c)")
same(list(("say 'a' and \"b\""):match("(['\"])(.-)%1")), "'|a")
same(list(("THE (quick) fox"):find("%f[%a]%a+%f[%A]")), "1|3")
same(list(("x]y"):match("[]]")), "]")
same(list(("a-b"):match("[a%-]+")), "a-")
same(list(("xyz"):match("[^x]+")), "yz")
same(list(("0x1F"):match("^0[xX](%x+)$")), "1F")
same(list(("aaa"):match("a-b")), "nil")
same(list(("aaab"):match("a-b")), "aaab")
same(list(("color colour"):gsub("colou?r", "hue")), "hue hue|2")
same(list(("hello"):gsub("", "-")), "-h-e-l-l-o-|6")
same(list(("hello"):gsub("l", "L", 1)), "heLlo|1")
same(list(("hello world"):gsub("(%w+) (%w+)", "%2 %1 %0 %%")), "world hello hello world %|1")
same(list(("$a $b"):gsub("%$(%w+)", { a = "1" })), "1 $b|2")
same(list(("abc"):gsub("%w", function(c) return c:upper() .. "." end)), "A.B.C.|3")
same(list(("abc"):gsub("^a", "x")), "xbc|1")
same(list(("abc"):gsub("b*", "-")), "-a-c-|3")
local words = {}
for word, number in ("a=1, b=2"):gmatch("(%w+)=(%w+)") do
    words[#words + 1] = word .. number
end
same(table.concat(words, " "), "a1 b2")
same(string.rep("ab", 3, ","), "ab,ab,ab")
same(string.rep("x", 0) .. string.rep("x", -1), "")
same(#string.rep("abc", 1001), 3003)
same(string.format("%5.2f %d %s %q %x", 1.5, 3, true, "a", 255), ' 1.50 3 true "a" ff')
same(string.format("%s", {}), "table")
same(tostring(print), "function")

local t = { 3, 1, 2 }
table.sort(t)
same(list(table.unpack(t)), "1|2|3")
table.sort(t, function(a, b) return a > b end)
same(list(table.unpack(t)), "3|2|1")
table.insert(t, 9)
table.insert(t, 1, 7)
same(list(table.unpack(t)), "7|3|2|1|9")
same(table.remove(t), 9)
same(table.remove(t, 1), 7)
same(list(table.unpack(t)), "3|2|1")
same(table.remove({}), nil)
same(list(table.unpack(table.move({ 1, 2, 3 }, 1, 3, 2))), "1|1|2|3")
same(list(table.unpack(table.move({ 1, 2, 3 }, 2, 3, 1))), "2|3|3")
same(table.concat({ 1, "b", 3.5 }, ", ", 2), "b, 3.5")
same(table.concat({}), "")

-- pairs: numbers ascending, then texts sorted, then false and true; entries removed on the way are left out.
local mixed = { zebra = 1, apple = 2, [10] = 3, [2] = 4, [-1] = 5, [1.5] = 6, [true] = 7, [false] = 8 }
local order = {}
for key in pairs(mixed) do
    order[#order + 1] = key
    mixed.zebra = nil
end
same(list(table.unpack(order)), "-1|1.5|2|10|apple|false|true")
same(list(pcall(pairs, { [{}] = 1 })), "false|pairs cannot order keys of type table")

same(list(xpcall(function() error("x", 0) end, function(m) return "seen " .. m end)), "false|seen x")
same(list(xpcall(function(a) return a, nil, 3 end, print, 1)), "true|1|nil|3")
same(list(pcall(error)), "false|nil")
same(noise(0.3, 0.4, 0.5, 0.6), noise(0.3, 0.4, 0.5, 0.6))
same(noise(3, 4, 5, 6), 0)

scene { cell = 0.1 }
