"""The figures of worlds of several sizes as pictures: one SVG for each row that has sizes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from tests.bench.measure import Row

_SIZE = re.compile(r"([\d,]+) entities")


def plot(rows: Iterable[Row], folder: Path) -> list[Path]:
    """Write a picture of each row whose figures are of sizes: median and 99th percentile over the entities."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "domain-access"
    from matplotlib import pyplot

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for row in rows:
        sizes = [_SIZE.fullmatch(figure.name) for figure in row.figures]
        if not all(sizes) or len(sizes) < 2:
            continue
        entities = [int(size[1].replace(",", "")) for size in sizes if size]
        picture, axes = pyplot.subplots(figsize=(6, 3.6), layout="constrained")
        axes.plot(entities, [figure.p50 * 1e3 for figure in row.figures], marker="o", label="median")
        if any(figure.operations > 1 for figure in row.figures):
            axes.plot(entities, [figure.p99 * 1e3 for figure in row.figures], marker="^", ls=":", label="p99")
        axes.set(xscale="log", yscale="log", xlabel="entities", ylabel="milliseconds")
        axes.set_title(row.title, loc="left", fontsize=10)
        axes.grid(visible=True, alpha=0.3)
        axes.legend(frameon=False)
        path = folder / (re.sub(r"\W+", "_", row.title.lower()).strip("_") + ".svg")
        picture.savefig(path, format="svg", metadata={"Date": None})
        pyplot.close(picture)
        written.append(path)
    return written
