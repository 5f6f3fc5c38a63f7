scene { cell = 0.1 }
local posix = require("posix")
