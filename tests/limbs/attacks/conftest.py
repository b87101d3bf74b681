"""Shared by the tests of attacks: the attempts of the plan `auto` on four worlds, made once."""

from __future__ import annotations

import pytest

from rightcall.limbs.attacks.attack_plan import AttackPlan
from rightcall.limbs.attacks.attacked_plan import attack_set_of
from rightcall.limbs.attacks.attempts import AttackSet
from tests.limbs.attacks.agents import GOLDENS, WORLDS


@pytest.fixture(scope="session")
def auto() -> AttackSet:
    return attack_set_of(WORLDS, GOLDENS, AttackPlan())
