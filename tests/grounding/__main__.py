"""`python -m tests.grounding` fits the weights anew, writes app/kinds/calibration.py, and tells how good they are."""

from __future__ import annotations

from pathlib import Path

from app.kinds.grounding import THRESHOLD, Calibration
from tests.grounding.fitting import FACTORS, bootstrap, calibration_error, fit
from tests.grounding.labelled import ROOT, outcome, read_terms

FILE = ROOT / "app" / "kinds" / "calibration.py"


def written(calibration: Calibration) -> str:
    """The module that holds the weights."""
    kinds = "".join(f'        "{key}": {p},\n' for key, p in sorted(calibration.right.items()))
    factors = "".join(f"    {name}={getattr(calibration, name)},\n" for name in FACTORS)
    return (
        '"""The weights of grounding, fitted on labelled words; `python -m tests.grounding` writes this file."""\n\n'
        "from __future__ import annotations\n\nfrom typing import Final\n\n"
        "from app.kinds.grounding import Calibration\n\n"
        f"FITTED: Final = Calibration(\n    right={{\n{kinds}    }},\n{factors})\n"
    )


def main(file: Path = FILE) -> None:
    """Fit, write, tell."""
    words = read_terms()
    calibration = fit([each for each in words if not each.held_out])
    file.write_text(written(calibration), encoding="utf-8")
    held_out = [each for each in words if each.held_out]
    points = [outcome(each, calibration) for each in held_out]
    low, high = bootstrap(points, calibration_error)
    print(f"{len(words)} words, {len(held_out)} held out")
    print(f"expected calibration error {calibration_error(points):.3f} (95 %: {low:.3f} to {high:.3f})")
    right = [r for c, r in points if c >= THRESHOLD]
    print(f"grounded {len(right) / len(points):.2f}, of these right {sum(right) / len(right):.3f}")
    for each, (confidence, correct) in zip(held_out, points, strict=True):
        if (confidence >= THRESHOLD) != (correct == 1) and not (confidence < THRESHOLD and not each.meant):
            print(f"  {each.text} | {each.clues} | {confidence} {correct} | {each.trap}")


if __name__ == "__main__":
    main()
