#!/usr/bin/env python3
"""Writes Sources/ORM/Overloads from the table in Scripts/overloads.txt, whose head describes it.

    python3 Scripts/make-overloads.py [--check]

With --check nothing is written; the exit code is 1 if a file is not what the table says. The layout
is swift-format's.

Each operation has up to four functions: synchronous and async, on a store and on the model through
the default store. An operation of a query may have the same two as methods of the query, and one more
for a transaction. Async runs the operation on another thread. A closure among the parameters, which
may not leave the call, is therefore evaluated before; EARLY names these parameters and the values that
stand for them.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "Scripts" / "overloads.txt"
FOLDER = ROOT / "Sources" / "ORM" / "Overloads"
HEADER = "// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.\n"
FORMS = {
    "sync": ("", "on the calling thread"),
    "async": ("+Async", "off the calling thread"),
}

# A parameter, by its label and the beginning of its type: the statement that evaluates it before the
# operation runs, and the argument that stands for it. `{}` is the name of the parameter.
EARLY = {
    ("_", "(Fields"): ("let field = {}(Fields())", "{ _ in field }"),
    ("then", "("): ("let tree = {}(Prefetch()).tree", "tree: tree"),
    ("_", "(inout Changes"): ("let collected = Changes.collected({})", "collected"),
}
# A parameter with the pack behind it, which no closure can capture: evaluated before in every form.
PACKS = {
    "prefetch": ("let tree = Prefetch().prefetch(path).prefetch(repeat each others).tree", "tree: tree"),
    "matchingOn": (
        "let filter = try Filter.equal(model, on: path, repeat each others)", "matching: filter"),
}
# The types of the parameter that is `self` in the methods of queries.
QUERIES = {
    "Query<Model>": "Query", "Question": "ResultQuery", "Totals<Model, Row>": "Totals",
    "FirstPerGroup<Model>": "FirstPerGroup"}
CONDITIONS = ("Filter<Self>", "Field<Self, Bool>")


class Parameter:
    def __init__(self, text):
        if text == "consistency":
            text = "consistency: ReadConsistency = .afterPendingWrites"
        names, self.type = text.split(":", 1)
        self.label, self.name = (names.split() * 2)[:2]
        self.type, _, self.default = (part.strip() for part in self.type.partition(" = "))

    def text(self, default=None):
        names = self.name if self.label == self.name else f"{self.label} {self.name}"
        default = self.default or default
        return f"{names}: {self.type}" + (f" = {default}" if default else "")

    def argument(self, value=None):
        value = value or ("repeat each " if self.type.startswith("repeat ") else "") + self.name
        return value if self.label == "_" else f"{self.label}: {value}"


class Operation:
    def __init__(self, documentation, signature, options):
        match = re.fullmatch(r"(\w+)(?:<(.*?)>)?\((.*)\)(?: -> (.*))?", signature)
        if not match:
            sys.exit(f"{TABLE.name}: not a signature: {signature}")
        self.name, generics, parameters, self.result = match.groups()
        self.generics = generics.split(", ") if generics else []
        self.parameters = [Parameter(text) for text in split(parameters)]
        self.summary, self.paragraphs, self.errors = documentation
        self.options = dict((option.split(" ", 1) + [""])[:2] for option in options)
        self.query = next((p for p in self.parameters if p.type in QUERIES), None)
        self.is_read = "read" in self.options
        if self.is_read == ("write" in self.options):
            sys.exit(f"{TABLE.name}: {self.name} is either a read or a write")

    def functions(self, form):
        """The functions of a form, each with the type that it extends."""
        yield "Store", self.on_store(form)
        if "model" in self.options:
            yield self.on_model(form, self.options["model"])

    def on_queries(self, form):
        """The functions of a form on queries, and on models with a condition, with what they extend."""
        if "query" in self.options:
            receiver = QUERIES[self.query.type]
            yield receiver, self.on_query(form)
            if form == "sync":
                yield receiver, self.on_query(form, in_transaction=True)
        if "where" in self.options:
            for condition in CONDITIONS:
                yield "Persistable", self.on_condition(form, condition)

    def on_query(self, form, in_transaction=False):
        is_result = self.query.type == "Question"

        def own(text):
            return re.sub(r"\bQuestion\b", "Self", text.replace("Question.Row", "Row"))

        parameters, arguments = [], []
        for parameter in self.parameters:
            if parameter is self.query:
                arguments.append(parameter.argument("self"))
            elif not (in_transaction and parameter.name == "consistency"):
                arguments.append(parameter.argument())
                parameters.append(parameter)
        # A store is named after what the operation needs, and before closures and options.
        place = next(
            (place for place, parameter in enumerate(parameters)
             if parameter.type.startswith("(") or parameter.default), len(parameters))
        if in_transaction:
            target = "ReadTransaction" if self.is_read else "WriteTransaction"
            store = f"in transaction: {target}"
        else:
            store = "in store: (any Store)? = nil"
        parameters = [parameter.text() for parameter in parameters]
        parameters.insert(place, store)
        call = f"{self.name}({', '.join(arguments)})"
        if in_transaction:
            body = f"try transaction.{call}"
        else:
            body = f"try {'await ' if form == 'async' else ''}(store ?? Persistence.store).{call}"
        conditions = []
        generics = [] if QUERIES[self.query.type] == "Totals" else self.generics[1:]
        is_keyed = QUERIES[self.query.type] == "FirstPerGroup"
        if not is_result and not is_keyed and not self.generics[0].endswith(": Persistable"):
            conditions.append(self.generics[0])
        return self.function(
            form, [], "", generics, parameters, conditions, [body], own,
            is_model=not in_transaction, example=self.options["query"],
            row="Row" if is_result else None, is_transaction=in_transaction)

    def on_condition(self, form, condition):
        parameters, arguments = [f"where condition: (Fields<Self>) -> {condition}"], []
        for parameter in self.parameters:
            if parameter is self.query:
                arguments.append("Self.where(condition)")
            else:
                arguments.append(parameter.argument())
                parameters.append(parameter.text())
        wait = "try await " if form == "async" else "try "
        body = f"{wait}Persistence.store.{self.name}({', '.join(arguments)})"

        def own(text):
            return re.sub(r"\bModel\b", "Self", text)

        example, summary = self.options["where"].split(" ; ")
        return self.function(
            form, [], "static ", self.generics[1:], parameters, [], [body], own, is_model=True,
            example=example, summary=summary)

    def on_store(self, form):
        early, arguments = self.call(form)
        call = f"try $0.{self.options.get('call') or f'{self.name}({arguments})'}"
        transaction = ("try await " if form == "async" else "try ") + self.transaction(form)
        if self.result and (early or form == "async"):
            transaction = "return " + transaction
        body = early + [f"{transaction} {{ {call} }}"]
        attributes = []
        if form == "sync" and "inlined" in self.options:
            attributes = ["@inlinable @inline(__always)"]
        parameters = [parameter.text() for parameter in self.parameters]
        return self.function(
            form, attributes, "", self.generics, parameters, [], body, example=self.example())

    def example(self, of_model=False):
        store, _, model = self.options.get("example", "").partition(" ; ")
        if ("model" in self.options) != bool(model):
            sys.exit(f"{TABLE.name}: {self.name} has an example for each form that it has, and no other")
        return model if of_model else store

    def transaction(self, form):
        if self.is_read:
            return "readOperation(consistency: consistency)" if form == "sync" else "read(consistency: consistency)"
        if form == "sync":
            return "singleOperation"
        rows = self.options["write"]
        return "writeOperation" if rows == "1" else f"writeOperation(rows: {rows or '.max'})"

    def call(self, form):
        """What is evaluated before a form runs, and the arguments of the call."""
        early, arguments, pack = [], [], False
        for parameter in self.parameters:
            if parameter.name == "consistency" or pack and parameter.type.startswith("repeat "):
                continue
            pack = parameter.label in PACKS
            statement, argument = PACKS.get(parameter.label, (None, parameter.argument()))
            if form != "sync":
                for (label, type), values in EARLY.items():
                    if parameter.label == label and parameter.type.startswith(type):
                        statement, argument = values
            if statement:
                early.append(statement.replace("{}", parameter.name))
            arguments.append(argument)
        return early, ", ".join(arguments)

    def on_model(self, form, kind):
        first, constraint = self.generics[0].split(": ")
        is_model = constraint in ("Persistable", "PrimaryKeyed")
        generics = self.generics[1:] if is_model else self.generics

        def own(text):
            return re.sub(rf"\b{first}\b", "Self", text) if is_model else text

        receiver = {"self": first, "static": first + ".Type"}[kind]
        parameters, arguments, label = [], [], None
        for parameter in self.parameters:
            if is_model and parameter.type == receiver:
                arguments.append(parameter.argument("self" if kind == "self" else "Self.self"))
                label = parameter.label if parameter.label != "_" else None
                continue
            arguments.append(parameter.argument())
            own_parameter = Parameter(own(parameter.text()))
            # The label of the object is that of what comes after it: `into: team, path` is `into: path`.
            if label:
                own_parameter.label, label = label, None
            default = None
            if own_parameter.type == "Query<Self>" and "defaults" in self.options:
                default = "Self.all"
            parameters.append(own_parameter.text(default))
        wait = "try await " if form == "async" else "try "
        body = f"{wait}Persistence.store.{self.name}({', '.join(arguments)})"
        conditions = [] if is_model else [f"{first}.Model == Self"]
        function = self.function(
            form, [], "static " if kind == "static" else "", generics, parameters, conditions, [body],
            own, is_model=True, example=self.example(of_model=True))
        return (constraint if is_model else "Persistable"), function

    def function(
        self, form, attributes, static, generics, parameters, conditions, body, own=str,
        is_model=False, example="", summary=None, row=None, is_transaction=False,
    ):
        result = own(self.result or "")
        effects = " async throws" if form == "async" else " throws"
        effects += f" -> {result}" if result else ""
        if not self.is_read and self.result:
            attributes = ["@discardableResult"]
        if form != "sync" and "sendable" in self.options:
            conditions = conditions + [f"{row or self.options['sendable']}: Sendable"]
        generic = f"<{', '.join(generics)}>" if generics else ""
        where = f" where {', '.join(conditions)}" if conditions else ""
        head = f"public {static}func {self.name}{generic}"
        line = f"{head}({', '.join(parameters)}){effects}{where} {{"
        if len(line) > 98:
            line = f"{head}(\n{', '.join(parameters)}\n){effects}{where} {{"
        comment = self.comment(form, is_model, example, summary, is_transaction)
        return "\n".join([*comment, *attributes, line, *body, "}"])

    def comment(self, form, is_model, example="", summary=None, is_transaction=False):
        paragraphs = list(self.paragraphs)
        errors = list(self.errors)
        if is_transaction:
            errors.append("`transactionEnded` after the end of the block")
        else:
            errors.append("the errors of `read`" if self.is_read else "the errors of `write`")
        if is_model:
            errors.append("`notConfigured` without a default store")
        errors = "; ".join(errors) + "."
        paragraphs.append("- Throws: " + errors)
        lines = ["/// " + (summary or self.summary)]
        if example:
            if is_transaction:
                example = example.replace("in: store", "in: tx")
            binding = re.match(r"let (\w+|\(.*?\)) = ", example)
            start = binding[0] if binding else ""
            call = example[len(start) :]
            example = f"{start}try {'await ' if form == 'async' else ''}{call}"
            lines += ["///", "/// ```swift", f"/// {example}", "/// ```"]
        for paragraph in paragraphs:
            lines += ["///", *wrapped(paragraph, 94)]
        return lines


def wrapped(paragraph, width):
    """A paragraph as lines of a documentation comment."""
    return ["/// " + line for line in textwrap.wrap(
        paragraph, width, subsequent_indent="  " if paragraph.startswith("- ") else "",
        break_long_words=False, break_on_hyphens=False)]


def split(text):
    """The parts of a list between its commas, but not those inside of brackets."""
    parts, depth, part = [], 0, ""
    for before, character in zip(" " + text, text):
        depth += character in "(<[{"
        depth -= character in ")]}" or character == ">" and before != "-"
        if character == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += character
    return parts + [part.strip()] if part else parts


def documentation(lines):
    """The summary, the paragraphs and the errors of a documentation comment."""
    text = "\n".join(line[3:].strip() for line in lines)
    summary, *paragraphs = (paragraph.replace("\n", " ") for paragraph in text.split("\n\n"))
    errors = [text.removeprefix("Throws: ") for text in paragraphs if text.startswith("Throws: ")]
    return summary, [text for text in paragraphs if not text.startswith("Throws: ")], errors


def table():
    """The files of the table: name, subject and operations."""
    files, comment = [], []
    lines = [line for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    while lines:
        line = lines.pop(0)
        if line.startswith("== "):
            name, subject = line[3:].split(": ")
            files.append((name, subject, []))
        elif line.startswith("///"):
            comment.append(line)
        elif line:
            options = []
            while lines and lines[0].startswith("  "):
                options.append(lines.pop(0).strip())
            files[-1][2].append(Operation(documentation(comment), line, options))
            comment = []
    return files


def extension(receiver, subject, form, is_read):
    """The comment and the head of an extension."""
    own = {
        "Store": "each in a transaction of its own",
        "Query": "on a query, in the store that is named or the default store",
        "Totals": "on totals, in the store that is named or the default store",
        "ResultQuery": "on a query for rows, in the store that is named or the default store",
    }.get(receiver, "through the default store")
    lines = wrapped(f"{subject} {FORMS[form][1]}, {own}.", 96)
    if receiver == "Store" and is_read:
        lines += ["///", *wrapped(
            "A read waits for the pending writes of blocks with a completion handler, unless `consistency` "
            "is `.latestCommit`.",
            96)]
    return [*lines, f"extension {receiver}"]


def source(subject, operations, form, kind="functions"):
    extensions = {
        receiver: [] for receiver in ("Store", "Persistable", "PrimaryKeyed", *QUERIES.values())}
    for operation in operations:
        for receiver, function in getattr(operation, kind)(form):
            extensions[receiver].append(function)
    if not any(extensions.values()):
        return None
    body = "\n".join(
        "\n".join(extension(receiver, subject, form, operations[0].is_read))
        + " {\n" + "\n\n".join(functions) + "\n}\n"
        for receiver, functions in extensions.items() if functions)
    imports = ["public import ORMCore"]
    if "Date?" in body:
        imports.insert(0, "public import FoundationEssentials")
    return HEADER + "\n" + "\n".join(imports) + "\n\n" + body


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--check", action="store_true")
    check = options.parse_args().check
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, subject, operations in table():
            for form, (suffix, _) in FORMS.items():
                for kind, ending in ("functions", "Overloads"), ("on_queries", "OnQueries"):
                    text = source(subject, operations, form, kind)
                    if text is not None:
                        (folder / f"{name}{ending}{suffix}.swift").write_text(text)
        subprocess.run(
            ["swift", "format", "-i", "--configuration", ROOT / ".swift-format", *folder.iterdir()],
            check=True)
        made = {path.name: path.read_text() for path in folder.iterdir()}
    found = {
        path.name: path.read_text()
        for path in FOLDER.glob("*.swift") if path.read_text().startswith(HEADER)}
    changed = sorted(name for name in made.keys() | found.keys() if made.get(name) != found.get(name))
    if check:
        for name in changed:
            print(f"{name} is not what Scripts/overloads.txt says: run Scripts/make-overloads.py")
        sys.exit(1 if changed else 0)
    FOLDER.mkdir(exist_ok=True)
    for name in changed:
        if name in made:
            (FOLDER / name).write_text(made[name])
        else:
            (FOLDER / name).unlink()


if __name__ == "__main__":
    main()
