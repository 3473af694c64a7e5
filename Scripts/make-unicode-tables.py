#!/usr/bin/env python3
"""Writes Sources/ORMValues/Text/UnicodeTables+CaseData.swift, +CanonicalData.swift,
+CategoryData.swift and +ScriptData.swift.

The tables come from Python's own unicodedata, so the Unicode version is that of the Python which
runs this: 14.0.0 with Python 3.11. Scripts and a few properties that Python does not know come from
Perl, which must have the same version: 5.36. Stored indexes record that version, so a new one is a
decision (and a migration), not an accident: the script refuses any other unless --version names it.

    python3 Scripts/make-unicode-tables.py [--version 14.0.0]

Each table is a run of non-negative numbers. A number is written as groups of five bits, lowest
first, 32 added to every group but the last; a group g is the character with the code 48 + g, which
is '0' to 'o'. Signed numbers are zigzag: 0, -1, 1, -2 are 0, 1, 2, 3. UnicodeTables.swift reads
this back.
"""

import argparse
import pathlib
import subprocess
import unicodedata

SCALARS = [chr(c) for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]
FOLDER = pathlib.Path(__file__).resolve().parent.parent / "Sources" / "ORMValues" / "Text"
LINE = 94  # with the literal's indentation, under the 100 columns of the house

HEADER = """\
// Written by Scripts/make-unicode-tables.py: change that, not this.

"""


def zigzag(number):
    return number * 2 if number >= 0 else -number * 2 - 1


def packed(numbers):
    characters = []
    for number in numbers:
        while number >= 32:
            characters.append(chr(48 + 32 + number % 32))
            number //= 32
        characters.append(chr(48 + number))
    return "".join(characters)


def literal(name, comment, numbers):
    text = packed(numbers)
    lines = [text[i : i + LINE] for i in range(0, len(text), LINE)]
    body = "\n".join("    " + line for line in lines)
    return f'  /// {comment}\n  static let {name}: StaticString = #"""\n{body}\n    """#\n'


def ranges(test):
    """gap from the end of the range before, length - 1"""
    numbers, end, start = [], 0, None
    for code in range(0x110001):
        inside = code < 0x110000 and not 0xD800 <= code <= 0xDFFF and test(chr(code))
        if inside and start is None:
            start = code
        elif not inside and start is not None:
            numbers += [start - end, code - start - 1]
            start, end = None, code
    return numbers


def single_mappings(mapping):
    """gap from the last key before, (length - 1) * 2 + (stride - 1), zigzag of value - key"""
    entries = [(ord(s), ord(mapping(s)) - ord(s)) for s in SCALARS if len(mapping(s)) == 1]
    entries = [entry for entry in entries if entry[1] != 0]
    numbers, before, i = [], 0, 0
    while i < len(entries):
        key, delta = entries[i]
        length, stride = 1, 1
        if i + 1 < len(entries) and entries[i + 1] in ((key + 1, delta), (key + 2, delta)):
            stride = entries[i + 1][0] - key
            while i + length < len(entries) and entries[i + length] == (key + length * stride, delta):
                length += 1
        numbers += [key - before, (length - 1) * 2 + stride - 1, zigzag(delta)]
        before = key + (length - 1) * stride
        i += length
    return numbers


def long_mappings(mapping):
    """gap from the key before, number of scalars, zigzag of each scalar - key"""
    numbers, before = [], 0
    for scalar in SCALARS:
        mapped = mapping(scalar)
        if len(mapped) > 1:
            key = ord(scalar)
            numbers += [key - before, len(mapped)] + [zigzag(ord(m) - key) for m in mapped]
            before = key
    return numbers


def classes():
    """gap from the end of the run before, length - 1, class"""
    numbers, end, code = [], 0, 0
    while code < 0x110000:
        value = unicodedata.combining(chr(code))
        start = code
        while code < 0x110000 and unicodedata.combining(chr(code)) == value:
            code += 1
        if value != 0:
            numbers += [start - end, code - start - 1, value]
            end = code
    return numbers


def decompositions():
    """One level: gap from the key before * 4 + (2 if never recomposed) + (1 if a pair), zigzag of
    the first scalar - the first scalar before, and of a pair the second scalar."""
    numbers, before, first_before = [], 0, 0
    for scalar in SCALARS:
        text = unicodedata.decomposition(scalar)
        if not text or text.startswith("<"):
            continue
        parts = [int(part, 16) for part in text.split()]
        assert len(parts) in (1, 2)
        kept = unicodedata.normalize("NFC", scalar) == scalar
        gap = ord(scalar) - before
        numbers.append(gap * 4 + (0 if kept else 2) + len(parts) - 1)
        numbers.append(zigzag(parts[0] - first_before))
        numbers += parts[1:]
        before, first_before = ord(scalar), parts[0]
    return numbers


def is_cased(scalar):
    """Cased and not Case_Ignorable, told by what comes of a capital sigma after it."""
    return (scalar + "\u03a3").lower().endswith("\u03c2")


def is_ignorable(scalar):
    return ("A" + scalar + "\u03a3").lower().endswith("\u03c2") and not is_cased(scalar)


