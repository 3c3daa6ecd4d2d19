"""A Document as one HTML page that needs nothing else: no script, no request, inline SVG."""

from __future__ import annotations

from mcugen.render import html_environment
from mcugen.report.document import Document


def html_page(document: Document) -> str:
    """The page's text. It follows the reader's light or dark scheme and prints well.

    All text is escaped: titles, nodes and messages come from models and from files. The same
    document gives the same bytes.
    """
    return html_environment().get_template("report/page.html.j2").render(d=document)
