"""Steps about records: each shape is defined twice, as a record and as a dataclass."""

import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys

from behave import then
from hypothesis import given, settings
from hypothesis import strategies as some
from record_shapes import HEAD, SHAPES, Base, Derived

from cleveragents import records


def frozen(cls=None, /, *, kw_only=False):
    """The dataclass that a frozen record stands for."""
    made = dataclasses.dataclass(frozen=True, kw_only=kw_only)
    return made if cls is None else made(cls)


OURS = {"frozen": records.frozen, "mutable": records.mutable, "field": records.field}
THEIRS = {"frozen": frozen, "mutable": dataclasses.dataclass, "field": dataclasses.field}


def both(shape):
    """Returns the class of a shape as a record and as a dataclass."""
    known = [{**names, "__name__": Base.__module__} for names in (OURS, THEIRS)]
    for names in known:
        exec(HEAD + SHAPES[shape], names)
    return [names["One"] for names in known]


def outcome(act, *given):
    """What came of it, as text; classes differ, so values are told by how they are shown."""
    try:
        return repr(act(*given))
    except Exception as error:  # noqa: BLE001 - which one it is is what is compared
        return f"{type(error).__name__}: {error}"


@then('a record of the shape "{shape}" behaves as a dataclass')
def check_shape(context, shape):
    names = ["a", "b", "c", "nobody"]
    numbers = some.integers(0, 2)
    arguments = some.tuples(
        some.lists(numbers, max_size=4), some.dictionaries(some.sampled_from(names), numbers)
    )
    ours, theirs = both(shape)
    assert str(told(ours)) == str(told(theirs)), (told(ours), told(theirs))

    @settings(max_examples=40, deadline=None, database=None)
    @given(arguments, arguments, some.sampled_from([*names, "double"]), numbers)
    def compare(first, second, name, number):
        for act in ACTS:
            found = [outcome(act, cls, first, second, name, number) for cls in (ours, theirs)]
            assert found[0] == found[1], (act.__name__, first, second, name, found)

    compare()


def told(cls):
    """What is known of a class itself."""
    signature = inspect.signature(cls)
    bare = [one.replace(annotation=one.empty) for one in signature.parameters.values()]
    known = [
        (one.name, one.type, one.default, one.init, one.kw_only) for one in dataclasses.fields(cls)
    ]
    defaults = {name: getattr(cls, name, "none") for name in ("a", "b", "c")}
    slots = {name for name, value in defaults.items() if inspect.ismemberdescriptor(value)}
    return (
        [
            str(one).replace("<factory>", "...") if one.default is one.empty else one.name
            for one in bare
        ],
        known,
        cls.__match_args__,
        {name: value for name, value in defaults.items() if name not in slots},
        cls.__hash__ is None,
        dataclasses.is_dataclass(cls),
    )


def made(cls, first, second, name, number):
    return cls(*first[0], **first[1])


def compared(cls, first, second, name, number):
    one, other = cls(*first[0], **first[1]), cls(*second[0], **second[1])
    return one == other, one != other, one == 3, [one] == [other]


def hashed(cls, first, second, name, number):
    return hash(cls(*first[0], **first[1]))


def set_to(cls, first, second, name, number):
    one = cls(*first[0], **first[1])
    setattr(one, name, number)
    return one, getattr(one, name)


def deleted(cls, first, second, name, number):
    one = cls(*first[0], **first[1])
    delattr(one, name)
    return vars(one)


def copied(cls, first, second, name, number):
    one = cls(*first[0], **first[1])
    return copy.copy(one), copy.deepcopy(one) == one, copy.deepcopy(one)


def replaced(cls, first, second, name, number):
    one = cls(*first[0], **first[1])
    return dataclasses.replace(one, **{name: number}), one


def as_data(cls, first, second, name, number):
    one = cls(*first[0], **first[1])
    return dataclasses.asdict(one), dataclasses.astuple(one)


def computed(cls, first, second, name, number):
    one = cls(*first[0], **first[1])
    return one.double, one.double is one.double


def matched(cls, first, second, name, number):
    match cls(*first[0], **first[1]):
        case cls(a, b):
            return a, b
        case cls(a=a):
            return a
    return None


ACTS = [made, compared, hashed, set_to, deleted, copied, replaced, as_data, computed, matched]


@then('a record with a list as the default of "found" is refused, as a dataclass is')
def check_shared_default(context):
    for decorate in (records.frozen, frozen):
        shared = type(
            "One",
            (),
            {"__annotations__": {"found": list}, "__module__": Base.__module__, "found": []},
        )
        told = outcome(decorate, shared)
        assert told.startswith("ValueError") and "found" in told, told


@then("a dataclass on top of a record has the fields of both")
def check_on_top(context):
    @dataclasses.dataclass(frozen=True)
    class Top(Base):
        d: int = 4

    assert Top(1, (2,), 5) == Top(1, (2,), d=5)
    assert [one.name for one in dataclasses.fields(Top)] == ["a", "b", "d"]
    assert outcome(
        lambda: dataclasses.dataclass(type("Loose", (Base,), {"__module__": Base.__module__}))
    ).startswith("TypeError")


@then("a record gives its names and values in order, those of its bases first")
def check_values(context):
    one = Derived(1, c="d")
    assert records.field_names(Derived) == ("a", "b", "c")
    assert records.as_dict(one) == {"a": 1, "b": (), "c": "d"}
    assert records.replace(one, b=(3,)) == Derived(1, (3,), c="d")
    assert outcome(lambda: records.replace(one, e=3)).startswith("TypeError")
    assert pickle.loads(pickle.dumps(one)) == one


@then('a process that defines a record and makes one has imported neither "{first}" nor "{second}"')
def check_imports_nothing(context, first, second):
    code = f"""
import sys
from cleveragents.records import as_dict, field, frozen, replace
@frozen
class One:
    a: int
    b: list = field(default_factory=list)
replace(One(1), a=2), as_dict(One(1)), One(1) == One(2), repr(One(1))
print([name for name in {[first, second]!r} if name in sys.modules])
"""
    done = subprocess.run(  # without variables: what measures us would import them in every process
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True, env={}
    )
    assert done.stdout.strip() == "[]", done.stdout
