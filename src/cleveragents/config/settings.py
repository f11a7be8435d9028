"""Every setting, declared once: key, type, default, help, and the spellings it had before."""

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import TypeAlias, cast

from cleveragents.checkpoints.retention import DEFAULT_LIMIT
from cleveragents.checkpoints.triggers import Trigger
from cleveragents.confinement.level import AUTO, LIMITS, STRICTER, Level
from cleveragents.counting import UNITS
from cleveragents.errors import InvalidInput
from cleveragents.nearest import asking
from cleveragents.records import field, frozen
from cleveragents.snapshots.tree.tracking import Tracking

STOP = "stop"  # before the next step, until conflicts are resolved
MOST_COUNTED = (1 << 62) - 1
MOST_PATTERNS = 50  # that output is searched for
LEAST = 2  # the first and the newest checkpoint always stay
VARIABLE_PREFIX = "CLEVERAGENTS_"

SettingValue: TypeAlias = str | int | bool | tuple[str, ...]


@frozen
class Setting:
    """One key."""

    key: str
    default: SettingValue
    help: str
    read: Callable[[object], SettingValue]  # checks and converts; raises ValueError with the reason
    project_may_set: bool = True
    project_values: tuple[str, ...] = ()  # those that a project may set; none named: all
    adds: bool = False  # to what the levels below it say
    strictness: Callable[[SettingValue], float] | None = None  # below its user's no project goes
    aliases: tuple[str, ...] = ()  # further names of the key
    old_keys: tuple[str, ...] = ()  # accepted with a warning
    old_values: Mapping[str, str] = field(default_factory=dict[str, str])  # in a list; likewise
    short_variable: str | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """Every spelling of the key; the first counts where a level has several."""
        return (self.key, *self.aliases, *self.old_keys)

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return variable_of(self.key)

    @property
    def variables(self) -> Mapping[str, str]:
        """Every variable that sets it, and the key each stands for; the first counts."""
        short = {} if self.short_variable is None else {self.short_variable: self.key}
        old = {variable_of(key): key for key in self.old_keys}
        return {self.variable: self.key, **short, **old}

    def parsed(self, text: str) -> object:
        """Reads a value as it is typed: a list has commas, or is written as in a file."""
        if isinstance(self.default, tuple):
            return _listed(text)
        return int(text) if isinstance(self.default, int) and text.isdecimal() else text

    def checked(self, given: object, where: str) -> SettingValue:
        """Returns the value that is meant, in the spelling of today; refuses a wrong one."""
        if self.old_values and isinstance(given, list):
            given = [self.old_values.get(str(part), part) for part in cast("list[object]", given)]
        try:
            return self.read(given)
        except ValueError as error:
            raise InvalidInput(f"{where}: {self.key} {error}") from error

    def is_for_project(self, value: SettingValue) -> bool:
        """Whether a project's file may set it to this."""
        return self.project_may_set and (not self.project_values or value in self.project_values)

    def old_spellings(self, key: str, given: object) -> list[str]:
        """Tells which spellings of before are used."""
        renamed = [f"{key} is now {self.key}"] if key in self.old_keys else []
        parts = cast("list[object]", given) if isinstance(given, list) else []
        return renamed + [
            f"{part} is now {self.old_values[str(part)]}"
            for part in parts
            if str(part) in self.old_values
        ]


def variable_of(key: str) -> str:
    """The environment variable that stands for a key."""
    return VARIABLE_PREFIX + key.upper().replace(".", "_").replace("-", "_")


