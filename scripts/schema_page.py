"""Writes src/cleveragents/storage/schema.sql, which makes a new database, from the migrations.

python scripts/schema_page.py            # writes it
python scripts/schema_page.py --check    # fails if it is out of date
"""

import sqlite3
from contextlib import closing
from pathlib import Path

from page import settle

from cleveragents.storage.database import SCRIPT
from cleveragents.storage.migrations import upgrade

HEAD = "-- Where the migrations lead; made by scripts/schema_page.py, never edited.\n"


def main() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as driver:
        upgrade(driver)
        lines = [line for line in driver.iterdump() if not line.startswith("BEGIN")]
    text = "\n".join([f"{HEAD}BEGIN IMMEDIATE;", *lines, ""])
    settle("scripts/schema_page.py", {SCRIPT.relative_to(Path.cwd()): text})


if __name__ == "__main__":
    main()
