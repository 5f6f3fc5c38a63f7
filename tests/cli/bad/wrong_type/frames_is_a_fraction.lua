-- expects: frames_is_a_fraction.lua:2: scene.frames is 10.5; it must be a whole number from 1 to 1000000
scene { cell = 0.1, frames = 10.5 }
