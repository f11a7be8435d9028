"""Random walks: small changes to a tree, each as a step could make it; a seed tells them all."""

import os
import shutil
import stat


class Walk:
    """Changes a tree at random; `told` is the list of what was done."""

    def __init__(self, top, chance):
        self._top = top
        self._chance = chance
        self._count = 0
        self.told = []

    def change(self):
        """Makes one change, whatever turns out to be possible."""
        while True:
            deed = self._chance.choice(DEEDS)
            told = deed(self)
            if told:
                self.told.append(f"{deed.__name__[1:]} {told}")
                return

    def _pick(self, kind):
        """Some entry of a kind, or None."""
        found = [
            path
            for path in sorted(self._top.rglob("*"))
            if kind(path.lstat().st_mode) and not self._below_link(path)
        ]
        return self._chance.choice(found) if found else None

    def _below_link(self, path):
        return any(parent.is_symlink() for parent in path.parents if parent != self._top)

    def _file(self):
        return self._pick(stat.S_ISREG)

    def _directory(self):
        found = self._pick(stat.S_ISDIR)
        return found if found and self._chance.random() < 0.8 else self._top

    def _fresh(self):
        self._count += 1
        return self._directory() / f"{self._chance.choice('abc')}{self._count}"

    def _anything(self):
        return self._pick(lambda _: True)

    def _shown(self, *paths):
        return " ".join(str(path.relative_to(self._top)) for path in paths if path)

    def _create(self):
        path = self._fresh()
        path.write_bytes(self._chance.randbytes(self._chance.randrange(50)))
        return self._shown(path)

    def _write(self):
        path = self._file()
        if path:
            path.write_bytes(self._chance.randbytes(10))
        return self._shown(path)

    def _write_same_size(self):
        path = self._file()
        if path:
            found = path.stat()
            path.write_bytes(self._chance.randbytes(found.st_size))
            os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))
        return self._shown(path)

    def _append_and_close(self):
        path = self._file()
        if path:
            with path.open("ab") as file:
                file.write(b"more")
        return self._shown(path)

    def _truncate(self):
        path = self._file()
        if path:
            os.truncate(path, self._chance.randrange(20))
        return self._shown(path)

    def _replace(self):
        path = self._file()
        if path:
            aside = self._top.parent / "aside"
            aside.write_bytes(path.read_bytes())
            os.replace(aside, path)
        return self._shown(path)

    def _set_mode(self):
        path = self._pick(lambda mode: not stat.S_ISLNK(mode)) or self._top
        path.chmod(self._chance.choice((0o700, 0o750, 0o755, 0o711)))
        return self._shown(path) or "."

    def _set_time(self):
        path = self._anything()
        if path:
            at = self._chance.randrange(10**18)
            os.utime(path, ns=(at, at), follow_symlinks=False)
        return self._shown(path)

    def _set_attribute(self):
        path = self._pick(lambda mode: stat.S_ISREG(mode) or stat.S_ISDIR(mode)) or self._top
        if os.listxattr(path) and self._chance.random() < 0.5:
            os.removexattr(path, "user.a")
        else:
            os.setxattr(path, "user.a", self._chance.randbytes(3))
        return self._shown(path) or "."

    def _remove(self):
        path = self._anything()
        if path:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        return self._shown(path)

    def _make_directory(self):
        path = self._fresh() / "deep"
        path.mkdir(parents=True)
        (path / "inner").write_text("inner\n")
        return self._shown(path)

    def _make_link(self):
        path = self._fresh()
        path.symlink_to(self._chance.choice(("..", "nowhere", "/etc", ".")))
        return self._shown(path)

    def _make_hard_link(self):
        path, source = self._fresh(), self._file()
        if source:
            os.link(source, path)
        return source and self._shown(source, path)

    def _make_fifo(self):
        path = self._fresh()
        os.mkfifo(path)
        return self._shown(path)

    def _move(self):
        source, target = self._anything(), self._fresh()
        if source is None or target.is_relative_to(source):
            return ""
        source.rename(target)
        return self._shown(source, target)

    def _move_out_and_back(self):
        path = self._anything()
        if path:
            aside = self._top.parent / "aside"
            path.rename(aside)
            aside.rename(path)
        return self._shown(path)

    def _swap_names(self):
        first, second = self._anything(), self._anything()
        if first is None or first in (second, *second.parents) or second in first.parents:
            return ""
        aside = self._top.parent / "aside"
        first.rename(aside)
        second.rename(first)
        aside.rename(second)
        return self._shown(first, second)

    def _change_kind(self):
        path = self._anything()
        if path is None:
            return ""
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        self._chance.choice(
            (
                path.mkdir,
                path.touch,
                lambda: path.symlink_to("elsewhere"),
                lambda: os.mkfifo(path),
            )
        )()
        return self._shown(path)

    def _make_anew(self):
        """Removes a directory and makes one of the same name with the same names inside."""
        path = self._directory()
        if path == self._top:
            return ""
        aside = self._top.parent / "aside"
        shutil.copytree(path, aside, symlinks=True, ignore=_fifos)
        shutil.rmtree(path)
        aside.rename(path)
        return self._shown(path)


def _fifos(folder, names):
    return [name for name in names if stat.S_ISFIFO(os.lstat(f"{folder}/{name}").st_mode)]


DEEDS = [
    deed
    for name, deed in vars(Walk).items()
    if name.startswith("_")
    and not name.startswith("__")
    and name not in ("_pick", "_below_link", "_file", "_directory", "_fresh", "_anything", "_shown")
]
