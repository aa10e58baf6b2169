"""Tables, and what other libraries get of them."""
import datetime

import pytest

import tidemill

TIME = datetime.datetime(2012, 4, 30, tzinfo=datetime.UTC)


def small() -> tidemill.Table:
    return tidemill.Table({"number": [1, 2, 3], "value": [0.5, None, 0.25], "at": [TIME, None, TIME], "name": ["<a>", "b", "c"]})


def test_a_table_is_a_sequence_of_rows() -> None:
    table = small()
    assert len(table) == 3
    assert table[0] == {"number": 1, "value": 0.5, "at": TIME, "name": "<a>"}
    assert [row["number"] for row in table] == [1, 2, 3]
    assert table[-1]["name"] == "c"


def test_rows_are_chosen_by_the_values_of_columns() -> None:
    assert small().where(at=TIME, name="c").column("number") == [3]
    with pytest.raises(KeyError, match="there is no column nothing; there are number, value, at, name"):
        small().column("nothing")


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="same number of rows"):
        tidemill.Table({"a": [1], "b": []})


def test_pandas_polars_and_arrow_have_the_same_values() -> None:
    table = small()
    frame, polars, arrow = table.to_pandas(), table.to_polars(), table.to_arrow()
    assert list(frame.columns) == polars.columns == arrow.column_names == list(table.columns)
    assert str(frame["at"].dtype).startswith("datetime64") and frame["at"][0] == TIME
    assert polars["value"].to_list() == arrow["value"].to_pylist() == [0.5, None, 0.25]
    assert frame["value"].isna().tolist() == [False, True, False]
    assert arrow["at"].to_pylist() == polars["at"].to_list() == table.column("at")


def test_a_table_is_shown_as_text_and_as_html() -> None:
    assert repr(small()).splitlines()[1].split() == ["1", "0.5", "2012-04-30", "<a>"]
    assert "&lt;a&gt;" in small()._repr_html_()
    assert "5 more rows" in repr(tidemill.Table({"n": list(range(25))}))


def test_a_table_without_rows_has_its_columns() -> None:
    empty = tidemill.Table.of_rows(("a", "b"), [])
    assert len(empty) == 0 and list(empty.to_pandas().columns) == ["a", "b"] and empty.to_arrow().num_rows == 0
