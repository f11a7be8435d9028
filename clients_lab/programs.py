"""The clients: what is installed for each, and how it is pointed at the model without an account.

The facts are those of running the programs: which variables, which settings, which words. Every
client gets an empty home directory of its own.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from clients_lab.installs import NotInstalled, machine

Files = Mapping[str, str]


@dataclass(frozen=True)
class Place:
    """Where a client runs, and whom it asks."""

    home: Path
    project: Path
    port: int

    @property
    def url(self) -> str:
        """The address of the model."""
        return f"http://127.0.0.1:{self.port}"


@dataclass(frozen=True)
class Program:
    """One client."""

    name: str
    packages: tuple[str, ...]  # the first tells the version
    entry: str  # of the program below the modules; may be a glob
    is_native: bool
    variables: Callable[[Place], Mapping[str, str]]
    settings: Callable[[Place], Files]  # below the home directory
    first: Sequence[str]  # arguments of a new chat; {} is the prompt
    further: Sequence[str]  # of a later turn of the same chat
    resumed: Sequence[str]  # of a turn of the chat whose id is {id}
    kinds: Mapping[str, Sequence[str]] = field(default_factory=dict)  # of a turn of a special kind
    lacks: Mapping[str, str] = field(default_factory=dict)  # plays that it cannot do, and why

    def command(
        self, node: Path, modules: Path, prompt: str, turn: int, kind: str = ""
    ) -> list[str]:
        """Builds the command line of a turn."""
        words = self.kinds.get(kind, self.first) if turn == 1 else self.further
        return [*self.start(node, modules), *(word.replace("{}", prompt) for word in words)]

    def resuming(self, node: Path, modules: Path, prompt: str, session: str) -> list[str]:
        """Builds the command line of a turn in a conversation that is named."""
        words = (word.replace("{id}", session).replace("{}", prompt) for word in self.resumed)
        return [*self.start(node, modules), *words]

    def start(self, node: Path, modules: Path) -> list[str]:
        """The program itself, as it is started."""
        found = sorted(modules.glob(self.entry))
        if not found:
            raise NotInstalled(f"its package has no {self.entry}")
        return [str(found[0])] if self.is_native else [str(node), str(found[0])]


def _claude(place: Place) -> Mapping[str, str]:
    variables = {
        "ANTHROPIC_BASE_URL": place.url,
        "ANTHROPIC_API_KEY": "fake",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }
    if os.geteuid() == 0:
        variables["IS_SANDBOX"] = "1"  # else root may not skip permissions
    return variables


def _codex_settings(place: Place) -> Files:
    text = f"""model = "gpt-5.5"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.fake]
