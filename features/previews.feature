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
      | preview                                        | complete | applied |
      | plan apply @ --dry-run                         | 0        | 4       |
      | plan apply @ --dry-run --as branch             | 0        | 4       |
      | plan unapply @ --dry-run                       | 4        | 0       |
    When each is taken in these states
      | state    | after a kill at the intent of               | to finish it            |
      | complete |                                             |                         |
      | owned    |                                             |                         |
      | applied  |                                             |                         |
      | prune    | plan checkpoint delete @ 2 --yes            |                         |
      | rollback | plan rollback @ 1 --yes                     | agents doctor --repair  |
      | restore  | plan restore @ 1 --path storage --yes       | agents doctor --repair  |
      | correct  | plan correct DECISION --guidance no --choose full --yes | agents doctor --repair |
      | revert   | plan revert @ --to-phase strategize --yes   | agents doctor --repair  |
      | refresh  | plan refresh @ --yes                        | agents doctor --repair  |
      | merge    | run ACTION                                  | agents doctor --repair  |
      | validate | plan apply @ --yes                          | agents doctor --repair  |
      | apply    | plan apply @ --yes                          | agents plan apply PLAN  |
      | unapply  | plan unapply @ --yes                        | agents plan unapply PLAN |
    Then no preview has changed anything
    And each ended as it should, and told what is open and what would finish it
