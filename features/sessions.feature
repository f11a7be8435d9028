Feature: Sessions
  A Python program opens a plan and gives it steps one by one. It is a plan like any other: with a
  sandbox, automatic checkpoints, an owner, recovery, and everything that commands do with plans.

  # --- Going well --------------------------------------------------------------------------------

  Scenario: what a session does is a complete plan
    Given a git repository
    When this program runs
      """
      with app.session(task="greet") as run:
          written = run.tool("write_file", path="b.txt", content="hello")
          printed = run.tool("shell", command="cat b.txt; echo; pwd")
          read = run.tool("read_file", path="b.txt")
          assert (run.path / "b.txt").read_text() == "hello"
          assert [file.path for file in run.diff()] == ["b.txt"], run.diff()
          assert run.diff(1) == run.diff("cp1") == run.diff()
      assert written.summary == "wrote b.txt (5 bytes)" and written.exit_code is None
      assert printed.output == f"hello\n{run.path}\n" and printed.exit_code == 0
      assert read.output == "hello" and read.returned is None and written.output == ""
      assert run.plan.name == "greet"
      """
    Then the plan is "execute/complete"
    And the project is as it was
    And the steps that count are
      | step       | attempt |
      | write_file | 1       |
      | shell      | 1       |
      | read_file  | 1       |
    And the checkpoints are
      | seq | type         | label | step |
      | 1   | pre_execute  |       | 0    |
      | 2   | tool         |       | 1    |
      | 3   | tool         |       | 2    |
      | 4   | post_execute |       | 3    |

  Scenario: the result is applied as that of any plan
    Given a git repository
    When this program runs
      """
      from cleveragents import Action, ApplyOptions
      with app.session(task=Action(name="greet", validate=("grep hello b.txt",))) as run:
          run.tool("write_file", path="b.txt", content="hello")
      app.apply.run(run.plan_id, ApplyOptions())
      assert (app.project.path / "b.txt").read_text() == "hello"
      """
    Then the plan is "apply/applied"

  Scenario: a call writes its own step, whatever came before; other processes see them all
    Given a plain folder
    When this program runs
      """
      import sqlite3
      def stored():
          with sqlite3.connect(DATA / "cleveragents.db") as driver:
              texts = driver.execute("SELECT definition_json FROM plans").fetchone()
              return texts, driver.execute("SELECT count(*) FROM plan_steps").fetchone()[0]
      with app.session() as run:
          (action, none) = stored()
          for number in range(4):
              run.tool("write_file", path="a", content=f"{number} {'x' * 1000}")
          assert (none, stored()) == (0, (action, 4)), stored()
          run.rollback(2)
          run.tool("write_file", path="b", content="b")
          assert len(run.plan.action.steps) == 2, run.plan.action.steps
      again = App(app.project.path, data_dir=DATA).plans
      assert again.find("@").step_count == again.list()[0].step_count == 2
      assert [step.with_["path"] for step in again.list()[0].action.steps] == ["a", "b"]
      """
    Then the plan is "execute/complete"

  Scenario: a call that was not recorded after all is not remembered
    Given a plain folder
    When a step is recorded and taken back with its transaction, then another one
    Then only the other one is a step of the plan

  Scenario: the checkpoint of a step that took a while holds what was written through a name outside
    Given a plain folder
    And steps are not confined
    When this program runs
      """
      with app.session() as run:
          run.tool("shell", command="echo one > f; echo one > g")
          run.tool("shell", command="ln f ../../alias; echo hi > hi")
          run.tool("shell", command="sleep 1; echo two >> ../../alias; echo hi > hi2")
          after = run.checkpoint("after")
          run.tool("shell", command="sleep 1; echo three > ../../alias; rm ../../alias")
          run.rollback(after)
          assert (run.path / "f").read_text() == "one\ntwo\n", (run.path / "f").read_text()
      """
    Then the plan is "execute/complete"

  Scenario Outline: a rollback takes back, and can give again, what a step wrote through a name that is gone: <command>
    Given a plain folder
    And steps are not confined
    When this program runs
      """
      with app.session() as run:
          run.tool("shell", command="mkdir pkg; echo one > pkg/f1; echo one > pkg/f2")
          before = run.checkpoint("before")
          run.tool("shell", command="<command>")
          taken = run.rollback(before)
          assert [change.file for change in taken.changes] == ["pkg/f1"], taken.changes
          assert (run.path / "pkg/f1").read_text() == "one\n"
          run.rollback(taken.safety)
          assert (run.path / "pkg/f1").read_text() == "oops\n"
      """
    Then the plan is "execute/complete"

    Examples:
      | command                                                                |
      | ln pkg/f1 b; echo oops > b; rm b                                       |
      | cp -al pkg ../scratch; echo oops > ../scratch/f1; rm -rf ../scratch    |

  Scenario: a rollback looks at everything once, and what it does itself is told by events
    Given a plain folder
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_TRACKING is "watch"
    When this program runs
      """
      from cleveragents.snapshots.tree.scan import Scanner
      with app.session() as run:
          run.tool("shell", command="echo one > a; echo two > b")
          before = run.checkpoint("before")
          run.tool("shell", command="echo oops > a; echo more > c")
          everything, looks = Scanner.everything, []
          Scanner.everything = lambda self, root: (looks.append(root), everything(self, root))
          try:
              taken = run.rollback(before)
          finally:
              Scanner.everything = everything
          assert len(taken.changes) == 2, taken.changes
          assert len(looks) == 1, looks
      """
    Then the plan is "execute/complete"

  @needs_root
  Scenario: a rollback that something protected stands in the way of begins nothing
    Given a plain folder
    When this program runs
      """
      import subprocess
      from cleveragents.errors import Refused
      with app.session() as run:
          run.tool("shell", command="echo one > a; echo one > b")
          before = run.checkpoint("before")
          run.tool("shell", command="echo two > a; echo two > b")
          subprocess.run(["chattr", "+i", run.path / "b"], check=True)
          count = len(app.checkpoints.list_checkpoints(run.plan_id))
          try:
              run.rollback(before)
          except Refused as refused:
              assert refused.detail == ("b",) and "chattr -ia" in refused.hints[0], vars(refused)
          else:
              raise AssertionError("it was not refused")
          finally:
              subprocess.run(["chattr", "-i", run.path / "b"], check=True)
          assert (run.path / "a").read_text() == "two\n"
          assert len(app.checkpoints.list_checkpoints(run.plan_id)) == count
          assert len(run.rollback(before).changes) == 2
      """
    Then the plan is "execute/complete"

  Scenario: what a failed step wrote through a name that is gone is taken back
    Given a plain folder
    When this program runs
      """
      with app.session() as run:
          run.tool("shell", command="echo one > a")
          try:
              run.tool("shell", command="ln a ../b; echo oops > ../b; rm ../b; exit 1")
          except CallFailed:
              pass
          assert (run.path / "a").read_text() == "one\n"
          run.tool("shell", command="grep one a")
      """
    Then the plan is "execute/complete"

  Scenario: a session takes itself back to a checkpoint and goes on from there
    Given a plain folder
    When this program runs
      """
      with app.session() as run:
          run.tool("write_file", path="b.txt", content="one")
          before = run.checkpoint("before the risky part")
          run.tool("shell", command="echo two > b.txt; touch c.txt")
          assert sorted(file.path for file in run.diff(before)) == ["b.txt", "c.txt"]
          taken = run.rollback(before)
          assert sorted(change.file for change in taken.changes) == ["b.txt", "c.txt"]
          assert run.plan.step_index == 1
          run.tool("shell", command="cat b.txt > d.txt")
      """
    Then the plan is "execute/complete"
    And the plan's files are
      | file  | content |
      | a.txt | one     |
      | b.txt | one     |
      | d.txt | one     |
    And the steps that count are
      | step       | attempt |
      | write_file | 1       |
      | shell      | 1       |
    When I run "agents plan status @ --format json"
    Then the data holds
      | field                | value  |
      | progress.1.status   | "done" |
      | execution.tool_calls | 2      |

  Scenario: a rollback of a session is taken back, and what was left then goes on
    Given a plain folder
    When this program runs
      """
      with app.session() as run:
          first = run.checkpoint()
          run.tool("write_file", path="b.txt", content="one")
          one = run.rollback(first).safety
          run.tool("write_file", path="b.txt", content="two")
          two = run.rollback(first).safety
          run.rollback(two)
          assert (run.path / "b.txt").read_text() == "two"
          run.tool("write_file", path="c.txt", content="three")
          assert [step.with_["content"] for step in run.plan.action.steps] == ["two", "three"]
          run.rollback(one.name)
          assert [step.with_["content"] for step in run.plan.action.steps] == ["one"]
      """
    Then the plan is "execute/complete"
    And the plan's files are
      | file  | content |
      | a.txt | one     |
      | b.txt | one     |

  Scenario: a session decides, by itself and by asking a command
    Given a plain folder
    When this program runs
      """
      chooser = """printf '{"choose": "stop", "rationale": "enough"}'"""
      with app.session() as run:
          assert run.decide("What first?", ["look", "write"], choose="write") == "write"
          assert run.decide("And now?", ["go on", "stop"][1:] + ["more"], chooser=chooser) == "stop"
          assert run.plan.cursor == "2"
      """
    Then the plan is "execute/complete"
    And the decisions that count are "session, write, stop"
    When I run "agents plan tree @"
    Then the output says "And now? → stop"

  Scenario: a step of a session has what a step of an action file has
    Given a plain folder
    When this program runs
      """
      os.environ["HANDED"] = "on"
      app = App(app.project.path, data_dir=app._open.keywords["data_dir"])
      with app.session() as run:
          done = run.step(
              "shell",
              {"command": 'echo "$HANDED $GIVEN"; echo x >> "$GATE"; test $(wc -l < "$GATE") = 2'},
              name="try twice",
              retries=1,
              env={"GIVEN": "here"},
              pass_env=["HANDED", "GATE"],
              timeout=60,
              checkpoint="at first",
          )
          assert done.output == "on here\n", done.output
      """
    Then the steps that count are
      | step      | attempt |
      | try twice | 1       |
      | try twice | 2       |
    And the checkpoints hold one of type "manual"

  @python_step
  Scenario: what a Python tool returns comes back
    Given a plain folder
    And the module "session_tools" that this process imports
      """
      from cleveragents import tool

      @tool(read_only=True)
      def measure(path):
          return {"path": path, "size": 3}
      """
    When this program runs
      """
      with app.session() as run:
          assert run.tool("measure", path="a.txt").returned == {"path": "a.txt", "size": 3}
      """
    Then the plan is "execute/complete"

  Scenario: a session works on the project it is given, with that project's settings
    Given a plain folder
    When this program runs
      """
      other = app.project.path.parent / "other"
      (other / ".cleveragents").mkdir(parents=True)
      (other / ".cleveragents" / "config.toml").write_text("[sandbox.checkpoint]\nauto-create-on = []\n")
      with app.session(other) as run:
          run.tool("write_file", path="b.txt", content="one")
      with app.session(app.project.path) as here:
          assert (here.path / "a.txt").exists() and not (here.path / "b.txt").exists()
      theirs = App(other, data_dir=app._open.keywords["data_dir"])
      assert theirs.plans.find("@").plan_id == run.plan_id
      kinds = [row.checkpoint_type for row in theirs.checkpoints.list_checkpoints(run.plan_id)]
      assert kinds == ["pre_execute", "post_execute"], kinds
      """

  # --- Going wrong -------------------------------------------------------------------------------

  Scenario: a failed call is an exception, its files are taken back, and the loop may go on
    Given a plain folder
    When this program runs
      """
      with app.session() as run:
          run.tool("write_file", path="b.txt", content="one")
          try:
              run.tool("shell", command="echo two > b.txt; echo why; exit 3")
          except CallFailed as error:
              assert str(error) == "shell failed: exit code 3" and error.detail == ("why",)
              assert error.result.exit_code == 3 and error.result.output == "why\n"
          assert (run.path / "b.txt").read_text() == "one"
          run.tool("shell", command="echo more >> c.txt")
          assert [step.tool for step in run.plan.action.steps] == ["write_file", "shell"]
      """
    Then the plan is "execute/complete"
    And the steps that count are
      | step       | attempt |
      | write_file | 1       |
      | shell      | 1       |

  Scenario: a path that leads out of the sandbox is an error that the loop gets, and goes on from
    Given a plain folder
    And the shell has run "ln -s / out" in the project
    When this program runs
      """
      with app.session() as run:
          for path in ("../x", "/x", "out/x", "a/../../x"):
              try:
                  run.tool("write_file", path=path, content="x")
              except CallFailed as error:
                  assert path in error.message or "link" in error.message, error
              else:
                  raise AssertionError(path)
          run.tool("write_file", path="b.txt", content="inside")
          assert [step.tool for step in run.plan.action.steps] == ["write_file"]
      """
    Then the plan is "execute/complete"
    And the plan's file "b.txt" holds "inside"

  Scenario: the library takes paths as text
    Given a plain folder
    And the shell has run "touch settings.toml" in the project
    When this program runs
      """
      with App(".", data_dir=str(DATA), config_path="settings.toml").session() as run:
          run.tool("write_file", path="b.txt", content="one")
      """
    Then the plan is "execute/complete"

  Scenario: a failure that is rolled back is taken back, though its files were already
    Given a plain folder
    When this program runs
      """
      with App(str(app.project.path), data_dir=DATA).session() as run:
          run.tool("write_file", path="b.txt", content="one")
          before = run.checkpoint("before the risky part")
          try:
              run.tool("shell", command="echo two > b.txt; exit 3")
          except CallFailed:
              run.rollback(before.seq)
      """
    Then the plan is "execute/complete"

  Scenario: a program opens a project for a caller who is elsewhere and has another environment
    Given a plain folder
    When this program runs
      """
      import os
      there = app.project.path
      (there / "a.yaml").write_text("name: a\nsteps: [{tool: shell, with: {command: 'echo $GREETING > b.txt'}, pass_env: [GREETING]}]")
      caller = {"PATH": os.environ["PATH"], "HOME": str(there.parent / "home"), "GREETING": "hello",
                "CLEVERAGENTS_SANDBOX_CHECKPOINT_EXCLUDE": "*.none"}
      os.chdir("/")
      theirs = App(caller=caller, cwd=there)
      assert theirs.project.path == there
      assert theirs.settings.texts("sandbox.checkpoint.exclude") == ("*.none",), theirs.settings
      plan = theirs.execute.run(theirs.use("a.yaml", {}).plan_id)
      assert (theirs.plans.status(plan).sandbox.path / "b.txt").read_text() == "hello\n"
      assert (there.parent / "home/.local/share/cleveragents/cleveragents.db").exists()
      caller["XDG_DATA_HOME"] = str(there.parent / "xdg")
      assert not App(there, caller=caller).plans.list()
      assert (there.parent / "xdg/cleveragents/cleveragents.db").exists()
      """
    Then in the project "test -d ../home -a -d ../xdg" holds

  Scenario: a failure that nothing follows is the end of it, unless the program says otherwise
    Given a plain folder
    When this program runs
      """
      with app.session() as run:
          try:
              run.tool("shell", command="exit 3")
          except CallFailed:
              pass
      assert run.plan.state == "errored"
      with app.session(plan=run.plan_id) as run:
          try:
              run.decide("What now?", ["this"], chooser="exit 4")
          except CallFailed as error:
              assert error.result.exit_code == 4
          assert run.finish().state == "complete"
          assert run.finish().state == "complete"
      assert run.plan.action.steps == ()
      """
    Then the plan is "execute/complete"

  Scenario: with on_failure keep, what a failed call left stays, and it goes on being known as failed
    Given a plain folder
    When this program runs
      """
      from cleveragents import Action, RollbackPolicy
      with app.session(task=Action(name="keep", rollback=RollbackPolicy(on_failure="keep"))) as run:
          try:
              run.tool("shell", command="echo half > b.txt; exit 3")
          except CallFailed:
              pass
          run.tool("shell", command="cat b.txt > c.txt")
      """
    Then the plan is "execute/complete"
    And the plan's file "c.txt" holds "half"
    When I run "agents plan status @ --format json"
    Then the data holds
      | field              | value    |
      | progress.0.status | "failed" |
      | progress.1.status | "done"   |

  Scenario: an exception of the program passes through, and the session goes on later
    Given a plain folder
    When this program fails
      """
      with app.session() as run:
          run.tool("write_file", path="b.txt", content="one")
          raise ZeroDivisionError("of the loop itself")
      """
    Then it raised "ZeroDivisionError: of the loop itself"
    And the plan is "execute/processing"
    When this program runs
      """
      with app.session(plan="@") as run:
          assert run.plan.step_index == 1
          run.tool("write_file", path="c.txt", content="two")
      """
    Then the plan is "execute/complete"
    And the steps that count are
      | step       | attempt |
      | write_file | 1       |
      | write_file | 1       |

  Scenario: a complete plan is opened again
    Given a plain folder
    When this program runs
      """
      with app.session() as run:
          run.tool("write_file", path="b.txt", content="one")
          run.finish()
          run.tool("write_file", path="c.txt", content="two")
      with app.session(plan=run.plan_id) as run:
          run.tool("write_file", path="d.txt", content="three")
      """
    Then the plan is "execute/complete"
    And the plan is at step 3

  Scenario Outline: what cannot be a step is refused, and nothing has changed
    Given a plain folder
    When this program fails
      """
      with app.session() as run:
          run.finish()
          <call>
      """
    Then it raised "<error>"
    And the plan is "execute/complete"

    Examples:
      | call                                                    | error                                                                         |
      | run.tool("wirte_file", path="b", content="c")           | NotFound: unknown tool 'wirte_file'                                           |
      | run.tool("write_file", path="b", text="c")              | InvalidInput: write_file: content: Field required; write_file: text: Extra    |
      | run.tool("write_file", path=run.path, content="c")      | InvalidInput: write_file: what a tool is given is JSON data: Object of type   |
      | run.tool("write_file", path="b", content=chr(0xdcff))   | InvalidInput: write_file: what a tool is given is JSON data: 'utf-8' codec    |
      | run.step("shell", {"command": "true"}, retries=-1)      | InvalidInput: retries: Input should be greater                                |
      | run.decide("Which?", ["this"])                          | InvalidInput: decide: give one of choose and chooser                          |
      | run.rollback("cp9")                                     | NotFound: no checkpoint 'cp9' in plan                                         |
      | run.checkpoint(7)                                       | InvalidInput: a label is text: 7                                              |
      | run.checkpoint(chr(0xdcff))                             | InvalidInput: a label is text                                                 |

  Scenario: what could not be taken back is refused
    Given a plain folder
    When this program fails
      """
      from cleveragents import Action
      deploy = {"name": "deploy", "command": "touch deployed", "side_effects": ["network"]}
      with app.session(task=Action.model_validate({"name": "deploy", "tools": [deploy]})) as run:
          run.tool("deploy")
      """
    Then it raised "Refused: step 0 (deploy): tool 'deploy' has effects that cannot be taken back"
    And no step counts

  Scenario: what is no plan for a session is refused
    Given a plain folder
    And the steps
      """
      - name: storage
        decide: {question: "Which?", options: {one: [{tool: shell, with: {command: "exit 1"}}]}, choose: one}
      """
    When I run "agents run ACTION"
    And this program fails
      """
      with app.session(plan="@"):
          pass
      """
    Then it raised "Refused: the plan is in the middle of a decision"
    When this program fails
      """
      from cleveragents import Action
      with app.session(task=Action(name="planned", strategist="true")):
          pass
      """
    Then it raised "InvalidInput: the steps of a session come one by one; its action has none"

  Scenario: a session belongs to the plan's parent, not to a subplan
    Given a plain folder
    And the steps
      """
      - subplans: {plans: [{name: docs, steps: [{tool: shell, with: {command: "true"}}]}]}
      """
    When I run "agents run ACTION"
    And this program fails
      """
      child = next(plan for plan in app.plans.list() if plan.parent_plan_id)
      with app.session(plan=child.plan_id):
          pass
      """
    Then it raised "Refused: a subplan belongs to its parent"

  Scenario Outline: a session used <when> is refused before anything is written: <call>
    When a session is used <when> for "<call>"
    Then it was refused, because "<why>"
    And neither plan, files nor checkpoints have changed by it

    Examples:
      | when                    | why                 | call                                                  |
      | after its block         | not held any more   | tool("write_file", path="late.txt", content="late")   |
      | after its block         | not held any more   | step("shell", {"command": "touch late.txt"})          |
      | after its block         | not held any more   | decide("Which?", ["a", "b"], choose="a")              |
      | after its block         | not held any more   | checkpoint("late")                                    |
      | after its block         | not held any more   | rollback(1)                                           |
      | after its block         | not held any more   | finish()                                              |
      | in another thread       | by another thread   | tool("write_file", path="late.txt", content="late")   |
      | in another thread       | by another thread   | step("shell", {"command": "touch late.txt"})          |
      | in another thread       | by another thread   | decide("Which?", ["a", "b"], choose="a")              |
      | in another thread       | by another thread   | checkpoint("late")                                    |
      | in another thread       | by another thread   | rollback(1)                                           |
      | in another thread       | by another thread   | finish()                                              |
      | in a forked process     | by another process  | tool("write_file", path="late.txt", content="late")   |
      | in a forked process     | by another process  | step("shell", {"command": "touch late.txt"})          |
      | in a forked process     | by another process  | decide("Which?", ["a", "b"], choose="a")              |
      | in a forked process     | by another process  | checkpoint("late")                                    |
      | in a forked process     | by another process  | rollback(1)                                           |
      | in a forked process     | by another process  | finish()                                              |

  Scenario: a session whose plan was applied within its block is refused, and its call is forgotten
    Given a plain folder
    When this program fails
      """
      from cleveragents import ApplyOptions
      with app.session() as run:
          run.tool("write_file", path="b.txt", content="one")
          run.finish()
          app.apply.run(run.plan_id, ApplyOptions())
          run.tool("shell", command="touch late")
      """
    Then it raised "Refused: the plan is applied: its result is in your project"
    When I run "agents plan unapply @ --yes"
    And I run "agents plan execute @"
    Then the plan has no file "late"
    And the plan is "execute/complete"

  Scenario: somebody else cancels a session
    Given a plain folder
    When this program fails
      """
      with app.session() as run:
          run.tool("write_file", path="b.txt", content="one")
          app.stopping.ask(run.plan_id)
          try:
              run.tool("write_file", path="c.txt", content="two")
          finally:
              assert run.plan.state == "cancelled"
      """
    Then it raised "Refused: the plan was cancelled"
    And the plan's files are
      | file  | content |
      | a.txt | one     |
      | b.txt | one     |

  # --- Crashes -----------------------------------------------------------------------------------

  Scenario: a session that was killed in a call goes on in another process
    Given a plain folder
    And this program has been killed in its step
      """
      with app.session() as run:
          run.tool("write_file", path="b.txt", content="one")
          command = 'echo half > b.txt; sleep 600 & echo $! > "$GATE.pid"; touch started; wait'
          run.step("shell", {"command": command}, pass_env=["GATE"])
      """
    When I run "agents plan status @"
    Then the output says "interrupted"
    When this program runs
      """
      with app.session(plan="@") as run:
          assert run.plan.step_index == 1
          assert (run.path / "b.txt").read_text() == "one"
          run.tool("shell", command="cat b.txt > c.txt")
      """
    Then nothing that the killed step started is left
    And the plan is "execute/complete"
    And the plan's files are
      | file  | content |
      | a.txt | one     |
      | b.txt | one     |
      | c.txt | one     |
    And checkpoint 3 holds the file "b.txt" with "half"
    And the steps that count are
      | step       | attempt |
      | write_file | 1       |
      | shell      | 1       |

  Scenario: a killed session is a plan that commands resume and roll back
    Given a plain folder
    And this program has been killed in its step
      """
      with app.session() as run:
          run.tool("write_file", path="b.txt", content="one")
          run.step("shell", {"command": 'test -e "$GATE" || { touch started; sleep 600; }'}, pass_env=["GATE"])
      """
    When the gate opens
    And I run "agents plan resume @"
    Then the exit code is 0
    And the plan is "execute/complete"
    And the plan is at step 2
    When I run "agents plan rollback @ 1 --yes"
    Then the exit code is 0
    And the plan has no file "b.txt"
    When I run "agents plan execute @"
    Then the exit code is 0
    And the plan's file "b.txt" holds "one"

  Scenario: a call that reached outside and was cut off is not made again unasked
    Given a plain folder
    And this program has been killed in its step
      """
      from cleveragents import Action
      told = {"name": "tell", "command": "touch started; sleep 600", "side_effects": ["network"], "undo": "true"}
      with app.session(task=Action.model_validate({"name": "tell", "tools": [told]})) as run:
          run.tool("tell")
      """
    When this program fails
      """
      with app.session(plan="@") as run:
          pass
      """
    Then it raised "Refused: side effects would happen a second time: step tell (network)"
    When this program runs
      """
      with app.session(plan="@", retry_unsafe=True) as run:
          assert run.plan.step_index == 0
      """

  Scenario: a loop that is killed at any moment comes to the same end when it is run again
    Given a plain folder
    When a loop is killed at every eleventh of its transactions and run again
    Then it was killed at least 8 times
    And each time it has come to its end with the file "log" of "one, two"
