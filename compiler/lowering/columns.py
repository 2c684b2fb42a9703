"""A run's columns as the device holds them: codes of one dictionary, numbers, and maps.

A text column that the graph computes with is held as codes of the dictionary. One that it only
carries, or only reads through maps, is held as row numbers of its Arrow column, and so is what the
device has no type for.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
import pyarrow as pa

from sqlax.compiler.lowering.environment import dtype_of_kind
from sqlax.compiler.lowering.map_sites import MapSite
from sqlax.compiler.lowering.map_values import MapValues, evaluate_map
from sqlax.compiler.lowering.maps import ValueMap
from sqlax.compiler.lowering.scan_load import ScanLoad
from sqlax.compiler.plan.catalog import Catalog, quote
from sqlax.compiler.plan.flow import Origin, carried_from, computed_columns
from sqlax.compiler.plan.nodes import Node, Scan
from sqlax.compiler.plan.schema import Kind, enum_values, is_wide, kind_of
from sqlax.errors import OutsideGraphError
from sqlax.runtime.load import arrow
from sqlax.runtime.load.arrow import HostArray
from sqlax.runtime.load.columns import (
    bounded_column,
    device_like,
)
from sqlax.runtime.load.dictionary import StringDictionary, distinct_texts, encoded
from sqlax.runtime.load.morsel import Morsel
from sqlax.runtime.mapping import MapTable
from sqlax.runtime.narrow import NarrowRelation
from sqlax.runtime.relation import bucket

Tables = dict[Scan, pa.Table]
_LOST_IN_ARROW = re.compile(r"\bBIT\b|\bTIME WITH TIME ZONE\b")


def loading_sql(scan: Scan) -> str:
    """What DuckDB runs for a scan: what Arrow would change is loaded as its text.

    A BIT becomes bytes in Arrow and a TIME WITH TIME ZONE loses its zone. The text is cast back
    where it is read.
    """
    changed = [f for f in scan.schema.fields if _LOST_IN_ARROW.search(f.type)]
    if not any(f.kind is Kind.OPAQUE for f in changed):
        return scan.sql
    items = (
        f"CAST({quote(f.name)} AS VARCHAR) AS {quote(f.name)}"
        if f in changed and f.kind is Kind.OPAQUE
        else quote(f.name)
        for f in scan.schema.fields
    )
    return f"SELECT {', '.join(items)} FROM ({scan.sql}) AS t"


class RunColumns:
    """The loaded columns of one run.

    Args:
        plan: the placed plan.
        catalog: evaluates maps; holds the parameters.
        tables: the rows of each scan.
        sites: where the plan reads maps.
        texts: texts of the run that no table holds.
        morsels: scans whose table is one of many, padded to the rows of all of them.
    """

    def __init__(
        self,
        plan: Node,
        catalog: Catalog,
        tables: Tables,
        sites: Sequence[MapSite],
        texts: Sequence[str],
        morsels: Mapping[Scan, Morsel] | None = None,
    ) -> None:
        self._morsels = morsels or {}
        self._catalog = catalog
        self._tables = tables
        self._computed = computed_columns(plan, {site.map.expression for site in sites})
        self._arguments = self._settled(sites)
        self.maps = tuple(self._arguments)
        self._encoded = {origin: self._encode(origin) for origin in self._computed_texts()}
        self._texts = [pa.array(texts, pa.large_string())]
        self._texts += [self.loaded_texts(origin) for origin in self._encoded]
        self._domains: dict[ValueMap, pa.ChunkedArray | None] = {}
        self._values = {wanted: self._evaluate(wanted) for wanted in self.maps}
        self.dictionary = StringDictionary.of(self._texts, [])
        self.by_row: tuple[ValueMap, ...] = ()

    def following(self, tables: Tables, morsels: Mapping[Scan, Morsel]) -> RunColumns | None:
        """The columns of the next morsel; None where it may hold texts that no earlier one has."""
        other = copy.copy(self)
        other._tables, other._morsels = tables, morsels
        texts = [origin for origin in self._encoded if origin[0] in morsels]
        other.by_row = tuple(wanted for wanted in self.maps if self._is_by_row(wanted, morsels))
        makes_texts = any(kind_of(wanted.type) is Kind.STRING for wanted in other.by_row)
        if makes_texts or any(name not in morsels[scan].texts for scan, name in texts):
            return None
        other._encoded = {**self._encoded, **{o: other._encode(o) for o in texts}}
        other._domains = dict(self._domains)
        other._values = {**self._values, **{w: other._evaluate(w) for w in other.by_row}}
        return other

    def _is_by_row(self, wanted: ValueMap, morsels: Mapping[Scan, Morsel]) -> bool:
        """Whether a map has an entry for each row of a morsel."""
        origin = self._arguments[wanted]
        return origin is not None and origin[0] in morsels and self.is_carried(*origin)

    def _settled(self, sites: Sequence[MapSite]) -> dict[ValueMap, Origin | None]:
        """Each map with the scan column that its argument is.

        Two columns of one name that are held differently cannot share a map: they become codes.
        """
        origins: dict[ValueMap, dict[Origin | None, None]] = {}
        for site in sites:
            origins.setdefault(site.map, {})[_origin(site)] = None
        for wanted, found in origins.items():
            if len(found) > 1:
                self._share(wanted, [origin for origin in found if origin is not None])
        return {wanted: _only(found) for wanted, found in origins.items()}

    def _share(self, wanted: ValueMap, found: Sequence[Origin]) -> None:
        if wanted.argument is not None and wanted.argument.kind is Kind.OPAQUE:
            raise OutsideGraphError(f"{wanted.text} of two columns")
        self._computed |= set(found)

    def _computed_texts(self) -> list[Origin]:
        found = [o for o in self._computed if o[0].schema[o[1]].kind is Kind.STRING]
        return sorted(found, key=lambda origin: (origin[0].sql, origin[1]))

    def _encode(self, origin: Origin) -> pa.ChunkedArray:
        scan, name = origin
        return encoded(self._tables[scan].column(name))

    def _evaluate(self, wanted: ValueMap) -> MapValues:
        self._domains[wanted] = self._domain(wanted)
        made = evaluate_map(wanted, self._domains[wanted], self._catalog)
        if kind_of(wanted.type) is Kind.STRING:
            self._texts.append(distinct_texts(made.values))
        return made

    def _domain(self, wanted: ValueMap) -> pa.ChunkedArray | None:
        """Every value that a map's argument can have."""
        if wanted.argument is None:
            return None
        if wanted.argument.kind is Kind.ENUM:
            return pa.chunked_array([pa.array(enum_values(wanted.argument.type), pa.string())])
        origin = self._arguments[wanted]
        if origin is not None and self.is_carried(*origin):
            return self._tables[origin[0]].column(origin[1])
        if origin is not None:
            return pa.chunked_array([self.loaded_texts(origin)])
        return pa.chunked_array([distinct_texts(pa.chunked_array(self._texts))])

    def is_carried(self, scan: Scan, name: str) -> bool:
        """Whether a scan column is held as row numbers of its Arrow column."""
        field, computed = scan.schema[name], (scan, name) in self._computed
        indirect = field.kind is Kind.STRING or is_wide(field.type)
        return field.kind is Kind.OPAQUE or (indirect and not computed)

    def rows(self, scan: Scan) -> int:
        """Rows of a scan, or of its morsel."""
        return self._morsels[scan].rows if scan in self._morsels else len(self._tables[scan])

    def relation(self, scan: Scan, capacity: int) -> NarrowRelation:
        """The rows of a scan on the host, padded to `capacity`.

        Raises:
            OutsideGraphError: a number does not fit 64 bits.
        """
        carried = [name for name in scan.schema.names if self.is_carried(scan, name)]
        encoded = {name: column for (of, name), column in self._encoded.items() if of == scan}
        morsel, table = self._morsels.get(scan), self._tables[scan]
        load = ScanLoad(scan, table, morsel, self.dictionary, encoded, carried, capacity)
        return load.relation()

    def tables(self) -> tuple[MapTable, ...]:
        """The maps on the host, in the order of `maps`."""
        return tuple(self.table(wanted) for wanted in self.maps)

    def table(self, wanted: ValueMap) -> MapTable:
        """One map on the host."""
        made, kind = self._values[wanted], kind_of(wanted.type)
        flat = _one_chunk(made.values)
        data = self.dictionary.codes(flat) if kind is Kind.STRING else arrow.values(flat)
        beyond = arrow.beyond(flat)
        failed = made.failed if beyond is None else made.failed | beyond
        slots, capacity = self._slots(wanted, len(flat))
        held = np.zeros(capacity, dtype_of_kind(kind))
        held[slots] = data
        return MapTable(
            bounded_column(held, _spread(arrow.is_valid(flat), slots, capacity), capacity),
            device_like(_spread(failed, slots, capacity), bool),
        )

    def _slots(self, wanted: ValueMap, entries: int) -> tuple[HostArray, int]:
        """Where each entry of a map stands in its table, and the table's capacity."""
        origin, argument = self._arguments[wanted], wanted.argument
        by_code = argument is not None and argument.kind is Kind.STRING
        if not by_code or (origin is not None and self.is_carried(*origin)):
            return np.arange(entries), 1 if argument is None else bucket(entries)
        domain = self._domains[wanted]
        codes = self.dictionary.codes(domain).astype(np.int64) + 1
        return np.append(0, codes), bucket(len(self.dictionary) + 1)

    @cached_property
    def mapped_texts(self) -> pa.Array:
        """The texts that maps give."""
        made = [v.values for w, v in self._values.items() if kind_of(w.type) is Kind.STRING]
        pieces = [distinct_texts(values) for values in made]
        return pa.chunked_array(pieces, pa.large_string()).combine_chunks()

    def loaded_texts(self, origin: Origin) -> pa.Array:
        """The distinct texts of a scan column that is held as codes, in all its morsels."""
        scan, name = origin
        known = self._morsels[scan].texts if scan in self._morsels else {}
        return known[name] if name in known else distinct_texts(self._encoded[origin])


def _spread(flags: HostArray, slots: HostArray, capacity: int) -> HostArray:
    """The flags at their slots, False elsewhere."""
    held = np.zeros(capacity, bool)
    held[slots] = flags
    return held


def _origin(site: MapSite) -> Origin | None:
    """The scan column that a map's argument repeats unchanged, if it does."""
    if site.map.argument is None:
        return None
    name = site.map.argument.name
    below = next(child for child in site.node.inputs if name in child.schema)
    return carried_from(below, name)


def _only(found: dict[Origin | None, None]) -> Origin | None:
    return next(iter(found)) if len(found) == 1 else None


def _one_chunk(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    if not isinstance(column, pa.ChunkedArray):
        return column
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.nulls(0, column.type)
