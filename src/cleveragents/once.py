"""Values that are made when they are first asked for, once, whichever thread comes first."""

from collections.abc import Callable
from threading import RLock
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class once(Generic[T]):  # noqa: N801 - a decorator
    """A property that is made once for each instance.

    `functools.cached_property` has no lock from Python 3.12 on; of what keeps a state, such as who
    holds which plan, there must never be two.
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self._name = make.__name__
        self._lock = RLock()
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> "once[T]": ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> "once[T] | T":
        if instance is None:
            return self
        made = vars(instance)
        with self._lock:
            if self._name not in made:
                made[self._name] = self._make(instance)
        return made[self._name]
