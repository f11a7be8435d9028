*** Settings ***
Documentation       Checkpoints made while a plan runs, and the way back to each of them.
...
...                 What a sandbox must look like is told by the same commands run on a copy of the
...                 project, without CleverAgents. Most tests start from one plan that has been run
...                 once: its room is kept and given to each test as it was.

Resource            resources.resource

Suite Setup         Run The Plan And Keep It
Suite Teardown      Remove All Rooms
Test Setup          Return To Kept Room
Test Teardown       Leave Room


*** Variables ***
@{COLUMNS}          checkpoint_id    plan_id    seq    decision_id    checkpoint_type    resource_id    sandbox_ref
...                 filesystem_path    size_bytes    created_at    label    step_index    state_hash    metadata_json
@{PANELS}           Rollback Summary    Changes Reverted    Impact    Post-Rollback State    ✓ OK Rollback complete
${COMMIT}           git add -A && git -c user.name=S -c user.email=s@x commit -qm gone
${TAKE_BACK}        agents (plan rollback \\S+ \\d+) +# takes this one back


*** Test Cases ***
Checkpoints Are Listed With Every Column And The Oldest First
    [Documentation]    The list comes from another process than the one that ran the plan.
    Length Should Be    ${CHECKPOINTS}    7
    FOR    ${number}    ${row}    IN ENUMERATE    @{CHECKPOINTS}    start=1
        FOR    ${column}    IN    @{COLUMNS}
            Dictionary Should Contain Key    ${row}    ${column}
        END
        Should Be Equal    ${row.seq}    ${number}
        Should Be Equal    ${row.plan_id}    ${PLAN}
        Should Be Equal    ${row.filesystem_path}    ${SANDBOX}
        Should Match Regexp    ${row.checkpoint_id}    ^[0-9A-HJKMNP-TV-Z]{26}$
        Should Match Regexp    ${row.state_hash}    ^[0-9a-f]{64}$
        Should Match Regexp    ${row.created_at}    ^\\d{4}-\\d\\d-\\d\\dT[0-9:.]+\\+00:00$
        Should Be True    ${row.size_bytes} > 0
    END
    ${ids} =    Evaluate    [row.checkpoint_id for row in $CHECKPOINTS]
    ${sorted} =    Evaluate    sorted($ids)
    Lists Should Be Equal    ${ids}    ${sorted}
    ${shown} =    Read Agents    plan checkpoint show ${PLAN} cp4
    ${expected} =    Evaluate    {k: v for k, v in $CHECKPOINTS[3].items() if k not in ("marked", "kept")}
    Dictionaries Should Be Equal    ${shown}    ${expected}

A Plan Makes Checkpoints By Itself As It Runs
    [Documentation]    One per milestone at which something changed, each with its reason.
    ${types} =    Evaluate    [row.checkpoint_type for row in $CHECKPOINTS]
    Should Be Equal    ${types}    ${{["pre_execute", "tool", "tool", "manual", "tool", "tool", "post_execute"]}}
    ${steps} =    Evaluate    [row.step_index for row in $CHECKPOINTS]
    Should Be Equal    ${steps}    ${{[0, 1, 2, 2, 3, 4, 4]}}
    ${labels} =    Evaluate    [row.label for row in $CHECKPOINTS]
    Should Be Equal    ${labels}    ${{[None, None, None, "pinned", None, None, None]}}
    FOR    ${number}    ${seq}    IN    1    2    2    3    3    5    4    6
        ${about} =    Set Variable    ${CHECKPOINTS}[${${seq} - 1}][metadata_json]
        Should Be Equal    ${about.trigger}    after_tool_execute
        Should Be Equal    ${about.source_tool}    shell
        Should Be Equal    ${about.phase}    execute
        Should Be Equal    ${about.reason}    after shell in step step ${number}
    END

Milestones Can Be Switched Off
    [Documentation]    Then a plan keeps its first and its last state and those it names, and says so.
    Set Variable Of Agents    CLEVERAGENTS_SANDBOX_CHECKPOINT_AUTO_CREATE_ON    ${EMPTY}
    ${done} =    Read Envelope    run ACTION
    ${warned} =    Evaluate    [text for text in $done.messages if "automatic checkpoints are off" in text]
    Length Should Be    ${warned}    1
    ${labels} =    Evaluate    [row.label for row in $done.data.checkpoints]
    Should Be Equal    ${labels}    ${{[None, "pinned", None]}}

