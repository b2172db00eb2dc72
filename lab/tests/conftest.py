"""What tests of the laboratory share."""

from collections.abc import Callable

import pytest

from lab.__main__ import main


@pytest.fixture
def lab(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run ``python -m lab`` with words; return what it prints, fail if it fails."""

    def run(*words: object) -> str:
        capsys.readouterr()
        status = main([str(word) for word in words])
        output = capsys.readouterr()
        assert status == 0, output.err
        return output.out

    return run
