#!/usr/bin/env python3
"""Compares values of expressions with those of DuckDB.

tests/expressions/agreement.py PROGRAM [--recorded FILE] [--count N] [--seed S] [--record FILE]

PROGRAM is expression_values. With --recorded the values of DuckDB come from a file that --record has written; otherwise
N expressions are generated, each is computed for five rows by both, and DuckDB has to be installed (`make agreement`).
Exits with 1 when values differ. docs/guides/columns.md states where the two languages differ; what is generated for DuckDB
says there what ours says here.
"""
import argparse
import json
import math
import random
import subprocess
import sys

ROWS = 200
COUNT = 5
ZONE = "Europe/Zurich"
TYPES = {"a": "number", "b": "number", "c": "number", "i": "whole", "j": "whole", "p": "truth", "q": "truth", "s": "text",
         "t": "text", "u": "time", "v": "time"}
SQL_TYPES = {"number": "DOUBLE", "whole": "BIGINT", "truth": "BOOLEAN", "text": "VARCHAR", "time": "TIMESTAMP"}
TEXTS = ["", "a", "abc", "Abc", " pad ", "12", "-3.5", "1e3", "x y z", "\u00c4rger", "it's", "NaN?", "N853MH", "9007199254740993"]


def value_of(kind, dice):
    if dice.random() < 0.15:
        return None
    if kind == "number":
        return dice.choice([0.0, 1.0, -1.0, 0.5, -2.5, 1e-3, 1e300, -1e300, dice.uniform(-100, 100), dice.gauss(0, 1),
                            float(dice.randint(-9, 9))])
    if kind == "whole":
        return dice.choice([0, 1, -1, 7, 2**63 - 1, -(2**63) + 1, 2**53 + 1, dice.randint(-100, 100), dice.randint(-9, 9)])
    if kind == "truth":
        return dice.random() < 0.5
    if kind == "text":
        return dice.choice(TEXTS)
    return dice.choice([0, -1, 86_400_000_000, 1_709_208_000_000_000, dice.randint(-(2**51), 2**51)])


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