# The order in which GeneralCategory in ScalarProperties.swift has them.
CATEGORIES = (
    "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co Cn"
).split()


def runs(value):
    """gap from the end of the run before, length - 1, number; None is left out"""
    numbers, end, code = [], 0, 0
    while code < 0x110000:
        number = value(code)
        start = code
        while code < 0x110000 and value(code) == number:
            code += 1
        if number is not None:
            numbers += [start - end, code - start - 1, number]
            end = code
    return numbers


def category(code):
    number = CATEGORIES.index(unicodedata.category(chr(code)))
    return None if number == len(CATEGORIES) - 1 else number


def perl(program, version):
    """What Perl prints, as lines."""
    check = f'die "Perl has another Unicode" if Unicode::UCD::UnicodeVersion() ne "{version}";'
    command = ["perl", "-e", "use Unicode::UCD qw(:DEFAULT prop_value_aliases prop_values);" + check + program]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def other(property_name, categories, version):
    """The scalars that have a property and are of none of these categories."""
    lines = perl(
        f"for (0..0x10FFFF) {{ next if $_ >= 0xD800 && $_ <= 0xDFFF;"
        f" print qq($_\n) if chr($_) =~ /\\p{{{property_name}}}/ }}",
        version,
    )
    members = {int(line) for line in lines}
    return ranges(
        lambda s: ord(s) in members and unicodedata.category(s) not in categories.split()
    )


def scripts(version):
    """The scripts as pairs of names, and the runs of their numbers; Unknown is left out."""
    names = [line.split() for line in perl(
        'for (sort(prop_values("sc"))) { my @n = prop_value_aliases("sc", $_);'
        ' print "$n[0] $n[1]\\n" }',
        version,
    )]
    names = [name for name in names if name and name[0] != "Zzzz"]
    lines = perl(
        'use Unicode::UCD qw(prop_invmap); my ($l, $m) = prop_invmap("Script");'
        ' print "$l->[$_] $m->[$_]\\n" for 0..$#$l;',
        version,
    )
    numbers = {name.lower(): i for i, pair in enumerate(names) for name in pair}
    starts = [(int(line.split()[0]), line.split()[1]) for line in lines]
    values = [None] * 0x110000
    for (start, name), (end, _) in zip(starts, starts[1:] + [(0x110000, "")]):
        number = None if name == "Unknown" else numbers[name.lower()]
        for code in range(start, min(end, 0x110000)):
            values[code] = number
    return names, runs(lambda code: values[code])


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--version", default="14.0.0")
    version = arguments.parse_args().version
    if unicodedata.unidata_version != version:
        raise SystemExit(f"this Python has Unicode {unicodedata.unidata_version}, not {version}")

    case = [f'  /// The Unicode version of every table.\n  static let version = "{version}"\n']
    for name, what, mapping in (
        ("folds", "case foldings (status C and F)", str.casefold),
        ("uppers", "uppercase mappings", str.upper),
        ("lowers", "lowercase mappings", str.lower),
    ):
        case.append(literal(name, f"Full {what} to one scalar.", single_mappings(mapping)))
        case.append(
            literal(name + "Long", f"Full {what} to several scalars.", long_mappings(mapping))
        )
    case.append(literal("cased", "Cased, and not Case_Ignorable.", ranges(is_cased)))
    case.append(literal("ignorable", "Case_Ignorable.", ranges(is_ignorable)))
    canonical = [
        literal("marks", "General category Mn.", ranges(lambda s: unicodedata.category(s) == "Mn")),
        literal("classes", "Canonical combining classes other than 0.", classes()),
        literal(
            "decompositions",
            "Canonical decompositions, one level, without Hangul.",
            decompositions(),
        ),
    ]
    categories = [
        literal("categories", "General categories by number; Cn is left out.", runs(category)),
        literal(
            "otherAlphabetic",
            "Alphabetic, and neither L nor Nl.",
            other("Alphabetic", "Lu Ll Lt Lm Lo Nl", version),
        ),
        literal("otherLowercase", "Lowercase, and not Ll.", other("Lowercase", "Ll", version)),
        literal("otherUppercase", "Uppercase, and not Lu.", other("Uppercase", "Lu", version)),
    ]
    names, script_runs = scripts(version)
    words = " ".join(word for pair in names for word in pair)
    lines = []
    for word in words.split():
        if lines and len(lines[-1]) + len(word) < LINE:
            lines[-1] += " " + word
        else:
            lines.append(word)
    body = "\n".join("    " + line for line in lines)
    scripts_data = [
        "  /// The short and the long name of each script, in the order of their numbers.\n"
        f'  static let scriptNames = """\n{body}\n    """\n',
        literal("scripts", "Scripts by number; Unknown is left out.", script_runs),
    ]
    for name, parts in (
        ("CaseData", case),
        ("CanonicalData", canonical),
        ("CategoryData", categories),
        ("ScriptData", scripts_data),
    ):
        text = HEADER + "extension UnicodeTables {\n" + "\n".join(parts) + "}\n"
        (FOLDER / f"UnicodeTables+{name}.swift").write_text(text)


main()
