"""Reference values for tare_stats::factorial, written without a look at the Rust code:

    pip install numpy pandas statsmodels
    python factorial.py > factorial.json

The model is statsmodels' formula with every factor categorical. Effects are not read from its coefficients: the fitted model
predicts every setting of the whole grid, also those that were not measured, and effects are differences of averages over it.
"""

import itertools
import json
import random

import numpy as np
import pandas as pd
import statsmodels.formula.api as smf

random.seed(15)


def case(levels, keep, pairs, rounded=6):
    names = "abcd"[: len(levels)]
    grid = list(itertools.product(*(range(n) for n in levels)))
    points = [point for point in grid if keep(point)]
    values = [round(random.gauss(0.3 * sum(point), 0.5), rounded) for point in points]
    frame = pd.DataFrame(points, columns=list(names)).assign(y=values)
    # The code is C(a): any full-rank code of the same model predicts the same.
    terms = [f"C({name})" for name in names]
    if pairs:
        terms += [f"C({a}):C({b})" for a, b in itertools.combinations(names, 2)]
    model = smf.ols("y ~ " + " + ".join(terms), frame)
    assert np.linalg.matrix_rank(model.exog) == model.exog.shape[1]
    fit = model.fit()
    whole = pd.DataFrame(grid, columns=list(names))
    whole = whole.assign(p=fit.predict(whole))

    def mean(**at):
        part = whole
        for name, level in at.items():
            part = part[part[name] == level]
        return float(part["p"].mean())

    means, effects, interactions = [], [], []
    for f, name in enumerate(names):
        for level in range(levels[f]):
            means.append({"factor": f, "level": level, "value": mean(**{name: level})})
            effects.append({"factor": f, "level": level, "value": mean(**{name: level}) - mean(**{name: 0})})
    for (f, a), (g, b) in itertools.combinations(enumerate(names), 2):
        for i, j in itertools.product(range(levels[f]), range(levels[g])):
            both = mean(**{a: i, b: j}) - mean(**{a: i, b: 0}) - mean(**{a: 0, b: j}) + mean(**{a: 0, b: 0})
            interactions.append({"factors": [f, g], "levels": [i, j], "value": both})
    return {
        "levels": levels, "points": points, "pairs": pairs, "values": values, "explained": float(fit.rsquared),
        "means": means, "effects": effects, "interactions": interactions,
    }


def half(point):
    return sum(point) % 2 == 0


cases = [
    case([2], lambda p: True, False),
    case([3], lambda p: True, True),
    case([3, 4], lambda p: True, True),
    case([3, 4], lambda p: True, False),
    case([3, 3, 4], lambda p: True, True),
    case([2, 2, 2, 2], half, False),
    case([3, 3, 4], lambda p: sum(p) % 3 == 0, False),
    # One at a time, and a grid with two holes.
    case([3, 2, 4], lambda p: sum(level > 0 for level in p) <= 1, False),
    case([3, 3, 2], lambda p: p not in [(2, 2, 1), (1, 0, 1)], True),
]
print(json.dumps(cases, indent=None, separators=(",", ":")).replace('},{"levels"', '},\n{"levels"'))
