Feature: Previews
  A preview tells what would happen. It takes no lock, finishes nothing and stores nothing: whatever
  was interrupted and whoever is at work, it leaves every file of the user's and of ours as it is.

  Background:
    Given a git repository
    And the shell has run "seq 1 9 > text; echo old > old; git add -A; git commit -qm more" in the project
    And the action
      """
      name: everything
      validate: ["test -f text"]
      tools:
        - {name: deploy, command: "true", side_effects: [network], undo: "true"}
        - {name: mail, command: "true", side_effects: [post], checkpointable: true}
      steps:
        - {name: first, tool: shell, with: {command: "sed -i s/1/one/ text; rm old; mkdir new; echo n > new/n"}}
        - name: storage
          decide:
            question: Which storage
            options:
              lite: [{name: lite, tool: shell, with: {command: "echo lite > storage"}}]
              full: [{name: full, tool: shell, with: {command: "echo full > storage"}}]
            choose: lite
        - {name: out, tool: deploy}
        - {name: post, tool: mail}
        - name: group
          subplans: {plans: [{name: part, steps: [{tool: shell, with: {command: "echo part > part"}}]}]}
      """
    And I have run "agents run ACTION"
    And the shell has run "echo by hand > later" in the sandbox of the plan

  Scenario: whatever is open and whoever is at work, nothing is changed by looking
    Given the previews
      | preview                                                                   | complete | applied | conflict |
      | plan apply @ --dry-run                                                    | 0        | 4       | 4        |
      | plan apply @ --dry-run --as branch                                        | 0        | 4       | 4        |
      | plan unapply @ --dry-run                                                  | 4        | 0       | 4        |
      | plan rollback @ 1 --dry-run                                               | 0        | 4       | 0        |
      | plan rollback @ 1 --rebuild --dry-run                                     | 0        | 0       | 0        |
      | plan restore @ 1 --path storage --dry-run                                 | 0        | 4       | 0        |
      | plan correct DECISION --guidance no --choose full --dry-run               | 0        | 4       | 0        |
      | plan correct DECISION --mode append --guidance no --choose full --dry-run | 0        | 4       | 0        |
      | plan revert @ --to-phase strategize --dry-run                             | 0        | 4       | 0        |
      | plan refresh @ --dry-run                                                  | 0        | 4       | 0        |
      | plan resume @ --dry-run                                                   | 0        | 4       | 0        |
      | plan checkpoint delete @ 3 --dry-run                                      | 0        | 0       | 0        |
      | sandbox prune --discard --dry-run                                         | 0        | 0       | 0        |
      | plan resolve @ text --take parent --dry-run                               | 3        | 3       | 0        |
    When each is taken in these states
      | state    | after a kill at the intent of                           | to finish it             |
      | complete |                                                         |                          |
      | owned    |                                                         |                          |
      | applied  |                                                         |                          |
      | conflict |                                                         |                          |
      | prune    | plan checkpoint delete @ 2 --yes                        |                          |
      | rollback | plan rollback @ 1 --yes                                 | agents doctor --repair   |
      | restore  | plan restore @ 1 --path storage --yes                   | agents doctor --repair   |
      | correct  | plan correct DECISION --guidance no --choose full --yes | agents doctor --repair   |
      | revert   | plan revert @ --to-phase strategize --yes               | agents doctor --repair   |
      | resolve  | plan resolve @ text --take parent --yes                 | agents doctor --repair   |
      | refresh  | plan refresh @ --yes                                    | agents doctor --repair   |
      | merge    | run ACTION                                              | agents doctor --repair   |
      | validate | plan apply @ --yes                                      | agents doctor --repair   |
      | apply    | plan apply @ --yes                                      | agents plan apply PLAN   |
      | unapply  | plan unapply @ --yes                                    | agents plan unapply PLAN |
    Then no preview has changed anything
    And each ended as it should, and told what is open and what would finish it

  Scenario: what another process is about to change is not told before its end
    Given another process has recorded the intent of "agents plan rollback @ 1 --yes" and is at it
    When I run "agents plan apply @ --dry-run"
    Then the exit code is 4
    And the error says "another process is at it: rollback of plan"
    And the error says "wait for it to finish, then look again"

  Scenario: the preview names all that would be touched, with counts
    When I run "agents plan rollback @ 2 --dry-run --format json"
    Then the data holds
      | field                   | value                                               |
      | undo                    | [{"step": "out", "tool": "deploy", "undo": "true"}] |
      | cannot_be_undone.0.step | "post"                                              |
      | subplans.0.name         | "part"                                              |
      | decisions.0.chosen      | "lite"                                              |
      | counts.undo             | 1                                                   |
      | counts.cannot_be_undone | 1                                                   |
      | counts.subplans         | 1                                                   |
      | moving                  | false                                               |
    And its counts are those of what it lists
    When I run "agents plan rollback @ 2 --dry-run"
    Then the output says "Cancels        1 subplan: part"
    And the output says "Leaves behind"

  Scenario: what has changed while the question stood is not done
    When the sandbox's "later" or the project's "text" changes while the question of each stands
      | question                                          |
      | plan rollback @ 1                                 |
      | plan restore @ 1 --path later                     |
      | plan correct DECISION --guidance no --choose full |
      | plan revert @ --to-phase strategize               |
      | plan refresh @                                    |
    Then each was refused, because it has changed since it was shown
    And the plan is "execute/complete"

  Scenario: who is asked has first been told what was finished
    Given a rollback to checkpoint 1 has crashed after its intent was recorded
    When I type on a terminal "agents plan rollback @ 2"
      | question         | answer |
      | Roll back to cp2 | n      |
    Then the exit code is 1
    And the output says "an interrupted rollback to cp1 was finished"
    And the plan is "execute/queued"
