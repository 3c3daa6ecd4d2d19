"""Bounds on what an untrusted file can make the importer do."""

from __future__ import annotations

MAX_FILE_BYTES = 2**31 - 1
"""Protobuf's own limit for one message."""

MAX_TENSOR_BYTES = 2**31 - 1
"""One tensor, activation or constant: offsets in the generated C are int32."""

MAX_FOLDED_BYTES = 64 * 2**20
"""One constant computed while importing."""

MAX_FOLDED_TOTAL_BYTES = 512 * 2**20
"""All constants computed while importing."""

MAX_RANK = 32
"""NumPy's limit before 2.0."""

MAX_NODES = 100_000
"""Nodes after inlining functions: calls can double at each level of nesting."""

MAX_DEPTH = 32
"""Nesting of function calls and of If branches."""
