"""How results of measurements are written down: as JSON with one row a line, so that a change of a row is a change of a line."""
import json


def text_of(results, levels=1):
    """A list or a dictionary whose entries are rows. levels=2: whose entries hold them."""
    if levels == 0:
        return json.dumps(results)
    if isinstance(results, dict):
        entries = [f"{json.dumps(key)}: {text_of(value, levels - 1)}" for key, value in results.items()]
        return "{\n" + ",\n".join(entries) + "\n}"
    return "[\n" + ",\n".join(text_of(value, levels - 1) for value in results) + "\n]"
