"""How many words each algorithm moves, in closed form: equal to what the counting machine counts, at any size.

A module a family. Every function gets a `Layout` (which answers how often tiles of rows and of columns meet, with a
mask or without) and the tile sizes for a whole array of memories at once. The arrays hold Python ints (dtype object),
so that no total is ever too large: n^2 d^2 passes 2^63 at n = 2^22, d = 2^12.
"""
