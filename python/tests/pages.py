"""What the tests read in a page of docs: its blocks with what is said of them, its words, links and anchors."""

import re
import shlex
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

RUN = {"sh", "console", "python"}
SHOWN = {"bibtex", "c", "cmake", "csv", "go", "json", "python", "sh", "text", "toml", "xml", "yaml"}
TITLE = re.compile(r'title="([^"]*)"')
COMMENT = re.compile(r"<!--\s*test:(.*?)-->", re.DOTALL)
VARIABLE = re.compile(r"([A-Z_][A-Z0-9_]*)=(.*)", re.DOTALL)


class PageError(ValueError):
    """Something in a page that the tests do not understand."""


@dataclass
class Said:
    """What the comments before a block say."""

    variables: dict[str, str] = field(default_factory=dict)
    any_output: bool = False
    code: int = 0
    skip: str = ""
    background: bool = False
    interrupt: bool = False
    before: list[str] = field(default_factory=list)  # commands that readers do not see
    twice: bool = False

    def read(self, text: str, where: str) -> None:
        """Add one comment, without `test:`."""
        first, _, command = text.strip().partition(" ")
        if first == "run" and command:
            self.before.append(command)
            return
        words = shlex.split(text)
        while words:
            word = words.pop(0)
            if found := VARIABLE.fullmatch(word):
                self.variables[found[1]] = found[2]
            elif word == "any" and words[:1] == ["output"]:
                self.any_output = bool(words.pop(0))
            elif word == "exit" and words and words[0].isdecimal():
                self.code = int(words.pop(0))
            elif word == "skip" and words:
                self.skip, words = " ".join(words), []
            elif word == "background":
                self.background = True
            elif word == "interrupt":
                self.interrupt = True
            elif word == "twice":
                self.twice = True
            else:
                raise PageError(
                    f"{where}: the comment says {word!r}; want NAME=VALUE, any output, exit CODE, skip REASON, "
                    "background, interrupt, run COMMAND, or twice at the top of a page"
                )


@dataclass
class Block:
    """A fenced block: `line` is that of its fence, `wanted` the block text that shows what Python prints."""

    page: str
    line: int
    language: str
    title: str
    text: str
    said: Said
    wanted: str | None = None

    @property
    def where(self) -> str:
        return f"{self.page}:{self.line}"


@dataclass
class Page:
    blocks: list[Block]
    words: int
    twice: bool


@cache
def parse(text: str) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(text)


def read(path: Path, name: str) -> Page:
    """The blocks of a page in order. What the tests would not understand is a PageError."""
    text = path.read_text(encoding="utf-8")
    blocks: list[Block] = []
    said, before, twice = None, None, False
    for token in parse(text):
        if token.type == "html_block" and "test:" in token.content:
            where = f"{name}:{token.map[0] + 1}"
            comments = COMMENT.findall(token.content)
            if COMMENT.sub("", token.content).strip() or not comments:
                raise PageError(f"{where}: want a comment <!-- test: … --> on a line of its own")
            said = said or Said()
            for comment in comments:
                said.read(comment, where)
            if said == Said(twice=True) and not blocks:
                twice, said = True, None
            elif said.twice:
                raise PageError(f"{where}: twice is said of a page; want it alone, before the first block")
        elif token.type == "fence":
            block = _block(token, name, said or Said())
            printed = block.language == "text" and not block.title and before and before.language == "python"
            if printed and said is None and before.wanted is None and not before.title:
                before.wanted = block.text
            elif said is not None and (block.title or block.language not in RUN):
                raise PageError(f"{block.where}: a comment <!-- test: … --> stands before a block that is not run")
            blocks.append(block)
            said, before = None, block
        elif token.type == "code_block":
            raise PageError(f"{name}:{token.map[0] + 1}: an indented block; want a fence with a language")
        elif said is not None and token.nesting >= 0:
            raise PageError(f"{name}: a comment <!-- test: … --> stands before a {token.type}, want a block")
    if said is not None:
        raise PageError(f"{name}: a comment <!-- test: … --> is not before a block")
    return Page(blocks, len(re.sub(r"<!--.*?-->", "", _prose(text), flags=re.DOTALL).split()), twice)


def _block(token: Token, name: str, said: Said) -> Block:
    language, _, rest = token.info.strip().partition(" ")
    found = TITLE.search(rest)
    title = found[1] if found else ""
    block = Block(name, token.map[0] + 1, language, title, token.content, said)
    if TITLE.sub("", rest).strip():
        raise PageError(f'{block.where}: the fence says {rest!r}; want title="FILE" or nothing')
    if title and (Path(title).is_absolute() or ".." in Path(title).parts or language == "console"):
        raise PageError(f"{block.where}: the title is {title!r}; want a file in the folder of the page")
    if not title and language not in RUN | SHOWN:
        raise PageError(f"{block.where}: the language is {language!r}; want one of {sorted(RUN | SHOWN)}, or a title")
    return block


def _prose(text: str) -> str:
    """A page without its blocks."""
    lines = text.split("\n")
    for token in parse(text):
        if token.type == "fence":
            lines[token.map[0] : token.map[1]] = [""] * (token.map[1] - token.map[0])
    return "\n".join(lines)


def links(text: str) -> list[str]:
    """The targets of links and pictures."""
    found = []
    for token in parse(text):
        for part in token.children or []:
            if part.type in ("link_open", "image"):
                found.append(str(part.attrs["href" if part.type == "link_open" else "src"]))
            elif part.type == "html_inline":
                found += re.findall(r'\b(?:href|src)="([^"]*)"', part.content)
        if token.type == "html_block":
            found += re.findall(r'\b(?:href|src)="([^"]*)"', token.content)
    return found


@cache
def anchors(text: str) -> set[str]:
    """The anchors of a page: those that GitHub and the site give its headings, and those of elements with an id."""
    found: set[str] = set()
    tokens = parse(text)
    for heading, inline in zip(tokens, tokens[1:], strict=False):
        if heading.type == "heading_open":
            words = "".join(part.content for part in inline.children if part.type in ("text", "code_inline"))
            slug = name = re.sub(r"[^\w\- ]", "", words.strip().lower()).replace(" ", "-")
            number = 0
            while name in found:
                number += 1
                name = f"{slug}-{number}"
            found.add(name)
    return found | set(re.findall(r'<\w+ (?:id|name)="([^"]+)"', text))
