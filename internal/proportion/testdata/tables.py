"""Writes tables.csv, holm.csv and levels.csv, with which the tests of this package compare: what SciPy, statsmodels and
mpmath say. The same versions write the same bytes, in some minutes:

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install scipy==1.17.1 statsmodels==0.15.0 mpmath==1.4.1
    /tmp/venv/bin/python internal/proportion/testdata/tables.py
"""

import csv
import itertools
import math
import pathlib
import random
from decimal import Decimal, getcontext

from mpmath import erfc, erfinv, exp, findroot, log, mp, mpf, pi, quad, sqrt
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

HERE = pathlib.Path(__file__).parent
mp.dps = 30
getcontext().prec = 45


def bisect(low, high, after):
    """Where a monotone condition begins to hold, to 30 digits."""
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if after(middle) else (middle, high)
    return high


def likeliest(gains, losses, n, d):
    """The probability of a loss alone that maximises the likelihood among those with a difference of d, by the sign of
    the derivative of its logarithm, which is concave."""
    def falls(q):
        neither = 1 - 2 * q - d
        return (gains * q + losses * (q + d)) * neither < 2 * (n - gains - losses) * q * (q + d)
    return bisect(max(Decimal(0), -d), (1 - d) / 2, falls)


def tango_high(gains, losses, n, alpha):
    """The difference above that of the table which the score test just rejects."""
    z = Decimal(str(quantile(mpf(alpha) / 2)))

    def rejected(d):
        q = likeliest(gains, losses, n, d)
        variance = max(Decimal(0), 2 * q + d - d * d)
        return n * d - gains + losses > z * (n * variance).sqrt()
    return bisect(Decimal(gains - losses) / n, Decimal(1), rejected)


def sequence_low(successes, n, alpha):
    """The smallest rate that Robbins's inequality leaves."""
    if successes == 0:
        return Decimal(0)
    ways = (n + 1) * math.comb(n, successes)
    return bisect(Decimal(0), Decimal(successes) / n, lambda p: ways * p**successes * (1 - p) ** (n - successes)
                  > Decimal(alpha))


def tables():
    draw = random.Random(58)
    for n in (1, 2, 5, 50):  # with cells that are 0
        for cells in ((n, 0, 0, 0), (0, n, 0, 0), (0, 0, n, 0), (0, 0, 0, n)):
            yield cells
    for _ in range(984):
        n = draw.choice((2, 3, 7, 20, 50, 50, 100, 200, 500, 500, 2000))
        weights = [draw.random() ** draw.choice((1, 1, 3, 9)) for _ in range(4)]
        drawn = draw.choices(range(4), weights, k=n)
        yield tuple(drawn.count(i) for i in range(4))


def write(name, head, rows):
    rows = list(rows)
    with open(HERE / name, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(head)
        out.writerows([v if isinstance(v, (int, str)) else repr(float(v)) for v in row] for row in rows)


def table_rows():
    for cells, alpha in zip(tables(), itertools.cycle((0.05, 0.1, 0.01, 0.002, 1e-6))):
        both, losses, gains, neither = cells
        n, successes = sum(cells), both + gains
        yield (*cells, alpha, *proportion_confint(successes, n, alpha, method="wilson"),
               -tango_high(losses, gains, n, alpha), tango_high(gains, losses, n, alpha),
               mcnemar([[both, losses], [gains, neither]], exact=True).pvalue,
               sequence_low(successes, n, alpha), 1 - sequence_low(n - successes, n, alpha))


def holm_rows():
    draw = random.Random(59)
    for m in [*range(1, 21)] * 5:
        p = [draw.choice((draw.random(), draw.random() ** 8, 0.0, 1.0, 0.01)) for _ in range(m)]
        yield " ".join(map(repr, p)), " ".join(repr(float(v)) for v in multipletests(p, method="holm")[1])


def tail(z):
    return erfc(z / sqrt(2)) / 2


def normal(z):
    return exp(-z * z / 2) / sqrt(2 * pi)


def quantile(level):
    return sqrt(2) * erfinv(1 - 2 * mpf(level))


def level_rows():
    """The levels of three looks at most, as integrals of sums of normal variables."""
    for looks, alpha in (((50,), 0.05), ((50, 100), 0.05), ((100, 500), 0.05), ((450, 500), 0.025), ((1, 2), 0.3),
                         ((499, 500), 0.05), ((100, 200, 500), 0.05), ((150, 200, 250), 0.1)):
        t = [mpf(n) / looks[-1] for n in looks]
        spent = [2 * tail(quantile(mpf(alpha) / 2) / sqrt(v)) for v in t]
        z = [quantile(spent[0])]
        if len(looks) > 1:
            z.append(second(t, z, spent[1] - spent[0]))
        if len(looks) > 2:
            z.append(third(t, z, spent[2] - spent[1]))
        yield " ".join(map(str, looks)), alpha, " ".join(repr(float(tail(v))) for v in z)


def pieces(high, *steps):
    """Where a quadrature is split: the integrand bends near the bound of the look before, over such a step."""
    return sorted({mpf(-12), mpf(0), high, *(high - k * step for step in steps for k in (8, 4, 2, 1))})


def reaching(above, step):
    """The z with that probability above it."""
    return findroot(lambda z: log(above(z) / step), (quantile(step), quantile(step) - mpf("0.1")), tol=mpf(10) ** -45)


def second(t, z, step):
    s = sqrt(t[1] - t[0])

    def above(z2):
        return quad(lambda u: normal(u) * tail((z2 * sqrt(t[1]) - u * sqrt(t[0])) / s), pieces(z[0], s, 1))
    return reaching(above, step)


def third(t, z, step):
    s, r = sqrt(t[1] - t[0]), sqrt(t[2] - t[1])
    bound = z[1] * sqrt(t[1])

    def density(x):  # of the second sum and a first one below its bound, which is normal, too, given the second
        return normal(x / sqrt(t[1])) / sqrt(t[1]) * tail((x * sqrt(t[0]) / t[1] - z[0]) * sqrt(t[1]) / s)

    def above(z3):
        return quad(lambda x: density(x) * tail((z3 * sqrt(t[2]) - x) / r), pieces(bound, r, s))
    return reaching(above, step)


if __name__ == "__main__":
    write("levels.csv", ("looks", "alpha", "levels"), level_rows())
    write("holm.csv", ("p", "adjusted"), holm_rows())
    write("tables.csv", ("both", "only_reference", "only_candidate", "neither", "alpha", "wilson_low", "wilson_high",
                         "tango_low", "tango_high", "mcnemar", "sequence_low", "sequence_high"), table_rows())
