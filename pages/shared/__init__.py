"""What the pages share: entry guard, words, settings, the address, the look, components."""
