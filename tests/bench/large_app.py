"""The board's largest case alone in a page, to measure: ``python -m streamlit run tests/bench/large_app.py``.

Runs: 2,960 vertices and 50,000 moves each. ``?runs=2`` shows two, on one clock.
"""

import streamlit as st

from pages.shared.board import Run, board
from pages.shared.i18n import Texts
from tests.unit.board.synthetic import large_run


@st.cache_data(max_entries=2)
def run(algorithm: str) -> Run:
    return large_run(algorithm)


def main() -> None:
    st.set_page_config(layout="wide")
    algorithms = ("flash2", "small-cache")[: int(st.query_params.get("runs", "1"))]
    board(
        [run(algorithm) for algorithm in algorithms],
        Texts("en").group("lab.board"),
        "en",
        key="board",
        on_rest=lambda: None,
        on_wish=lambda: None,
    )


if __name__ == "__main__":
    main()
