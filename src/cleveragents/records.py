"""Records: dataclasses that cost next to nothing to define.

`dataclasses` writes, compiles and runs up to seven methods as soon as a class is defined: half a
millisecond and more, and a command defines two hundred classes, of which it uses forty. Records
share what works for all of them; only `__init__` is written, when the first instance is made. Who
asks `dataclasses` about one (`fields`, `replace`, `asdict`) is answered as about one of its own.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from operator import attrgetter
from reprlib import recursive_repr
from types import MemberDescriptorType
from typing import Any, ClassVar, TypeVar, dataclass_transform, get_origin, overload

T = TypeVar("T")
_NOTHING: Any = object()  # in the place of a default that there is not


class _Field:
    """How a field begins."""

    def __init__(self, default: object, make: object, *, init: bool) -> None:
        self.default = default
        self.make = make
        self.init = init
        self.kw_only = False


@overload
def field(*, default: T) -> T: ...
@overload
def field(*, default_factory: Callable[[], T]) -> T: ...
@overload
def field(*, init: bool) -> Any: ...  # noqa: ANN401 - of the type that the field has
def field(
    *, default: object = _NOTHING, default_factory: object = _NOTHING, init: bool = True
) -> Any:
    """Says how a field begins, where that is more than a default."""
    return _Field(default, default_factory, init=init)


@overload
def frozen(cls: type[T], /) -> type[T]: ...
@overload
def frozen(*, kw_only: bool) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(
    cls: type[T] | None = None, /, *, kw_only: bool = False
) -> type[T] | Callable[[type[T]], type[T]]:
    """Makes a class with annotated fields a record that never changes."""

    def made(cls: type[T]) -> type[T]:
        return _made(cls, is_frozen=True, kw_only=kw_only)

    return made if cls is None else made(cls)


@dataclass_transform(field_specifiers=(field,))
def mutable(cls: type[T], /) -> type[T]:
    """Makes a class with annotated fields a record that may change, and so has no hash."""
    return _made(cls, is_frozen=False, kw_only=False)


def _made(cls: type[T], *, is_frozen: bool, kw_only: bool) -> type[T]:
    shape = _Shape(cls, _fields_of(cls, kw_only=kw_only), is_frozen=is_frozen)
    for name, value in _shared(shape, vars(cls)).items():
        setattr(cls, name, value)
    return cls


def replace(one: T, /, **changes: object) -> T:
    """Returns a copy of a record with other values."""
    kept = {
        name: getattr(one, name)
        for name, about in _shape_of(type(one)).fields.items()
        if about.init and name not in changes
    }
    return type(one)(**kept, **changes)


def as_dict(one: object) -> dict[str, Any]:
    """Returns the values of a record by name, as they are."""
    return {name: getattr(one, name) for name in field_names(type(one))}


def field_names(cls: type) -> tuple[str, ...]:
    """Returns the names of the fields of a record, in order."""
    return tuple(_shape_of(cls).fields)


class _Shape:
    """The facts of a record."""

    def __init__(self, owner: type, fields: Mapping[str, _Field], *, is_frozen: bool) -> None:
        self.owner = owner
        self.fields = fields
        self.is_frozen = is_frozen
        self.values = _getter(list(fields))

    def arguments(self, *, kw_only: bool) -> Iterator[tuple[str, _Field]]:
        for name, about in self.fields.items():
            if about.init and about.kw_only == kw_only:
                yield name, about

    @cached_property
    def twin(self) -> type:
        """A dataclass of the same fields, for who asks `dataclasses`, which is slow to import."""
        from dataclasses import field, make_dataclass  # noqa: PLC0415

        types = {
            name: written
            for base in reversed(self.owner.__mro__)
            for name, written in getattr(base, "__annotations__", {}).items()
        }
        specs = [(name, types[name], field(**_spoken(one))) for name, one in self.fields.items()]
        return make_dataclass(self.owner.__name__, specs, frozen=self.is_frozen)


def _shape_of(cls: Any) -> _Shape:  # noqa: ANN401 - no type has this attribute
    return cls.__record__


def _spoken(about: _Field) -> dict[str, Any]:
    """A field in the words of `dataclasses`."""
    told = {"default": about.default, "default_factory": about.make}
    given = {name: value for name, value in told.items() if value is not _NOTHING}
    return {**given, "init": about.init, "kw_only": about.kw_only}


def _getter(names: list[str]) -> Callable[[object], object]:
    if len(names) > 1:
        return attrgetter(*names)
    return lambda one: tuple(getattr(one, name) for name in names)


def _fields_of(cls: type, *, kw_only: bool) -> dict[str, _Field]:
    """Returns the fields of a class, those of its bases first."""
    found: dict[str, _Field] = {}
    for base in reversed(cls.__mro__[1:]):
        if "__record__" in vars(base):
            found |= _shape_of(base).fields
    for name, written in cls.__annotations__.items():
        if not _is_of_the_class(written):
            found[name] = about = _declared(cls, name)
            about.kw_only = kw_only
    return found


def _is_of_the_class(written: object) -> bool:
    if isinstance(written, str):
        return written.startswith("ClassVar")
    return written is ClassVar or get_origin(written) is ClassVar


def _declared(cls: type, name: str) -> _Field:
    default = vars(cls).get(name, _NOTHING)
    if isinstance(default, _Field):
        if default.default is _NOTHING:
            delattr(cls, name)
        else:
            setattr(cls, name, default.default)
        return default
    if isinstance(default, MemberDescriptorType):  # the place of a slot
        default = _NOTHING
    if type(default).__hash__ is None:
        raise ValueError(f"{cls.__qualname__}.{name}: all instances would share {default!r}")
    return _Field(default, _NOTHING, init=True)


def _shared(shape: _Shape, own: Mapping[str, object]) -> dict[str, object]:
    """The members that a class gets beside its own."""
    given: dict[str, object] = {
        "__init__": _Init(shape),
        "__repr__": _repr,
        "__eq__": _eq,
        "__match_args__": tuple(name for name, _ in shape.arguments(kw_only=False)),
    }
    if shape.is_frozen:
        given |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
    given = {name: value for name, value in given.items() if name not in own}
    if own.get("__hash__") is None:  # Python says so itself of a class that has an __eq__
        given["__hash__"] = _hash if shape.is_frozen else None
    return {
        **given,
        "__record__": shape,
        "__dataclass_fields__": _OfTwin("__dataclass_fields__"),
        "__dataclass_params__": _OfTwin("__dataclass_params__"),
    }


class _Init:
    """Stands in for `__init__` until it is needed; written twice by two threads it is the same."""

    def __init__(self, shape: _Shape) -> None:
        self._shape = shape

    def __get__(self, instance: object, owner: type) -> object:
        written = _init(self._shape)
        setattr(self._shape.owner, "__init__", written)  # noqa: B010 - of any class
        return written if instance is None else written.__get__(instance, owner)


class _OfTwin:
    """The marks that `dataclasses` looks for in a class."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> object:
        return getattr(_shape_of(owner).twin, self._name)


