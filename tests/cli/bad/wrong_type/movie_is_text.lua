-- expects: movie_is_text.lua:3: output.movie is "yes"; it must be true or false
scene { cell = 0.1 }
output { movie = "yes" }
