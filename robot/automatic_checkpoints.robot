*** Settings ***
Documentation       Checkpoints that a plan makes by itself, at the milestones that each level of the
...                 settings names, and how many of them are kept. What was made is read back from
...                 the table `checkpoints` of the database, not from what the command says.

Resource            resources.resource

Suite Teardown      Remove All Rooms
Test Setup          Enter A Room With A Plan
Test Teardown       Leave Room


*** Variables ***
${KEY}              sandbox.checkpoint.auto-create-on
${LIMIT}            sandbox.checkpoint.max-checkpoints-per-plan
${VARIABLE}         CLEVERAGENTS_SANDBOX_CHECKPOINT_AUTO_CREATE_ON
${SHORT}            CLEVERAGENTS_CHECKPOINT_AUTO_CREATE_ON
${OFF}              automatic checkpoints are off: a crash starts again from pre_execute or the latest decision


*** Test Cases ***
By Default Every Milestone Makes A Checkpoint
    [Documentation]    The last step fails, so all triggers that plans without subplans have come up.
    Run Agents    run ACTION    code=1
    Triggers Should Be    after_tool_execute    before_step    on_error
    ${rows} =    Table Of Checkpoints
    ${types} =    Evaluate    [row.checkpoint_type for row in $rows]
    Should Be Equal    ${types}    ${{["pre_execute", "tool", "step", "error", "rollback"]}}
    ${error} =    Set Variable    ${rows}[3]
    Should Be Equal    ${error.metadata_json.reason}    step bad failed
    Should Be Equal    ${error.metadata_json.source_tool}    shell
    Should Be Equal    ${error.metadata_json.phase}    execute

Each Level Beats The One Below It
    [Documentation]    Default, user, project, environment, flag: a level more for each plan.
    Run Agents    config set ${KEY} on_error
    Run Agents    run ACTION    code=1
    Triggers Should Be    on_error
    Run Agents    config set --project-level ${KEY} before_step
    Run Agents    run ACTION    code=1
    Triggers Should Be    before_step    before_step
    Set Variable Of Agents    ${VARIABLE}    after_tool_execute
    Run Agents    run ACTION    code=1
    Triggers Should Be    after_tool_execute
    Run Agents    run ACTION --set ${KEY}=before_tool_execute    code=1
    Triggers Should Be    before_tool_execute
    ${done} =    Run Agents    config get ${KEY} --verbose --set ${KEY}=before_tool_execute
    FOR    ${text}    IN    flag (wins)    environment    project    user    default
        Should Contain    ${done.out}    ${text}
    END

Each Level May Turn Them Off
    [Documentation]    Then the plan keeps its start, and every output of the plan says so.
    FOR    ${level}    IN    user    project    environment    flag
        ${given} =    Turn Off On    ${level}
        ${done} =    Run Agents    run ACTION ${given}    code=1
        Should Contain    ${done.err}    ${OFF}
        Triggers Should Be
        ${status} =    Read Envelope    plan status @ ${given}
        Should Contain    ${status.messages}    ${OFF}
        Turn On On    ${level}
    END

Each Level Refuses What It Does Not Know
    [Documentation]    With the nearest name, and before anything is made.
    Refused Should Be    --set ${KEY}=before_stop    did you mean 'before_step'?
    Refused Should Be    --set sandbox.checkpoint.auto-create=on_error    did you mean '${KEY}'?
    Set Variable Of Agents    ${SHORT}    on_eror
    Refused Should Be    ${EMPTY}    did you mean 'on_error'?
    Unset Variable Of Agents    ${SHORT}
    Set Variable Of Agents    CLEVERAGENTS_SANDBOX_CHECKPOINT_AUTO_CREATE    on_error
    Refused Should Be    ${EMPTY}    did you mean '${VARIABLE}'?
    Unset Variable Of Agents    CLEVERAGENTS_SANDBOX_CHECKPOINT_AUTO_CREATE
    Write    .cleveragents/config.toml    [sandbox.checkpoint]\nauto-create-on = ["after_subplans"]\n
    Refused Should Be    ${EMPTY}    did you mean 'after_subplan'?
    Write    .cleveragents/config.toml    core.checkpoints.auto_create_on = ["on_error"]\n
    Refused Should Be    ${EMPTY}    a project may not set core.checkpoints.auto_create_on
    Write    .cleveragents/config.toml    sandbox.pass-env = ["HOME"]\n
    Refused Should Be    ${EMPTY}    a project may not set sandbox.pass-env

Old Spellings Are Accepted With One Warning
    Set Variable Of Agents    ${SHORT}    on_tool_write,on_tool_write_complete
    ${done} =    Run Agents    run ACTION    code=1
    ${count} =    Get Count    ${done.err}    old spelling
    Should Be Equal    ${count}    ${1}
    Triggers Should Be    after_tool_execute    before_tool_execute

A Plan Keeps As Many As The Settings Say
    [Documentation]    The rows of the others are gone from the table, the first and the newest stay.
    Write Action Of Commands    echo 1 > v    echo 2 > v    echo 3 > v    echo 4 > v    echo 5 > v
    Run Agents    config set --project-level ${LIMIT} 3
    Run Agents    run ACTION
    ${rows} =    Table Of Checkpoints
    ${numbers} =    Evaluate    [row.seq for row in $rows]
    Should Be Equal    ${numbers}    ${{[1, 6, 7]}}
    ${listed} =    Checkpoints Of
    ${kept} =    Evaluate    [row.kept for row in $listed]
    Should Be Equal    ${kept}    ${{["the first", "within the limit", "the newest"]}}
    Run Agents    plan checkpoint verify @


*** Keywords ***
Enter A Room With A Plan
    [Documentation]    A step that writes, one that only reads, and one that fails.
    Make Room
    Write    a.txt    one\n
    Write Action
    ...    name: milestones
    ...    steps:
    ...    - {name: first, tool: write_file, with: {path: b.txt, content: b}}
    ...    - {name: look, tool: read_file, with: {path: b.txt}}
    ...    - {name: bad, tool: shell, with: {command: "echo half > half; exit 1"}}

Triggers Should Be
    [Documentation]    Compares the triggers of the latest plan's rows, in their order.
    [Arguments]    @{expected}
    ${rows} =    Table Of Checkpoints
    ${found} =    Evaluate    [row.metadata_json.trigger for row in $rows if row.metadata_json.get("trigger")]
    Lists Should Be Equal    ${found}    ${expected}

Turn Off On
    [Documentation]    Sets an empty list on a level; returns what the command line needs for it.
    [Arguments]    ${level}
    IF    $level == "user"    Run Agents    config set ${KEY} []
    IF    $level == "project"    Run Agents    config set --project-level ${KEY} []
    IF    $level == "environment"    Set Variable Of Agents    ${VARIABLE}    ${EMPTY}
    IF    $level == "flag"    RETURN    --set ${KEY}=
    RETURN    ${EMPTY}

Turn On On
    [Documentation]    Makes a level say nothing again.
    [Arguments]    ${level}
    IF    $level == "user"    Run Agents    config unset ${KEY}
    IF    $level == "project"    Run Agents    config unset --project-level ${KEY}
    IF    $level == "environment"    Unset Variable Of Agents    ${VARIABLE}

Refused Should Be
    [Documentation]    The plan is not made, and the message says why.
    [Arguments]    ${given}    ${text}
    ${error} =    Read Error    plan use ACTION ${given}    2
    Should Be Equal    ${error.code}    invalid_input
    Should Contain    ${error.message}    ${text}
