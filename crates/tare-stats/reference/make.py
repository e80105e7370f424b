#!/usr/bin/env python3
"""Reference values for tare-stats, made with SciPy, NumPy and statsmodels only.

    pip install numpy scipy statsmodels
    python3 make.py            # rewrites reference.json beside this file

Nothing here follows the Rust code: where a library has the statistic, the library computes it; where none has, the
definition is written out by brute force. The JSON is data, committed, and read by tests/reference.rs.
"""
import itertools
import json
import math
import pathlib

import numpy as np
import scipy
from scipy import optimize, special, stats
import statsmodels
from statsmodels.stats.multitest import multipletests

rng = np.random.default_rng(20240611)
OUT = {"made_with": {"numpy": np.__version__, "scipy": scipy.__version__, "statsmodels": statsmodels.__version__}}


def times(n, scale=100.0, sigma=0.05):
    """n positive values that look like times, rounded so that JSON holds them exactly as Rust reads them."""
    return [round(float(v), 6) for v in scale * np.exp(rng.normal(0, sigma, n))]


def distributions():
    tails = [(t, df) for df in (1, 2, 2.5, 3, 4, 9, 29, 150.5, 1e4) for t in (1e-6, 0.1, 1, 2.5, 7, 40, 300)]
    OUT["t_two_sided"] = [{"t": t, "df": df, "p": float(2 * stats.t.sf(t, df))} for t, df in tails]
    crit = [(p, df) for df in (1, 2, 3, 3.7, 5, 12, 80, 2500) for p in (0.9, 0.32, 0.05, 0.01, 3.3e-4, 1e-8)]
    OUT["t_critical"] = [{"tail": p, "df": df, "t": float(stats.t.isf(p / 2, df))} for p, df in crit]
    OUT["normal_quantile"] = [{"p": p, "z": float(stats.norm.ppf(p))} for p in (1e-9, 0.001, 0.2, 0.5, 0.8416, 0.975)]
    OUT["normal_lower"] = [{"z": z, "p": float(stats.norm.cdf(z))} for z in (-8.0, -1.96, 0.0, 0.5, 3.0)]
    OUT["trigamma"] = [{"x": x, "y": float(special.polygamma(1, x))} for x in (0.01, 0.5, 1, 1.5, 3.2, 10, 250)]


def summaries():
    cases = []
    for n in (2, 3, 7, 40):
        x = times(n)
        low, high = stats.t.interval(0.95, n - 1, np.mean(x), stats.sem(x))
        cases.append({
            "x": x, "mean": float(np.mean(x)), "sd": float(np.std(x, ddof=1)), "median": float(np.median(x)),
            "mad": float(stats.median_abs_deviation(x)), "low": float(low), "high": float(high),
            "quantiles": [{"p": p, "q": float(np.quantile(x, p))} for p in (0.0, 0.05, 0.25, 0.333, 0.9, 1.0)],
        })
    OUT["summary"] = cases


def estimators():
    def best_of(x, k, pick):
        return float(np.mean([pick(c) for c in itertools.combinations(x, k)])) if len(x) > k else float(pick(x))

    cases = []
    for n in (3, 5, 9, 12):
        x = times(n)
        keep = math.ceil(n * 3 / 5)
        cases.append({
            "x": x, "mean": float(np.mean(x)), "median": float(np.median(x)),
            "best_low": best_of(x, 5, min), "best_high": best_of(x, 5, max),
            "keep_low": float(np.mean(sorted(x)[:keep])), "keep_high": float(np.mean(sorted(x)[-keep:])),
        })
    OUT["estimators"] = cases


