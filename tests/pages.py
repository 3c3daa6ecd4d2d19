"""What every HTML page of ours must be: balanced, self-contained, without script."""

from __future__ import annotations

from html.parser import HTMLParser

_VOID = {"meta", "br", "hr", "img", "input", "link"}
_LOADS = {"src", "href", "srcset", "data", "action", "poster", "xlink:href", "background"}


class Page(HTMLParser):
    """A page read strictly.

    Attributes:
        text: all that a reader sees, tips included.
        tags: of all elements, in order.
    """

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.parts: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == [], f"not closed: {self._open}"

    @property
    def text(self) -> str:
        return " ".join(self.parts)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert tag not in ("script", "link", "img", "iframe", "object", "embed", "base")
        for name, value in attrs:
            assert name not in _LOADS, f"<{tag} {name}={value}>"
            assert not name.startswith("on"), f"<{tag} {name}={value}>"
            assert "url(" not in (value or "")
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open and self._open[-1] == tag, f"</{tag}> closes {self._open[-1:]}"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == "style":
            assert "url(" not in data and "@import" not in data
        elif data.strip():
            self.parts.append(data.strip())


def read_page(html: str) -> Page:
    """The page, checked; it names no address at all."""
    assert html.startswith("<!DOCTYPE html>\n")
    assert "http:" not in html and "https:" not in html
    assert "default-src 'none'" in html
    assert len(html.encode()) < 500_000
    return Page(html)
