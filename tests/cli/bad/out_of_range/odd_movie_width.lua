-- expects: odd_movie_width.lua:3: output.width is 641; a movie needs an even number of pixels
scene { cell = 0.1 }
output { width = 641 }
