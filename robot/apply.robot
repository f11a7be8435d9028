*** Settings ***
Documentation       The result of a plan reaches the project whole or not at all, and comes out again.
...
...                 What the project must look like is told by the same commands run on a copy of it,
...                 without CleverAgents.

Resource            resources.resource

Suite Teardown      Remove All Rooms
Test Setup          Make Room With A Finished Plan
Test Teardown       Leave Room


*** Test Cases ***
An Applied Plan Is In The Project And Comes Out Again
    ${before} =    Tree Of    ${MINE}
    ${index} =    Shell    git rev-parse HEAD; sha256sum .git/index .git/HEAD .git/config
    ${data} =    Read Agents    plan apply @ --yes
    Should Be Equal    ${data.phase}/${data.state}    apply/applied
    Tree Should Be    ${AFTER}[3]
    ${same} =    Shell    git rev-parse HEAD; sha256sum .git/index .git/HEAD .git/config
    Should Be Equal    ${same}    ${index}
    Run Agents    plan rollback @ 1 --yes    code=4
    Run Agents    plan unapply @ --yes
    Tree Should Be    ${before}
    State Of Plan Should Be    execute/complete

What Was Edited Since Is Not Taken Back
    Run Agents    plan apply @ --yes
    Write    bin.dat    edited\n
    ${edited} =    Tree Of    ${MINE}
    ${error} =    Read Error    plan unapply @ --yes    4
    Should Be Equal    ${error.detail}[0]    bin.dat: edited since the plan was applied: in the same place as the plan
    Tree Should Be    ${edited}
    State Of Plan Should Be    apply/applied

In The Middle Of A Rebase Nothing Is Applied
    Shell    git checkout -q a.txt; git checkout -q -b other; echo other > a.txt; git commit -qam other
    Shell    git checkout -q main; echo main > a.txt; git commit -qam main; git rebase -q other || true
    ${before} =    Tree Of    ${MINE}    times=True
    ${error} =    Read Error    plan apply @ --yes    4
    Should Be Equal    ${error.detail}    ${{["a rebase is not finished"]}}
    ${after} =    Tree Of    ${MINE}    times=True
    Trees Should Be Equal    ${after}    ${before}

Two Plans With The Same Files Go In And Out In Their Order
    ${before} =    Tree Of    ${MINE}
    Run Agents    plan apply @ --yes
    ${first} =    Read Agents    plan status @
    Write Action Of Commands    echo again > new; chmod 600 bin.dat
    Run Agents    run ACTION
    Run Agents    plan apply @ --yes
    ${error} =    Read Error    plan unapply ${first.plan_id} --yes    4
    Should Be Equal    ${error.detail}[0]    bin.dat: edited since the plan was applied: in the same place as the plan
    Run Agents    plan unapply @ --yes
    Tree Should Be    ${AFTER}[3]
    Run Agents    plan unapply ${first.plan_id} --yes
    Tree Should Be    ${before}

A Branch Leaves The Files Alone
    ${before} =    Tree Of    ${MINE}
    ${data} =    Read Agents    plan apply @ --yes --as branch
    Tree Should Be    ${before}
    ${tip} =    Shell    git rev-parse ${data.branch}
    Should Be Equal    ${tip}    ${data.commit}


*** Keywords ***
Make Room With A Finished Plan
    Make Room
    Make A Repository Of Files
    Shell    git commit -qam second
    ${trees} =    Expected Trees    @{COMMANDS}
    Write Action Of Commands    @{COMMANDS}
    ${status} =    Read Agents    run ACTION
    ${mine} =    Project
    VAR    ${AFTER}    ${trees}    scope=TEST
    VAR    ${MINE}    ${mine}    scope=TEST

Tree Should Be
    [Documentation]    Compares every path of the project with the tree it must have.
    [Arguments]    ${expected}
    ${found} =    Tree Of    ${MINE}
    Trees Should Be Equal    ${found}    ${expected}
