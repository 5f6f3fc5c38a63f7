-- expects: frames_is_zero.lua:2: scene.frames is 0; it must be a whole number from 1 to 1000000
scene { cell = 0.1, frames = 0 }
