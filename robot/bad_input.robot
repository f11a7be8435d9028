*** Settings ***
Documentation       Whatever is wrong with the input or the machine: a message, a hint, the right exit
...                 code, never a traceback (`Run Agents` looks for one in all that is printed), and
...                 nothing half done.

Resource            resources.resource

Suite Teardown      Remove All Rooms
Test Setup          Make Room With A Repository
Test Teardown       Leave Room


*** Variables ***
${NOBODY}           01ARZ3NDEKTSV4RRFFQ69G5FAV
${ONE_FILE}         {tool: write_file, with: {path: made.txt, content: made}}


*** Test Cases ***
Action With An Unknown Tool
    [Documentation]    No plan is made of it.
    Write Action    name: bad    steps:    - {tool: writ_file, with: {path: x, content: y}}
    Action Should Be Refused    action.yaml:3: steps.0.tool: unknown tool 'writ_file'; did you mean 'write_file'?
    ${data} =    Read Agents    plan list
    Should Be Empty    ${data.plans}

Action With A Wrong Type
    Write Action    name: bad    steps:    - ${ONE_FILE}    - {tool: shell, with: {command: "true"}, retries: many}
    Action Should Be Refused    action.yaml:4: steps.1.retries:

Action Whose Only Step Is Wrong
    [Documentation]    That there is a step is not in doubt, so nothing is said about it.
    Write Action    name: bad    steps:    - {tool: shell, with: {command: "true"}, retries: many}
    Action Should Be Refused    action.yaml:3: steps.0.retries:

Action With A Missing Argument
    Write Action    name: bad    arguments: {module: {description: needed}}    steps: [${ONE_FILE}]
    Action Should Be Refused    action.yaml:2: arguments.module: missing; give it with --arg module=…

Action Without Steps
    Write Action    name: bad    steps: []
    Action Should Be Refused    action.yaml:2: steps:

