scene { cell = 0.1 }
os.execute("touch escaped")