class Generator:
    """Makes pairs of texts: an expression of ours, and what says the same to DuckDB."""

    def __init__(self, dice):
        self.dice = dice

    def make(self, kind, depth):
        if depth == 0 or self.dice.random() < 0.12:
            return self.leaf(kind)
        return self.dice.choice(getattr(self, kind + "s"))(self, depth - 1)

    def leaf(self, kind):
        if self.dice.random() < 0.65:
            name = self.dice.choice([name for name, of in TYPES.items() if of == kind])
            return name, name
        if kind == "number":
            text = self.dice.choice(["0.0", "1.5", "2.0", "(-0.25)", "100.0", ".5", "1e3"])
            return text, f"({text})::DOUBLE"
        if kind == "whole":
            text = self.dice.choice(["0", "1", "2", "(-3)", "10", "9007199254740992"])
            return text, f"({text})::BIGINT"
        if kind == "truth":
            text = self.dice.choice(["true", "false"])
            return text, text
        if kind == "text":
            text = quoted(self.dice.choice(TEXTS))
            return text, text
        day = self.dice.choice(["1969-12-31", "2000-02-29", "2024-02-29"])
        return f"time('{day}')", f"TIMESTAMP '{day}'"

    # Each is given how deep it may still go.
    def sum(self, depth):
        sign = self.dice.choice("+-*")
        (a, sql_a), (b, sql_b) = self.either(depth), self.make("number", depth)
        return f"({a} {sign} {b})", f"n({sql_a} {sign} {sql_b})"

    def quotient(self, depth):
        sign = self.dice.choice("/%")
        (a, sql_a), (b, sql_b) = self.either(depth), self.make("number", depth)
        return f"({a} {sign} {b})", f"n(try({sql_a} {sign} nullif({sql_b}, 0)))"

    def either(self, depth):
        return self.make(self.dice.choice(["number", "number", "whole"]), depth)

    def power(self, depth):
        (a, sql_a), (b, sql_b) = self.make("number", depth), self.make("number", depth)
        return f"({a} ^ {b})", f"n(pow({sql_a}, {sql_b}))"

    def negated(self, depth):
        a, sql_a = self.make("number", depth)
        return f"(-({a}))", f"(-({sql_a}))"

    def of_number(self, depth):
        name, sql = self.dice.choice([("abs", "abs({})"), ("sqrt", "root({})"), ("exp", "exp({})"), ("log", "logarithm({})"),
                                      ("log1p", "logarithm(1 + {})"), ("floor", "floor({})"), ("round", "round({})")])
        a, sql_a = self.make("number", depth)
        return f"{name}({a})", sql.format(sql_a)

    def rounded(self, depth):
        a, sql_a = self.make("number", depth)
        digits = self.dice.choice([0, 1, 2, -1])
        return f"round({a}, {digits})", f"round({sql_a}, {digits})"

    def clipped(self, depth):
        a, sql_a = self.make("number", depth)
        return f"clip({a}, -2, 10.5)", f"clipped({sql_a}, -2, 10.5)"

    def extreme(self, depth, kind="number"):
        name, sql = self.dice.choice([("min", "least"), ("max", "greatest")])
        return self.call(name, sql, [self.make(kind, depth) for _ in range(self.dice.randint(1, 3))])

    @staticmethod
    def call(name, sql, pairs):
        return f"{name}({', '.join(a for a, _ in pairs)})", f"{sql}({', '.join(b for _, b in pairs)})"

    def to_number(self, depth):
        kind = self.dice.choice(["text", "truth", "whole"])
        a, sql_a = self.make(kind, depth)
        if kind == "text":
            return f"number({a})", f"as_number({sql_a})"
        return f"number({a})", f"({sql_a})::BIGINT::DOUBLE"

    def seconds(self, depth):
        (a, sql_a), (b, sql_b) = self.make("time", depth), self.make("time", depth)
        return self.dice.choice([(f"epoch({a})", f"(epoch_us({sql_a}) / 1e6)"),
                                 (f"({a} - {b})", f"((epoch_us({sql_a}) - epoch_us({sql_b})) / 1e6)")])

    def choice(self, kind):
        def made(self, depth):
            (c, sql_c), (a, sql_a), (b, sql_b) = self.make("truth", depth), self.make(kind, depth), self.make(kind, depth)
            if self.dice.random() < 0.3:
                return self.call("coalesce", "coalesce", [(a, sql_a), (b, sql_b)])
            if self.dice.random() < 0.3:
                return self.call("nullif", "nullif", [(a, sql_a), (b, sql_b)])
            ours = self.dice.choice([f"if({c}, {a}, {b})", f"case when {c} then {a} else {b} end"])
            return ours, f"(CASE WHEN {sql_c} THEN {sql_a} ELSE {sql_b} END)"
        return lambda self, depth: made(self, depth)

    def whole_sum(self, depth):
        sign = self.dice.choice("+-*%")
        (a, sql_a), (b, sql_b) = self.make("whole", depth), self.make("whole", depth)
        return f"({a} {sign} {b})", f"w(try({sql_a} {sign} {sql_b}))"

    def whole_function(self, depth):
        a, sql_a = self.make("whole", depth)
        return self.dice.choice([(f"abs({a})", f"abs({sql_a})"), (f"(-({a}))", f"(-({sql_a}))")])

    def to_whole(self, depth):
        kind = self.dice.choice(["text", "truth", "number"])
        a, sql_a = self.make(kind, depth)
        sql = {"text": "as_whole({})", "truth": "({})::BIGINT", "number": "w(try_cast(round({}) AS BIGINT))"}[kind]
        return f"whole({a})", sql.format(sql_a)

    def length(self, depth):
        return self.call("length", "length", [self.make("text", depth)])

    def part_of_time(self, depth):
        name, sql = self.dice.choice([(name, name) for name in ("year", "month", "day", "hour", "minute")] +
                                     [("weekday", "isodow"), ("day_of_year", "dayofyear")])
        a, sql_a = self.make("time", depth)
        if self.dice.random() < 0.4:
            return f"{name}({a}, '{ZONE}')", f"{sql}(timezone('{ZONE}', timezone('UTC', {sql_a})))"
        return f"{name}({a})", f"{sql}({sql_a})"

    def comparison(self, depth):
        sign = self.dice.choice(["=", "!=", "<", "<=", ">", ">="])
        kind = self.dice.choice(["number", "whole", "text", "time"])
        (a, sql_a), (b, sql_b) = self.make(kind, depth), self.make(kind, depth)
        return f"({a} {sign} {b})", f"({sql_a} {sign} {sql_b})"

    def member(self, depth):
        kind = self.dice.choice(["number", "whole", "text"])
        a, sql_a = self.make(kind, depth)
        word = self.dice.choice(["in", "not in"])
        pairs = [self.leaf(kind) for _ in range(self.dice.randint(1, 3))]
        if self.dice.random() < 0.2:
            pairs.append(("null", "NULL"))
        ours, sql = self.call("", "", pairs)
        return f"({a} {word} {ours})", f"({sql_a} {word} {sql})"

    def between(self, depth):
        kind = self.dice.choice(["number", "whole", "text", "time"])
        (a, sql_a), (b, sql_b), (c, sql_c) = (self.make(kind, depth) for _ in range(3))
        word = self.dice.choice(["between", "not between"])
        return f"({a} {word} {b} and {c})", f"({sql_a} {word} {sql_b} AND {sql_c})"

    def null_test(self, depth):
        a, sql_a = self.make(self.dice.choice(list(SQL_TYPES)), depth)
        word = self.dice.choice(["is null", "is not null"])
        return f"({a} {word})", f"({sql_a} {word})"

    def logic(self, depth):
        word = self.dice.choice(["and", "or"])
        (a, sql_a), (b, sql_b) = self.make("truth", depth), self.make("truth", depth)
        return f"({a} {word} {b})", f"({sql_a} {word} {sql_b})"

    def opposite(self, depth):
        a, sql_a = self.make("truth", depth)
        return f"(not {a})", f"(NOT {sql_a})"

    def of_texts(self, depth):
        name = self.dice.choice(["contains", "starts_with", "ends_with"])
        return self.call(name, name, [self.make("text", depth), self.leaf("text")])

    def matches(self, depth):
        pattern = quoted(self.dice.choice(["^[0-9]+$", "a|b", "^N", "[[:upper:]]", "\\s", "^$"]))
        a, sql_a = self.make("text", depth)
        return f"matches({a}, {pattern})", f"regexp_matches({sql_a}, {pattern})"

    def cased(self, depth):
        a, sql_a = self.make("text", depth)
        return self.dice.choice([(f"lower({a})", f"lower({sql_a})"), (f"upper({a})", f"upper({sql_a})"),
                                 (f"trim({a})", f"trim({sql_a}, ' ')")])

    def joined(self, depth):
        return self.call("concat", "concat", [self.make(self.dice.choice(["text", "text", "whole", "truth"]), depth)
                                              for _ in range(self.dice.randint(1, 3))])

    def part(self, depth):
        a, sql_a = self.make("text", depth)
        place = self.dice.choice([0, 1, 2, -1, -2])
        return f"split({a}, ' ')[{place}]", f"list_extract(string_split({sql_a}, ' '), {place + (place >= 0)})"

    def to_text(self, depth):
        a, sql_a = self.make(self.dice.choice(["whole", "truth"]), depth)
        return f"text({a})", f"({sql_a})::VARCHAR"

    def shifted(self, depth):
        sign = self.dice.choice("+-")
        a, sql_a = self.make("time", depth)
        seconds = self.dice.choice([0, 1, 3600, 0.5, 86400 * 30])
        return f"({a} {sign} {seconds})", f"({sql_a} {sign} to_microseconds({int(seconds * 1e6)}))"

    def read_time(self, depth):
        del depth
        day = f"{self.dice.randint(1, 28)}.{self.dice.randint(1, 12)}.{self.dice.randint(1960, 2040)}"
        return f"time('{day}', '%d.%m.%Y')", f"strptime('{day}', '%d.%m.%Y')"

    def from_epoch(self, depth):
        a, sql_a = self.make("whole", 0) if depth < 0 else (str(self.dice.randint(-10**9, 10**9)),) * 2
        return f"time({a})", f"make_timestamp({sql_a}::BIGINT * 1000000)"

    numbers = [sum, sum, quotient, power, negated, of_number, of_number, rounded, clipped, extreme, to_number, seconds,
               choice(None, "number")]
    wholes = [whole_sum, whole_sum, whole_function, to_whole, length, part_of_time, part_of_time, choice(None, "whole"),
              lambda self, depth: self.extreme(depth, "whole")]
    truths = [comparison, comparison, member, between, null_test, logic, logic, opposite, of_texts, matches,
              choice(None, "truth")]
    texts = [cased, joined, part, to_text, choice(None, "text"), lambda self, depth: self.extreme(depth, "text")]
    times = [shifted, read_time, from_epoch, choice(None, "time"), lambda self, depth: self.extreme(depth, "time")]


