*** Settings ***
Documentation       What is kept is looked after: damage and loss are told, and mended where they can be.

Resource            resources.resource

Suite Setup         Run A Plan And Keep It
Suite Teardown      Remove All Rooms
Test Setup          Return To Kept Room
Test Teardown       Leave Room


*** Test Cases ***
A Healthy Store
    ${done} =    Run Agents    doctor
    Should Contain    ${done.out}    no problem found
    ${done} =    Run Agents    plan checkpoint verify --all
    Should Contain    ${done.out}    5 checkpoints verified

A Lost Database Is Rebuilt From The Store
    [Documentation]    The plan is there again with its checkpoints, goes back to any, and goes on.
    Shell    rm ../data/cleveragents.db*
    ${done} =    Run Agents    doctor    1
    Should Contain    ${done.out}    the database does not know plan ${PLAN}
    Run Agents    doctor --repair
    ${rows} =    Checkpoints Of
    Length Should Be    ${rows}    5
    FOR    ${number}    IN    1    2    3
        Run Agents    plan rollback ${PLAN} ${number} --yes
        Sandbox Should Be    ${SANDBOX}    ${EXPECTED}[${${number} - 1}]
    END
    Run Agents    plan execute ${PLAN}
    State Of Plan Should Be    execute/complete
    Sandbox Should Be    ${SANDBOX}    ${EXPECTED}[3]

Damaged Content Is Stored Again From The Sandbox
    [Documentation]    The middle of the new checkpoint is in the middle of its one large file.
    Write Action Of Commands    head -c 100000 /dev/urandom > big
    Run Agents    run ACTION
    ${rows} =    Checkpoints Of
    Damage Content Of    ${rows}[1]
    ${done} =    Run Agents    plan checkpoint verify --all    1
    Should Contain    ${done.out}    big
    ${done} =    Run Agents    doctor    1
    Should Contain    ${done.out}    cp2 cannot be restored as a whole
    ${done} =    Run Agents    doctor --repair
    Should Contain    ${done.out}    1 of 1 lost objects were stored again
    Run Agents    plan checkpoint verify --all


*** Keywords ***
Run A Plan And Keep It
    [Documentation]    Three steps that change files of a plain folder.
    Make Room
    Make A Project Of Files
    ${trees} =    Expected Trees    @{COMMANDS}
    Write Action Of Commands    @{COMMANDS}
    Run Agents    run ACTION
    ${status} =    Read Agents    plan status @
    VAR    ${PLAN}    ${status.plan_id}    scope=SUITE
    ${sandbox} =    Sandbox Of
    VAR    ${SANDBOX}    ${sandbox}    scope=SUITE
    VAR    ${EXPECTED}    ${trees}    scope=SUITE
    Keep Room
