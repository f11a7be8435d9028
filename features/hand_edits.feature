@unmeasured
Feature: Nothing deletes the only copy
  Somebody edits files, modes, links and directories by hand in the sandboxes and in the project, before
  every act that there is. Whatever bytes were there are afterwards still there, in a checkpoint, or in
  what an unapply puts back; an oracle that shares no code with the product looks for them.

  Scenario: every act in turn, with edits by hand before each
    Then nothing is lost in 1 life of all acts with edits by hand

  Scenario: acts in any order, with edits by hand before each
    Then nothing is lost in 1 life of 8 random acts with edits by hand
