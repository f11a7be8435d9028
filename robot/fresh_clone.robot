*** Settings ***
Documentation       What the README tells a newcomer to type works in a fresh clone of this checkout.
...
...                 The clone holds what is committed and nothing else. HOME is empty, and of the
...                 environment only what says where programs are and how the package registry is
...                 reached is left; without the registry the tests fail.

Resource            resources.resource

Suite Setup         Clone The Checkout
Suite Teardown      Remove All Rooms


*** Test Cases ***
The Demo Sets Itself Up And Tells The Whole Story
    ${done} =    Run On A Fresh Machine    ./agents demo    ${CLONE}
    # The failed step is taken back by itself,
    Should Contain    ${done.err}    step tidy up failed
    Should Match Regexp    ${done.err}    back to cp\\d+
    # its checkpoints are listed,
    ${listed} =    Get Regexp Matches    ${done.out}    (?m)^ *cp\\d+ +[0-9A-Z]{10,26} +\\w+
    Should Be True    len($listed) > 5
    # and two rollbacks follow, of which the second takes the first one back.
    Should Contain X Times    ${done.out}    $ agents plan rollback @    2
    Should Contain X Times    ${done.out}    Rollback complete    2
    Should Contain    ${done.out}    Your own files never changed
    Nothing Should Be Written Outside

The Tests Set Themselves Up And Count Their Results
    [Documentation]    `./dev test lint layers` stands in for `./dev test`, of which this very test
    ...    is a part: the whole of it in itself would never end. Set-up and closing line are the same.
    ${done} =    Run On A Fresh Machine    ./dev test lint layers    ${CLONE}
    ${last} =    Get Line    ${done.out.rstrip()}    -1
    Should Match Regexp    ${last}    ^\\d+ passed, \\d+ failed, \\d+ skipped$
    Should Match Regexp    ${last}    ^[1-9]\\d* passed, 0 failed,
    FOR    ${tool}    IN    nox    behave    robot    asv    ruff    pyright
        Shell    test -x .venv/bin/${tool}    ${CLONE}
    END
    Nothing Should Be Written Outside


*** Keywords ***
Clone The Checkout
    Make Room
    ${clone} =    Clone Checkout    ${CURDIR}
    VAR    ${CLONE}    ${clone}    scope=SUITE

Nothing Should Be Written Outside
    [Documentation]    Neither settings, data and caches in HOME nor what git tracks in the clone.
    ...    (Other programs may leave something there, as a rustup does that pip asks for its version.)
    ${room} =    Room
    Shell    test ! -e .cache && test ! -e .config && test ! -e .local    ${room}/home
    ${changed} =    Shell    git status --porcelain    ${CLONE}
    Should Be Empty    ${changed}
