"""What is usual on people's machines: caches that programs fill, secrets, and sockets of others.

Paths are relative to the home directory unless they say otherwise.
"""

from collections.abc import Mapping

# Each with the program that fills it: where that is installed, its cache is made if need be.
CACHES: Mapping[str, str] = {
    ".cache": "",
    ".npm": "npm",
    ".cargo/registry": "cargo",
    ".cargo/git": "cargo",
    ".rustup/tmp": "rustup",
    ".gradle": "gradle",
    ".m2": "mvn",
    ".ivy2": "sbt",
    ".nuget": "dotnet",
    ".bun": "bun",
    ".deno": "deno",
    ".yarn": "yarn",
    ".local/share/pnpm": "pnpm",
    ".local/share/virtualenv": "virtualenv",
    "go/pkg": "go",
}

# Where coding agents keep settings, logins and conversations, each with its program. A step may
# read them; what it changes there is gone with it: what it put there would be run outside.
AGENTS: Mapping[str, str] = {
    ".claude": "claude",
    ".codex": "codex",
    ".gemini": "gemini",
    ".qwen": "qwen",
    ".copilot": "copilot",
    ".config/opencode": "opencode",
    ".local/share/opencode": "opencode",
    ".local/state/opencode": "opencode",
}

# Keys, and credentials of clouds, package indexes and git; histories; profiles of browsers.
SECRETS = (
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".config/gcloud",
    ".kube",
    ".docker/config.json",
    ".config/containers/auth.json",
    ".config/gh",
    ".config/glab-cli",
    ".config/hub",
    ".config/op",
    ".password-store",
    ".local/share/keyrings",
    ".netrc",
    ".git-credentials",
    ".config/git/credentials",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".config/pip/pip.conf",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".terraform.d/credentials.tfrc.json",
    ".vault-token",
    ".pgpass",
    ".my.cnf",
    ".bash_history",
    ".zsh_history",
    ".local/share/fish/fish_history",
    ".python_history",
    ".node_repl_history",
    ".psql_history",
    ".mysql_history",
    ".sqlite_history",
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
)


TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108 - they are covered, not used
SHARED_MEMORY = "/dev/shm"  # noqa: S108 - likewise

# Programs of the system that do things for whoever asks.
SOCKETS = (
    "/run/docker.sock",
    "/run/podman/podman.sock",
    "/run/containerd/containerd.sock",
    "/run/crio/crio.sock",
    "/run/dbus/system_bus_socket",
    "/run/systemd/private",
    "/run/systemd/io.systemd.Hostname",
    "/run/snapd.socket",
    "/run/libvirt/libvirt-sock",
)
DESKTOP = ("/tmp/.X11-unix", "/tmp/.ICE-unix")  # noqa: S108 - likewise
