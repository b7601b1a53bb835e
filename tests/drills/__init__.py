"""Bad days on purpose, too slow or too rough for the tests: `make drill`; docs/drills.md says what must be seen."""
