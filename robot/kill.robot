*** Settings ***
Documentation       A process may die at any moment: the next command finds the plan and goes on.

Resource            resources.resource

Suite Teardown      Remove All Rooms
Test Setup          Prepare
Test Teardown       Clean Up


*** Variables ***
# The second step pauses half-way, and leaves processes in the background, if it is told to; it
# would show if it ran on files that an earlier attempt has touched.
@{STEPS}
...                 printf 'first\n' > first.txt; rm -r dir
...                 echo once >> log.txt; rm a.txt; [ -z "$PAUSE" ] || { setsid sleep "$PAUSE" & sleep "$PAUSE"; } && echo end >> log.txt
...                 printf 'third\n' > third.txt


*** Test Cases ***
A Killed Plan Goes On Where It Was
    ${running} =    Start And Wait For The Pause
    Send Signal    SIGKILL    ${running}
    ${status} =    Status Should Be Interrupted
    ${half} =    Shell    cat log.txt; test ! -e a.txt    ${status.execution.sandbox.path}
    Should Be Equal    ${half}    once
    Plan Should Go On And Complete    ${status}

No Process Of A Killed Plan Survives The Next Run
    [Documentation]    Neither the command of the step nor what it left in the background.
    ${running} =    Start And Wait For The Pause
    Send Signal    SIGKILL    ${running}
    Some Process Should Have    ${SECONDS}
    Run Agents    plan execute @
    No Process Should Have    ${SECONDS}

A Killed Plan Can Be Taken Back
    ${running} =    Start And Wait For The Pause
    Send Signal    SIGKILL    ${running}
    ${data} =    Read Agents    plan rollback @ 1 --yes
    Should Be Equal    ${data.post_rollback_state.state}    queued (awaiting input)
    ${sandbox} =    Sandbox Of
    Sandbox Should Be    ${sandbox}    ${TREES}[0]

No Process Of A Killed Plan Survives A Rollback
    [Documentation]    It could write to files that have just been restored.
    ${running} =    Start And Wait For The Pause
    Send Signal    SIGKILL    ${running}
    Some Process Should Have    ${SECONDS}
    Run Agents    plan rollback @ 1 --yes
    No Process Should Have    ${SECONDS}

An Interrupted Plan Ends Its Processes And Goes On
    [Documentation]    Ctrl-C.
    ${running} =    Start And Wait For The Pause
    ${done} =    Send Signal    SIGINT    ${running}
    Should Be Equal As Integers    ${done.rc}    130
    Should Not Contain    ${done.err}    Traceback
    No Process Should Have    ${SECONDS}
    ${status} =    Status Should Be Interrupted
    Plan Should Go On And Complete    ${status}

An Interrupted Plan Says How To Go On
    ${running} =    Start And Wait For The Pause
    ${done} =    Send Signal    SIGINT    ${running}
    Error Should Say    ${done}    interrupted    agents plan resume


*** Keywords ***
Prepare
    [Documentation]    A plan whose second step can be told to pause.
    Make Room
    Make A Repository Of Files
    ${trees} =    Expected Trees    @{STEPS}
    ${seconds} =    Unique Seconds
    VAR    ${TREES}    ${trees}    scope=TEST
    VAR    ${SECONDS}    ${seconds}    scope=TEST
    Set Variable Of Agents    CLEVERAGENTS_SANDBOX_PASS_ENV    PAUSE
    Write Action Of Commands    @{STEPS}
    Run Agents    plan use ACTION

Clean Up
    End Processes With    ${SECONDS}
    Leave Room

Start And Wait For The Pause
    [Documentation]    Runs the plan up to the middle of its second step; returns the process.
    Set Variable Of Agents    PAUSE    ${SECONDS}
    ${running} =    Start Agents    plan execute @
    Wait For Process With    ${SECONDS}    ${running}
    Unset Variable Of Agents    PAUSE
    RETURN    ${running}

Status Should Be Interrupted
    [Documentation]    Asks for the status, which changes nothing; returns it.
    ${status} =    State Of Plan Should Be    execute/processing
    Should Be True    ${status.interrupted}
    ${progress} =    Evaluate    [step.status for step in $status.progress]
    Should Be Equal    ${progress}    ${{["done", "interrupted", "pending"]}}
    RETURN    ${status}

Plan Should Go On And Complete
    [Documentation]    The step that was cut off runs once more, from the files it started with.
    [Arguments]    ${interrupted}
    ${done} =    Run Agents    plan execute @
    Should Contain    ${done.err}    the last run was interrupted
    Should Not Contain    ${done.err}    1/3 step 1
    State Of Plan Should Be    execute/complete
    Sandbox Should Be    ${interrupted.execution.sandbox.path}    ${TREES}[3]