Action That Is No YAML
    Write Action    name: bad    steps: [
    ${error} =    Read Error    plan use ACTION    2
    Should Match Regexp    ${error.message}    ^action\\.yaml:\\d+: \\S

Action With Several Problems
    [Documentation]    All of them are listed at once, tools included.
    Write Action
    ...    name: bad
    ...    colour: red
    ...    arguments: {module: {description: needed}}
    ...    steps:
    ...    - {tool: writ_file, with: {path: x, content: y}}
    ...    - {tool: shell, with: {command: "true"}, retries: many}
    Action Should Be Refused
    ...    action.yaml:2: colour: unknown key
    ...    arguments.module: missing
    ...    steps.1.retries:
    ...    steps.0.tool: unknown tool 'writ_file'

Plan That Does Not Exist
    ${error} =    Read Error    plan status ${NOBODY}    3
    Should Be Equal    ${error.code}    not_found
    Should Contain    ${error.message}    ${NOBODY}
    Should Contain    ${error.suggestions}[0]    agents plan list
    ${done} =    Run Agents    plan execute @    code=3
    Error Should Say    ${done}    this project has no plan yet    hint: write a first action: agents init

Name Of Several Plans Or Checkpoints Or Of Another Plan
    [Documentation]    All that a prefix could mean are named, so that the user can choose.
    Write Action    name: one    steps: [${ONE_FILE}]
    ${first} =    Read Agents    run ACTION
    ${second} =    Read Agents    run ACTION
    ${prefix} =    Get Substring    ${first.plan_id}    0    3
    ${error} =    Read Error    plan execute ${prefix}    2
    Should Be Equal    ${error.code}    invalid_input
    ${listed} =    Evaluate    [line.split()[0] for line in $error.detail]
    Should Be Equal    ${listed}    ${{[$first.plan_id, $second.plan_id]}}
    ${error} =    Read Error    plan rollback @ ${prefix} --yes    2
    ${listed} =    Evaluate    [line.split()[-1] for line in $error.detail]
    ${expected} =    Evaluate    [row.checkpoint_id for row in $second.checkpoints]
    Should Be Equal    ${listed}    ${expected}
    ${theirs} =    Set Variable    ${first.checkpoints}[0][checkpoint_id]
    ${error} =    Read Error    plan rollback ${second.plan_id} ${theirs} --yes    3
    Should Contain    ${error.message}    belongs to another plan, ${first.plan_id}
    Should Contain    ${error.suggestions}[0]    agents plan rollback ${first.plan_id} ${theirs}

Sandbox That Was Deleted
    [Documentation]    Refused with the way out; that way leads to exactly the files that were lost.
    Make A Repository Of Files
    Write Action Of Commands    @{COMMANDS}
    ${status} =    Read Agents    run ACTION
    ${sandbox} =    Set Variable    ${status.execution.sandbox.path}
    ${before} =    Tree Of    ${sandbox}
    Shell    cd .. && rm -rf ./*    ${sandbox}
    ${error} =    Read Error    plan rollback @ 4 --yes    4
    Should Contain    ${error.message}    the sandbox is missing
    Should Match Regexp    ${error.suggestions}[0]    agents plan rollback ${status.plan_id} \\S+ --rebuild
    Run Agents    plan rollback @ 4 --rebuild --yes
    Sandbox Should Be    ${sandbox}    ${before}
    Shell    git status --porcelain    ${sandbox}

Repository Without Commits
    Shell    rm -rf .git && git init -q -b main .
    Plan Should Work    git_worktree

Repository With A Detached Head
    Shell    git checkout -q --detach
    ${status} =    Plan Should Work    git_worktree
    ${users} =    Shell    git rev-parse HEAD
    ${theirs} =    Shell    git rev-parse HEAD    ${status.execution.sandbox.path}
    Should Be Equal    ${theirs}    ${users}

Sub-Directory Of A Repository
    [Documentation]    The project is the whole repository; with --project it is the folder alone.
    Write    sub/deep/here.txt    here
    ${project} =    Project
    ${status} =    Plan Should Work    git_worktree    cwd=${project}/sub/deep
    Shell    cat a.txt sub/deep/here.txt    ${status.execution.sandbox.path}
    ${status} =    Read Agents    run ACTION --project .    cwd=${project}/sub/deep
    Should Be Equal    ${status.execution.sandbox.strategy}    filesystem_copy
    ${names} =    Shell    ls    ${status.execution.sandbox.path}
    Should Be Equal    ${names}    here.txt\nmade.txt

Folder Without Git
    Shell    rm -rf .git
    Plan Should Work    filesystem_copy

Git That Is Not Installed
    [Documentation]    A repository needs it and says so; a plain folder does not.
    Hide Git
    Write Action    name: one    steps: [${ONE_FILE}]
    ${error} =    Read Error    run ACTION    1
    Should Contain    ${error.message}    git is not installed
    Should Contain    ${error.suggestions}[0]    install git
    Shell    rm -rf .git
    Plan Should Work    filesystem_copy

Project Or Data Directory In The Wrong Place
    ${done} =    Run Agents    plan list --project nowhere    code=2
    Error Should Say    ${done}    no such directory: nowhere
    ${done} =    Run Agents    plan list --data-dir inside    code=4
    Error Should Say    ${done}    lie inside each other    hint:
    Shell    git init -q --bare ../bare.git
    ${room} =    Room
    ${done} =    Run Agents    plan list    code=4    cwd=${room}/bare.git
    Error Should Say    ${done}    is a bare git repository    hint:

Setting That Does Not Exist
    Write    .cleveragents/config.toml    [sandbox.checkpoint]\nmax-checkpoints-per-plna = 3\n
    ${error} =    Read Error    plan list    2
    Should Contain    ${error.message}    did you mean 'sandbox.checkpoint.max-checkpoints-per-plan'?

Command And Option That Do Not Exist
    ${done} =    Run Agents    plan rolback @    code=2
    Error Should Say    ${done}    No such command 'rolback'    hint:
    ${error} =    Read Error    plan rollback @ --force    2
    Should Contain    ${error.message}    --force
    Should Contain    ${error.suggestions}[-1]    agents plan rollback --help

Data Directory That Is Read-Only
    Mount Data Directory    ro
    Write Action    name: one    steps: [${ONE_FILE}]
    ${done} =    Run Agents    run ACTION    code=1
    Error Should Say    ${done}    the data directory cannot be used    hint: choose another one with --data-dir

Disk That Is Full
    [Documentation]    Nothing can be saved, so nothing is changed; with space again all of it works.
    Make A Repository Of Files
    ${trees} =    Expected Trees    @{COMMANDS}
    Mount Data Directory    size=48m
    Write Action Of Commands    @{COMMANDS}
    ${status} =    Read Agents    run ACTION
    ${sandbox} =    Set Variable    ${status.execution.sandbox.path}
    Fill Disk
    ${error} =    Read Error    plan rollback @ 1 --yes    1
    Should Match Regexp    ${error.message}    (?i)space|full
    Should Contain    ${error.suggestions}[0]    space
    ${error} =    Read Error    plan checkpoint create @    1
    Should Contain    ${error.suggestions}[0]    space
    Sandbox Should Be    ${sandbox}    ${trees}[3]
    Free Disk
    Run Agents    plan rollback @ 1 --yes
    Sandbox Should Be    ${sandbox}    ${trees}[0]

Disk That A Step Fills
    [Documentation]    The plan stops with a message; with space again it can be taken back.
    Mount Data Directory    size=48m
    Write Action Of Commands    printf 'kept' > kept.txt    cat /dev/urandom > noise
    ${error} =    Read Error    run ACTION    1
    Should Match Regexp    ${error.message}    (?i)space|full
    Should Contain    ${error.suggestions}[0]    space
    ${sandbox} =    Sandbox Of
    ${expected} =    Tree Of    ${sandbox}
    Empty File    ${sandbox}/noise
    Run Agents    plan rollback @ 2 --yes
    Remove From Dictionary    ${expected}    noise
    Sandbox Should Be    ${sandbox}    ${expected}


*** Keywords ***
Make Room With A Repository
    Make Room
    Write    a.txt    one\n
    Make Repository

Action Should Be Refused
    [Documentation]    Exit code 2, and every problem in a line of its own.
    [Arguments]    @{problems}
    ${done} =    Run Agents    plan use ACTION    code=2
    ${count} =    Get Length    ${problems}
    Error Should Say    ${done}    action.yaml has ${count} problem    @{problems}

Plan Should Work
    [Documentation]    Runs a plan, takes it back and returns its status.
    [Arguments]    ${strategy}    ${cwd}=${NONE}
    Write Action    name: one    steps: [${ONE_FILE}]
    ${status} =    Read Agents    run ACTION    cwd=${cwd}
    Should Be Equal    ${status.execution.sandbox.strategy}    ${strategy}
    ${sandbox} =    Set Variable    ${status.execution.sandbox.path}
    ${made} =    Shell    cat made.txt    ${sandbox}
    Should Be Equal    ${made}    made
    ${data} =    Read Agents    plan rollback @ 1 --yes    cwd=${cwd}
    Should Be Equal    ${data.changes_reverted}    ${{[{"file": "made.txt", "action": "removed"}]}}
    Shell    test ! -e made.txt    ${sandbox}
    RETURN    ${status}
