Feature: Python tools
  A Python function becomes a tool by `@tool(...)`; an installed package brings its own by entry
  points of the group cleveragents.tools. All of them run in a process of their own, and a package
  that is broken is an error about its tool and about nothing else.

  # --- Installed packages ------------------------------------------------------------------------

  @python_step
  Scenario: a tool of an installed package runs in a process of its own
    Given a plain folder
    And an installed package "cloud" with the entry points "deploy = cloud_tools:deploy" and the module "cloud_tools"
      """
      import os
      from cleveragents import tool

      @tool(read_only=False)
      def deploy(where, times=1, *, json=None):
          "Deploys."
          open("made.txt", "w").write(where * times)
          print("hello")
          return {"where": where, "json": json, "here": os.getpid() == int(os.environ["OURS"])}
      """
    And the steps
      """
      - {tool: deploy, with: {where: "ab", json: [1]}, env: {OURS: "1"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the step has printed "hello\n{\"where\": \"ab\", \"json\": [1], \"here\": false}"
    And the plan's file "made.txt" holds "ab"
    And this process has not imported "cloud_tools"

  Scenario: the tools of packages are listed with where they come from; a broken one hurts no other
    Given an installed package "cloud" with the entry points "deploy = cloud_tools:deploy, lost = cloud_tools:lost, plain = cloud_tools:plain, shell = cloud_tools:deploy" and the module "cloud_tools"
      """
      from cleveragents import tool

      @tool(side_effects=["network"], undo="./undo")
      def deploy(where, *rest, **more):
          "Deploys it.\n\nLong story."

      def plain():
          pass
      """
    And an installed package "wild" with the entry points "wild = wild_tools:wild, gone = nonesuch:gone" and the module "wild_tools"
      """
      raise SystemExit("not today")
      """
    When I run "agents tool list --format json"
    Then the exit code is 0
    And the status in the envelope is "warn"
    And the tools and their origins are
      | tool   | origin                                                |
      | shell  | built in                                              |
      | deploy | entry point deploy = cloud_tools:deploy of cloud      |
    And there is no tool "lost"
    And a message says "entry point lost = cloud_tools:lost of cloud cannot be used: AttributeError: module 'cloud_tools' has no attribute 'lost'"
    And a message says "entry point plain = cloud_tools:plain of cloud cannot be used: cleveragents.errors.InvalidInput: cloud_tools:plain is not decorated with @cleveragents.tool(...)"
    And a message is "entry point wild = wild_tools:wild of wild cannot be used: not today"
    And a message is "entry point gone = nonesuch:gone of wild cannot be used: ModuleNotFoundError: No module named 'nonesuch'"
    And a message is "entry point shell = cloud_tools:deploy of cloud is not used: the name is built in"
    When I run "agents tool show deploy --format json"
    Then the exit code is 0
    And the data holds
      | field          | value                                              |
      | name           | "deploy"                                           |
      | description    | "Deploys it."                                      |
      | side_effects   | ["network"]                                        |
      | undo           | "./undo"                                           |
      | origin         | "entry point deploy = cloud_tools:deploy of cloud" |
    When I run "agents tool show wild"
    Then the exit code is 1
    And the error says "entry point wild = wild_tools:wild of wild cannot be used: not today"

  Scenario: what a step gives a Python tool is checked, and a broken tool is a problem of its step
    Given a plain folder
    And an installed package "cloud" with the entry points "deploy = cloud_tools:deploy, bad = cloud_tools:bad" and the module "cloud_tools"
      """
      from cleveragents import tool

      @tool()
      def deploy(where, times=1):
          pass
      """
    And the steps
      """
      - {tool: deploy, with: {whre: a}}
      - {tool: deploy, with: {where: a}}
      - {tool: bad}
      """
    When I run "agents plan use ACTION --format json"
    Then the exit code is 2
    And the problems are
      """
      action.yaml:3: steps.0.with.where: missing
      action.yaml:3: steps.0.with.whre: unknown key; did you mean 'where'?
      action.yaml:5: steps.2.tool: entry point bad = cloud_tools:bad of cloud cannot be used: AttributeError: module 'cloud_tools' has no attribute 'bad'
      """

  Scenario: a tool of the action is nearer than one of a package
    Given a plain folder
    And an installed package "cloud" with the entry points "greet = cloud_tools:greet" and the module "cloud_tools"
      """
      raise SystemExit("not today")
      """
    And the action
      """
      name: nearer
      tools:
        - {name: greet, command: echo mine}
      steps:
        - {tool: greet}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the step has printed "mine"

  Scenario: two packages with one name are told apart by nobody
    Given an installed package "one" with the entry points "deploy = one_tools:deploy" and the module "one_tools"
      """
      """
    And an installed package "two" with the entry points "deploy = two_tools:deploy" and the module "two_tools"
      """
      """
    When I run "agents tool show deploy"
    Then the exit code is 1
    And the error says "several packages have a tool 'deploy': entry point deploy = one_tools:deploy of one and entry point deploy = two_tools:deploy of two"

  Scenario Outline: a package that <does> is an error about its tool
    Given the limit of seconds for a package to say what it brings is <patience>
    And an installed package "bad" with the entry points "bad = bad_tools:bad" and the module "bad_tools"
      """
      import os, time
      <does>
      """
    When I run "agents tool show bad"
    Then the exit code is 1
    And the error says "entry point bad = bad_tools:bad of bad cannot be used: <told>"

    Examples:
      | does            | patience | told                             |
      | time.sleep(600) | 1        | it was not imported within 1 s   |
      | os._exit(0)     | 60       | it ended with 0                  |
      | os.abort()      | 60       | it ended with -6                 |

  Scenario: a name that is nearly that of a package's tool
    Given an installed package "cloud" with the entry points "deploy = cloud_tools:deploy" and the module "cloud_tools"
      """
      """
    When I run "agents tool show deploi"
    Then the exit code is 3
    And the error says "hint: did you mean 'deploy'?"

  # --- Undo --------------------------------------------------------------------------------------

  @python_step
  Scenario: the undo of a Python tool gets what it returned
    Given a plain folder
    And an installed package "cloud" with the entry points "deploy = cloud_tools:deploy" and the module "cloud_tools"
      """
      import json, os
      from cleveragents import tool

      def undeploy(given, returned):
          open(os.environ["GATE"], "a").write(json.dumps([given, returned]))

      @tool(side_effects=["network"], undo=undeploy, pass_env=["GATE"])
      def deploy(where):
          print("chatter")
          return {"id": 7}
      """
    And the steps
      """
      - {tool: deploy, with: {where: north}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan rollback @ 1 --yes"
    Then the exit code is 0
    And outside there is
      """
      [{"where": "north"}, {"id": 7}]
      """

  # --- Functions of the calling process ----------------------------------------------------------

  @python_step
  Scenario: a function that the calling process has declared is a tool of its plans
    Given a plain folder
    And the module "our_tools" that this process imports
      """
      from cleveragents import tool

      @tool(name="our-deploy", read_only=True, timeout=60)
      def deploy(**more):
          return sorted(more)
      """
    And the steps
      """
      - {tool: our-deploy, with: {b: 1, a: 2}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the step has printed "[\"a\", \"b\"]"
    When I run "agents tool list --format json"
    Then the tools and their origins are
      | tool       | origin                           |
      | our-deploy | Python function our_tools:deploy |
    When "our_tools:deploy" is asked what it declares
    Then the answer is
      """
      {"declaration": {"name": "our-deploy", "description": "", "read_only": true, "timeout": 60.0},
       "function": "our_tools:deploy", "parameters": {}, "takes_more": true}
      """

  Scenario: a tool that is declared wrongly is refused where it is declared
    Given the module "our_tools" that this process imports
      """
      from cleveragents import tool

      @tool()
      def deploy():
          pass
      """
    Then importing each of these is refused
      | module                                                | error                                                                    |
      | @tool(undoo="x")\ndef a(): pass                       | the tool wrong_0:a is declared wrongly: undoo: Extra inputs are not      |
      | @tool(timeout=0)\ndef a(): pass                       | timeout: Input should be greater than 0                                  |
      | def outer():\n    @tool()\n    def a(): pass\nouter() | it must stand at the top of a module that can be imported                |
      | @tool()\ndef a(b, /): pass                            | it takes an argument that has no name                                    |
      | @tool(name="shell")\ndef a(): pass                    | there is a tool 'shell' already: built in                                |
      | @tool(name="deploy")\ndef a(): pass                   | there is a tool 'deploy' already: Python function our_tools:deploy       |
      | @tool(undo=lambda a, b: 1)\ndef a(): pass             | wrong_6:<lambda> cannot be a tool                                        |
    And "json:loads" has nothing to declare
