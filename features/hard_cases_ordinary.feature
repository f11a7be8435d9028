@unmeasured
Feature: Hard cases of an ordinary user
  Root may read, enter and change what modes forbid, so a permission that nobody borrowed is missed by
  tests that root runs.

  Scenario: every hard case that needs no root holds for an ordinary user
    When the feature "hard_cases" is run by an ordinary user
    Then no scenario of it failed, and at least 60 passed
