"""The front page is true: its commands run, its answers come, its tables and links hold."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from spades.rules import PRESETS
from spades_service.settings import Settings, read_settings
from support.command_line import LONGEST
from support.service import SPADES, Service, environment, running

ROOT: Final = Path(__file__).parent.parent
README: Final = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES: Final = sorted(
    page.relative_to(ROOT).as_posix()
    for page in [*ROOT.glob("*.md"), *ROOT.glob("domain/*.md"), *ROOT.glob("docs/**/*.md")]
)
BLOCK: Final = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK: Final = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")
END: Final = "--- the end of a block ---"
ANYTHING: Final = "..."


def section(title: str) -> str:
    """The text under a heading, up to the next one of its kind."""
    _, _, behind = README.partition(f"\n## {title}\n")
    assert behind, f"README.md has no section {title!r}"
    return behind.partition("\n## ")[0]


def blocks(title: str) -> list[tuple[str, str]]:
    """The code of a section: each block's language and text."""
    return BLOCK.findall(section(title))


def rows(title: str) -> list[list[str]]:
    """The table of a section, without its head."""
    lines = [line for line in section(title).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]


def outputs(commands: list[str], **settings: str) -> list[str]:
    """What each of a page's commands prints, all run in one shell from the top of the project."""
    script = "".join(f"{command}\necho '{END}'\n" for command in commands)
    answer = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", script.replace(".venv/bin/spades", str(SPADES))],
        cwd=ROOT,
        env=environment(**settings),
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    assert (answer.returncode, answer.stderr) == (0, "")
    return answer.stdout.split(f"{END}\n")[:-1]


def agrees(answer: Any, promised: Any) -> bool:
    """Whether an answer is the one on the page, where `...` stands for any text."""
    if isinstance(promised, dict):
        return (
            isinstance(answer, dict)
            and answer.keys() == promised.keys()
            and all(agrees(answer[key], promised[key]) for key in promised)
        )
    if isinstance(promised, list):
        return (
            isinstance(answer, list)
            and len(answer) == len(promised)
            and all(map(agrees, answer, promised))
        )
    return isinstance(answer, str) if promised == ANYTHING else bool(answer == promised)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running(tmp_path_factory.mktemp("service")) as service:
        yield service


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl is on the PATH")
def test_the_first_game_goes_as_it_is_told(service: Service) -> None:
    commands: list[str] = []
    promised: dict[int, Any] = {}
    for language, text in blocks("A first game"):
        if language == "sh":
            commands.append(text)
        else:
            promised[len(commands) - 1] = json.loads(text)
    assert len(promised) == 5

    default = f"http://{Settings().host}:{Settings().port}"
    assert default in commands[0]
    commands[0] = commands[0].replace(default, service.url)
    answers = outputs(commands)
    for place, expected in promised.items():
        last = json.loads(answers[place].splitlines()[-1])
        assert agrees(last, expected), last


def test_the_commands_without_a_client_run(service: Service) -> None:
    commands = [text for language, text in blocks("Without writing a client") if language == "sh"]
    settings = {
        "SPADES_PORT": str(service.port),
        "SPADES_DATA": str(service.data),
        "SPADES_PLATFORM_KEY": "the-key-of-a-platform",
    }
    demo, replayed, exported, rules = outputs(commands, **settings)

    assert "N and S 61, E and W -80." in demo
    assert "the same table as the API shows" in demo
    assert "N and S 61, E and W -80." in replayed
    assert json.loads(exported)["format"] == "spades-record/1"
    assert "minimum_side_bid" in rules
    assert "Blind nil for a side that is 100 behind" in rules


def test_every_make_target_that_is_named_is_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")

    for target in re.findall(r"\bmake ([a-z][a-z-]*)\b(?=[`\n])", README):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_presets_are_those_of_the_rules() -> None:
    classic = msgspec.to_builtins(PRESETS["classic"].rules)
    expected = []
    for name, preset in PRESETS.items():
        options = msgspec.to_builtins(preset.rules)
        differing = [
            f"`{key}: {'none' if value is None else value}`"
            for key, value in options.items()
            if value != classic[key]
        ]
        expected.append([f"`{name}`", preset.sentence, ", ".join(differing)])

    assert rows("Rule sets") == expected


def test_the_settings_are_those_of_the_service() -> None:
    source = (ROOT / "service/spades_service/settings.py").read_text(encoding="utf-8")
    named = {name.strip("`"): default.strip("`") for name, default, _ in rows("Settings")}

    assert set(named) == set(re.findall(r"\b(?:SPADES_[A-Z_]+|REDIS_URL)\b", source))
    usual = {name: default for name, default in named.items() if re.fullmatch(r"[\w./]+", default)}
    assert read_settings(usual) == read_settings({})


def test_every_folder_is_told_of() -> None:
    assert [name.strip("`/") for name, _ in rows("Where things are")] == [
        "domain",
        "service",
        "adapters",
        "schema",
        "tests",
        "deploy",
        "docs",
    ]


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in LINK.findall(text):
        if not target.startswith(("https://", "#")):
            path, _, _ = target.partition("#")
            assert ((ROOT / page).parent / path).exists(), target


def test_every_page_of_the_docs_is_in_their_index() -> None:
    index = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    listed = {(ROOT / "docs" / target).resolve() for target in LINK.findall(index)}

    assert set((ROOT / "docs").rglob("*.md")) - {ROOT / "docs/index.md"} <= listed
