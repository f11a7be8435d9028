*** Settings ***
Documentation       A plan may run any git command in its sandbox: the user's repository stays as it is.
...
...                 Compared is all that the file system knows of every path, below `.git` as well:
...                 content, mode, inode and the times of the last change.

Resource            resources.resource

Suite Teardown      Remove All Rooms
Test Setup          Make Room
Test Teardown       Leave Room


*** Variables ***
# Where refs, config or objects were shared with the user's repository, each would change it there.
@{HOSTILE}
...                 git config user.name evil && git config user.email evil@x && git config core.hooksPath /nowhere
...                 git branch -f main2 HEAD && git branch -D main2 && git tag -f v1 && git tag -d v1
...                 git add -A && git stash && git stash list | grep -q WIP && git stash clear
...                 printf 'x' >> a.txt && git commit -qam evil && git update-ref -d refs/remotes/origin/main
...                 git reset -q --hard && git clean -qfdx
...                 git reflog expire --expire=now --all && git gc -q --prune=now
...                 rm -rf .git


*** Test Cases ***
Hostile Git Commands Do Not Reach The Repository
    Make A Repository With Everything
    ${project} =    Project
    Plan Should Leave Unchanged    ${project}

Inherited Git Variables Do Not Reach The Sandbox
    [Documentation]    As in a git hook or under `git rebase --exec`, where git sets them.
    Make A Repository With Everything
    ${project} =    Project
    Set Variable Of Agents    GIT_DIR    ${project}/.git
    Set Variable Of Agents    GIT_WORK_TREE    ${project}
    Set Variable Of Agents    GIT_INDEX_FILE    ${project}/.git/index
    Plan Should Leave Unchanged    ${project}

A Linked Worktree Is No Way To The Repository Behind It
    [Documentation]    The project's `.git` is a file that leads to a repository elsewhere.
    Make A Repository With Everything
    ${room} =    Room
    ${project} =    Project
    Shell    git stash -q -u && git worktree add -q '../linked' main2 && printf 'mine' > ../linked/a.txt
    Plan Should Leave Unchanged    ${project}    cwd=${room}/linked
    ${head} =    Shell    git symbolic-ref HEAD    ${room}/linked
    Should Be Equal    ${head}    refs/heads/main2

A Submodule Is No Way To Its Repository
    [Documentation]    Its git directory lies in the user's `.git`.
    Make A Repository With Everything
    ${project} =    Project
    Shell    git init -q ../library && git -C ../library -c user.name=L -c user.email=l@x commit -q --allow-empty -m lib
    Shell    git -c protocol.file.allow=always submodule add -q ../library library && git commit -qm submodule
    Plan Should Leave Unchanged
    ...    ${project}
    ...    extra=cd library && git config user.name evil && git -c user.email=e@x commit -q --allow-empty -m evil


*** Keywords ***
Make A Repository With Everything
    [Documentation]    Branches, a tag, a remote ref, a hook, a stash, loose, packed and unreachable
    ...    objects, a staged, a changed, an untracked and an ignored file.
    Make A Project Of Files
    Make Repository
    Shell    git gc -q; git branch main2; git tag v1; git update-ref refs/remotes/origin/main HEAD
    Shell    printf 'lost' | git hash-object -w --stdin; git commit -q --allow-empty -m second; git reset -q --hard HEAD~1
    Shell    printf 'exit 1\n' > .git/hooks/pre-commit; chmod 644 .git/hooks/pre-commit
    Write    a.txt    stashed\n
    Shell    git stash -q
    Write    a.txt    changed\n
    Write    staged.txt    staged\n
    Shell    git add staged.txt
    Write    untracked.txt    untracked\n
    Write    kept.log    ignored\n

Plan Should Leave Unchanged
    [Documentation]    Runs the plan, looks at it, goes back to its first state and forth again.
    ...    Everything in the repository and in the project, if that is elsewhere, is as before.
    [Arguments]    ${repository}    ${cwd}=${repository}    ${extra}=true
    ${before} =    Tree Of    ${repository}    times=True
    ${here} =    Tree Of    ${cwd}    times=True
    Should Be True    len($before) > 30
    Write Action Of Commands    (${extra})    @{HOSTILE}
    ${status} =    Read Agents    run ACTION    cwd=${cwd}
    Should Be Equal    ${status.phase}/${status.state}    execute/complete
    ${gone} =    Shell    test -e .git && echo there || echo gone    ${status.execution.sandbox.path}
    Should Be Equal    ${gone}    gone
    Run Agents    plan rollback @ 1 --yes    cwd=${cwd}
    ${branch} =    Shell    git symbolic-ref HEAD    ${status.execution.sandbox.path}
    Should Be Equal    ${branch}    refs/heads/${status.execution.sandbox.branch}
    Run Agents    plan execute @    cwd=${cwd}
    Run Agents    plan diff @    cwd=${cwd}
    ${after} =    Tree Of    ${repository}    times=True
    Trees Should Be Equal    ${after}    ${before}
    ${after} =    Tree Of    ${cwd}    times=True
    Trees Should Be Equal    ${after}    ${here}
