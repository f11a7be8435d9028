Feature: Secrets in prompts and commands
  Of a prompt and a command the beginning is kept. What names itself a secret there is masked before it is stored,
  random or not; prose that only speaks of passwords and tokens stays as it is.

  Scenario: what names itself a secret is not stored
    Given this chat
      """
      prompt log in with password=hunter2 please, token: abc123def, and the passphrase is correct9horse
      call c1 Bash: export AWS_SECRET_ACCESS_KEY=wJalr/bPxRfi PGPASSWORD='two words'; true --password swordfish
      stop
      prompt use postgres://me:p@ss/w0rd@db.example/shop and {"api_key": "plain words"}
      call c2 Bash: true curl -u me:opensesame -H 'Authorization: Bearer abc123xyz' https://me:secretly@example.org
      stop
      """
    When I run "agents timeline --format json"
    Then the data holds
      | field                        | value                                                                                          |
      | chats.0.turns.1.prompt       | "log in with password=*** please, token: ***, and the passphrase is ***"                       |
      | chats.0.turns.1.calls.0.text | "export AWS_SECRET_ACCESS_KEY=*** PGPASSWORD='***'; true --password ***"                       |
      | chats.0.turns.0.prompt       | "use postgres://me:***@db.example/shop and {\"api_key\": \"***\"}"                         |
      | chats.0.turns.0.calls.0.text | "true curl -u me:*** -H 'Authorization: Bearer ***' https://me:***@example.org"                |
    And the database holds none of
      | text        |
      | hunter2     |
      | abc123      |
      | correct9    |
      | wJalr       |
      | two words   |
      | swordfish   |
      | w0rd        |
      | plain words |
      | opensesame  |
      | secretly    |

  Scenario: of a secret that begins where what is kept ends, nothing is stored
    Given a prompt of 488 letters and a command of 188, each with "ghp_abcdefghijklmnopqrstuvwxyz0123456789" at its end
    And a prompt of 488 letters and a command of 188, each with "password=hunter2hunter2" at its end
    Then no text of the chats is longer than 500, and none of a call than 200
    And the database holds none of
      | text     |
      | ghp_abc  |
      | hun      |

  Scenario: prose and code that only speak of secrets stay as they are
    Given this chat
      """
      prompt the password field is broken: the token is expired, token: see the docs; make password=None the default
      call c1 Bash: export TOKEN=$OTHER; true --token "$TOKEN" max_tokens=4096 tokenizer=bert2 http://host:8080/path@v1
      stop
      """
    When I run "agents timeline --format json"
    Then the data holds
      | field                        | value                                                                                                              |
      | chats.0.turns.0.prompt       | "the password field is broken: the token is expired, token: see the docs; make password=None the default"          |
      | chats.0.turns.0.calls.0.text | "export TOKEN=$OTHER; true --token \"$TOKEN\" max_tokens=4096 tokenizer=bert2 http://host:8080/path@v1"          |