def connect(columns):
    """DuckDB with the rows, and with what makes it say null where we do."""
    import duckdb
    database = duckdb.connect(config={"threads": 1})
    database.execute("SET TimeZone = 'UTC'")
    for macro in ("root(x) AS CASE WHEN x >= 0 THEN sqrt(x) END", "logarithm(x) AS CASE WHEN x > 0 THEN ln(x) END",
                  "n(x) AS CASE WHEN isnan(x) THEN NULL ELSE x END",
                  "w(x) AS nullif(x, -9223372036854775808)",
                  "clipped(x, low, high) AS CASE WHEN x IS NULL THEN NULL ELSE least(greatest(x, low), high) END",
                  "as_number(x) AS CASE WHEN regexp_matches(x, '^\\s*[-+.0-9]') THEN try_cast(x AS DOUBLE) END",
                  "as_whole(x) AS CASE WHEN regexp_matches(x, '^\\s*[-+]?[0-9]+\\s*$') THEN w(try_cast(x AS BIGINT)) END"):
        database.execute("CREATE MACRO " + macro)
    names = list(columns)
    shown = ", ".join(f"{name} {SQL_TYPES[columns[name][0]]}" for name in names)
    database.execute(f"CREATE TABLE samples (number_of_row INTEGER, {shown})")
    for row in range(ROWS):
        marks = ", ".join("make_timestamp(?::BIGINT)" if columns[name][0] == "time" else "?" for name in names)
        database.execute(f"INSERT INTO samples VALUES ({row}, {marks})", [columns[name][row + 1] for name in names])
    return database