def ratios():
    paired, unpaired = [], []
    for n in (2, 3, 5, 20):
        a, b = times(n, 100.0), times(n, 108.0)
        test = stats.ttest_rel(np.log(b), np.log(a))
        ci = test.confidence_interval(0.95)
        paired.append({"a": a, "b": b, "ratio": float(np.exp(np.mean(np.log(b) - np.log(a)))), "low": math.exp(ci.low),
                       "high": math.exp(ci.high), "p": float(test.pvalue)})
        c = times(n + 3, 103.0, 0.2)
        test = stats.ttest_ind(np.log(c), np.log(a), equal_var=False)
        ci = test.confidence_interval(0.9)
        unpaired.append({"a": a, "b": c, "ratio": float(np.exp(np.mean(np.log(c)) - np.mean(np.log(a)))),
                         "low": math.exp(ci.low), "high": math.exp(ci.high), "p": float(test.pvalue),
                         "df": float(test.df)})
    OUT["paired"], OUT["unpaired"] = paired, unpaired


def corrections():
    cases = []
    for n in (1, 2, 5, 30):
        p = [float(v) for v in rng.beta(0.4, 2, n)]
        if n == 5:
            p[3] = p[1]
        cases.append({"p": p, "holm": multipletests(p, method="holm")[1].tolist(),
                      "bh": multipletests(p, method="fdr_bh")[1].tolist()})
    OUT["corrections"] = cases


def equivalence():
    """TOST on the logs, by two one-sided t tests of SciPy."""
    cases = []
    for n, shift, sigma in ((5, 0.0, 0.01), (10, 0.005, 0.01), (10, 0.03, 0.01), (4, -0.01, 0.002)):
        logs = rng.normal(shift, sigma, n)
        a = times(n)
        b = [float(v) for v in np.array(a) * np.exp(logs)]
        d = np.log(b) - np.log(a)
        margin = math.log1p(0.02)
        upper = stats.ttest_1samp(d, margin, alternative="less").pvalue
        lower = stats.ttest_1samp(d, -margin, alternative="greater").pvalue
        cases.append({"a": a, "b": b, "equivalence": float(max(upper, lower)),
                      "difference": float(stats.ttest_1samp(d, 0).pvalue)})
    OUT["equivalence"] = cases


def geomeans():
    cases = []
    for rows, blocks in ((3, 4), (8, 3), (1, 6)):
        logs = rng.normal(0.1, 0.03, (rows, blocks)) + rng.normal(0, 0.02, blocks)
        per_block = logs.mean(axis=0)
        low, high = stats.t.interval(0.95, blocks - 1, per_block.mean(), stats.sem(per_block))
        cases.append({"rows": logs.tolist(), "ratio": float(stats.gmean(np.exp(logs).ravel())),
                      "low": math.exp(low), "high": math.exp(high)})
    OUT["geomean"] = cases


def moderated():
    """Smyth (2004), section 6.2, solved with a root finder instead of his Newton step."""
    cases = []
    for rows, df, prior in ((30, 2, 4.0), (120, 4, 9.0), (60, 2, 1.0), (50, 9, 1e6)):
        true = 0.02**2 * prior / rng.chisquare(prior, rows)
        variances = true * rng.chisquare(df, rows) / df
        z = np.log(variances)
        e = z - special.digamma(df / 2) + math.log(df / 2)
        excess = np.var(e, ddof=1) - special.polygamma(1, df / 2)
        if excess > 0:
            half = optimize.brentq(lambda x: special.polygamma(1, x) - excess, 1e-8, 1e8, xtol=1e-14, rtol=1e-14)
            d0, s0 = 2 * half, math.exp(e.mean() + special.digamma(half) - math.log(half))
            post = ((d0 * s0 + df * variances) / (d0 + df)).tolist()
        else:
            d0, s0, post = None, math.exp(e.mean()), [math.exp(e.mean())] * rows
        cases.append({"variances": variances.tolist(), "df": df, "d0": d0, "s0": s0, "posterior": post})
    OUT["moderated"] = cases


for make in (distributions, summaries, estimators, ratios, corrections, equivalence, geomeans, moderated):
    make()
path = pathlib.Path(__file__).with_name("reference.json")
path.write_text(json.dumps(OUT, indent=1) + "\n")
print(f"wrote {path}")
