"""Shapes of records: texts of classes that are defined twice, and two that have a module."""

from typing import ClassVar

from cleveragents.records import frozen

HEAD = """
from functools import cached_property
from typing import ClassVar, Generic, TypeVar
T = TypeVar("T")
"""
# The class to look at is called One; what stands before it is what it is made of.
SHAPES = {
    "no field": "@frozen\nclass One: pass",
    "one field": "@frozen\nclass One:\n a: int",
    "defaults": "@frozen\nclass One:\n a: int\n b: int = 2\n c: tuple[int, ...] = ()",
    "made by functions": "@frozen\nclass One:\n a: int\n b: list = field(default_factory=list)",
    "keywords only": "@frozen(kw_only=True)\nclass One:\n a: int = 1\n b: int",
    "keywords after positions": (
        "@frozen\nclass Base:\n a: int = 1\n"
        "@frozen(kw_only=True)\nclass One(Base):\n b: int\n c: int = 3"
    ),
    "a field of a base made anew": (
        "@frozen\nclass Base:\n a: int\n b: int = 2\n"
        "@frozen\nclass One(Base):\n a: int = 5\n c: int = field(default=7)"
    ),
    "two levels": (
        "@frozen\nclass Low:\n a: int\n@frozen\nclass Base(Low):\n b: int\n"
        "@frozen\nclass One(Base):\n c: int = 0"
    ),
    "only inherited": "@frozen\nclass Base:\n a: int\n b: int = 2\nclass One(Base): pass",
    "generic": "@frozen\nclass One(Generic[T]):\n a: T\n b: int = 1",
    "of the class": "@frozen\nclass One:\n k: ClassVar[int] = 3\n n: 'ClassVar[int]' = 4\n a: int",
    "checked after it was made": (
        "@frozen\nclass One:\n a: int\n b: int = 1\n def __post_init__(self):\n"
        "  if self.a == self.b: raise ValueError('the same')"
    ),
    "computed once": (
        "@frozen\nclass One:\n a: int\n @cached_property\n def double(self): return [self.a] * 2"
    ),
    "changing": ("@mutable\nclass One:\n a: int\n b: list = field(default_factory=list)"),
    "changing, set later": (
        "@mutable\nclass One:\n a: int\n b: int = field(init=False)\n c: int = 4"
    ),
    "its own methods": (
        "@frozen\nclass One:\n a: int\n def __repr__(self): return 'mine'\n"
        " def __hash__(self): return 7"
    ),
    "its own equality": "@frozen\nclass One:\n a: int\n def __eq__(self, other): return True",
    "slots by hand": "@frozen\nclass One:\n __slots__ = ('a', 'b')\n a: int\n b: int",
    "names of types as text": "@frozen\nclass One:\n a: 'One | None'\n b: 'int' = 3",
}


@frozen
class Base:
    """Known by its module, so that it can be pickled."""

    a: int
    b: tuple[int, ...] = ()


@frozen(kw_only=True)
class Derived(Base):
    """With a field more."""

    k: ClassVar[int] = 1
    c: str = "c"
