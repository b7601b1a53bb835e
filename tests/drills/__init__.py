"""Bad days on purpose, too slow or too rough for the test suite: `make drill`. docs/drills.md says what must be seen."""
