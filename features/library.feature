Feature: The library
  Programs use public names alone; what they are told is typed, and what is wrong is told before anything changes.

  Scenario: every public name is where it says it is, and no other
    Then each public name of the library can be imported
    And the library has no name "nothing"
    And the page of the library names them all

  Scenario: the page of the library tells what there is, and works as it stands there
    Given a plain folder
    Then it describes every member of the app and of a session, and no other
    When the Python of the page is run in the project
    Then the exit code is 0
    And the output says
      """
      added hello.txt +1 -0
      cp4 manual by my program
      [('hello.txt', 'removed')]
      notes.txt added
      1 calls so far
      no plan '01ARZ3NDEKTSV4RRFFQ69G5FAV'
      """

  Scenario: the program that shows the types of the library does what it says
    Given a plain folder
    When this program runs
      """
      from typed_api import WHERE_THEY_WERE, use
      assert use(app, app.project.path).state == "applied"
      services = {type(each) for each in (app.execute, app.apply, app.checkpoints, app.corrections)}
      assert services < set(WHERE_THEY_WERE), services
      """
    Then the plan is "apply/applied"

  Scenario: results of earlier calls are read after a failure, after a crash and after a rollback
    Given a plain folder
    And steps are not confined
    When this program fails
      """
      with app.session() as run:
          assert run.results == []
          run.tool("write_file", path="b.txt", content="one")
          run.decide("Which?", ["this"], chooser='echo \'{"choose": "this"}\'')
          run.step("shell", {"command": "echo two; exit 3"}, name="see", retries=1)
      """
    Then it raised "CallFailed: see failed: exit code 3"
    When this program fails
      """
      with app.session(plan="@") as run:
          assert [result.tool for result in run.results] == ["write_file"], run.results
          command = 'test -e "$GATE" || { touch "$GATE"; exit 1; }'
          run.step("shell", {"command": command}, name="twice", retries=1, env={"GATE": str(DATA / "gate")})
          run.tool("shell", command="echo hello > c.txt; cat c.txt")
          raise ZeroDivisionError("of the loop itself")
      """
    Then it raised "ZeroDivisionError"
    When this program fails
      """
      with app.session(plan="@") as run:
          first, twice, hello = run.results
          assert (first.name, first.tool, first.exit_code) == ("write_file", "write_file", None), first
          assert first.input == {"path": "b.txt", "content": "one"}, first
          assert (twice.name, twice.tool, twice.succeeded, twice.exit_code) == ("twice", "shell", True, 0), twice
          assert hello.output == "hello\n", hello
          run.rollback(app.checkpoints.list_checkpoints(run.plan_id)[1])
          assert run.results == [first], run.results
          run.tool("read_file", path="b.txt")
          assert [result.output for result in run.results[1:]] == ["one"], run.results
          raise ZeroDivisionError("once more")
      """
    Then it raised "ZeroDivisionError"
    When I run "agents plan resume @"
    Then the exit code is 0
    When this program runs
      """
      with app.session(plan="@") as run:
          pass
      assert [result.tool for result in run.results] == ["write_file", "read_file"], run.results
      """

  Scenario: of a failed call whose files are kept, the result is kept as well
    Given a plain folder
    When this program runs
      """
      from cleveragents import Action, OnFailure, RollbackPolicy
      task = Action(name="keep", rollback=RollbackPolicy(on_failure=OnFailure.KEEP))
      with app.session(task=task) as run:
          try:
              run.tool("shell", command="echo half; exit 3")
          except CallFailed as error:
              assert run.results == [error.result], run.results
          run.tool("write_file", path="b.txt", content="one")
          failed, done = run.results
          assert (failed.succeeded, failed.exit_code, failed.output, done.succeeded) == (False, 3, "half\n", True)
      """

  Scenario: an action file is named by text, as by a path
    Given a plain folder
    When this program runs
      """
      action = app.project.path / "a.yaml"
      action.write_text("name: a\narguments: {who: {default: you}}\nsteps: [{tool: write_file, with: {path: b, content: '${who}'}}]")
      elsewhere = App(app.project.path, data_dir=DATA, cwd=app.project.path.parent)
      within = f"{app.project.path.name}/a.yaml"
      for plan in (app.use("a.yaml"), app.use(action), elsewhere.use(within)):
          assert app.run(plan.plan_id).state == "complete"
          assert (app.plans.status(plan).sandbox.path / "b").read_text() == "you"
      """

  Scenario: an app that is closed holds no descriptor, and opens again what it is asked for
    Given a plain folder
    When this program runs
      """
      from cleveragents import Refused
      def held():
          linked = {os.path.realpath(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")}
          return sorted(path for path in linked if str(DATA) in path or "inotify" in path)
      app.close()
      before = held()
      with App(data_dir=DATA) as other:
          with other.session() as run:
              run.tool("write_file", path="b.txt", content="one")
              refused = ()
              try:
                  other.close()
              except Refused as error:
                  refused = error.hints
              assert refused
              run.tool("write_file", path="b.txt", content="two")
              run.rollback(2)
          assert held() != before
      assert held() == before, held()
      assert [result.tool for result in run.results] == ["write_file"]
      assert other.checkpoints.is_present(run.plan_id, other.kept.get_checkpoint(run.plan_id, "@"))
      with other.session(plan="@") as run:
          run.tool("shell", command="test $(cat b.txt) = one")
      other.close()
      other.close()
      assert held() == before, held()
      """
    Then the plan is "execute/complete"

  Scenario Outline: a plan that there is not is told as such: <call>
    Given a plain folder
    When this program fails
      """
      from cleveragents import ApplyOptions, PlanId
      unknown = PlanId("<unknown>")
      app.<call>
      """
    Then it raised "NotFound: no plan"

    Examples:
      | unknown                    | call                                     |
      | 01ARZ3NDEKTSV4RRFFQ69G5FAV | checkpoints.list_checkpoints(unknown)    |
      | it's none                  | checkpoints.list_checkpoints(unknown)    |
      | 01ARZ3NDEKTSV4RRFFQ69G5FAV | checkpoints.latest_checkpoint(unknown)   |
      | 01ARZ3NDEKTSV4RRFFQ69G5FAV | checkpoints.get_checkpoint(unknown, "1") |
      | 01ARZ3NDEKTSV4RRFFQ69G5FAV | checkpoints.get_checkpoint(unknown, "@") |
      | 01ARZ3NDEKTSV4RRFFQ69G5FAV | checkpoints.current_line(unknown)        |
      | 01ARZ3NDEKTSV4RRFFQ69G5FAV | checkpoints.retention(unknown)           |
      | 01ARZ3NDEKTSV4RRFFQ69G5FAV | corrections.attempts(unknown)            |
      | 01ARZ3NDEKTSV4RRFFQ69G5FAV | conflicts.open(unknown)                  |
      | 01ARZ3NDEKTSV4RRFFQ69G5FAV | begin_dry_run(unknown)                   |
      | 01ARZ3NDEKTSV4RRFFQ69G5FAV | recover(unknown)                         |
      | 01ARZ3NDEKTSV4RRFFQ69G5FAV | run(unknown)                             |
      | 01ARZ3NDEKTSV4RRFFQ69G5FAV | apply.preview(unknown, ApplyOptions())   |

  Scenario: a checkpoint of another plan is refused wherever it is named with a plan
    Given a plain folder
    When this program runs
      """
      from cleveragents import InvalidInput
      with app.session() as other:
          other.tool("write_file", path="b.txt", content="other")
          foreign = other.checkpoint("theirs")
      with app.session() as run:
          run.tool("write_file", path="c.txt", content="mine")
      def present():
          plans = app.plans.list()
          return plans, [app.kept.list_checkpoints(plan.plan_id) for plan in plans]
      before = present()
      service = app.checkpoints
      for act, more in (
          (service.rollback_to_checkpoint, {}),
          (service.preview_rollback, {}),
          (service.preview_rebuild, {}),
          (service.pin_checkpoint, {"pinned": False}),
          (service.delete_checkpoint, {}),
          (service.document, {}),
          (service.is_present, {}),
          (service.extract_checkpoint, {"target": DATA / "written"}),
      ):
          try:
              act(run.plan_id, foreign, **more)
          except InvalidInput as error:
              assert f"belongs to another plan, {other.plan_id}" in error.message and error.hints
          else:
              raise AssertionError(act)
          assert present() == before, act
      assert not (DATA / "written").exists()
      """
    Then the plan has no file "b.txt"

  Scenario: a plan that has no checkpoint yet has none
    Given a plain folder
    When this program runs
      """
      (app.project.path / "a.yaml").write_text("name: a\nsteps: [{tool: shell, with: {command: 'true'}}]")
      plan_id = app.use("a.yaml").plan_id
      assert not app.kept.list_checkpoints(plan_id)
      assert app.kept.latest_checkpoint(plan_id) is None
      assert app.kept.current_line(plan_id) == set()
      """
