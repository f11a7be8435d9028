*** Settings ***
Documentation       Ways back that a person picks: the picker on a terminal, single files, and the
...                 checkpoint at which something broke.

Resource            resources.resource

Suite Setup         Run The Plan And Keep It
Suite Teardown      Remove All Rooms
Test Setup          Return To Kept Room
Test Teardown       Leave Room


*** Variables ***
${MENU}             q leaves
${TAKE_BACK}        agents (plan restore .*?) +# takes this one back


*** Test Cases ***
The Picker Tells What Going Back Would Change
    [Documentation]    A number finds its checkpoint; beside it stands what would change; then a yes.
    ${said} =    Talk To Agents    plan rollback ${PLAN}
    ...    ${MENU}    2
    ...    Roll back to cp2? [y/N]    y
    Should Contain    ${said}    Would change
    Should Contain    ${said}    Rollback complete
    Sandbox Should Be    ${SANDBOX}    ${AFTER}[1]

Whatever Is No Yes Leaves Everything As It Is
    [Documentation]    In the picker and at the question: leaving it, the default answer, Ctrl-C.
    Talk To Agents    plan rollback ${PLAN}    ${MENU}    q    code=1
    ${said} =    Talk To Agents    plan rollback ${PLAN}
    ...    ${MENU}    1
    ...    Roll back to cp1? [y/N]    ${EMPTY}
    ...    code=1
    Should Contain    ${said}    declined; nothing was changed
    Talk To Agents    plan rollback ${PLAN}    ${MENU}    \x03    code=130
    Sandbox Should Be    ${SANDBOX}    ${AFTER}[3]
    ${rows} =    Checkpoints Of    ${PLAN}
    Lists Should Be Equal    ${rows}    ${CHECKPOINTS}

A Single File Is Taken Back And Given Again
    ${done} =    Run Agents    plan restore ${PLAN} 2 --path v --yes
    ${value} =    Shell    cat v    ${SANDBOX}
    Should Be Equal    ${value}    two
    State Of Plan Should Be    execute/complete    ${PLAN}
    ${_}    ${command} =    Should Match Regexp    ${done.err}    ${TAKE_BACK}
    Run Agents    ${command} --yes
    Sandbox Should Be    ${SANDBOX}    ${AFTER}[3]
    ${error} =    Read Error    plan restore ${PLAN} 2 --path w --yes    3
    Should Contain    ${error.message}    there is no w

The Checkpoint At Which Something Broke Is Found
    ${done} =    Run Agents    plan bisect ${PLAN} -- sh -c '! grep three v'
    Should Match Regexp    ${done.out}    Fails since +cp3 +${CHECKPOINTS}[2][checkpoint_id][:10]
    Should Match Regexp    ${done.out}    Passes until +cp2 +${CHECKPOINTS}[1][checkpoint_id][:10]
    Should Match Regexp    ${done.out}    Broken by +step 2 \\(shell\\)
    Sandbox Should Be    ${SANDBOX}    ${AFTER}[3]


*** Keywords ***
Run The Plan And Keep It
    [Documentation]    Three steps, each of which changes files.
    Make Room
    Write    v    one\n
    VAR    @{commands}
    ...    printf 'two\n' > v; printf 'x' > first
    ...    printf 'three\n' > v
    ...    printf 'y' > third
    ${trees} =    Expected Trees    @{commands}
    Write Action Of Commands    @{commands}
    ${status} =    Read Agents    run ACTION
    ${rows} =    Checkpoints Of    ${status.plan_id}
    VAR    ${PLAN}    ${status.plan_id}    scope=SUITE
    VAR    ${SANDBOX}    ${status.execution.sandbox.path}    scope=SUITE
    VAR    ${CHECKPOINTS}    ${rows}    scope=SUITE
    VAR    ${AFTER}    ${trees}    scope=SUITE
    Keep Room
