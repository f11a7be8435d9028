Feature: Bad deeds of steps
  The nox session `confinement` does every deed at every level, as root and as an ordinary user. Whether
  a deed had its effect is judged outside: what a step says of itself proves nothing.

  @unmeasured
  Scenario: what a step must not do at level project it cannot do
    When an ordinary user's steps do every deed at level "project"
    Then each was open or blocked as expected
