"""What mkdocs.yml leaves to a program: the navigation, links to files of the repository, and the Go API."""

import logging
import os
import re
import subprocess
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
LINK = re.compile(r"(?<=\]\()(?:<[^>\n]*>|[^)\s]+)(?=\))")
SHOWN = ("h1", "h2", "h3", "li", "pre", "table", "img", "a")
log = logging.getLogger("mkdocs.plugins.polyrhythm")


def on_config(config):
    """The navigation is the headings and links of docs/index.md, in their order; a line with a colon begins a group."""
    nav = [{"Home": "index.md"}]
    for part in re.split(r"^## ", (DOCS / "index.md").read_text(), flags=re.MULTILINE)[1:]:
        title, _, body = part.partition("\n")
        pages = group = []
        for label, name, target in re.findall(r"^(?:(\w.*):|- \[([^\]]+)\]\(([\w/-]+\.md)\).*)$", body, re.MULTILINE):
            if label:
                group = []
                pages.append({label: group})
            else:
                group.append({name: target})
        if title == "Reference":
            pages.append({"Go API": [{package: f"reference/go-api/{page(package)}"} for package in packages()]})
        nav.append({title: pages})
    config.nav = nav
    return config


def on_files(files, config):
    """Each package of Go has a page, which `go doc` writes."""
    for package in packages():
        text = go("doc", "-all", f"./{package}")
        content = f"# Package {package}\n\n```text\n{text.replace('```', '`` `')}\n```\n"
        files.append(File.generated(config, f"reference/go-api/{page(package)}", content=content))
    return files


def on_page_markdown(markdown, page, config, files):
    """A link to a file outside of docs becomes one into the repository, and lists begin after an empty line."""
    folder = (DOCS / page.file.src_uri).parent

    def replaced(found):
        target = urlsplit(found[0])
        path = Path(os.path.normpath(folder / target.path))
        if target.scheme or not target.path or path.is_relative_to(DOCS) or not path.exists():
            return found[0]
        kind = "tree" if path.is_dir() else "blob"
        anchor = f"#{target.fragment}" if target.fragment else ""
        return f"{config.repo_url}/{kind}/main/{path.relative_to(ROOT)}{anchor}"

    # What GitHub takes and the site does not: items that are indented by less than 4, and lists after paragraphs and
    # items after several paragraphs without an empty line.
    given = markdown.split("\n")
    lines, gaps = LINK.sub(replaced, markdown).split("\n"), set()
    for token in MarkdownIt().parse(markdown):
        if token.type == "list_item_open":
            first, end = token.map
            marker = re.match(r"\s*\S+\s+", given[first])[0].lstrip()
            for line in range(first + 1, end):
                lines[line] = lines[line] and " " * (4 - len(marker)) + lines[line]
            if "" in given[first:end]:
                gaps.add(end)
        elif token.type in ("bullet_list_open", "ordered_list_open") and token.level == 0:
            gaps.add(token.map[0])
    for line in sorted(gaps, reverse=True):
        lines.insert(line, "")
    return "\n".join(lines)


def on_page_content(html, page, config, files):
    """Pages are written for GitHub: the site must show as many headings, items, blocks, tables and links."""
    if "\n::: " in page.markdown or page.file.generated_by:
        return html
    plain = MarkdownIt("commonmark").enable("table").render(page.markdown)
    html_plain = re.sub(r'<a class="headerlink".*?</a>|<a id="__codelineno.*?</a>|<a name="__.*?</a>', "", html)
    for tag in SHOWN:
        want, got = (len(re.findall(rf"<{tag}[ >]", text)) for text in (plain, html_plain))
        if want != got:
            log.warning("%s: %d elements %s, want %d as on GitHub", page.file.src_uri, got, tag, want)
    return html


def page(package):
    return package.replace("/", "-") + ".md"


@cache
def packages():
    """The packages for users, by their folders."""
    listed = go("list", "-e", "-f", "{{if .GoFiles}}{{.Name}} {{.Dir}}{{end}}", "./...").splitlines()
    folders = [Path(line.partition(" ")[2]).relative_to(ROOT) for line in listed if not line.startswith("main ")]
    return sorted(str(folder) for folder in folders if not {"internal", "testdata"} & set(folder.parts))


def go(*arguments):
    command = [os.environ.get("GO", "go"), *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
