from __future__ import annotations

import io

from rich.console import Console

from mcugen.report.document import Document, Fact, Section, Table
from mcugen.report.document_text import print_document


def test_texts_of_others_are_no_commands_to_the_terminal() -> None:
    bad = "a\x1b[2J[red]b\n"
    table = Table((bad,), ((bad,),))
    document = Document(bad, bad, (), (Fact(bad, bad, bad),), (Section(bad, (), (), table),))
    out = io.StringIO()
    print_document(document, Console(file=out, width=200))
    assert "\x1b" not in out.getvalue()
    assert out.getvalue().count("a\\x1b[2J[red]b\\x0a") == 8
