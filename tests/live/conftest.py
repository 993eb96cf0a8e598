"""Without the extra [live] there is nothing to test here."""

import pytest

pytest.importorskip("apsw")
pytest.importorskip("msgspec")
