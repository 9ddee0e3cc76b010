"""The worked example in `docs/house-rules.md`, carried out on a copy of the domain."""

import ast
import re
import subprocess
import sys
from pathlib import Path
from shutil import copytree
from textwrap import indent

import pytest

ROOT = Path(__file__).parents[1]
GUIDE = (ROOT / "docs" / "house-rules.md").read_text()
CHANGE = re.compile(
    r"In `(?P<file>domain/[\w/.]+)`, (?P<where>at the end of|before)\s+`(?P<name>\w+)`:\n\n"
    r"```python\n(?P<code>.*?)```",
    re.DOTALL,
)
TEST = re.compile(r"\*\*One test\*\*.*?```python\n(.*?)```", re.DOTALL)


def statement(source: str, name: str) -> ast.stmt:
    """The class of that name, or the assignment to it."""
    for node in ast.parse(source).body:
        match node:
            case ast.ClassDef(name=found) if found == name:
                return node
            case ast.AnnAssign(target=ast.Name(id=found)) if found == name:
                return node
            case _:
                continue
    raise LookupError(name)


def changed(source: str, where: str, name: str, code: str) -> str:
    node = statement(source, name)
    lines = source.splitlines()
    assert node.end_lineno is not None
    if where == "before":
        at, code = node.lineno - 1, f"{code}\n\n"
    else:
        # The end of a class is its last line; that of a table the line before its bracket.
        at = node.end_lineno - (0 if isinstance(node, ast.ClassDef) else 1)
        code = indent(code, "    ")
    return "\n".join([*lines[:at], code, *lines[at:]]) + "\n"


@pytest.fixture(scope="module")
def clubhouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the domain in which the guide has been followed."""
    copy: Path = tmp_path_factory.mktemp("clubhouse")
    copytree(ROOT / "domain", copy / "domain")
    for change in CHANGE.finditer(GUIDE):
        file = copy / change["file"]
        file.write_text(changed(file.read_text(), change["where"], change["name"], change["code"]))
    (copy / "test_the_rule.py").write_text(found(TEST))
    return copy


def found(pattern: re.Pattern[str]) -> str:
    match = pattern.search(GUIDE)
    assert match is not None
    return match[1]


def python(clubhouse: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Python with the changed domain before the installed one."""
    roots = [clubhouse / "domain", ROOT / "service", ROOT / "adapters", ROOT / "schema"]
    return subprocess.run(
        [sys.executable, *arguments],
        env={"PYTHONPATH": ":".join(map(str, [*roots, ROOT / "tests"])), "PATH": ""},
        cwd=clubhouse,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_guide_has_a_value_a_function_and_its_place_and_a_test() -> None:
    assert len(CHANGE.findall(GUIDE)) == 3
    assert found(TEST)


def test_the_guides_own_test_passes_where_the_guide_was_followed(clubhouse: Path) -> None:
    done = python(clubhouse, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_the_rule.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


def test_the_guides_own_test_fails_without_the_rule(clubhouse: Path, tmp_path: Path) -> None:
    copytree(ROOT / "domain", tmp_path / "domain")
    (tmp_path / "test_the_rule.py").write_text(found(TEST))
    done = python(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_the_rule.py")
    assert done.returncode == 1
    assert "1 failed" in done.stdout


def test_the_sheet_the_schema_and_whole_games_know_the_rule_at_once(clubhouse: Path) -> None:
    sheet = python(
        clubhouse, "-m", "spades_service.main", "rules", "classic", "-o", "bidding=no-nil"
    )
    assert "Nil may not be bid: everyone bids one trick or more." in sheet.stdout, sheet.stderr
    sdl = python(clubhouse, "-c", "from spades_schema.export import sdl; print(sdl())")
    assert "NO_NIL" in sdl.stdout, sdl.stderr
    games = python(
        clubhouse,
        *("-m", "spades_service.main", "simulate", "--games", "2", "--json"),
        *("-o", "bidding=no-nil", "-o", "target=100"),
    )
    assert '"nils_made": 0' in games.stdout, games.stderr
