#!/usr/bin/env python3
"""Ask pydantic which values it loads: writes conform.json beside this file.

The original library validates what it reads through pydantic models in lax
mode, so pydantic's answer is what format.Rule is held against. The type_spec of
each type is written by the rules of COMPAT 1.2.

    pip install pydantic==2.13.4 typing_extensions
    python3 make_conform.py        # Python 3.11 or newer
"""

import datetime
import decimal
import enum
import json
import pathlib
import types
import typing
import uuid
from typing import Any, Dict, List, Literal, Optional, Union

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

TypedDictMeta = type(TypedDict("T", {}))


class Geo(TypedDict):
    lat: float
    lng: float


class Address(TypedDict, total=False):
    city: str
    geo: Geo


class Visit(TypedDict):
    kind: str
    n: int


class Node(TypedDict, total=False):
    name: str
    children: "list[Node]"


class Color(enum.Enum):
    RED = "red"
    ONE = 1


class date(enum.Enum):  # has the type_spec of datetime.date
    PALM = "palm"


class Dates(TypedDict):
    day: datetime.date


def spec(t, path=()):
    origin, args = typing.get_origin(t), typing.get_args(t)
    if t is Any:
        return {"kind": "primitive", "name": "any"}
    if isinstance(t, TypedDictMeta):
        if t.__name__ in path:
            return {"kind": "ref", "name": t.__name__}
        hints = typing.get_type_hints(t)
        fields = {k: spec(v, path + (t.__name__,)) for k, v in hints.items()}
        return {"kind": "typed_dict", "name": t.__name__, "total": t.__total__, "fields": fields}
    if origin is Union:
        members = [spec(a, path) for a in args]
        return {"kind": "union", "members": sorted(members, key=lambda m: json.dumps(m, sort_keys=True))}
    if origin is list or t is List:
        return {"kind": "list", "item": spec(args[0] if args else Any, path)}
    if origin is dict:
        return {"kind": "dict", "key": spec(args[0], path), "value": spec(args[1], path)}
    if isinstance(t, type) and origin is None:
        return {"kind": "primitive", "name": t.__name__}
    return {"kind": "primitive", "name": str(t)}