def written(value: object) -> str:
    """A value as it is typed."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, list | tuple):
        return str(value)
    parts = list(map(str, cast("Sequence[object]", value)))
    if any("," in part for part in parts):
        return f"[{', '.join(map(_quoted, parts))}]"
    return ",".join(parts)


def known(key: str, where: str) -> Setting:
    """Finds a setting by any spelling of its key; refuses an unknown one with the nearest."""
    for setting in SETTINGS.values():
        if key in setting.keys:
            return setting
    raise InvalidInput(f"{where}unknown setting {key!r}{asking(key, SETTINGS)}")


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _listed(text: str) -> list[str]:
    """Reads a typed list; a glob may begin with a bracket, so what is no TOML has commas."""
    if text.lstrip().startswith("["):
        import tomllib  # noqa: PLC0415 - slow to import, and such lists are rare

        try:
            return list(_texts(tomllib.loads(f"list = {text}")["list"]))
        except ValueError:
            pass
    return [part.strip() for part in text.split(",") if part.strip()]


def _texts(given: object) -> tuple[str, ...]:
    parts = cast("Sequence[object]", given) if isinstance(given, list) else [None]
    if not all(isinstance(part, str) for part in parts):
        raise ValueError("must be a list of texts")
    return tuple(map(str, parts))


def _places(given: object) -> tuple[str, ...]:
    parts = _texts(given)
    for part in parts:
        if not (part.startswith(("/", "~/")) or part == "~"):
            raise ValueError(f"must be paths that begin with / or ~/: {part}")
    return parts


def _one_of(*allowed: str) -> Callable[[object], str]:
    def read(given: object) -> str:
        if given not in allowed:
            raise ValueError(f"must be one of {', '.join(allowed)}{asking(str(given), allowed)}")
        return str(given)

    return read


def _triggers(given: object) -> tuple[str, ...]:
    read = _one_of(*(trigger.value for trigger in Trigger))
    return tuple(dict.fromkeys(read(name) for name in _texts(given)))


def _patterns(given: object) -> tuple[str, ...]:
    from cleveragents.masking import wrong_pattern  # noqa: PLC0415 - few have any

    patterns = _texts(given)
    if len(patterns) > MOST_PATTERNS:
        raise ValueError(f"has more than {MOST_PATTERNS} patterns")
    for pattern in patterns:
        if problem := wrong_pattern(pattern):
            raise ValueError(f"has a pattern that {problem}: {pattern}")
    return patterns


def _size(given: object) -> str:
    if not isinstance(given, str) or bytes_of(given) is None:
        raise ValueError("must be a size such as 512 MiB or 1 GiB")
    return given


def _amount(given: object) -> str:
    """A size, or nothing."""
    return "" if given == "" else _countable(_size(given))


def _count(given: object) -> str:
    """A whole number, or nothing."""
    if given == "":
        return ""
    if isinstance(given, bool) or not str(given).isdecimal() or int(str(given)) == 0:
        raise ValueError("must be a whole number of at least 1, or empty")
    return _countable(str(given))


def _countable(given: str) -> str:
    """What the system can count up to."""
    if amount_of(given) > MOST_COUNTED:
        raise ValueError("is more than the system can count; empty means no limit")
    return given


def bytes_of(text: str) -> int | None:
    """Reads a size: a whole number of KiB, MiB or GiB; None: it is none."""
    number = text.rstrip("KMGiB")
    factor = {name: size for size, name in UNITS}.get(text[len(number) :])
    return int(number) * factor if factor and number.strip().isdecimal() else None


def amount_of(text: str) -> int:
    """Reads a number or a size; nothing is zero."""
    return int(text) if text.isdecimal() else bytes_of(text) or 0


def _smallness(amount: SettingValue) -> float:
    """How strict a limit is; none is the least strict."""
    return -amount_of(str(amount)) or -inf


def _at_least(least: int) -> Callable[[object], int]:
    def read(given: object) -> int:
        if not isinstance(given, int) or isinstance(given, bool) or given < least:
            raise ValueError(f"must be a whole number of at least {least}")
        return given

    return read


def _yes_or_no(given: object) -> bool:
    if given not in (True, False, "true", "false"):
        raise ValueError("must be true or false")
    return given in (True, "true")


SETTINGS: Mapping[str, Setting] = {
    setting.key: setting
    for setting in (
        Setting(
            "sandbox.strategy",
            "auto",
            "how a sandbox is made: auto, git_worktree, filesystem_copy (alias copy_on_write)",
            _one_of("auto", "git_worktree", "filesystem_copy", "copy_on_write"),
        ),
        Setting(
            "sandbox.base",
            "worktree",
            "what a sandbox of a repository starts from: worktree (what you see now) or head",
            _one_of("worktree", "head"),
        ),
        Setting(
            "sandbox.cleanup",
            "on_apply",
            "when the files of a sandbox go: on_apply, on_terminal (also when cancelled), manual",
            _one_of("on_apply", "on_terminal", "manual"),
        ),
        Setting(
            "sandbox.copy-ignored",
            (),
            "globs of ignored files that a sandbox has too, such as .env",
            _texts,
        ),
        Setting(
            "sandbox.pass-env",
            (),
            "variables of the caller that every step sees",
            _texts,
            project_may_set=False,
        ),
        Setting(
            "sandbox.mask",
            (),
            "regular expressions of further secrets to mask in what is told; every level adds",
            _patterns,
            adds=True,
        ),
        Setting(
            "sandbox.confinement",
            AUTO,
            "what steps cannot reach: auto (project, if possible), none, project, write, strict",
            _one_of(AUTO, *Level),
            project_values=tuple(map(str, STRICTER)),
            strictness=lambda value: (Level.NONE, AUTO, *STRICTER).index(str(value)),
        ),
        Setting(
            "sandbox.writable",
            (),
            "where steps may write at the levels write and strict, beside usual caches",
            _places,
            project_may_set=False,
        ),
        Setting(
            "sandbox.hidden",
            (),
            "what steps cannot read at level strict, beside usual secrets; every level adds",
            _places,
            adds=True,
        ),
        *(
            Setting(f"{LIMITS}{name}", "", told, read, strictness=_smallness)
            for name, told, read in (
                ("cpu", "seconds of processor time that each process of a step has", _count),
                ("memory", "memory that a step may use, or each of its processes ask for", _amount),
                ("processes", "processes that a step may have; as root only in a group", _count),
                ("files", "how many files each process of a step may have open", _count),
                ("disk", "how much the sandbox may hold while a step runs", _amount),
            )
        ),
        Setting(
            "sandbox.checkpoint.exclude",
            (),
            "globs of files that checkpoints neither save nor restore",
            _texts,
        ),
        Setting(
            "sandbox.checkpoint.tracking",
            "auto",
            "how changes are found: auto (watch, and look at all where that is cheap), watch, scan",
            _one_of(*Tracking),
        ),
        Setting(
            "sandbox.checkpoint.auto-create-on",
            tuple(trigger.value for trigger in Trigger),
            "milestones at which checkpoints are made by themselves; an empty list: none of these",
            _triggers,
            old_keys=("core.checkpoints.auto_create_on", "core.checkpoints.auto-create-on"),
            old_values={
                "on_tool_write": Trigger.BEFORE_TOOL_EXECUTE.value,
                "on_tool_write_complete": Trigger.AFTER_TOOL_EXECUTE.value,
            },
            short_variable="CLEVERAGENTS_CHECKPOINT_AUTO_CREATE_ON",
        ),
        Setting(
            "sandbox.checkpoint.max-checkpoints-per-plan",
            DEFAULT_LIMIT,
            f"how many checkpoints a plan keeps, at least {LEAST}",
            _at_least(LEAST),
            aliases=(
                "sandbox.checkpoint.max_checkpoints_per_plan",
                "max_checkpoints_per_plan",
            ),
        ),
        Setting(
            "subplans.on-conflict",
            STOP,
            "what a plan with open conflicts does before its next step: stop, or continue",
            _one_of(STOP, "continue"),
            project_values=(STOP,),
        ),
        # Chats. A project may only name more that is left out: the rest is the user's to say.
        Setting(
            "chat.exclude",
            (),
            "globs of files that checkpoints of chats neither save nor restore; every level adds",
            _texts,
            adds=True,
        ),
        *(
            Setting(key, default, told, read, project_may_set=False)
            for key, default, told, read in (
                (
                    "chat.ignored-files",
                    20_000,
                    "with more files a directory that git ignores is left out of chats",
                    _at_least(0),
                ),
                (
                    "chat.ignored-bytes",
                    "1 GiB",
                    "with more content a directory that git ignores is left out of chats",
                    _size,
                ),
                ("chat.max-file", "512 MiB", "larger files are left out of chats", _size),
                ("chat.max-bytes", "10 GiB", "how much content of a directory chats cover", _size),
                (
                    "chat.max-files",
                    500_000,
                    "how many files of a directory chats cover",
                    _at_least(1),
                ),
                (
                    "chat.hook-budget",
                    2,
                    "seconds that a hook takes at most; a checkpoint that takes longer is late",
                    _at_least(0),
                ),
                (
                    "chat.first-look",
                    30,
                    "seconds that the first call in a directory waits for the first look at it",
                    _at_least(0),
                ),
                (
                    "chat.strict",
                    False,
                    "whether a call is blocked if its checkpoint is late or failed: true, false",
                    _yes_or_no,
                ),
                (
                    "chat.texts",
                    "keep",
                    "what becomes of prompts and commands: keep (their beginning, masked), none",
                    _one_of("keep", "none"),
                ),
                (
                    "chat.keep-turns",
                    200,
                    "how many turns of a chat are kept whatever their age",
                    _at_least(1),
                ),
                ("chat.keep-days", 14, "days for which all turns of a chat are kept", _at_least(0)),
            )
        ),
    )
}
