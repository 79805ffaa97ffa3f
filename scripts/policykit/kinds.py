# SPDX-License-Identifier: GPL-2.0-only
"""Kinds of made-up traces. Pure: a seed and a kind give the same trace always.

Each kind is a generator without end of (length, distance to the next timer),
both in ns; None where no timer is known. What lies behind the kinds: requests
and answers (short), disks and networks (bimodal, pareto, lognormal), timers,
programs that change what they do (phases, drift), and what the classic rule is
bad at.
"""

import itertools
import math

US = 1000
MS = 1000 * US
# Shorter idle periods hardly exist: entering and leaving idle takes as long.
LEAST_NS = 500


def _endless(draw):
    """A kind whose periods are independent draws."""
    def kind(random):
        while True:
            yield draw(random), None
    return kind


def _cycle(*draws):
    """A kind whose periods come in turn."""
    def kind(random):
        for draw in itertools.cycle(draws):
            yield draw(random), None
    return kind


def _normal(mean_us, sigma_us):
    return lambda random: random.gauss(mean_us, sigma_us) * US


def _exponential(mean_us):
    return lambda random: random.expovariate(1 / mean_us) * US


def _either(share, one, other):
    return lambda random: (one if random.random() < share else other)(random)


def _phases(periods):
    return _cycle(*[_normal(50, 3)] * periods, *[_normal(5000, 100)] * periods)


def _pareto(random):
    return 20 * US * random.paretovariate(1.1)


def _lognormal(random):
    return 60 * US * math.exp(random.gauss(0, 1))


def _drift(random):
    """A mean that wanders between 5 us and 2 ms."""
    mean = 30 * US
    while True:
        mean = min(max(mean * math.exp(random.gauss(0, 0.02)), 5 * US), 2 * MS)
        yield mean * random.uniform(0.8, 1.2), None


def _bursts(random):
    """Some 20 requests 30 us apart, then a rest of some 10 ms."""
    while True:
        yield (_exponential(10000) if random.random() < 0.05 else _normal(30, 5))(random), None


def _timers(length_us):
    """Nothing but a timer ever ends a period; it is a little late."""
    def kind(random):
        while True:
            timer = length_us * US
            yield timer + random.uniform(1, 3) * US, timer
    return kind


def _timers_in_turn(random):
    while True:
        for timer in (60 * US, 4 * MS):
            yield timer + random.uniform(1, 3) * US, timer


def _early_wakes(random):
    """A timer each millisecond; half of the time something comes before."""
    while True:
        timer = 1 * MS
        early = random.random() < 0.5
        yield (_normal(25, 3)(random) if early else timer + 2 * US), timer


# name: (what it is, generator)
KINDS = {
    "short": ("around 20 us", _endless(_normal(20, 2))),
    "near-cost": ("normal 190±15 us", _endless(_normal(190, 15))),
    "exponential-50": ("exponential, mean 50 us", _endless(_exponential(50))),
    "exponential-200": ("exponential, mean 200 us (memoryless: nothing to learn)",
                        _endless(_exponential(200))),
    "bimodal": ("70% 15 us, 30% 2 ms",
                _endless(_either(0.7, _normal(15, 1), _normal(2000, 50)))),
    "alternating": ("15 us and 1 ms alternating", _cycle(_normal(15, 1), _normal(1000, 20))),
    "two-of-three": ("30 us twice, then 3 ms",
                     _cycle(_normal(30, 1), _normal(30, 1), _normal(3000, 50))),
    "phases-200": ("phases of 200 periods, 50 us and 5 ms", _phases(200)),
    "phases-10": ("phases of 10 periods, 50 us and 5 ms", _phases(10)),
    "pareto": ("Pareto 1.1 from 20 us", _endless(_pareto)),
    "lognormal": ("log-normal, median 60 us, sigma 1", _endless(_lognormal)),
    "past-grow-start": ("normal 58±3 us, just past classic's grow_start", _endless(_normal(58, 3))),
    "drift": ("a mean that wanders between 5 us and 2 ms", _drift),
    "bursts": ("bursts of some 20 requests, rests of some 10 ms", _bursts),
    "rest": ("at rest: 4 ms and more", _endless(_normal(6000, 600))),
    "timer-1ms": ("timers alone, each 1 ms", _timers(1000)),
    "timer-100us": ("timers alone, each 100 us", _timers(100)),
    "timers-in-turn": ("timers alone, 60 us and 4 ms in turn", _timers_in_turn),
    "early-wakes": ("a timer each 1 ms, half of the time a wake-up after 25 us before it",
                    _early_wakes),
}


def trace(name, random, count):
    """`count` lines of a trace file."""
    for length, timer in itertools.islice(KINDS[name][1](random), count):
        length = max(round(length), LEAST_NS)
        yield f"{length}\n" if timer is None else f"{length} {timer}\n"
