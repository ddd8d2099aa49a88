"""Runs the examples of the module and of the README."""

import doctest
from pathlib import Path

import wgpu_clamp


def test_the_examples_of_the_module():
    outcome = doctest.testmod(wgpu_clamp)
    assert outcome.failed == 0 and outcome.attempted > 0


def test_the_examples_of_the_readme():
    readme = Path(__file__).parent.parent / "README.md"
    outcome = doctest.testfile(str(readme), module_relative=False)
    assert outcome.failed == 0 and outcome.attempted > 0
