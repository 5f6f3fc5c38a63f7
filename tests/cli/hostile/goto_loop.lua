scene { cell = 0.1 }
::again:: goto again
