"""A folder is written whole or not at all, and nothing of the user's is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcugen.errors import UsageError
from mcugen.tree import write_tree

FILES = {"a.txt": "one\n", "deep/down/b.txt": "two\n", ".mark": "{}\n"}


def write(directory: Path, *, force: bool = False, files: dict[str, str] | None = None) -> Path:
    return write_tree(files or FILES, directory, mark=".mark", force=force)


def content(folder: Path) -> dict[str, str]:
    return {
        p.relative_to(folder).as_posix(): p.read_text() for p in folder.rglob("*") if p.is_file()
    }


def test_a_new_folder_and_its_parents(tmp_path: Path) -> None:
    written = write(tmp_path / "x" / "y")
    assert written == tmp_path / "x" / "y"
    assert content(tmp_path / "x") == {f"y/{n}": t for n, t in FILES.items()}
    assert [p.name for p in (tmp_path / "x").iterdir()] == ["y"]
    assert written.stat().st_mode & 0o777 == 0o755


def test_a_relative_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert write(Path("out")) == tmp_path / "out"


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert content(write(tmp_path / "out")) == FILES


def test_an_existing_folder_needs_force(tmp_path: Path) -> None:
    write(tmp_path / "out")
    with pytest.raises(UsageError, match="out exists") as caught:
        write(tmp_path / "out", files={"new": "text\n"})
    assert "--force" in caught.value.hint
    assert content(tmp_path / "out") == FILES


def test_force_replaces_all_that_mcugen_wrote(tmp_path: Path) -> None:
    write(tmp_path / "out")
    (tmp_path / "out" / ".pio").mkdir()
    (tmp_path / "out" / ".pio" / "old.o").write_text("x")
    files = {"new": "text\n", ".mark": ""}
    write(tmp_path / "out", force=True, files=files)
    assert content(tmp_path / "out") == files
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_force_does_not_replace_what_others_wrote(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match="was not written by mcugen"):
        write(tmp_path, force=True)
    assert content(tmp_path) == {"thesis.txt": "years of work"}


def test_the_current_folder_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="is the current folder"):
        write(Path(), force=True)


@pytest.mark.parametrize("force", [False, True])
def test_a_file_or_link_in_the_way(tmp_path: Path, force: bool) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("file", "link"):
        with pytest.raises(UsageError, match=f"{name} exists and is not a folder"):
            write(tmp_path / name, force=force)


def test_a_parent_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match=r"cannot be written: (Not a directory|File exists)"):
        write(tmp_path / "file" / "out")
    assert content(tmp_path) == {"file": "x"}


def break_writing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    original = Path.write_text

    def write_text(self: Path, *arguments: object, **named: object) -> int:
        if self.name == "b.txt":
            raise error
        return original(self, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "write_text", write_text)


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    break_writing(monkeypatch, error)
    wanted = UsageError if isinstance(error, OSError) else KeyboardInterrupt
    with pytest.raises(wanted):
        write(tmp_path / "x" / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_failed_replacement_leaves_the_old_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "out")
    original = Path.rename

    def rename(self: Path, target: Path) -> Path:
        if self.name.startswith(".out.") and not self.name.endswith(".old"):
            raise OSError(5, "Input/output error")
        return original(self, target)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(UsageError, match="out cannot be written: Input/output error"):
        write(tmp_path / "out", force=True, files={"new": "text\n", ".mark": ""})
    assert content(tmp_path / "out") == FILES
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_the_folder_to_keep_outlives_a_replacement(tmp_path: Path) -> None:
    write(tmp_path / "out")
    run = tmp_path / "out" / "measurements" / "run-001"
    run.mkdir(parents=True)
    (run / "measurement.json").write_text("{}")
    files = {"new": "text\n", ".mark": ""}
    write_tree(files, tmp_path / "out", mark=".mark", force=True, keep="measurements")
    assert content(tmp_path / "out") == {**files, "measurements/run-001/measurement.json": "{}"}
    write_tree(files, tmp_path / "out", mark=".mark", force=True)
    assert content(tmp_path / "out") == files