def _init(shape: _Shape) -> Any:  # noqa: ANN401 - its parameters are the fields
    known: dict[str, object] = {"_set": object.__setattr__, "_nothing": _NOTHING}
    for name, about in shape.fields.items():
        known |= {f"_default_{name}": about.default, f"_make_{name}": about.make}
    first = [_parameter(*one) for one in shape.arguments(kw_only=False)]
    then = [_parameter(*one) for one in shape.arguments(kw_only=True)]
    head = ", ".join(["self", *first, *(["*", *then] if then else [])])
    lines = [_assignment(shape, *one) for one in shape.fields.items() if _is_set(one[1])]
    lines += ["self.__post_init__()"] if hasattr(shape.owner, "__post_init__") else []
    body = "\n ".join(lines or ["pass"])
    exec(f"def __init__({head}):\n {body}", known)  # noqa: S102 - of names of fields alone
    made: Any = known["__init__"]
    made.__qualname__, made.__module__ = (
        f"{shape.owner.__qualname__}.__init__",
        shape.owner.__module__,
    )
    return made


def _parameter(name: str, about: _Field) -> str:
    if about.make is not _NOTHING:
        return f"{name}=_nothing"
    return name if about.default is _NOTHING else f"{name}=_default_{name}"


def _is_set(about: _Field) -> bool:
    """Whether an instance gets a value of its own at once."""
    return about.init or about.make is not _NOTHING


def _assignment(shape: _Shape, name: str, about: _Field) -> str:
    value = name
    if about.make is not _NOTHING:
        value = (
            f"_make_{name}()"
            if not about.init
            else f"_make_{name}() if {name} is _nothing else {name}"
        )
    return f"_set(self, {name!r}, {value})" if shape.is_frozen else f"self.{name} = {value}"


@recursive_repr()
def _repr(self: object) -> str:
    told = ", ".join(f"{name}={value!r}" for name, value in as_dict(self).items())
    return f"{type(self).__qualname__}({told})"


def _eq(self: Any, other: object) -> bool:  # noqa: ANN401 - as in _shape_of, which takes its time
    if type(other) is not type(self):
        return NotImplemented
    values = self.__record__.values
    return values(self) == values(other)


def _hash(self: Any) -> int:  # noqa: ANN401 - as above
    return hash(self.__record__.values(self))


def _refuse_to_set(self: object, name: str, value: object) -> None:
    _refuse(self, "assign to", name)
    object.__setattr__(self, name, value)


def _refuse_to_delete(self: object, name: str) -> None:
    _refuse(self, "delete", name)
    object.__delattr__(self, name)


def _refuse(self: object, doing: str, name: str) -> None:
    """Lets a class that only inherits from a record have attributes that are no fields."""
    shape = _shape_of(type(self))
    if shape.owner is not type(self) and name not in shape.fields:
        return
    from dataclasses import FrozenInstanceError  # noqa: PLC0415 - slow to import

    raise FrozenInstanceError(f"cannot {doing} field {name!r}")
