"""The stubs say what the module has: names, parameters, which of them may be left out."""

import ast
import inspect
from pathlib import Path

import trommel_text

STUBS = ast.parse((Path(trommel_text.__file__).parent / "__init__.pyi").read_text())
RECORDS = {"Progress", "HintedPage", "Link", "Known", "Choices", "RunChoices", "FileChoices"}


def parameters(function: ast.FunctionDef) -> list[tuple[str, bool]]:
    arguments = function.args
    optional = len(arguments.args) - len(arguments.defaults)
    found = [(one.arg, at >= optional) for at, one in enumerate(arguments.args)]
    found += [(one.arg, default is not None) for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    found += [(one.arg, False) for one in (arguments.vararg, arguments.kwarg) if one is not None]
    return [one for one in found if one[0] not in ("self", "cls")]


def actual(function) -> list[tuple[str, bool]]:
    signature = inspect.signature(function).parameters.values()
    return [(one.name, one.default is not one.empty) for one in signature if one.name not in ("self", "cls")]


def test_every_function_and_method_is_as_its_stub_says():
    compared = 0
    for node in STUBS.body:
        if isinstance(node, ast.FunctionDef) and hasattr(trommel_text, node.name):
            assert actual(getattr(trommel_text, node.name)) == parameters(node), node.name
            compared += 1
        if isinstance(node, ast.ClassDef) and node.name not in RECORDS:
            owner = getattr(trommel_text, node.name)
            for member in node.body:
                if not isinstance(member, ast.FunctionDef):
                    continue
                is_property = any(getattr(one, "id", "") == "property" for one in member.decorator_list)
                if is_property:
                    assert inspect.isdatadescriptor(getattr(owner, member.name)), (node.name, member.name)
                elif member.name == "__new__":
                    assert actual(owner) == parameters(member), node.name
                elif not member.name.startswith("__"):
                    assert actual(getattr(owner, member.name)) == parameters(member), (node.name, member.name)
                compared += 1
    assert compared > 60


def test_every_setting_is_a_typed_keyword():
    def named(record: str) -> set[str]:
        node = next(node for node in STUBS.body if isinstance(node, ast.ClassDef) and node.name == record)
        return {member.target.id for member in node.body if isinstance(member, ast.AnnAssign)}

    def of(*parts: str) -> set[str]:
        return {one["name"] for one in trommel_text.settings() if one["part"] in parts}

    assert named("Choices") == of("content", "text", "include") | {"markdown"}
    assert named("RunChoices") == of("", "sites", "filters", "archive", "limits")
    assert named("FileChoices") == of("output")


def test_every_public_name_has_a_stub_and_a_docstring():
    stubbed = {node.name for node in STUBS.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    for name in trommel_text.__all__:
        if name != "__version__":
            assert name in stubbed, name
            assert getattr(trommel_text, name).__doc__, name
    for name in ("Document", "Extractor", "Session", "RecordBatch", "DocumentBatches", "Inspection", "Block", "Table", "Post"):
        owner = getattr(trommel_text, name)
        for member, value in vars(owner).items():
            if not member.startswith("_"):
                assert value.__doc__, (name, member)
                assert any(
                    isinstance(one, ast.FunctionDef) and one.name == member
                    for node in STUBS.body
                    if isinstance(node, ast.ClassDef) and node.name == name
                    for one in node.body
                ), (name, member)
