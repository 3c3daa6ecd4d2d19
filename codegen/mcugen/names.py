"""C identifiers: one service for every name that reaches the generated code."""

from __future__ import annotations

import re
import unicodedata

# C11, C23 and C++20 keywords and alternative tokens
_KEYWORD_TEXT = """alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept auto
    bitand bitor
    bool break case catch char char8_t char16_t char32_t class co_await co_return co_yield compl
    concept const const_cast consteval constexpr constinit continue decltype default delete do
    double dynamic_cast else enum explicit export extern false float for friend goto if inline int
    long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected
    public reflexpr register reinterpret_cast requires restrict return short signed sizeof static
    static_assert static_cast struct switch synchronized template this thread_local throw true try
    typedef typeid typename typeof typeof_unqual union unsigned using virtual void volatile wchar_t
    while xor xor_eq"""
_KEYWORDS = frozenset(_KEYWORD_TEXT.split())

_HEADER_TEXT = """arduino assert complex ctype errno fenv float inttypes iso646 limits locale
    malloc math memory setjmp signal stdalign stdarg stdatomic stdbit stdbool stdckdint stddef
    stdint stdio stdlib stdnoreturn string strings tgmath threads time uchar unistd wchar wctype"""
_HEADERS = frozenset(_HEADER_TEXT.split())


_PREFIX_CHARS = 60
"""Longest prefix: file systems take names of 255 bytes, and a reviewer's screen far fewer."""


def model_prefix(text: str) -> str:
    """`text` as the prefix of a model's C names and the name of its files.

    A model must not hide a header of the C library (`math.h`) or of mcugen's runtime. A long
    name is cut at its end.
    """
    name = identifier(identifier(text)[:_PREFIX_CHARS])
    return f"{name}_model" if name in _HEADERS or name.startswith("mcugen") else name


def identifier(text: str, fallback: str = "model") -> str:
    """`text` as a lower-case C and C++ identifier: ASCII, no keyword, nothing reserved.

    Letters lose their accents, everything else becomes single underscores. May be equal for
    different texts: `Names` makes them unique.
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    name = re.sub(r"[^A-Za-z0-9]+", "_", plain).strip("_").lower()
    if not name:
        name = fallback
    if name[0].isdigit():
        name = f"n{name}"
    return f"{name}_" if name in _KEYWORDS else name


class Names:
    """Gives out identifiers, each once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def unique(self, text: str, fallback: str = "value") -> str:
        """An identifier made from `text` that was not given out before."""
        base = identifier(text, fallback)
        name, count = base, 2
        while name in self._taken:
            name, count = f"{base.rstrip('_')}_{count}", count + 1
        self._taken.add(name)
        return name


def shortened(text: str, width: int) -> str:
    """`text`, or its end behind "..." where it has more than `width` characters.

    Exporters put what tells a node apart at the end of its name.
    """
    return text if len(text) <= width else "..." + text[len(text) - width + 3 :]
