Feature: Boxes and tables keep to the terminal
  Whatever things are called, no line is wider than the terminal, and in a pipe no box is wider than what it holds.

  Background:
    Given a git repository
    And the shell has run "seq 1 9 > text; git add -A; git commit -qm text" in the project
    And the action
      """
      name: 完了した計画 that_is_complete_and_has_a_name_of_some_length
      steps:
        - {name: all, tool: shell, with: {command: "mkdir -p 'src/とても長いディレクトリの名前/another_directory_of_forty_columns_or_so'; echo x > 'src/とても長いディレクトリの名前/another_directory_of_forty_columns_or_so/ファイル.py'; printf x > \"$(printf 'new\nline\tand tab')\"; sed -i s/5/plan/ text; echo '{}' > package.json"}}
      """
    And I have run "agents run ACTION"
    And the action
      """
      name: 計画の名前はとても長い・a name that goes on and on, and has 🚀 and é in it
      description: A description that is longer than forty columns, with aWordThatIsLongerThanThirtyColumnsAllByItself
      tools:
        - {name: a-tool-with-a-name-that-is-long-enough-to-be-folded, command: "true", side_effects: [network], undo: "true"}
      steps:
        - name: 最初のステップはファイルを書きます and_a_word_of_more_than_thirty_columns_in_it
          tool: shell
          with: {command: "mkdir -p 'src/とても長いディレクトリの名前/another_directory_of_forty_columns_or_so'; echo x > 'src/とても長いディレクトリの名前/another_directory_of_forty_columns_or_so/ファイル with blanks.py'; printf x > \"$(printf 'new\nline\tand tab')\"; sed -i s/5/plan/ text"}
        - name: which way
          decide:
            question: どちらの方法を選びますか — which_of_these_ways_shall_be_taken_from_here_on?
            options:
              the-first-of-two-ways-with-a-long-name: [{name: one, tool: a-tool-with-a-name-that-is-long-enough-to-be-folded}]
              two: [{name: two, tool: shell, with: {command: "true"}}]
            choose: the-first-of-two-ways-with-a-long-name
        - name: fan
          subplans:
            mode: sequential
            plans:
              - {name: 文書を書く subplan_with_a_name_of_more_than_thirty_columns, steps: [{name: write, tool: shell, with: {command: "sed -i s/1/one/ text"}}]}
        - {name: fails, tool: shell, with: {command: "echo left > left; echo 失敗しました; exit 1"}}
      """
    And I have run "agents run ACTION" in vain
    And I have run "agents plan checkpoint create @ --label 長いラベル・a_label_of_more_than_thirty_columns_in_all"
    And the shell has run "printf mine > \"$(printf 'new\nline\tand tab')\"; sed -i s/5/mine/ text" in the project

  Scenario: no line is wider than the terminal, and no box in a pipe wider than what it holds
    Then each of these keeps to 40, 60, 80 and 200 columns, and in a pipe to what it holds
      | line                                        |
      | plan list                                   |
      | plan status @                               |
      | plan errors @                               |
      | plan log @                                  |
      | plan tree @                                 |
      | plan explain 'which way'                    |
      | plan checkpoint list @                      |
      | plan checkpoint show @ 3                    |
      | plan diff @ --stat                          |
      | plan apply @- --dry-run                     |
      | plan rollback @ 1 --dry-run                 |
      | plan restore @ 1 --path text --dry-run      |
      | plan refresh @- --dry-run                   |
      | plan delete @- --discard --dry-run          |
      | undo --dry-run                              |
      | op log                                      |
      | find text                                   |
      | doctor --verbose                            |
      | tool list                                   |
      | config list                                 |
    Given I have run "agents plan refresh @- --yes"
    Then each of these keeps to 40, 60, 80 and 200 columns, and in a pipe to what it holds
      | line                   |
      | plan conflicts @-      |
      | plan conflicts @- text |
      | plan resolve @- text --take mine --dry-run |