def plain(value):
    """As JSON has it: times as microseconds, what is not finite as null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def ask(database, kind, sql, first):
    shown = f"epoch_us({sql})" if kind == "time" else sql
    found = database.execute(f"SELECT {shown} FROM samples WHERE number_of_row BETWEEN {first} AND {first + COUNT - 1} "
                             "ORDER BY number_of_row").fetchall()
    return [plain(row[0]) for row in found]


def same(ours, theirs):
    if isinstance(ours, bool) or isinstance(theirs, bool) or isinstance(ours, str) or ours is None or theirs is None:
        return type(ours) is type(theirs) and ours == theirs
    if isinstance(ours, int) and isinstance(theirs, int):
        return ours == theirs
    return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12)


def generate(count, seed):
    dice = random.Random(seed)
    columns = {name: [kind] + [value_of(kind, dice) for _ in range(ROWS)] for name, kind in TYPES.items()}
    database = connect(columns)
    generator = Generator(dice)
    cases = []
    refused = 0
    while len(cases) < count:
        kind = dice.choice(list(SQL_TYPES))
        ours, sql = generator.make(kind, dice.randint(1, 4))
        case = {"expression": ours, "first": dice.randint(0, ROWS - COUNT), "count": COUNT}
        try:
            case["values"] = ask(database, kind, sql, case["first"])
        except Exception as problem:  # An error of a whole query, where we have a null of one row.
            refused += 1
            if refused <= 5:
                print(f"DuckDB refuses {sql}: {problem}", file=sys.stderr)
            continue
        case["sql"] = sql
        cases.append(case)
    print(f"{len(cases)} expressions; DuckDB refused {refused} more", file=sys.stderr)
    return columns, cases


def compute(program, columns, cases):
    lines = [json.dumps({"columns": columns})]
    lines += [json.dumps({key: case[key] for key in ("expression", "first", "count")}) for case in cases]
    done = subprocess.run([program], input="\n".join(lines) + "\n", stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--recorded")
    parser.add_argument("--record")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.recorded:
        with open(arguments.recorded, encoding="utf-8") as file:
            columns, *cases = [json.loads(line) for line in file]
        columns = columns["columns"]
    else:
        columns, cases = generate(arguments.count, arguments.seed)
    answers = compute(arguments.program, columns, cases)
    if len(answers) != len(cases) or not cases:
        sys.exit(f"{len(answers)} answers to {len(cases)} expressions")
    num_values = num_nulls = num_different = 0
    for case, answer in zip(cases, answers):
        num_values += len(case["values"])
        num_nulls += case["values"].count(None)
        if isinstance(answer, list) and len(answer) == len(case["values"]) and all(map(same, answer, case["values"])):
            continue
        num_different += 1
        if num_different <= 20:
            print(f"{case['expression']}\n  rows from {case['first']}\n  ours   {json.dumps(answer)}\n"
                  f"  DuckDB {json.dumps(case['values'])}\n  {case.get('sql', '')}")
    print(f"{len(cases)} expressions, {num_values} values, {num_nulls} of them null: {num_different} expressions differ")
    if arguments.record:
        with open(arguments.record, "w", encoding="utf-8") as file:
            file.write(json.dumps({"columns": columns}) + "\n")
            for case in cases:
                case.pop("sql", None)
                file.write(json.dumps(case) + "\n")
    sys.exit(1 if num_different else 0)


if __name__ == "__main__":
    main()
