"""A Report as JSON, as SARIF 2.1.0 (for code hosts) and as JUnit XML (for CI); text is app/cli/reporting.py's."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree as ET

from app.authoring.problems import Check, Problem, Report, Severity, Step, shown_path

_SARIF_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_XML_REFUSES: Final = {n: "\N{REPLACEMENT CHARACTER}" for n in range(32) if chr(n) not in "\t\n\r"}


def as_json(report: Report) -> str:
    """Every step with its problems; what has no value is left out."""
    steps = [
        {
            "pack": step.pack,
            "step": step.name,
            "seconds": round(step.seconds, 3),
            **({"counts": dict(step.counts)} if step.counts else {}),
            **({"not_done": step.not_done} if step.not_done else {}),
            "problems": [_problem(problem) for problem in step.problems],
        }
        for step in report.steps
    ]
    counted = {f"{severity}s": report.number(severity) for severity in Severity}
    told = {"command": report.command, **counted, "not_done": len(report.not_done), "steps": steps}
    return json.dumps(told, ensure_ascii=False, indent=2)


def as_sarif(report: Report) -> str:
    """One run; a rule for each Check that found something, a result for each problem, a notification for each step
    that was not done.
    """
    checks = list(dict.fromkeys(problem.check for problem in report.problems))
    driver = {"name": "domain-access", "version": version("domain-access"), "rules": list(map(_rule, checks))}
    undone = [
        {"level": "error", "message": {"text": f"{step.pack}: {step.name} was not done: {step.not_done}"}}
        for step in report.not_done
    ]
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": not undone, "toolExecutionNotifications": undone}],
        "results": [_result(problem, checks) for problem in report.problems],
    }
    return json.dumps({"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2)


def as_junit(report: Report) -> str:
    """A test suite for each pack, a test case for each step: failed by its errors, skipped where it was not done."""
    suites = ET.Element("testsuites", name=f"domain-access {report.command}")
    for pack in dict.fromkeys(step.pack for step in report.steps):
        steps = [step for step in report.steps if step.pack == pack]
        suite = ET.SubElement(suites, "testsuite", _counted(steps), name=_xml(pack))
        for step in steps:
            _case(suite, step)
    ET.indent(suites)
    return ET.tostring(suites, encoding="unicode", xml_declaration=True)


FORMATS: Final[Mapping[str, Callable[[Report], str]]] = {"json": as_json, "sarif": as_sarif, "junit": as_junit}
"""How a program reads a Report."""


def _problem(problem: Problem) -> dict[str, Any]:
    members = {
        "code": problem.check.code,
        "severity": problem.check.severity.value,
        "message": problem.message,
        "file": shown_path(problem.file) if problem.file else "",
        "line": problem.line,
        "column": problem.column,
        "term": problem.term,
        "hint": problem.hint,
        "excerpt": problem.excerpt,
        "why": problem.check.why,
    }
    return {name: value for name, value in members.items() if value}


def _rule(check: Check) -> dict[str, Any]:
    return {
        "id": check.code,
        "shortDescription": {"text": check.title},
        "fullDescription": {"text": check.why},
        "defaultConfiguration": {"level": check.severity.value},
    }


def _result(problem: Problem, checks: list[Check]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": problem.check.code,
        "ruleIndex": checks.index(problem.check),
        "level": problem.check.severity.value,
        "message": {"text": "; ".join(filter(None, (problem.message, problem.hint)))},
    }
    if problem.file:
        place: dict[str, Any] = {"artifactLocation": {"uri": Path(shown_path(problem.file)).as_posix()}}
        region = {"startLine": problem.line, "startColumn": problem.column}
        if problem.line:
            place["region"] = {name: value for name, value in region.items() if value}
        result["locations"] = [{"physicalLocation": place}]
    return result


def _counted(steps: Iterable[Step]) -> dict[str, str]:
    counted = list(steps)
    return {
        "tests": str(len(counted)),
        "failures": str(sum(not step.passed and not step.not_done for step in counted)),
        "skipped": str(sum(bool(step.not_done) for step in counted)),
        "time": f"{sum(step.seconds for step in counted):.3f}",
    }


def _case(suite: ET.Element, step: Step) -> None:
    case = ET.SubElement(
        suite, "testcase", name=_xml(step.name), classname=_xml(step.pack), time=f"{step.seconds:.3f}"
    )
    if step.not_done:
        ET.SubElement(case, "skipped", message=_xml(step.not_done))
        return
    for problem in step.problems_of(Severity.ERROR):
        failure = ET.SubElement(case, "failure", type=problem.check.code, message=_xml(problem.message))
        failure.text = _xml("\n".join(filter(None, (problem.where, problem.hint, problem.check.why))))
    lesser = [problem for problem in step.problems if problem.check.severity is not Severity.ERROR]
    if lesser:
        said = (f"{each.check.severity}: {each.where} {each.message} [{each.check.code}]" for each in lesser)
        ET.SubElement(case, "system-out").text = _xml("\n".join(said))


def _xml(text: str) -> str:
    """Without the control characters that XML 1.0 cannot hold."""
    return text.translate(_XML_REFUSES)
