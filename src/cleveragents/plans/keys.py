"""The keys that may stand at a place of a file, by the schema of its model."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

Schema = Mapping[str, Any]


def keys_at(schema: Schema, place: Sequence[str | int]) -> frozenset[str]:
    """Returns every key that is known there, whichever of several kinds is meant."""
    found = [schema]
    for part in place:
        found = [inner for one in found for inner in _inside(schema, one, part)]
    known = (meant for one in found for meant in _meant(schema, one))
    return frozenset(key for one in known for key in one.get("properties", ()))


def _inside(root: Schema, schema: Schema, part: str | int) -> Iterator[Schema]:
    """Yields the schemas of an entry of a list, or of the value of a key."""
    for one in _meant(root, schema):
        named: Schema = one.get("properties", {})
        found = [one.get("items") if isinstance(part, int) else named.get(str(part))]
        found += [one.get("additionalProperties"), *one.get("patternProperties", {}).values()]
        yield from (cast("Schema", inner) for inner in found if isinstance(inner, dict))


def _meant(root: Schema, schema: Schema) -> Iterator[Schema]:
    """Follows references and choices to what they stand for."""
    if "$ref" in schema:
        yield from _meant(root, root["$defs"][schema["$ref"].rpartition("/")[2]])
        return
    choices = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    for one in choices:
        yield from _meant(root, one)
    if not choices:
        yield schema
