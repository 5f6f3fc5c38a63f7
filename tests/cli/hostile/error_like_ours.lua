-- Looks like a message of the library's own Lua, without the place that one has.
error("billow:x", 0)
