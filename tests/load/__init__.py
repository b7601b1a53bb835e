"""A class on the app at once, without browsers: `make loadtest`. See `tests.load.__main__`."""
