"""What the pages share: entry guard, words, settings, the address, the look, components."""

from pages.shared.where import IN_BROWSER

if IN_BROWSER:  # before any module here registers a component
    from pages.shared.stlite import mend

    mend()
