"""The table of deeds: what is done, who sees whether it happened, and what is expected."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cleveragents.confinement.level import Way
from deeds import outside
from deeds.inside import DISK, FORKS, MEMORY
from deeds.outside import Watching

OPEN, BLOCKED = "open", "blocked"
FAILS = "fails anyway"  # it fails where nothing is confined, so that others block it proves nothing
PROVES_NOTHING = "-"
NOT_TRIED = "not tried"
LEVELS = ("none", "project", "write", "strict")
USERS = ("root", "user")

ALWAYS = (BLOCKED, BLOCKED, BLOCKED)
FROM_WRITE = (OPEN, BLOCKED, BLOCKED)
STRICT = (OPEN, OPEN, BLOCKED)
NEVER = (OPEN, OPEN, OPEN)


@dataclass(frozen=True)
class Deed:
    """One row."""

    name: str
    does: str  # the function inside that does it
    watch: Watching
    expected: Sequence[str]  # at each level from `project` on
    for_root: Sequence[str] | None = None  # where that is not the same
    fails: Sequence[str] = ()  # for whom it fails anyway

    def expects(self, user: str, level: str, way: Way) -> str:
        """What a cell should show."""
        if level == LEVELS[0]:
            return FAILS if user in self.fails else OPEN
        if user in self.fails:
            return PROVES_NOTHING
        expected = self.for_root if user == "root" and self.for_root else self.expected
        expected = OTHERWISE[way].get((self.name, user), expected)
        return expected[LEVELS.index(level) - 1]


DEEDS = (
    # the project
    Deed("write to a project file by its path", "write_absolute", outside.project, ALWAYS),
    Deed("write to a project file through `..`", "write_dots", outside.project, ALWAYS),
    Deed("write to a project file through a symbolic link", "write_link", outside.project, ALWAYS),
    Deed(
        "write to a project file through a hard link made now",
        "write_hard_link_made",
        outside.project,
        ALWAYS,
    ),
    Deed(
        "write to a project file through a hard link that was there before",
        "write_hard_link_found",
        outside.project_linked,
        FROM_WRITE,
    ),
    Deed(
        "write to a project file through `/proc/self/root`",
        "write_own_root",
        outside.project,
        ALWAYS,
    ),
    Deed(
        "write to a project file by `/proc/self/fd`, opened to be read",
        "write_opened_again",
        outside.project,
        ALWAYS,
    ),
    Deed(
        "write to a project file through `/proc/PID/root` of others",
        "write_their_root",
        outside.project,
        ALWAYS,
    ),
    Deed(
        "write to a project file through `/proc/PID/cwd` of ours",
        "write_their_directory",
        outside.project_our_directory,
        ALWAYS,
    ),
    Deed(
        "write to a project file through a descriptor of ours",
        "write_their_descriptor",
        outside.project_our_descriptor,
        ALWAYS,
    ),
    Deed(
        "write to a project file through a descriptor left open",
        "write_inherited",
        outside.project_our_descriptor,
        ALWAYS,
        fails=USERS,
    ),
    Deed(
        "write to a project file through a mount made now",
        "write_own_mount",
        outside.project,
        ALWAYS,
    ),
    Deed(
        "write to a project file through a mount that was there before",
        "write_other_mount",
        outside.project_mounted_twice,
        ALWAYS,
    ),
    Deed(
        "write to a project file once covers are taken away",
        "write_uncovered",
        outside.project,
        ALWAYS,
    ),
    Deed(
        "write to a project file so, in new namespaces",
        "write_new_namespaces",
        outside.project,
        ALWAYS,
    ),
    Deed(
        "write to a project file in our mount namespace",
        "write_their_mounts",
        outside.project,
        ALWAYS,
        fails=("user",),
    ),
    Deed(
        "write to a project file by its handle",
        "write_by_handle",
        outside.project,
        ALWAYS,
        fails=("user",),
    ),
    Deed("make a file in the project", "make_file", outside.project, ALWAYS),
    Deed("delete a project file", "delete_file", outside.project, ALWAYS),
    Deed("rename a project file", "rename_file", outside.project, ALWAYS),
    Deed("rename the project", "rename_project", outside.project, ALWAYS),
    Deed("rename a directory above the project", "rename_above", outside.project, ALWAYS),
    Deed("change the mode of a project file", "change_mode", outside.project, ALWAYS),
    Deed("change the owner of a project file", "change_owner", outside.project, ALWAYS),
    Deed("change the times of a project file", "change_times", outside.project, ALWAYS),
    Deed(
        "change the attributes of a project file",
        "change_attributes",
        outside.project_attributes,
        ALWAYS,
    ),
    # what is ours
    Deed("write to the database", "write_file", outside.database, ALWAYS),
    Deed("write to the store", "write_file", outside.stored, ALWAYS),
    Deed("rename the data directory", "rename_directory", outside.data_directory, ALWAYS),
    Deed("lock a file of the data directory", "lock_path", outside.Locked, STRICT),
    Deed(
        "write to another plan's sandbox",
        "make_path",
        outside.at(lambda stage: stage.other_sandbox / "new.txt"),
        ALWAYS,
    ),
    Deed(
        "write to the user's settings",
        "write_file",
        outside.at(lambda stage: stage.settings),
        ALWAYS,
    ),
    Deed(
        "replace the user's settings",
        "replace_path",
        outside.beside(lambda stage: stage.settings),
        ALWAYS,
    ),
    Deed("make settings where there are none", "make_path", outside.no_settings, ALWAYS),
    Deed(
        "replace a link that leads to settings", "replace_link", outside.linked_settings, FROM_WRITE
    ),
    Deed(
        "speak to the keeper",
        "say_to",
        outside.listens(lambda stage: stage.runtime / "cleveragents" / "01234567.s"),
        ALWAYS,
    ),
    Deed("speak to a keeper that listens elsewhere", "say_to", outside.keeper_elsewhere, ALWAYS),
    Deed("speak to a keeper that begins meanwhile", "say_when_there", outside.KeeperBegins, ALWAYS),
    Deed("write to our own program", "open_path", outside.our_program, FROM_WRITE),
    # processes
    Deed("become root by a setuid program", "gain_root", outside.ByRoot, ALWAYS),
    Deed("trace our process", "trace", outside.Poked, ALWAYS),
    Deed("write to our memory by `/proc/PID/mem`", "write_memory", outside.Poked, ALWAYS),
    Deed(
        "write to our memory by `process_vm_writev`", "write_memory_directly", outside.Poked, ALWAYS
    ),
    Deed("read our environment", "read_environment", outside.our_environment, ALWAYS),
    Deed("signal our process", "send_signal", outside.Signalled, ALWAYS),
    Deed(
        "signal our process by a descriptor (`SIGIO`)",
        "send_signal_by_descriptor",
        outside.Signalled,
        ALWAYS,
    ),
    Deed("have the kernel end our process (`prlimit`)", "limit", outside.Victim, STRICT),
    Deed("slow our process down (nice value, processors)", "slow_down", outside.Victim, STRICT),
    Deed("have our process ended when memory is short", "offer_to_killer", outside.Victim, STRICT),
    Deed(
        "freeze or kill our process by a control group",
        "regroup",
        outside.Grouped,
        ALWAYS,
        fails=("user",),
    ),
    Deed("see our process", "see", outside.our_command_line, STRICT),
    Deed("a daemon outlives the step", "daemon", outside.Outlives, STRICT, fails=USERS),
    Deed(
        "a daemon without its mark outlives a step that not `agents` runs",
        "daemon_without_mark",
        outside.Outlives,
        STRICT,
    ),
    # what else the user has
    Deed("write to `~/.bashrc`", "write_file", outside.bashrc, FROM_WRITE),
    Deed("change the mode of `~/.bashrc`", "change_path_mode", outside.bashrc, FROM_WRITE),
    Deed("write to another project", "write_file", outside.other_project, FROM_WRITE),
    Deed("make a file in the shared `/tmp`", "write_file", outside.new_in("/tmp"), FROM_WRITE),
    Deed(
        "make a file in the shared `/dev/shm`", "write_file", outside.new_in("/dev/shm"), FROM_WRITE
    ),
    Deed(
        "make a file where something is mounted meanwhile",
        "write_meanwhile",
        outside.Mounted,
        FROM_WRITE,
    ),
    Deed(
        "write to shared memory (System V)", "write_shared_memory", outside.SharedMemory, FROM_WRITE
    ),
    Deed(
        "write on the user's terminal",
        "write_terminal",
        outside.Terminal,
        FROM_WRITE,
        for_root=ALWAYS,
    ),
    Deed("read `~/.ssh`", "read_path", outside.ssh_key, STRICT),
    Deed("read another project", "read_path", outside.other_secret, STRICT),
    Deed("read another plan's sandbox", "read_path", outside.kept_elsewhere, STRICT),
    Deed("read a key of the session's keyring", "read_key", outside.SessionKey, STRICT),
    # whoever listens
    Deed("ask docker", "say_to", outside.listens_in_run("docker.sock"), STRICT),
    Deed("ask ssh-agent", "say_to", outside.listens(lambda stage: stage.agent), STRICT),
    Deed(
        "ask an unnamed program in `/run`", "say_to", outside.listens_in_run("deeds.sock"), STRICT
    ),
    Deed(
        "ask an unnamed program in the home directory",
        "say_to",
        outside.listens(lambda stage: stage.home / ".app" / "app.sock"),
        STRICT,
    ),
    Deed("ask an unnamed program in `/tmp`", "say_to", outside.listens_in_tmp, FROM_WRITE),
    Deed("ask an unnamed program at an abstract address", "say_to", outside.abstract, ALWAYS),
    Deed("connect by TCP, IPv4 (loopback)", "say_tcp", outside.tcp, STRICT),
    Deed("connect by TCP, IPv6 (loopback)", "say_tcp6", outside.tcp6, STRICT),
    Deed("send UDP, as for DNS (loopback)", "say_udp", outside.udp, STRICT),
    # the kernel
    Deed(
        "open `core_pattern` for writing",
        "open_of_kernel",
        outside.opened("/proc/sys/kernel/core_pattern"),
        ALWAYS,
        fails=("user",),
    ),
    Deed(
        "open a file of `/sys` for writing",
        "open_of_kernel",
        outside.opened("/sys/kernel/mm/transparent_hugepage/enabled"),
        ALWAYS,
        fails=("user",),
    ),
    # without measure
    Deed(f"start {FORKS} processes", "fork_often", outside.Crowd, NEVER),
    Deed(f"take {MEMORY >> 20} MiB of memory", "take_memory", outside.Memory, NEVER),
    Deed(f"take {DISK >> 20} MiB of the disk", "take_disk", outside.Disk, NEVER),
)


def _for_all(
    names: Iterable[str], expected: Sequence[str]
) -> Mapping[tuple[str, str], Sequence[str]]:
    return {(name, user): expected for name in names for user in USERS}


# What comes otherwise by the other ways, for whom.
OTHERWISE: Mapping[Way, Mapping[tuple[str, str], Sequence[str]]] = {
    Way.NAMESPACES: {},
    Way.BUBBLEWRAP: {
        # Its root has fewer rights, and all of /proc is closed from `write` on.
        ("slow our process down (nice value, processors)", "root"): ALWAYS,
        **_for_all(["have our process ended when memory is short"], FROM_WRITE),
        # It cannot be told to take no mounts from outside.
        ("make a file where something is mounted meanwhile", "root"): NEVER,
    },
    Way.LANDLOCK: {
        **_for_all(
            [
                "change the mode of a project file",
                "change the owner of a project file",
                "change the times of a project file",
                "change the attributes of a project file",
                "speak to the keeper",
                "speak to a keeper that listens elsewhere",
                "speak to a keeper that begins meanwhile",
                "write on the user's terminal",
            ],
            NEVER,
        ),
        # In the directories above the project there can be nothing new; here they are among those.
        **_for_all(
            ["replace a link that leads to settings", "make a file in the shared `/dev/shm`"],
            ALWAYS,
        ),
        ("slow our process down (nice value, processors)", "root"): ALWAYS,
        ("have our process ended when memory is short", "root"): ALWAYS,
    },
}
