@unmeasured
Feature: Whatever is corrected, only what followed from it is decided again
  A state machine makes plans of decisions that use and hold each other, corrects any of them and
  rolls back, and a reference of a few dictionaries says who must be asked and what must come out.

  Scenario: random lives of a tree of decisions
    Then 8 random lives of a tree of decisions go as the model says