name = "fake"
base_url = "{place.url}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
[projects.{json.dumps(str(place.project), ensure_ascii=False)}]
trust_level = "trusted"
"""
    return {".codex/config.toml": text}


def _gemini_settings(place: Place) -> Files:
    del place
    settings = {
        "security": {
            "auth": {"selectedType": "gemini-api-key"},
            "folderTrust": {"enabled": False},
        },
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False, "disableAutoUpdate": True},
    }
    return {".gemini/settings.json": json.dumps(settings, indent=2)}


def _qwen_settings(place: Place) -> Files:
    del place
    settings = {
        "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"disableAutoUpdate": True},
    }
    return {".qwen/settings.json": json.dumps(settings, indent=2)}


def _opencode_settings(place: Place) -> Files:
    settings = {
        "$schema": "https://opencode.ai/config.json",
        "autoupdate": False,
        "model": "fake/fake-model",
        "small_model": "fake/fake-model",
        "permission": "allow",
        "provider": {
            "fake": {
                "npm": "@ai-sdk/openai-compatible",
                "name": "fake",
                "options": {"baseURL": f"{place.url}/v1", "apiKey": "fake"},
                "models": {"fake-model": {"name": "fake-model", "tool_call": True}},
            }
        },
    }
    return {".config/opencode/opencode.json": json.dumps(settings, indent=2)}


def _none(place: Place) -> Files:
    del place
    return {}


WAITS = {"background-subagent": "it waits for its subagents"}
PROGRAMS: dict[str, Program] = {
    one.name: one
    for one in (
        Program(
            "claude",
            (f"@anthropic-ai/claude-code-linux-{machine()}",),
            "@anthropic-ai/claude-code-linux-*/claude",
            is_native=True,
            variables=_claude,
            settings=_none,
            first=("-p", "{}", "--output-format", "json", "--dangerously-skip-permissions"),
            further=(
                "--continue",
                "-p",
                "{}",
                "--output-format",
                "json",
                "--dangerously-skip-permissions",
            ),
            resumed=("--resume", "{id}", "-p", "{}", "--output-format", "json"),
            kinds={"careful": ("-p", "{}", "--output-format", "json")},
        ),
        Program(
            "codex",
            ("@openai/codex",),
            "@openai/codex-linux-*/vendor/*/bin/codex",
            is_native=True,
            variables=lambda _: {"FAKE_KEY": "fake"},
            settings=_codex_settings,
            first=("exec", "--json", "--dangerously-bypass-hook-trust", "{}"),
            further=("exec", "resume", "--last", "--json", "--dangerously-bypass-hook-trust", "{}"),
            resumed=("exec", "resume", "{id}", "--json", "--dangerously-bypass-hook-trust", "{}"),
            # Models that it knows are offered apply_patch, others are offered subagents at once.
            kinds={
                "delegating": (
                    "exec",
                    "--json",
                    "--dangerously-bypass-hook-trust",
                    "-m",
                    "fake-model",
                    "{}",
                )
            },
            lacks={"background-subagent": "its exec cancels subagents that nobody waits for"},
        ),
        Program(
            "gemini",
            ("@google/gemini-cli",),
            "@google/gemini-cli/bundle/gemini.js",
            is_native=False,
            variables=lambda place: {
                "GEMINI_API_KEY": "fake",
                "GOOGLE_GEMINI_BASE_URL": place.url,
                "GEMINI_CLI_TRUST_WORKSPACE": "true",
            },
            settings=_gemini_settings,
            first=("-p", "{}", "--yolo"),
            further=("--resume", "latest", "-p", "{}", "--yolo"),
            resumed=("--resume", "{id}", "-p", "{}", "--yolo"),
            kinds={"careful": ("-p", "{}")},
            lacks=WAITS,
        ),
        Program(
            "qwen",
            ("@qwen-code/qwen-code",),
            "@qwen-code/qwen-code/cli.js",
            is_native=False,
            variables=lambda place: {
                "OPENAI_API_KEY": "fake",
                "OPENAI_BASE_URL": f"{place.url}/v1",
                "OPENAI_MODEL": "fake-model",
            },
            settings=_qwen_settings,
            first=("-p", "{}", "--yolo"),
            further=("--continue", "-p", "{}", "--yolo"),
            resumed=("--resume", "{id}", "-p", "{}", "--yolo"),
            kinds={"careful": ("-p", "{}")},
        ),
        Program(
            "copilot",
            ("@github/copilot",),
            "@github/copilot/npm-loader.js",
            is_native=False,
            variables=lambda place: {
                "COPILOT_PROVIDER_BASE_URL": f"{place.url}/v1",
                "COPILOT_PROVIDER_TYPE": "openai",
                "COPILOT_PROVIDER_API_KEY": "fake",
                "COPILOT_MODEL": "fake-model",
                "COPILOT_OFFLINE": "true",
            },
            settings=_none,
            first=("-p", "{}", "--allow-all-tools", "--allow-all-paths", "--no-auto-update"),
            further=(
                "--continue",
                "-p",
                "{}",
                "--allow-all-tools",
                "--allow-all-paths",
                "--no-auto-update",
            ),
            resumed=("--resume={id}", "-p", "{}", "--allow-all-tools", "--no-auto-update"),
            kinds={"careful": ("-p", "{}", "--no-auto-update")},
            lacks=WAITS,
        ),
        Program(
            "opencode",
            (f"opencode-linux-{machine()}",),
            "opencode-linux-*/bin/opencode",
            is_native=True,
            variables=lambda _: {"OPENCODE_DISABLE_MODELS_FETCH": "1"},
            settings=_opencode_settings,
            first=("run", "{}"),
            further=("run", "--continue", "{}"),
            resumed=("run", "--session", "{id}", "{}"),
            lacks={**WAITS, "refused": "what it refuses stands in its settings alone"},
        ),
    )
}
