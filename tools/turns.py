"""How programs are measured beside others: in turn, by ratios of one turn, and with every result kept."""
import json
import statistics

# A figure whose greatest ratio is more than this times its least is measured again.
STEADY = 1.3


def take_turns(sides, rounds):
    """What each side gives in each round: {side: result}. `sides` are functions by name. What disturbs a machine disturbs all of them."""
    return [{name: measure() for name, measure in sides.items()} for _ in range(rounds)]


def ratio_of(rounds, ours, other):
    """How many times the rate of another side ours is: the median over rounds, the least and the greatest."""
    ratios = sorted(turn[ours] / turn[other] for turn in rounds)
    return {"ratio": statistics.median(ratios), "min": ratios[0], "max": ratios[-1]}


def spread(result):
    return result["max"] / result["min"]


def kept(file):
    return json.loads(file.read_text()) if file.exists() else []


def keep(file, fresh, identity):
    """Replaces the entries of the same identity, and leaves the others."""
    names = set(map(identity, fresh))
    entries = sorted([entry for entry in kept(file) if identity(entry) not in names] + fresh, key=identity)
    file.parent.mkdir(parents=True, exist_ok=True)
    # One row a line, so that a change of a row is a change of a line.
    file.write_text("[\n" + ",\n".join(map(json.dumps, entries)) + "\n]\n")
