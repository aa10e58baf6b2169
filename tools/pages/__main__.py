"""Makes the pages of docs/ that show what was measured, and their pictures.

tools/pages [--check] [--build FOLDER] [--results FOLDER] [--into FOLDER] [PAGE...]

PAGE: benchmarks, peers, performance, policies or selections; all of them by default. --check: only says whether pages and
pictures are what the results give. --build: the build folder, whose `tidemill bench report` computes what benchmarks, policies
and selections show. --results, --into: other folders than benchmarks/results and docs.
"""
import argparse
import importlib
import pathlib
import sys

from results import ROOT, Results

PAGES = ("benchmarks", "peers", "performance", "policies", "selections")


def publish(file, text, check):
    """Writes a file, or with `check` says whether it is there already."""
    if file.exists() and file.read_text() == text:
        return True
    if check:
        print(f"{file} is not what the results give; run tools/pages {file.stem if file.suffix == '.md' else ''}", file=sys.stderr)
        return False
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "benchmarks" / "results")
    parser.add_argument("--into", type=pathlib.Path, default=ROOT / "docs")
    parser.add_argument("pages", nargs="*", metavar="PAGE")
    arguments = parser.parse_args()
    if unknown := sorted(set(arguments.pages) - set(PAGES)):
        parser.error(f"there is no page {', '.join(unknown)}; the pages are {', '.join(PAGES)}")
    results = Results(arguments.results, arguments.build)
    published = []
    for name in arguments.pages or PAGES:
        page = importlib.import_module(name)
        published.append(publish(arguments.into / f"{name}.md", page.document(results), arguments.check))
        for picture, text in page.pictures(results).items():
            published.append(publish(arguments.into / "pictures" / picture, text, arguments.check))
    sys.exit(0 if all(published) else 1)


if __name__ == "__main__":
    main()
