-- expects: error_by_hand.lua:2: my own check failed
error("my own check failed")