The Oldest Checkpoints Give Way To New Ones
    [Documentation]    The first, the newest and the pinned one stay, and can be gone back to.
    Set Variable Of Agents    CLEVERAGENTS_SANDBOX_CHECKPOINT_MAX_CHECKPOINTS_PER_PLAN    4
    ${status} =    Read Agents    run ACTION
    ${numbers} =    Evaluate    [row.seq for row in $status.checkpoints]
    Should Be Equal    ${numbers}    ${{[1, 4, 6, 7]}}
    Run Agents    plan rollback @ 4 --yes
    Sandbox Should Be    ${status.execution.sandbox.path}    ${AFTER}[2]

Rollback By Number Restores Every File And Tells What It Did
    Sandbox's Commit Should Be    another
    ${data} =    Read Agents    plan rollback ${PLAN} 2 --yes
    Sandbox Should Be    ${SANDBOX}    ${AFTER}[1]
    Sandbox's Commit Should Be    the user's
    Keys Should Be    ${data}    rollback_summary    changes_reverted    impact    post_rollback_state
    Keys Should Be    ${data.rollback_summary}    plan    checkpoint    label    files_reverted
    Keys Should Be    ${data.impact}    child_plans_invalidated    sandbox    decisions_after_cp    tool_calls_after_cp
    Keys Should Be    ${data.post_rollback_state}    phase    state    checkpoints_remaining
    Should Be Equal    ${data.rollback_summary.plan}    ${PLAN}
    Should Be Equal    ${data.rollback_summary.checkpoint}    ${CHECKPOINTS}[1][checkpoint_id]
    Length Should Be    ${data.changes_reverted}    ${data.rollback_summary.files_reverted}
    Should Be Equal    ${data.impact.child_plans_invalidated}    ${0}
    Should Be Equal    ${data.impact.sandbox}    restored to cp2
    Should Be Equal    ${data.impact.decisions_after_cp}    0 discarded
    Should Be Equal    ${data.impact.tool_calls_after_cp}    3 undone
    Should Be Equal    ${data.post_rollback_state.phase}    execute
    Should Be Equal    ${data.post_rollback_state.state}    queued (awaiting input)
    # Two from before, and the record of this rollback.
    Should Be Equal    ${data.post_rollback_state.checkpoints_remaining}    ${3}
    ${actions} =    Evaluate    {row.file: row.action for row in $data.changes_reverted}
    Should Be Equal    ${actions}[a.txt]    restored
    Should Be Equal    ${actions}[it's "q"]    removed
    Should Be Equal    ${actions}[caf\\xe9]    removed
    ${raw} =    Evaluate    [row.file_base64 for row in $data.changes_reverted if "file_base64" in row]
    Should Be Equal    ${raw}    ${{["Y2Fm6Q=="]}}

A Checkpoint Has Many Names
    [Documentation]    Its id, the id with its prefix, a part of it in small letters, and @.
    ${part} =    Evaluate    $CHECKPOINTS[4].checkpoint_id[:-1].lower()
    Rollback To Should Restore    ${CHECKPOINTS}[2][checkpoint_id]    2
    Rollback To Should Restore    cp_${CHECKPOINTS}[1][checkpoint_id]    1
    Rollback To Should Restore    ${part}    3
    # The latest one by now is the record of the last rollback.
    Shell    rm -rf ..?* .[!.]* *    ${SANDBOX}
    Rollback To Should Restore    @    3

A Rollback Can Be Taken Back
    [Documentation]    By the command that it prints; what nobody had saved is there again.
    Shell    printf 'by hand' > unsaved.txt; chmod 640 unsaved.txt; rm bin.dat    ${SANDBOX}
    ${before} =    Tree Of    ${SANDBOX}
    ${done} =    Run Agents    plan rollback ${PLAN} 1 --yes
    Sandbox Should Be    ${SANDBOX}    ${AFTER}[0]
    FOR    ${text}    IN    @{PANELS}
        Should Contain    ${done.out}    ${text}
    END
    ${_}    ${command} =    Should Match Regexp    ${done.err}    ${TAKE_BACK}
    Sandbox's Commit Should Be    the user's
    Run Agents    ${command} --yes
    Sandbox Should Be    ${SANDBOX}    ${before}
    Sandbox's Commit Should Be    another
    ${safety} =    Read Agents    plan checkpoint show ${PLAN} 8
    Should Be Equal    ${safety.checkpoint_type}    safety

A Plan Goes On After A Rollback
    [Documentation]    It is queued, runs the steps that were taken back, and no row is lost.
    Run Agents    plan rollback ${PLAN} 2 --yes
    ${status} =    State Of Plan Should Be    execute/queued    ${PLAN}
    Progress Should Be    ${status}    done    pending    pending    pending
    ${status} =    Read Agents    plan execute ${PLAN}
    Should Be Equal    ${status.phase}/${status.state}    execute/complete
    Sandbox Should Be    ${SANDBOX}    ${AFTER}[4]
    ${rows} =    Checkpoints Of    ${PLAN}
    ${ids} =    Evaluate    [row.checkpoint_id for row in $rows[:7]]
    ${expected} =    Evaluate    [row.checkpoint_id for row in $CHECKPOINTS]
    Lists Should Be Equal    ${ids}    ${expected}
    ${marked} =    Evaluate    [row.seq for row in $rows if row.marked]
    Should Be Equal    ${marked}    ${{[3, 4, 5, 6, 7]}}

A Dry Run Changes Nothing And To The Present There Is Nothing To Do
    ${data} =    Read Agents    plan rollback ${PLAN} 1 --dry-run
    ${changes} =    Evaluate    {row.file: row.action for row in $data.changes}
    Should Be Equal    ${changes}[a.txt]    restored
    Should Be Equal    ${changes}[it's "q"]    removed
    Dictionary Should Not Contain Key    ${changes}    .gitignore
    ${data} =    Read Agents    plan rollback ${PLAN} @ --yes
    Should Be Equal    ${data.rollback_summary.files_reverted}    ${0}
    Should Be Empty    ${data.changes_reverted}
    Nothing Should Have Changed

What Is Not Found Or Not Confirmed Changes Nothing
    ${error} =    Read Error    plan rollback ${PLAN} 99 --yes    3
    Should Be Equal    ${error.code}    not_found
    Should Contain    ${error.message}    99
    Should Contain    ${error.suggestions}[0]    agents plan checkpoint list ${PLAN}
    ${done} =    Run Agents    plan rollback ${PLAN} 1    code=2
    Error Should Say    ${done}    Would change    confirm it: agents plan rollback @ 1 --yes
    ${done} =    Run Agents    plan rollback ${PLAN}    code=2
    Error Should Say    ${done}    which checkpoint?    ${CHECKPOINTS}[0][checkpoint_id][:10]    ${CHECKPOINTS}[6][checkpoint_id][:10]
    Nothing Should Have Changed

On A Terminal The User Is Asked
    [Documentation]    The menu can be left and the question declined, with exit code 1; then yes.
    Talk To Agents    plan rollback ${PLAN}    q leaves    q    code=1
    Talk To Agents    plan rollback ${PLAN}    q leaves    2    Roll back to cp2? [y/N]    n    code=1
    Sandbox Should Be    ${SANDBOX}    ${AFTER}[4]
    Talk To Agents    plan rollback ${PLAN} cp2    Roll back to cp2? [y/N]    y
    Sandbox Should Be    ${SANDBOX}    ${AFTER}[1]

A Damaged Checkpoint Is Refused
    [Documentation]    The paths that are lost and the nearest good one are named; nothing changes.
    Shell    head -c 20000 /dev/urandom > noise    ${SANDBOX}
    ${saved} =    Read Agents    plan checkpoint create ${PLAN} --label noise
    Shell    printf 'x' > noise    ${SANDBOX}
    Damage Content Of    ${saved}
    ${before} =    Tree Of    ${SANDBOX}
    ${error} =    Read Error    plan rollback ${PLAN} ${saved.seq} --yes    1
    Should Be Equal    ${error.code}    damaged
    Should Be Equal    ${error.detail}    ${{["noise"]}}
    Should Contain    ${error.suggestions}[0]    agents plan rollback ${PLAN} 7
    Sandbox Should Be    ${SANDBOX}    ${before}
    ${status} =    State Of Plan Should Be    execute/complete    ${PLAN}
    Should Be Equal    ${status.execution.checkpoints}    ${saved.seq}

A Plan That Runs Is Busy
    ${seconds} =    Unique Seconds
    Write Action Of Commands    printf 'half' > half.txt; exec sleep ${seconds}
    ${running} =    Start Agents    run ACTION
    Wait For Process With    ${seconds}    ${running}
    ${error} =    Read Error    plan rollback @ 1 --yes    4
    Should Be Equal    ${error.code}    busy
    Should Contain    ${error.message}    executing the plan
    Should Not Be Empty    ${error.suggestions}
    ${status} =    State Of Plan Should Be    execute/processing
    Progress Should Be    ${status}    running
    ${half} =    Shell    cat half.txt    ${status.execution.sandbox.path}
    Should Be Equal    ${half}    half
    [Teardown]    Run Keywords    Leave Room    AND    End Processes With    ${seconds}

A Failed Step Is Taken Back
    [Documentation]    on_failure: last_good: the files are as they were before the step; what it
    ...    did is a checkpoint all the same.
    ${status} =    Fail With Policy    last_good
    Sandbox Should Be    ${status.execution.sandbox.path}    ${AFTER}[2]
    Should Be Equal    ${status.error.files}    restored to cp3
    Progress Should Be    ${status}    done    done    failed
    ${failed} =    Read Agents    plan checkpoint show @ 4
    Should Be Equal    ${failed.checkpoint_type}    error
    Should Be Equal    ${failed.metadata_json.trigger}    on_error
    Run Agents    plan rollback @ 4 --yes
    Sandbox Should Be    ${status.execution.sandbox.path}    ${AFTER}[3]

A Failed Step Takes The Whole Plan Back
    [Documentation]    on_failure: start: the files are as they were before the first step.
    ${status} =    Fail With Policy    start
    Sandbox Should Be    ${status.execution.sandbox.path}    ${AFTER}[0]
    Should Be Equal    ${status.error.files}    restored to cp1
    Progress Should Be    ${status}    pending    pending    failed

A Failed Step Leaves Its Files
    [Documentation]    on_failure: keep: they stay, and the state before is a rollback away.
    ${status} =    Fail With Policy    keep
    Sandbox Should Be    ${status.execution.sandbox.path}    ${AFTER}[3]
    Should Be Equal    ${status.error.files}    as the failed step left them
    Progress Should Be    ${status}    done    done    failed
    ${data} =    Read Agents    plan rollback @ 3 --yes
    Sandbox Should Be    ${status.execution.sandbox.path}    ${AFTER}[2]
    Should Be Equal    ${data.post_rollback_state.state}    queued (awaiting input)

A Plan Without Rollback Says So
    Write Action Of Commands    ${COMMANDS}[0]    header=name: free\nrollback: {enabled: false}
    ${done} =    Read Envelope    run ACTION
    ${warned} =    Evaluate    [text for text in $done.messages if "rollback is off for this plan" in text]
    Length Should Be    ${warned}    1
    Should Be Empty    ${done.data.checkpoints}
    Sandbox Should Be    ${done.data.execution.sandbox.path}    ${AFTER}[1]
    Read Error    plan rollback @ 1 --yes    3

A Plain Folder Works The Same Way
    [Documentation]    No git anywhere: the same commands, the same checkpoints, the same way back.
    [Setup]    Make Room
    Make A Project Of Files
    ${trees} =    Expected Trees    @{COMMANDS}
    ${mine} =    Project
    ${before} =    Tree Of    ${mine}    times=True
    Write Action Of Commands    @{COMMANDS}
    ${status} =    Read Agents    run ACTION
    Should Be Equal    ${status.phase}/${status.state}    execute/complete
    Should Be Equal    ${status.execution.sandbox.strategy}    filesystem_copy
    ${sandbox} =    Set Variable    ${status.execution.sandbox.path}
    Sandbox Should Be    ${sandbox}    ${trees}[3]
    Run Agents    plan rollback @ 2 --yes
    Sandbox Should Be    ${sandbox}    ${trees}[1]
    Run Agents    plan rollback @ 5 --yes
    Sandbox Should Be    ${sandbox}    ${trees}[3]
    Run Agents    plan rollback @ 1 --yes
    Sandbox Should Be    ${sandbox}    ${trees}[0]
    ${after} =    Tree Of    ${mine}    times=True
    Trees Should Be Equal    ${after}    ${before}

A Plan Whose Apply Failed Can Be Rolled Back
    [Documentation]    A failed apply changes nothing; the plan goes back as if nobody had tried.
    [Setup]    Make Room
    Make A Repository Of Files
    ${trees} =    Expected Trees    @{COMMANDS}
    Write Action Of Commands    @{COMMANDS}
    ${status} =    Read Agents    run ACTION
    Write    a.txt    mine, in the way of the plan\n
    ${mine} =    Project
    ${before} =    Tree Of    ${mine}    times=True
    ${error} =    Read Error    plan apply @ --yes    4
    Should Be Equal    ${error.detail}    ${{["a.txt: you changed it, the plan deleted it"]}}
    ${after} =    Tree Of    ${mine}    times=True
    Trees Should Be Equal    ${after}    ${before}
    State Of Plan Should Be    execute/complete
    Run Agents    plan rollback @ 2 --yes
    Sandbox Should Be    ${status.execution.sandbox.path}    ${trees}[1]
    State Of Plan Should Be    execute/queued


*** Keywords ***
Run The Plan And Keep It
    [Documentation]    Three steps that change files and one that commits them, by use and execute.
    Make Room
    Make A Repository Of Files
    ${trees} =    Expected Trees    @{COMMANDS}    ${COMMIT}
    Write Action Of Commands    @{COMMANDS}    ${COMMIT}    pinned=3
    ${made} =    Read Agents    plan use ACTION
    ${status} =    Read Agents    plan execute ${made.plan_id}
    Should Be Equal    ${status.phase}/${status.state}    execute/complete
    ${rows} =    Checkpoints Of    ${made.plan_id}
    VAR    ${PLAN}    ${made.plan_id}    scope=SUITE
    VAR    ${SANDBOX}    ${status.execution.sandbox.path}    scope=SUITE
    VAR    ${CHECKPOINTS}    ${rows}    scope=SUITE
    VAR    ${AFTER}    ${trees}    scope=SUITE
    Sandbox Should Be    ${SANDBOX}    ${AFTER}[4]
    Keep Room

Rollback To Should Restore
    [Documentation]    Goes to a checkpoint by one of its names; the sandbox is as after that step.
    [Arguments]    ${name}    ${step}
    Run Agents    plan rollback ${PLAN} ${name} --yes
    Sandbox Should Be    ${SANDBOX}    ${AFTER}[${step}]

Sandbox's Commit Should Be
    [Documentation]    The last step made a commit; before it the branch stood at the user's.
    [Arguments]    ${whose}
    ${users} =    Shell    git rev-parse HEAD
    ${found} =    Shell    git rev-parse HEAD    ${SANDBOX}
    Should Be Equal    ${{$found == $users}}    ${{$whose == "the user's"}}

Nothing Should Have Changed
    [Documentation]    Neither the files of the plan nor its rows.
    Sandbox Should Be    ${SANDBOX}    ${AFTER}[4]
    ${rows} =    Checkpoints Of    ${PLAN}
    Lists Should Be Equal    ${rows}    ${CHECKPOINTS}

Fail With Policy
    [Documentation]    Runs two steps and a third that does its work and then fails.
    [Arguments]    ${policy}
    Write Action Of Commands
    ...    ${COMMANDS}[0]
    ...    ${COMMANDS}[1]
    ...    ${COMMANDS}[2]; echo broken; exit 7
    ...    header=name: fails\nrollback: {on_failure: ${policy}}
    ${done} =    Run Agents    run ACTION    code=1
    Error Should Say    ${done}    step 3 failed: exit code 7    broken
    ${status} =    State Of Plan Should Be    execute/errored
    Should Be Equal    ${status.error.step}    step 3
    RETURN    ${status}

Progress Should Be
    [Documentation]    Compares how far each step has come.
    [Arguments]    ${status}    @{expected}
    ${found} =    Evaluate    [step.status for step in $status.progress]
    Lists Should Be Equal    ${found}    ${expected}
