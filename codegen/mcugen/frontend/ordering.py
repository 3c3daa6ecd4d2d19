"""Puts nodes in execution order and drops those that no output needs."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Sequence

from mcugen.frontend.malformed import Malformed, close_names, shown
from mcugen.frontend.structure import RawNode


def live_in_order(
    nodes: Sequence[RawNode], known: Collection[str], outputs: Iterable[str]
) -> tuple[RawNode, ...]:
    """The nodes that `outputs` depend on, each after its inputs.

    The order of the file is kept where it is a valid one.

    Args:
        nodes: all nodes of a body.
        known: values that exist before the first node: inputs, initializers, outer values.
        outputs: the wanted values.

    Raises:
        Malformed: a value has two producers, is read but never produced, or needs itself.
    """
    producers = _producers(nodes, known)
    live = _live(nodes, producers, known, outputs)
    return _sorted(nodes, producers, live)


def reads(node: RawNode) -> tuple[str, ...]:
    """All values that `node` needs, each once."""
    return tuple(dict.fromkeys(n for n in (*node.inputs, *node.captured) if n))


def _producers(nodes: Sequence[RawNode], known: Collection[str]) -> dict[str, int]:
    producers: dict[str, int] = {}
    for index, node in enumerate(nodes):
        for name in filter(None, node.outputs):
            if name in producers or name in known:
                raise Malformed(f"value {shown(name)} is defined twice, by {_describe(node)} too")
            producers[name] = index
    return producers


def _live(
    nodes: Sequence[RawNode],
    producers: dict[str, int],
    known: Collection[str],
    outputs: Iterable[str],
) -> set[int]:
    live: set[int] = set()
    pending: list[int] = []

    def need(name: str, reader: str) -> None:
        index = producers.get(name)
        if index is None and name not in known:
            raise Malformed(
                f"{reader} {shown(name)}, which nothing produces",
                close_names(name, (*producers, *known)),
            )
        if index is not None and index not in live:
            live.add(index)
            pending.append(index)

    for name in outputs:
        need(name, "the graph outputs")
    while pending:
        node = nodes[pending.pop()]
        for name in reads(node):
            need(name, f"{_describe(node)} reads")
    return live


def _sorted(
    nodes: Sequence[RawNode], producers: dict[str, int], live: set[int]
) -> tuple[RawNode, ...]:
    """Kahn's algorithm; among the ready nodes the first of the file goes first."""
    waits: dict[int, int] = {}
    readers: dict[int, list[int]] = {}
    for index in live:
        needed = {producers[n] for n in reads(nodes[index]) if n in producers}
        waits[index] = len(needed)
        for producer in needed:
            readers.setdefault(producer, []).append(index)
    ready = [index for index, count in waits.items() if count == 0]
    heapq.heapify(ready)
    order: list[int] = []
    while ready:
        index = heapq.heappop(ready)
        order.append(index)
        for reader in readers.get(index, ()):
            waits[reader] -= 1
            if waits[reader] == 0:
                heapq.heappush(ready, reader)
    if len(order) < len(live):
        raise _cycle(nodes, producers, live - set(order))
    return tuple(nodes[index] for index in order)


def _cycle(nodes: Sequence[RawNode], producers: dict[str, int], stuck: set[int]) -> Malformed:
    """Each stuck node waits for another stuck one: going back from any ends in the cycle."""
    path: dict[int, None] = {}
    index = min(stuck)
    while index not in path:
        path[index] = None
        needed = [producers[n] for n in reads(nodes[index]) if n in producers]
        index = next(p for p in needed if p in stuck)
    cycle = list(path)[list(path).index(index) :]
    shown_nodes = " <- ".join(_describe(nodes[i]) for i in (*cycle[:5], cycle[0]))
    return Malformed(f"the graph has a cycle: {shown_nodes}")


def _describe(node: RawNode) -> str:
    return f"{node.key} {shown(node.label)}"