SCALARS = [
    "null", "true", "false", "0", "1", "2", "-1", "9223372036854775807", "9223372036854775808", "1" + "0" * 308, "1" + "0" * 309,
    "0.0", "-0.0", "1.0", "1.5", "1e15", "9223372036854774784.0", "9223372036854775808.0", "-9223372036854775808.0", "1e20", "NaN", "Infinity",
    '""', '"a"', '"b"', '"red"', '"palm"', '"1"', '" 1 "', '"+1"', '"-1"', '"1.0"', '"1."', '"1.5"', '".5"', '"1e3"', '"1e400"', '"1_000"', '"_1"', '"-_1"', '"1_"', '"1__0"',
    '"1_0.0"', '"1.0_0"', '"01"', '"0x1"', '"0x1p3"', '"--1"', '"+-1"', '"- 1"', '"1e"', '"+"', '"."', '"nan"', '"-nan"', '"inf"', '"-Infinity"', '"snan"',
    '"true"', '"tRUE"', '" true"', '"yes"', '"Y"', '"on"', '"off"', '"\\u0661"', '"\\u00a01"', '"1\\n"', '"\\u00e9"', '"\\ud83d\\ude00"',
    '"2026-01-02"', '"2026-01-02T03:04:05Z"', '"2026-01-02 03:04:05.123+0100"', '"today"',
    '"a0eebc999c0b4ef8bb6d6bb9bd380a11"', '"A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"', '"{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}"',
    '"urn:uuid:a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"', '"a0eebc99"',
    "[]", '[1,"1",2.0]', '["a","b"]', "[null]", "[[1]]", "[1,2]", "{}", '{"a":1}', '{"1":1}', '{"a":"x"}', '{"a":null}',
]
OBJECTS = [
    "null", "[]", "1", '"a"', "{}", '{"lat":1,"lng":"2.5"}', '{"lat":1,"lng":2,"more":[]}', '{"lat":"x","lng":2}', '{"lat":null,"lng":2}', '{"lat":1}',
    '{"city":"a"}', '{"city":1}', '{"geo":{"lat":1.5,"lng":2}}', '{"city":"a","geo":{"lat":1.5,"lng":[]}}', '{"city":"a","geo":null}', '{"geo":[]}',
    '[{"kind":"k","n":1}]', '[{"kind":"k","n":"1"},{"kind":"k","n":1.0}]', '[{"kind":"k","n":1},{"kind":"k","n":"many"}]', '[{"kind":1,"n":1}]', '[{"kind":"k"}]',
    '{"name":"a","children":[]}', '{"name":"a","children":[{"name":"b","children":[{"name":"c"}]}]}', '{"name":"a","children":[{"name":"b","children":[{"name":7}]}]}', '{"children":{}}',
    '{"day":"2026-01-02"}', '{"day":[]}', '{"day":null}',
]
TYPES = [
    (str, SCALARS), (int, SCALARS), (float, SCALARS), (bool, SCALARS), (bytes, SCALARS), (list, SCALARS), (dict, SCALARS), (Any, SCALARS),
    (decimal.Decimal, SCALARS), (uuid.UUID, SCALARS), (datetime.datetime, SCALARS), (datetime.date, SCALARS), (Color, SCALARS), (date, SCALARS),
    (int | None, SCALARS), (int | str, SCALARS), (Optional[str], SCALARS), (Union[int, str], SCALARS), (Union[int, str, None], SCALARS), (Union[list[int], dict[str, int]], SCALARS),
    (List, SCALARS), (list[str], SCALARS), (List[int], SCALARS), (list[str] | None, SCALARS), (list[list[int]], SCALARS), (list[Any], SCALARS), (List[int] | None, SCALARS),
    (dict[str, int], SCALARS), (Dict[str, Any], SCALARS), (dict[int, int], SCALARS), (dict[str, int] | None, SCALARS), (dict[str, Optional[int]], SCALARS),
    (Literal["a", "b"], SCALARS), (Optional[Literal["a", "1"]], SCALARS), (Literal["a", None, 1], SCALARS), (Literal[True], SCALARS), (Literal[-1, 0], SCALARS),
    (Literal["\u00e9", "'", "\n", "\U0001f600"], SCALARS), (list[Literal["a", "b"]], SCALARS), (Literal[Color.RED], SCALARS), (dict[Literal["a"], int], SCALARS),
    (tuple[int, int], SCALARS), (tuple[int, ...], SCALARS), (tuple, SCALARS), (tuple[()], SCALARS), (set[int], SCALARS), (frozenset, SCALARS), (set[str] | None, SCALARS),
    (tuple[Optional[int], ...], SCALARS), (datetime.date | None, SCALARS), (decimal.Decimal | str, SCALARS), (list[uuid.UUID], SCALARS), (list[date], SCALARS),
    (Geo, OBJECTS), (Address, OBJECTS), (Optional[Address], OBJECTS), (list[Visit], OBJECTS), (Node, OBJECTS), (Union[Visit, list[Visit]], OBJECTS), (Geo | None, OBJECTS), (Dates, OBJECTS),
]

cases = []
for t, values in TYPES:
    adapter = TypeAdapter(t)
    loads, refuses = [], []
    for text in values:
        try:
            adapter.validate_python(json.loads(text))
            loads.append(text)
        except ValidationError:
            refuses.append(text)
    spelling = str(t) if isinstance(t, types.GenericAlias) or not isinstance(t, type) else repr(t)
    spelling = spelling.replace("__main__.", "make_conform.")
    cases.append({"type": spelling, "type_spec": json.loads(json.dumps(spec(t)).replace("__main__.", "make_conform.")), "loads": loads, "refuses": refuses})

out = pathlib.Path(__file__).with_name("conform.json")
out.write_text("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
